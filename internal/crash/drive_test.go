package crash_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// thread is the one that graphs are driven on, where there is one.
const thread = "t"

// drive takes one graph on one thread to its end, turn by turn: a turn is one
// run, and what it does depends on where the thread stands.
type drive struct {
	graph  *sheetGraph
	world  *world
	input  []state.Write[Sheet]
	thread string
	mode   graph.Durability
	stream bool // runs are streamed
}

// move is what a turn does: it begins, or it goes on, with or without answers.
type move struct {
	Fresh   bool
	Answers map[string]string // by question
}

func newDrive(name string, w *world, mode graph.Durability) (*drive, error) {
	g, err := build(name, w)
	return &drive{graph: g, world: w, input: inputOf(name), thread: thread, mode: mode}, err
}

// errOver: nothing is left to do on the thread.
var errOver = errors.New("the thread is done")

// next says what a turn has to do by where the thread stands in a store: to
// begin, to answer the first of the open questions, or just to go on.
func (d *drive) next(ctx context.Context, s checkpoint.Store) (move, error) {
	snap, err := d.graph.On(s, nil).State(ctx, d.thread, "")
	switch {
	case errors.Is(err, graph.ErrUnknown):
		return move{Fresh: true}, nil
	case err != nil:
		return move{}, err
	case len(snap.Interrupts) > 0:
		q := snap.Interrupts[0]
		return move{Answers: map[string]string{q.ID: fmt.Sprintf("answer to %s (%v)", q.ID, q.Value)}}, nil
	case len(snap.Tasks) == 0: // Next is empty too where all tasks are done and their step is not applied
		return move{}, errOver
	}
	return move{}, nil
}

// run makes a turn of what next has said, with a store that may be another.
func (d *drive) run(ctx context.Context, s checkpoint.Store, m move) error {
	g := d.graph.On(s, nil)
	cfg := &graph.RunConfig{Thread: d.thread, Durability: d.mode}
	answers := graph.Answers{}
	if m.Answers != nil {
		byID := map[string]any{}
		for id, a := range m.Answers {
			byID[id] = a
		}
		answers = graph.AnswerByID(byID)
	}
	switch {
	case d.stream && m.Fresh:
		return drain(g.Stream(ctx, d.input, cfg))
	case d.stream:
		return drain(g.StreamResume(ctx, answers, cfg))
	case m.Fresh:
		_, err := g.Invoke(ctx, d.input, cfg)
		return err
	}
	_, err := g.Resume(ctx, answers, cfg)
	return err
}

// drain reads a stream and returns the error that it ends with.
func drain(events func(func(graph.Event, error) bool)) (last error) {
	for _, err := range events {
		last = err
	}
	return last
}

// turn makes one turn with a store that is not disturbed, and reports whether
// the thread is done.
func (d *drive) turn(ctx context.Context, s checkpoint.Store) (done bool, err error) {
	m, err := d.next(ctx, s)
	if errors.Is(err, errOver) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	d.world.ledger.begin()
	if err := expected(d.run(ctx, s, m)); err != nil {
		return false, err
	}
	return false, d.tell(ctx, s)
}

// plans says what is wrong with the plans of the thread, if there are any.
func (d *drive) plans(ctx context.Context, s checkpoint.Store) error {
	snap, err := d.graph.On(s, nil).State(ctx, d.thread, "")
	if errors.Is(err, graph.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	return snap.Values.plans().check()
}

// mostTurns is more than any graph needs.
const mostTurns = 60

// finish makes turns until the thread is done.
func (d *drive) finish(ctx context.Context, s checkpoint.Store) error {
	for range mostTurns {
		if done, err := d.turn(ctx, s); done || err != nil {
			return err
		}
	}
	return fmt.Errorf("the thread is not done after %d turns", mostTurns)
}

// expected makes of an end that is part of a graph's way none: a pause, the
// failure of a flaky node. One of the store is never expected.
func expected(err error) error {
	if !errors.Is(err, graph.ErrStore) && (errors.Is(err, graph.ErrInterrupted) || errors.Is(err, errFlaky)) {
		return nil
	}
	return err
}
