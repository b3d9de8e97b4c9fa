package graphfile_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/internal/conformance"
	"github.com/graphrun/graphrun/state"
)

// library does the operations of a case through the library.
type library struct {
	file   *graphfile.File
	anew   []byte // the file's text, to be read anew for every operation; nil: it is not
	store  checkpoint.Store
	thread string
	mode   graph.Durability
}

func (l *library) graph() *graph.Graph[state.Record] { return l.file.Graph().On(l.store, nil) }

func (l *library) Do(op *conformance.Operation, at string) (*conformance.Told, error) {
	if l.anew != nil {
		f, err := graphfile.Parse("anew", l.anew, nil)
		if err != nil {
			return nil, err
		}
		l.file = f
	}
	g := l.graph()
	ctx, cfg := context.Background(), &graph.RunConfig{Thread: l.thread, At: at, Durability: l.mode}
	switch op.Op {
	case "run":
		in, err := l.file.Input(op.Input)
		if err != nil {
			return nil, err
		}
		return follow(g.Stream(ctx, in, cfg))
	case "resume":
		answer, err := state.ParseAny(op.Value)
		if err != nil {
			return nil, err
		}
		return follow(g.StreamResume(ctx, graph.Answer(answer), cfg))
	case "continue":
		return follow(g.StreamResume(ctx, graph.Answers{}, cfg))
	case "update":
		_, err := g.UpdateJSON(ctx, l.thread, op.AsNode, op.Values, &graph.UpdateConfig{At: at})
		return &conformance.Told{}, err
	}
	return nil, fmt.Errorf("there is no operation %q", op.Op)
}

// follow gathers the events of a run.
func follow(events iter.Seq2[graph.Event, error]) (*conformance.Told, error) {
	told := &conformance.Told{}
	for e, err := range events {
		if err == nil {
			err = note(told, e)
		} else if err = end(told, err); err == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return told, nil
}

// end notes the error that a run ended with; a pause is none.
func end(told *conformance.Told, err error) error {
	failed := (*graph.Error)(nil)
	if !errors.As(err, &failed) {
		return fmt.Errorf("an error without a place: %w", err)
	}
	if !errors.Is(err, graph.ErrInterrupted) {
		told.Failed(string(failed.Kind()))
	}
	return nil
}

func note(told *conformance.Told, e graph.Event) error {
	switch e := e.(type) {
	case *graph.TaskFinished:
		if e.Leaves {
			return nil
		}
		data, err := e.Update.MarshalJSON()
		return errors.Join(err, told.Wrote(e.NS, e.Node, data))
	case *graph.StepCommitted:
		if len(e.NS) > 0 {
			return nil
		}
		data, err := json.Marshal(e.State)
		return errors.Join(err, told.Stood(e.Step, data))
	case *graph.Asked:
		told.Asked(e.Question.ID)
	}
	return nil
}

func (l *library) State() (*conformance.Checkpoint, error) {
	s, err := l.graph().State(context.Background(), l.thread, "")
	if err != nil {
		return nil, err
	}
	return checkpointOf(s)
}

func (l *library) History() ([]conformance.Checkpoint, error) {
	var out []conformance.Checkpoint
	for s, err := range l.graph().History(context.Background(), l.thread, nil) {
		if err != nil {
			return nil, err
		}
		c, err := checkpointOf(s)
		if err != nil {
			return nil, err
		}
		out = append(out, *c)
	}
	return out, nil
}

func checkpointOf(s *graph.Snapshot[state.Record]) (*conformance.Checkpoint, error) {
	data, err := s.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return conformance.ReadCheckpoint(data)
}
