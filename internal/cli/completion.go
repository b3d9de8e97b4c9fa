package cli

import (
	"github.com/spf13/cobra"
)

const completionHelp = `Write a script that lets a shell complete commands, flags and graph files.

  bash        source <(graphrun completion bash)
  zsh         graphrun completion zsh > "${fpath[1]}/_graphrun"
  fish        graphrun completion fish > ~/.config/fish/completions/graphrun.fish
  powershell  graphrun completion powershell | Out-String | Invoke-Expression`

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "Write a script for completion in a shell", Long: completionHelp,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("which shell? bash, zsh, fish or powershell")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return unwritten(root.GenBashCompletionV2(a.Stdout, true))
			case "zsh":
				return unwritten(root.GenZshCompletion(a.Stdout))
			case "fish":
				return unwritten(root.GenFishCompletion(a.Stdout, true))
			case "powershell":
				return unwritten(root.GenPowerShellCompletionWithDesc(a.Stdout))
			}
			return usage("there is no completion for %q%s", args[0], didYouMean(args[0], cmd.ValidArgs))
		},
	}
}
