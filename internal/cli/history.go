package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

const historyHelp = `List the checkpoints of a thread, newest first, in the order they were made:
those of branches that were left by a fork as well.

NEXT holds all tasks of the step that followed. With --output jsonl each
checkpoint is a line of the form that graphrun state writes, with json all are
one list.

`

// historian is the command history.
type historian struct {
	onThread
	limit  int
	before string
}

func (a *app) historyCommand() *cobra.Command {
	h := &historian{onThread: onThread{app: a}}
	cmd := &cobra.Command{
		Use: "history FILE", Short: "List the checkpoints of a thread", Long: historyHelp + exitHelp, Args: oneFile,
		Example: "  graphrun history support.yaml --thread ada --limit 10\n  graphrun history support.yaml --thread ada --before 12 --output jsonl",
		RunE:    func(cmd *cobra.Command, args []string) error { return h.list(cmd, args[0]) },
	}
	h.declare(cmd)
	cmd.Flags().IntVar(&h.limit, "limit", 0, "at most so many (default: all)")
	cmd.Flags().StringVar(&h.before, "before", "", "only checkpoints made before this one")
	completeNothing(cmd, "limit")
	completeNothing(cmd, "before")
	return cmd
}

func (h *historian) list(cmd *cobra.Command, file string) error {
	if err := h.check(cmd); err != nil {
		return err
	}
	if err := checkLimit(cmd, h.limit); err != nil {
		return err
	}
	if cmd.Flags().Changed("before") && h.before == "" {
		return usage("--before: the checkpoint has no name")
	}
	ctx := cmd.Context()
	return h.with(ctx, file, reading, func(g *records, _ *graphfile.File) error { return h.write(ctx, g) })
}

// checkLimit refuses a number of rows that makes no sense.
func checkLimit(cmd *cobra.Command, limit int) error {
	if cmd.Flags().Changed("limit") && limit < 1 {
		return usage("--limit %d: it must be at least 1", limit)
	}
	return nil
}

// write writes the checkpoints as they are read.
func (h *historian) write(ctx context.Context, g *records) error {
	out := h.listing("CHECKPOINT", "FROM", "STEP", "SOURCE", "SAVED", "NEXT")
	for s, err := range g.History(ctx, h.thread, &graph.HistoryConfig{Before: h.before, Limit: h.limit}) {
		if err != nil {
			return err
		}
		row := []string{s.Checkpoint, s.Parent, strconv.Itoa(s.Step), s.Source, age(h.Now(), s.At), tally(s.Next)}
		if err := out.add(s, row...); err != nil {
			return err
		}
	}
	return out.end()
}
