package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

const runHelp = `Run a graph file on an input until nothing is left to do.

The input is a JSON object whose keys are fields of the state. Without a
--thread the run gets a new one, whose id is said on standard error. On a
thread that there is already, the input goes on from where the thread stands;
what was still due there is dropped, and said. --at goes back to a checkpoint
first: a fork of it becomes the newest.

Of a file with agents, --agent chooses the one that goes on with the thread, as
its user does; --resume-token lets those go on that such a choice has set aside.

A run that asks something is paused: the questions and the command that answers
them are said on standard error, and on a terminal the answer can be typed at
once.

` + outputHelp

const outputHelp = `--output says what goes to standard output:
  text   the values that the run ended with, for people
  json   one object at the end: thread, status, values, step, next, interrupts,
         error
  jsonl  the event log, one object a line, as it happens

`

const stopHelp = `Ctrl-c (or SIGTERM) ends the run behind the step that it is at, which is saved;
once more ends it at once. Both can be resumed.

`

const runExamples = `  graphrun run support.yaml --input '{"ticket": "printer on fire"}'
  graphrun run support.yaml --input @ticket.json --output jsonl
  cat ticket.json | graphrun run support.yaml --input -
  graphrun run support.yaml --thread ada --input '{"ticket": "it burns again"}'
  graphrun run support.yaml --thread ada --at 3 --input '{"ticket": "no fire"}'
  graphrun run agents.yaml --thread ada --agent billing`

// starter is the command run.
type starter struct {
	*runner
	who
	input string
}

func (a *app) runCommand() *cobra.Command {
	s := &starter{runner: newRunner(a)}
	cmd := &cobra.Command{
		Use: "run FILE", Short: "Run a graph", Long: runHelp + meansHelp + stopHelp + exitHelp, Example: runExamples, Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return s.start(cmd, args[0]) },
	}
	s.declare(cmd, "id of the thread (default: a new one)")
	cmd.Flags().StringVarP(&s.input, "input", "i", "", "input: JSON, @FILE, or - for standard input (default {})")
	s.who.add(cmd)
	return cmd
}

func (s *starter) start(cmd *cobra.Command, file string) error {
	if err := s.check(cmd, file); err != nil {
		return err
	}
	return s.with(cmd.Context(), file, creating, func(ctx context.Context, f *graphfile.File) error {
		in := &feed{flag: "input", text: s.input, given: cmd.Flags().Changed("input"), empty: "write {} for no input"}
		writes, err := s.readWrites(ctx, f, in)
		if err != nil {
			return err
		}
		chosen, err := s.who.writes(f)
		if err != nil {
			return err
		}
		if err := s.begin(ctx, cmd.Flags().Changed("thread")); err != nil {
			return err
		}
		before := s.parked(ctx, f)
		err = s.drive(ctx, f, &order{fresh: true, input: append(writes, chosen...), at: s.at})
		s.tellAside(before, s.parked(ctx, f))
		return err
	})
}

// check refuses flags that do not go together.
func (s *starter) check(cmd *cobra.Command, file string) error {
	if err := s.runner.check(cmd, false); err != nil {
		return err
	}
	if err := s.who.check(cmd); err != nil {
		return err
	}
	if file == "-" && s.input == "-" {
		return usage("standard input cannot be the graph file and the input at once")
	}
	if s.at != "" && s.thread == "" {
		return usage("--at %s is a checkpoint of which thread? give --thread ID", s.at)
	}
	return nil
}

// begin gives the run its thread, and makes sure that there is the checkpoint
// to begin at.
func (s *starter) begin(ctx context.Context, given bool) error {
	if given {
		if s.at == "" {
			return nil
		}
		_, err := s.graph.State(ctx, s.thread, s.at)
		return err
	}
	id, err := s.NewThread()
	if err != nil {
		return &exit{ExitFailed, fmt.Errorf("make the id of a new thread: %w", err)}
	}
	s.thread = id
	if !s.quiet {
		fmt.Fprintln(s.Stderr, "thread", id)
	}
	return nil
}

// failedToOpen tells of a run whose store could not be opened, in the event
// log as well.
func (r *runner) failedToOpen(err error) error {
	if r.output.value != "jsonl" || !errors.Is(err, graph.ErrStore) {
		return err
	}
	log := &eventLog{out: r.Stdout}
	end := &graph.RunFinished{Head: graph.Head{Pos: graph.Pos{0, 0, 0}}, Outcome: graph.OutcomeFailed, Err: &graph.Error{Thread: r.thread, Err: err}}
	if bad := log.event(end); bad != nil {
		return unwritten(bad)
	}
	return err
}
