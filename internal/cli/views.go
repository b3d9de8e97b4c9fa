package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// leadsOn makes a command one that only has commands of its own, which look at
// something.
func leadsOn(cmd *cobra.Command, what string) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage("unknown command %q%s", cmd.Name()+" "+args[0], didYouMean(args[0], commandNames(cmd)))
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return usage("what of %s? %s are there", what, strings.Join(commandNames(cmd), ", "))
	}
}

// onCheckpoint is what the commands have in common that look at a thread as it
// stood at a checkpoint.
type onCheckpoint struct {
	onThread
	at string
}

func (o *onCheckpoint) declare(cmd *cobra.Command) {
	o.onThread.declare(cmd)
	cmd.Flags().StringVar(&o.at, "at", "", "checkpoint to look at (default: the newest)")
	completeNothing(cmd, "at")
}
