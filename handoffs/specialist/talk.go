package specialist

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/handoffs"
)

// talk is a conversation. That of a specialist has no desk of its own: its
// handoffs are decided on the desk of the conversation that all began with, so
// that limits and depth count the whole work.
type talk struct {
	id   string
	desk string        // the conversation whose desk it is
	busy chan struct{} // full while a handoff is made; guards what follows
	turn *handoffs.Turn
	over bool

	requests []HandoffRequest // guarded by the service
}

func newTalk(id, desk string, turn *handoffs.Turn) *talk {
	return &talk{id: id, desk: desk, busy: make(chan struct{}, 1), turn: turn}
}

// turns keeps the specialist's turn up to date behind a step: with every result
// that comes for it, it has another one.
func (t *talk) turns(res *handoffs.Result) {
	for i := range res.Turns {
		if t.turn != nil && res.Turns[i].Frame == t.turn.Frame {
			t.turn = &res.Turns[i]
		}
	}
}

// waiting is a conversation whose handoff a run is part of.
type waiting struct {
	id   string
	next *waiting
}

type waitingKey struct{}

// enter waits until no other handoff of the conversation is made. It fails if
// that would wait for itself, when the context ends, and behind the
// specialist's end.
func (t *talk) enter(ctx context.Context, from string) error {
	held, _ := ctx.Value(waitingKey{}).(*waiting)
	for w := held; w != nil; w = w.next {
		if w.id == t.id {
			return fmt.Errorf("conversation %q waits for this very run: hand over under the conversation of the run", t.id)
		}
	}
	select {
	case t.busy <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var err error
	switch {
	case t.over:
		err = fmt.Errorf("conversation %q has ended", t.id)
	case t.turn != nil && t.turn.Agent != from:
		err = fmt.Errorf("conversation %q is that of %q: %q cannot hand over in it", t.id, t.turn.Agent, from)
	}
	if err != nil {
		t.leave()
	}
	return err
}

func (t *talk) leave() { <-t.busy }

// during is the context of a run for a handoff of the conversation.
func (t *talk) during(ctx context.Context) context.Context {
	held, _ := ctx.Value(waitingKey{}).(*waiting)
	return context.WithValue(ctx, waitingKey{}, &waiting{id: t.id, next: held})
}

// end closes the conversation, when the last handoff in it has come back.
func (t *talk) end() {
	t.busy <- struct{}{}
	t.over = true
	t.leave()
}
