package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

const forkHelp = `Make a copy of a checkpoint the newest of its thread, or of a new thread. What
was done behind the checkpoint stays in the history; all tasks that were due
there are due again. graphrun resume goes on with it.

The state that came of it is written as graphrun state writes it.

`

// forker is the command fork.
type forker struct {
	onThread
	at, to string
	busy   *choice
}

func (a *app) forkCommand() *cobra.Command {
	f := &forker{onThread: onThread{app: a}, busy: busyWays()}
	cmd := &cobra.Command{
		Use: "fork FILE", Short: "Go back to a checkpoint, or copy a thread", Long: forkHelp + exitHelp, Args: oneFile,
		Example: "  graphrun fork support.yaml --thread ada --at 3\n  graphrun fork support.yaml --thread ada --at 3 --to ada-again",
		RunE:    func(cmd *cobra.Command, args []string) error { return f.fork(cmd, args[0]) },
	}
	f.declare(cmd)
	cmd.Flags().StringVar(&f.at, "at", "", "checkpoint to copy (default: the newest)")
	cmd.Flags().StringVar(&f.to, "to", "", "new thread for the copy, with the whole past of the old one")
	cmd.Flags().Var(f.busy, "busy", busyAbout)
	completeWords(cmd, "busy", f.busy)
	completeNothing(cmd, "at")
	completeNothing(cmd, "to")
	return cmd
}

func (f *forker) fork(cmd *cobra.Command, file string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	return f.with(ctx, file, changing, func(g *records, _ *graphfile.File) error { return f.copy(ctx, g) })
}

// check refuses flags that cannot be.
func (f *forker) check(cmd *cobra.Command) error {
	if err := f.onThread.check(cmd); err != nil {
		return err
	}
	if cmd.Flags().Changed("to") {
		if err := checkThread(f.to); err != nil {
			return usage("--to: %w", err)
		}
		if f.to == f.thread {
			return usage("--to %s: it is the thread itself; without --to the fork is made there", f.to)
		}
	}
	return checkAt(cmd)
}

func (f *forker) copy(ctx context.Context, g *records) error {
	before, err := g.State(ctx, f.thread, f.at)
	if err != nil {
		return err
	}
	name, err := g.Fork(ctx, f.thread, before.Checkpoint, &graph.ForkConfig{To: f.to, Busy: busyOf(f.busy)})
	if errors.Is(err, checkpoint.ErrExists) {
		return usage("--to %s: there is such a thread already", f.to)
	}
	if err != nil {
		return err
	}
	said := fmt.Sprintf("checkpoint %s of thread %s is copied as checkpoint %s", before.Checkpoint, f.thread, name)
	if f.to != "" {
		said += " of thread " + f.to
		f.thread = f.to
	}
	s, err := g.State(ctx, f.thread, name)
	if err != nil {
		return err
	}
	return f.printed(s, said)
}
