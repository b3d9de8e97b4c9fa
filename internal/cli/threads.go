package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
)

const threadsHelp = `List the threads of a store, by their ids, whatever graph they are of.

NEXT holds the tasks of the step that follows, those that are done already
included; it is empty where nothing is left to do. With --output jsonl each
thread is a line, with json all are one list: thread, checkpoint, checkpoints,
step, next, at.

`

// lister is the command threads.
type lister struct {
	*app
	flags
	limit int
	after string
}

func (a *app) threadsCommand() *cobra.Command {
	l := &lister{app: a}
	cmd := &cobra.Command{
		Use: "threads", Short: "List the threads of a store", Long: threadsHelp + exitHelp, Args: nothing,
		Example: "  graphrun threads\n  graphrun threads --store sqlite:support.db --limit 20 --after ada",
		RunE:    func(cmd *cobra.Command, _ []string) error { return l.list(cmd) },
	}
	l.add(cmd)
	cmd.Flags().IntVar(&l.limit, "limit", 0, "at most so many (default: all)")
	cmd.Flags().StringVar(&l.after, "after", "", "only threads whose ids come behind this one")
	completeNothing(cmd, "limit")
	completeNothing(cmd, "after")
	return cmd
}

func (l *lister) list(cmd *cobra.Command) error {
	if err := l.check(cmd); err != nil {
		return err
	}
	if err := checkLimit(cmd, l.limit); err != nil {
		return err
	}
	ctx := cmd.Context()
	k, err := l.open(ctx, &l.flags, reading)
	var gone *missing
	if errors.As(err, &gone) && !gone.place.chosen {
		return l.none()
	} else if errors.As(err, &gone) {
		return usage("%w", err)
	}
	if err != nil {
		return l.denied(ctx, err, "", nil)
	}
	return l.closed(k, l.denied(ctx, l.write(ctx, k), "", k))
}

// none is the list of a store that nobody has used yet.
func (l *lister) none() error {
	if !l.quiet {
		fmt.Fprintln(l.Stderr, "there are no threads")
	}
	return newListing(l.app, l.output.value, nil).end()
}

func (l *lister) write(ctx context.Context, k *kept) error {
	out := newListing(l.app, l.output.value, []string{"THREAD", "CHECKPOINTS", "STEP", "SAVED", "NEXT"})
	for t, err := range graph.Threads(ctx, k.store) {
		if err != nil {
			return err
		}
		if l.after != "" && t.Thread <= l.after {
			continue
		}
		row := []string{oneLine(t.Thread), strconv.Itoa(t.Checkpoints), strconv.Itoa(t.Step), age(l.Now(), t.At), tally(t.Next)}
		if err := out.add(&t, row...); err != nil {
			return err
		}
		if out.count == l.limit {
			break
		}
	}
	if out.count == 0 {
		return l.none()
	}
	return out.end()
}
