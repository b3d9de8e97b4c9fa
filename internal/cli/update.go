package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

const updateHelp = `Write to the state of a thread as if a node had just returned the values: its
edges say what is due then. If the node was due it counts as done. Other tasks
that were due are dropped, which is said, unless --keep leaves them due.
START as the node is as a new input.

With --at a fork of a checkpoint becomes the newest first. The state that came
of it is written as graphrun state writes it.

`

const updateExamples = `  graphrun update support.yaml --thread ada --as triage --values '{"topic": "fire"}'
  graphrun update support.yaml --thread ada --as review --values @facts.json --at 3 --keep`

// updater is the command update.
type updater struct {
	onThread
	as, values, at string
	keep, changes  bool
	busy           *choice
}

func (a *app) updateCommand() *cobra.Command {
	u := &updater{onThread: onThread{app: a}, busy: busyWays()}
	cmd := &cobra.Command{
		Use: "update FILE", Short: "Write to the state of a thread as a node", Long: updateHelp + exitHelp, Args: oneFile,
		Example: updateExamples,
		RunE:    func(cmd *cobra.Command, args []string) error { return u.update(cmd, args[0]) },
	}
	u.declare(cmd)
	fs := cmd.Flags()
	fs.StringVar(&u.as, "as", "", "node that the values come from")
	fs.StringVar(&u.values, "values", "", "what it writes: JSON, @FILE, or - for standard input")
	fs.StringVar(&u.at, "at", "", "checkpoint of the thread to go on from; a fork of it becomes the newest")
	fs.BoolVar(&u.keep, "keep", false, "leave the other tasks due that were due")
	fs.BoolVar(&u.changes, "allow-changes", false, "go on although the graph file has changed since the thread stopped")
	fs.Var(u.busy, "busy", busyAbout)
	completeWords(cmd, "busy", u.busy)
	for _, name := range []string{"as", "values", "at"} {
		completeNothing(cmd, name)
	}
	return cmd
}

func (u *updater) update(cmd *cobra.Command, file string) error {
	if err := u.check(cmd, file); err != nil {
		return err
	}
	ctx := cmd.Context()
	return u.with(ctx, file, changing, func(g *records, f *graphfile.File) error {
		if u.changes {
			g = g.Evolved(graph.Evolution{Any: true})
		}
		return u.write(ctx, g, f)
	})
}

// check refuses flags that cannot be.
func (u *updater) check(cmd *cobra.Command, file string) error {
	if err := u.onThread.check(cmd); err != nil {
		return err
	}
	switch {
	case u.as == "":
		return usage("which node do the values come from? give --as NODE")
	case !cmd.Flags().Changed("values"):
		return usage("which values? give --values JSON")
	case file == "-" && u.values == "-":
		return usage("standard input cannot be the graph file and the values at once")
	}
	return checkAt(cmd)
}

func (u *updater) write(ctx context.Context, g *records, f *graphfile.File) error {
	writes, err := u.readWrites(ctx, f, &feed{flag: "values", text: u.values, given: true, empty: "write {} for no values"})
	if err != nil {
		return err
	}
	if _, err := g.State(ctx, u.thread, u.at); err != nil {
		return err
	}
	done, err := g.Update(ctx, u.thread, u.as, writes, &graph.UpdateConfig{At: u.at, Keep: u.keep, Busy: busyOf(u.busy)})
	var placed *graph.Error
	switch {
	case errors.Is(err, graph.ErrUndeclared) && errors.As(err, &placed) && placed.Node == "":
		return usage("--as %s: %s", u.as, cause(err))
	case errors.Is(err, graph.ErrInvalidUpdate):
		return usage("--values: %s", cause(err))
	case err != nil:
		return err
	}
	s, err := g.State(ctx, u.thread, done.Checkpoint)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("checkpoint %s was made", done.Checkpoint)
	if len(done.Dropped) > 0 {
		said += "\ndropped: " + tally(done.Dropped)
	}
	return u.printed(s, said)
}
