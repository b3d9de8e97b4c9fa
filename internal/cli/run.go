package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/state"
)

const runHelp = `Run a graph file from its start until nothing is left to do.

The input is a JSON object whose keys are fields of the state. Without a
--thread the run gets a new one, whose id is said on standard error.

--output says what goes to standard output:
  text   the values that the run ended with, for people
  json   one object at the end: thread, status, values, step, next, error
  jsonl  the event log, one object a line, as it happens

`

const runExamples = `  graphrun run support.yaml --input '{"ticket": "printer on fire"}'
  graphrun run support.yaml --input @ticket.json --output jsonl
  cat ticket.json | graphrun run support.yaml --input -`

// runner is the command run.
type runner struct {
	*app
	flags
	input, thread string
	progress      *choice
	debug         bool
}

func (a *app) runCommand() *cobra.Command {
	r := &runner{app: a, progress: choose("auto", "tty", "plain", "none")}
	cmd := &cobra.Command{
		Use: "run FILE", Short: "Run a graph", Long: runHelp + exitHelp, Example: runExamples, Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args[0]) },
	}
	r.flags.add(cmd)
	fs := cmd.Flags()
	fs.StringVarP(&r.input, "input", "i", "", "input: JSON, @FILE, or - for standard input (default {})")
	fs.StringVar(&r.thread, "thread", "", "id of the thread (default: a new one)")
	fs.Var(r.progress, "progress", "how progress is shown on standard error")
	fs.BoolVar(&r.debug, "debug", false, "tell more: all events in jsonl, uncut lines, stacks of panics")
	completeWords(cmd, "progress", r.progress)
	return cmd
}

func (r *runner) run(cmd *cobra.Command, file string) error {
	if err := r.check(cmd, file); err != nil {
		return err
	}
	ctx := cmd.Context()
	f, err := r.load(ctx, file)
	if err != nil {
		return r.refused(file, err)
	}
	if !r.quiet {
		r.tellProblems(f.Warnings())
	}
	in, err := r.readInput(ctx, f, cmd.Flags().Changed("input"))
	if err != nil {
		return err
	}
	if err := r.begin(cmd.Flags().Changed("thread")); err != nil {
		return err
	}
	return r.drive(ctx, f, in)
}

// check refuses flags that do not go together.
func (r *runner) check(cmd *cobra.Command, file string) error {
	if err := r.flags.check(cmd); err != nil {
		return err
	}
	if file == "-" && r.input == "-" {
		return usage("standard input cannot be the graph file and the input at once")
	}
	if cmd.Flags().Changed("thread") {
		if err := checkThread(r.thread); err != nil {
			return usage("--thread: %w", err)
		}
	}
	return nil
}

// begin gives the run its thread.
func (r *runner) begin(given bool) error {
	if given {
		return nil
	}
	id, err := r.NewThread()
	if err != nil {
		return &exit{ExitFailed, fmt.Errorf("make the id of a new thread: %w", err)}
	}
	r.thread = id
	if !r.quiet {
		fmt.Fprintln(r.Stderr, "thread", id)
	}
	return nil
}

// watcher follows the events of a run. An error ends the run.
type watcher interface {
	event(e graph.Event) error
}

// drive runs the graph and shows what happens.
func (r *runner) drive(ctx context.Context, f *graphfile.File, in []state.Write[state.Record]) error {
	sum := &summary{thread: r.thread}
	began := r.Now()
	progress := r.progressOf(f)
	told := announceStop(ctx, progress)
	watchers := []watcher{sum}
	if r.output.value == "jsonl" {
		watchers = append(watchers, &eventLog{out: r.Stdout, debug: r.debug})
	}
	written := r.follow(ctx, f.Graph(), in, append(watchers, progress))
	told()
	err := errors.Join(written, progress.close())
	if err == nil && r.output.value != "jsonl" {
		err = r.results(sum)
	}
	if err != nil {
		return unwritten(err)
	}
	r.conclude(sum, f, r.Now().Sub(began))
	if code := exitOf(sum.status); code != ExitDone {
		return &exit{code: code}
	}
	return nil
}

// announceStop says, when the user asks to stop, that the run is about to end,
// and how to end it faster. What it returns waits until that has been said.
func announceStop(ctx context.Context, p progress) (told func()) {
	said := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(said)
		if by := (Stopped{}); errors.As(context.Cause(ctx), &by) {
			p.say("stopping: tasks may end what they are at; once more stops at once")
		}
	})
	return func() {
		if !stop() {
			<-said
		}
	}
}

// follow runs the graph and hands every event to the watchers. It returns what
// the first of them failed with.
func (r *runner) follow(ctx context.Context, g *graph.Graph[state.Record], in []state.Write[state.Record], watchers []watcher) error {
	for e, err := range g.Stream(ctx, in, &graph.RunConfig{Thread: r.thread}) {
		if err != nil {
			return nil // the run's end has told it
		}
		for _, w := range watchers {
			if err := w.event(e); err != nil {
				return err
			}
		}
	}
	return nil
}
