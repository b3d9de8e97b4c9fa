package crash_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// thread is the one that graphs are driven on, where there is one.
const thread = "t"

// drive takes one graph on one thread to its end, turn by turn: a turn is one
// run, and what it does depends on where the thread stands.
type drive struct {
	graph  *sheetGraph
	world  *world
	mode   graph.Durability
	stream bool // runs are streamed
}

func newDrive(name string, w *world, mode graph.Durability) (*drive, error) {
	g, err := build(name, w)
	return &drive{graph: g, world: w, mode: mode}, err
}

// errOver: nothing is left to do on the thread.
var errOver = errors.New("the thread is done")

// next says what a turn has to do by where the thread stands in a store: to
// begin, to answer the first of the open questions, or just to go on.
func (d *drive) next(ctx context.Context, s checkpoint.Store) (fresh bool, a graph.Answers, err error) {
	snap, err := d.graph.On(s, nil).State(ctx, thread, "")
	switch {
	case errors.Is(err, graph.ErrUnknown):
		return true, a, nil
	case err != nil:
		return false, a, err
	case len(snap.Interrupts) > 0:
		q := snap.Interrupts[0]
		return false, graph.AnswerByID(map[string]any{q.ID: answerTo(q)}), nil
	case len(snap.Tasks) == 0: // Next is empty too where all tasks are done and their step is not applied
		return false, a, errOver
	}
	return false, a, nil
}

func answerTo(q graph.Question) string { return fmt.Sprintf("answer to %s (%v)", q.ID, q.Value) }

// run makes a turn of what next has said, with a store that may be another.
func (d *drive) run(ctx context.Context, s checkpoint.Store, fresh bool, a graph.Answers) error {
	g := d.graph.On(s, nil)
	cfg := &graph.RunConfig{Thread: thread, Durability: d.mode}
	switch {
	case d.stream && fresh:
		return drain(g.Stream(ctx, input(), cfg))
	case d.stream:
		return drain(g.StreamResume(ctx, a, cfg))
	case fresh:
		_, err := g.Invoke(ctx, input(), cfg)
		return err
	}
	_, err := g.Resume(ctx, a, cfg)
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
	fresh, a, err := d.next(ctx, s)
	if err != nil {
		return errors.Is(err, errOver), ignore(err, errOver)
	}
	d.world.ledger.begin()
	return false, ignore(d.run(ctx, s, fresh, a), graph.ErrInterrupted, errFlaky)
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

// ignore makes of an expected error none; one of the store is never expected.
func ignore(err error, expected ...error) error {
	if errors.Is(err, graph.ErrStore) {
		return err
	}
	for _, e := range expected {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}
