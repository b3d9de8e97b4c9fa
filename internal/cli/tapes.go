package cli

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/graphrun/graphrun/nodes/model"
)

// tapes record models, or play what was recorded. Models of one name at one
// provider share a tape, as their files do.
type tapes struct {
	record, replay string

	mu   sync.Mutex
	made map[[2]string]model.Model
}

// around puts the tape around a model.
func (t *tapes) around(m model.Model) model.Model {
	i := model.InfoOf(m)
	key := [2]string{i.Provider, i.Name}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.made == nil {
		t.made = map[[2]string]model.Model{}
	}
	tape := t.made[key]
	if tape == nil {
		if t.replay != "" {
			tape = &model.Replayer{Dir: t.replay, As: i}
		} else {
			tape = &model.Recorder{Model: switched{i}, Dir: t.record}
		}
		t.made[key] = tape
	}
	if t.replay != "" {
		return tape
	}
	return taped{m, tape}
}

// taped is a model that is asked through a tape.
type taped struct{ own, tape model.Model }

type ownKey struct{}

// Info tells what the model is.
func (t taped) Info() model.Info { return model.InfoOf(t.own) }

// Stream asks the tape, which asks the model.
func (t taped) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return t.tape.Stream(context.WithValue(ctx, ownKey{}, t.own), r)
}

// switched is the model of a tape: that which asks through it.
type switched struct{ info model.Info }

// Info tells what they all are.
func (s switched) Info() model.Info { return s.info }

// Stream asks the model that the call is for.
func (s switched) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	own, ok := ctx.Value(ownKey{}).(model.Model)
	if !ok { // nobody else has the tape
		return func(yield func(model.Chunk, error) bool) { yield(nil, errors.New("a recorder was asked for no model")) }
	}
	return own.Stream(ctx, r)
}
