package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const rootHelp = `graphrun runs, checks and draws multi-agent state graphs written as files.

Every run has a thread, which is kept step by step: a run that waits for an
answer, failed, hit a limit, was stopped or killed is gone on with by resume.
state, history and diff look at a thread; update and fork change its course.

Results go to standard output, progress and messages to standard error.
FILE is a graph file in YAML or JSON; - reads it from standard input.

Threads are kept where --store says, sqlite:FILE or memory:, without it in
graphrun/threads.db in XDG_STATE_HOME or ~/.local/state (on macOS in
~/Library/Application Support, on Windows in LocalAppData).

`

const rootExamples = `  graphrun run support.yaml --thread ada --input '{"items": ["a", "b"]}'
  graphrun state support.yaml --thread ada
  graphrun resume support.yaml --thread ada --answer '"yes"'
  graphrun history support.yaml --thread ada
  graphrun resume support.yaml --thread ada --at 2`

// root returns the command with all its commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "graphrun", Short: "Run state graphs written as files", Long: rootHelp + exitHelp, Example: rootExamples,
		SilenceErrors: true, SilenceUsage: true, Version: buildOf().line(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unknown command %q%s", args[0], didYouMean(args[0], commandNames(cmd)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage("which command? %s are there", strings.Join(commandNames(cmd), ", "))
		},
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.AddGroup(&cobra.Group{ID: "run", Title: "Run graphs:"}, &cobra.Group{ID: "thread", Title: "Look at threads and change them:"},
		&cobra.Group{ID: "file", Title: "Work on graph files:"}, &cobra.Group{ID: "more", Title: "More:"})
	root.SetHelpCommandGroupID("more")
	group(root, "run", a.runCommand(), a.resumeCommand(), a.chatCommand())
	group(root, "thread", a.stateCommand(), a.historyCommand(), a.diffCommand(), a.updateCommand(), a.forkCommand(),
		a.handoffsCommand(), a.planCommand(), a.threadsCommand(), a.pruneCommand(), a.deleteCommand())
	group(root, "file", a.validateCommand(), a.graphCommand(), a.schemaCommand())
	group(root, "more", a.completionCommand(), a.versionCommand())
	return root
}

// group adds commands under a heading of the help.
func group(root *cobra.Command, id string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = id
	}
	root.AddCommand(commands...)
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Show what a command does",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 || about == nil {
				word := strings.Join(args, " ")
				return usage("there is no help for %q%s", word, didYouMean(word, commandNames(cmd.Root())))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// flagError says what is wrong with a flag, with the nearest one if it is
// unknown.
func flagError(cmd *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: ")
	if !unknown {
		return usage("%w", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return usage("unknown flag %q%s", name, didYouMean(name, names))
}

// oneFile checks that a command is given one FILE.
func oneFile(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usage("which graph file? %s", cmd.UseLine())
	case 1:
		return nil
	}
	return usage("%s takes one graph file, but %d arguments were given: %q", cmd.Name(), len(args), args)
}

// nothing checks that a command is given no arguments.
func nothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no arguments, but %q was given", cmd.Name(), args)
	}
	return nil
}

// completeFiles lets a shell complete the names of graph files.
func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeWords lets a shell complete the words of a choice.
func completeWords(cmd *cobra.Command, flag string, c *choice) {
	// The error can only be that there is no such flag.
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}
