package langchain

import (
	"context"
	"fmt"
	"slices"

	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/nodes/model"
)

// outcome is what a call of the client came to.
type outcome struct {
	resp *llms.ContentResponse
	err  error
}

// call calls the client in a goroutine that is waited for, whatever happens. take
// gets the pieces of a stream, in the caller's goroutine, and its error ends the
// call; nil take: no stream is asked for. Clients call back from goroutines of
// their own, even behind the call's end: what comes then is let go.
func (m *Model) call(ctx context.Context, messages []llms.MessageContent, options []llms.CallOption, take func(piece) error) (*llms.ContentResponse, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	inner, cancel := context.WithCancel(ctx)
	pieces, done := make(chan piece), make(chan outcome, 1)
	options = append(slices.Clone(options), callbacks(inner, pieces, take != nil)...)
	finished := make(chan struct{})
	defer func() { cancel(); <-finished }()
	go func() {
		defer close(finished)
		o := outcome{err: m.failure(model.Broken, "the client library ended its goroutine")}
		defer func() { done <- o }()
		o = m.guarded(inner, messages, options)
	}()
	for {
		select {
		case p := <-pieces:
			if err := take(p); err != nil {
				return nil, err
			}
		case o := <-done:
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if o.err != nil {
				return nil, m.classed(o.err, take != nil)
			}
			return o.resp, nil
		}
	}
}

// callbacks are the options that stream, or that take off what else would.
func callbacks(ctx context.Context, pieces chan<- piece, stream bool) []llms.CallOption {
	if !stream {
		return []llms.CallOption{llms.WithStreamingFunc(nil), llms.WithStreamingReasoningFunc(nil)}
	}
	send := func(p piece) error {
		select {
		case pieces <- p:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return []llms.CallOption{
		llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			return send(piece{text: string(chunk)})
		}),
		llms.WithStreamingReasoningFunc(func(_ context.Context, thought, _ []byte) error {
			return send(piece{text: string(thought), thought: true})
		}),
	}
}

// guarded calls the client and makes an error of its panic.
func (m *Model) guarded(ctx context.Context, messages []llms.MessageContent, options []llms.CallOption) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = outcome{err: m.failure(model.Broken, fmt.Sprintf("the client library panicked: %v", p))}
		}
	}()
	resp, err := m.cfg.Model.GenerateContent(ctx, messages, options...)
	return outcome{resp, err}
}
