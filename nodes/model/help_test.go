package model_test

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
	"time"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// play is a model that does what is written in a test.
type play func(ctx context.Context, r *model.Request, tell func(model.Chunk, error) bool)

func (p play) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { p(ctx, r, yield) }
}

func (p play) Info() model.Info { return model.Info{Provider: "acme", Name: "m1"} }

// turns is a model that does one thing after another, the last again and again.
func turns(todo ...[]any) model.Model {
	var mu sync.Mutex
	return play(func(_ context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
		mu.Lock()
		now := todo[0]
		if len(todo) > 1 {
			todo = todo[1:]
		}
		mu.Unlock()
		tellAll(now, tell)
	})
}

// tellAll tells chunks and errors, and whether the reader is still there.
func tellAll(all []any, tell func(model.Chunk, error) bool) bool {
	for _, a := range all {
		c, _ := a.(model.Chunk)
		err, _ := a.(error)
		if !tell(c, err) {
			return false
		}
	}
	return true
}

// told reads a stream to its end.
func told(m model.Model, ctx context.Context, r *model.Request) (all []any) {
	for c, err := range m.Stream(ctx, r) {
		if err != nil {
			return append(all, err)
		}
		all = append(all, c)
	}
	return all
}

func text(s string) model.Chunk { return model.Text{Text: s} }

func call(id, name, args string) model.Chunk {
	c := state.ToolCall{ID: id, Name: name}
	if args != "" {
		c.Args = json.RawMessage(args)
	}
	return model.Call{ToolCall: c}
}

func end(stop model.Stop) model.Chunk { return model.End{Stop: stop} }

func fault(c model.Class) *model.Error { return &model.Error{Class: c, Provider: "acme"} }

func ask(question string) *model.Request {
	return &model.Request{Messages: []state.Message{state.Text(state.RoleHuman, question)}}
}

// hang is a model that tells something and then waits for its context.
func hang(first ...any) model.Model {
	return play(func(ctx context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
		if !tellAll(first, tell) {
			return
		}
		<-ctx.Done()
		tell(nil, context.Cause(ctx))
	})
}

// slow is a model that tells a chunk in each step of time.
func slow(step time.Duration, all ...any) model.Model {
	return play(func(ctx context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
		for _, a := range all {
			select {
			case <-time.After(step):
			case <-ctx.Done():
				tell(nil, context.Cause(ctx))
				return
			}
			if !tell(a.(model.Chunk), nil) {
				return
			}
		}
	})
}
