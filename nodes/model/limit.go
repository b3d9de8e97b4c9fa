package model

import (
	"context"
	"iter"
)

// Limit is a model that asks another one no more often than a Limiter allows.
// A place among concurrent calls is taken until the stream has ended or its
// reader has left it. The tokens of a call are estimated before it, as a quarter
// of the bytes of texts and schemas and Request.MaxTokens; End tells what they
// were. A call without a told usage counts as estimated.
//
// Put it inside a Retry, so that each attempt counts. It keeps nothing itself:
// it may be copied, and used concurrently.
type Limit struct {
	Model   Model
	Limiter *Limiter // shared by all that ask this model; nil: no limit
}

// Info tells what the model is that is asked.
func (l Limit) Info() Info { return InfoOf(l.Model) }

// Stream waits until the limiter allows it, then asks the model. If ctx ends
// first its cause is the error, and nothing counts.
func (l Limit) Stream(ctx context.Context, r *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		tokens := estimate(r)
		if err := l.Limiter.acquire(ctx, tokens); err != nil {
			yield(nil, err)
			return
		}
		defer l.Limiter.release()
		for c, err := range ask(ctx, l.Model, r) {
			if end, ok := c.(End); ok && end.Usage.Total() > 0 {
				l.Limiter.settle(tokens, end.Usage.Total())
				tokens = end.Usage.Total()
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// estimate returns how many tokens a call may take. Images and the like are not
// counted: their size says nothing.
func estimate(r *Request) int {
	size := 0
	for _, m := range r.Messages {
		size += len(m.Name)
		for _, p := range m.Content {
			size += len(p.Text) + len(p.URL)
		}
		for _, c := range m.ToolCalls {
			size += len(c.Name) + len(c.Args)
		}
	}
	for _, t := range r.Tools {
		size += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	if r.Schema != nil {
		size += len(r.Schema.Schema)
	}
	return size/4 + max(r.MaxTokens, 0)
}
