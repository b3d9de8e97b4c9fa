package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

// runner is what the commands run and resume have in common.
type runner struct {
	*app
	flags
	threadFlag
	means
	at                              string
	progress, durability, busy, ask *choice
	changes, debug                  bool

	file   string
	hidden []string // fields of the file that people do not see
	kept   *kept
	graph  *records // on the store
}

func newRunner(a *app) *runner {
	return &runner{
		app: a, progress: choose("auto", "tty", "plain", "none"),
		durability: choose("sync", "async", "exit"), busy: busyWays(), ask: choose("auto", "never"),
	}
}

// declare adds the flags to a command.
func (r *runner) declare(cmd *cobra.Command, thread string) {
	r.flags.add(cmd)
	r.threadFlag.add(cmd, thread)
	r.means.add(cmd)
	fs := cmd.Flags()
	fs.StringVar(&r.at, "at", "", "checkpoint of the thread to go on from; a fork of it becomes the newest")
	fs.Var(r.durability, "durability", "when steps are saved: before the next one, while it runs, or where the run ends")
	fs.Var(r.busy, "busy", busyAbout)
	fs.Var(r.ask, "ask", "whether questions are asked on the terminal")
	fs.BoolVar(&r.changes, "allow-changes", false, "go on although the graph file has changed since the thread stopped")
	fs.Var(r.progress, "progress", "how progress is shown on standard error")
	fs.BoolVar(&r.debug, "debug", false, "tell more: all events in jsonl, uncut lines, stacks of panics")
	completeNothing(cmd, "at")
	completeWords(cmd, "durability", r.durability)
	completeWords(cmd, "busy", r.busy)
	completeWords(cmd, "ask", r.ask)
	completeWords(cmd, "progress", r.progress)
}

// check refuses flags that cannot be.
func (r *runner) check(cmd *cobra.Command, needsThread bool) error {
	if err := r.flags.check(cmd); err != nil {
		return err
	}
	if err := r.threadFlag.check(cmd, needsThread); err != nil {
		return err
	}
	if err := r.means.check(cmd); err != nil {
		return err
	}
	return checkAt(cmd)
}

// checkAt refuses a checkpoint without a name.
func checkAt(cmd *cobra.Command) error {
	if f := cmd.Flags().Lookup("at"); f.Changed && f.Value.String() == "" {
		return usage("--at: the checkpoint has no name; graphrun history lists those there are")
	}
	return nil
}

// with loads the file, opens the store and does something with both.
func (r *runner) with(ctx context.Context, file string, how access, do func(context.Context, *graphfile.File) error) error {
	f, err := r.loadWith(ctx, file, r.options())
	if err != nil {
		return r.refused(file, err)
	}
	if !r.quiet {
		r.tellProblems(f.Warnings())
	}
	r.file, r.hidden = file, plumbing(f)
	if r.kept, err = r.open(ctx, &r.flags, how); err != nil {
		return r.denied(ctx, r.failedToOpen(err), r.thread, nil)
	}
	r.graph = f.Graph().On(r.kept.store, r.kept.items)
	if r.changes {
		r.graph = r.graph.Evolved(graph.Evolution{Any: true})
	}
	return r.closed(r.kept, r.denied(ctx, do(ctx, f), r.thread, r.kept))
}

// config is what the flags say of a run.
func (r *runner) config() *graph.RunConfig {
	cfg := &graph.RunConfig{Thread: r.thread, Busy: busyOf(r.busy)}
	switch r.durability.value {
	case "async":
		cfg.Durability = graph.DurabilityAsync
	case "exit":
		cfg.Durability = graph.DurabilityExit
	}
	return cfg
}
