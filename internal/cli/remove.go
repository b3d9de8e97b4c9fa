package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graphfile"
)

// remover is the command delete.
type remover struct{ onThread }

func (a *app) deleteCommand() *cobra.Command {
	r := &remover{onThread{app: a}}
	cmd := &cobra.Command{
		Use: "delete", Short: "Delete a thread", Args: nothing,
		Long:    "Delete a thread with all its checkpoints. One that is being written to is left\nalone.\n\n" + exitHelp,
		Example: "  graphrun delete --thread ada",
		RunE:    func(cmd *cobra.Command, _ []string) error { return r.remove(cmd) },
	}
	r.declare(cmd)
	return cmd
}

func (r *remover) remove(cmd *cobra.Command) error {
	if err := r.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	k, err := r.open(ctx, &r.flags, changing)
	if err != nil {
		return r.denied(ctx, err, r.thread, nil)
	}
	return r.closed(k, r.denied(ctx, r.drop(ctx, k), r.thread, k))
}

func (r *remover) drop(ctx context.Context, k *kept) error {
	head, err := k.store.Load(ctx, checkpoint.Log{Thread: r.thread}, 0)
	if err != nil {
		return err
	}
	if head.Head == 0 {
		return usage("there is no thread %q in the store %s", r.thread, k.text)
	}
	if err := k.store.Delete(ctx, r.thread); err != nil {
		return err
	}
	if r.output.value != "text" {
		return r.writeJSON(map[string]string{"deleted": r.thread})
	}
	if !r.quiet {
		fmt.Fprintf(r.Stderr, "thread %s is deleted\n", r.thread)
	}
	return nil
}

const pruneHelp = `Remove the oldest checkpoints of a thread, so that at most --keep are left. What
is left can be shown, resumed and forked as before.

`

// pruner is the command prune.
type pruner struct {
	onThread
	keep int
	busy *choice
}

func (a *app) pruneCommand() *cobra.Command {
	p := &pruner{onThread: onThread{app: a}, busy: busyWays()}
	cmd := &cobra.Command{
		Use: "prune FILE", Short: "Remove old checkpoints of a thread", Long: pruneHelp + exitHelp, Args: oneFile,
		Example: "  graphrun prune support.yaml --thread ada --keep 10",
		RunE:    func(cmd *cobra.Command, args []string) error { return p.prune(cmd, args[0]) },
	}
	p.declare(cmd)
	cmd.Flags().IntVar(&p.keep, "keep", 0, "how many checkpoints are left, at least 1")
	cmd.Flags().Var(p.busy, "busy", busyAbout)
	completeWords(cmd, "busy", p.busy)
	completeNothing(cmd, "keep")
	return cmd
}

func (p *pruner) prune(cmd *cobra.Command, file string) error {
	if err := p.check(cmd); err != nil {
		return err
	}
	if !cmd.Flags().Changed("keep") {
		return usage("how many checkpoints are to be left? give --keep N")
	}
	if p.keep < 1 {
		return usage("--keep %d: the newest checkpoint cannot be removed; graphrun delete removes a thread", p.keep)
	}
	ctx := cmd.Context()
	return p.with(ctx, file, changing, func(g *records, _ *graphfile.File) error { return p.cut(ctx, g) })
}

func (p *pruner) cut(ctx context.Context, g *records) error {
	gone, err := g.Prune(ctx, p.thread, p.keep, busyOf(p.busy))
	if err != nil {
		return err
	}
	if p.output.value != "text" {
		return p.writeJSON(map[string]int{"removed": gone})
	}
	if !p.quiet {
		fmt.Fprintf(p.Stderr, "%s removed\n", counted(gone, "checkpoint"))
	}
	return nil
}
