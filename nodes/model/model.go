package model

import (
	"context"
	"iter"

	"github.com/graphrun/graphrun/nodes/transcript"
)

// Model is a language model.
type Model interface {
	// Stream asks the model. The request is not changed, and must not be while
	// the stream is read. The request is sent when the sequence is read, anew each
	// time; breaking out of it ends the request and frees what it holds. An error
	// is the last of a sequence. Once ctx has ended the error is its cause.
	Stream(ctx context.Context, r *Request) iter.Seq2[Chunk, error]
}

// Info says what a model is. The zero Info is a model that nothing is known of.
type Info struct {
	Provider string // "openai", "anthropic", …, for messages and traces
	Name     string // as the provider calls the model
	// Profile says what the provider takes as a conversation; nil: the strictest.
	Profile *transcript.Profile
}

// Described is implemented by models that tell what they are.
type Described interface{ Info() Info }

// InfoOf returns what a model tells of itself; of one that tells nothing, the
// zero Info.
func InfoOf(m Model) Info {
	if d, ok := m.(Described); ok {
		return d.Info()
	}
	return Info{}
}

// Func is a Model that is a function: for tests, and for models that a program
// has of its own. The function returns the whole answer, which is told as a stream.
type Func func(ctx context.Context, r *Request) (*Response, error)

// Stream calls the function and tells its answer.
func (f Func) Stream(ctx context.Context, r *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		answer, err := f(ctx, r)
		switch {
		case err != nil && ctx.Err() != nil:
			err = context.Cause(ctx)
		case err == nil && answer == nil:
			err = &Error{Class: Malformed, Text: "the function returned neither an answer nor an error"}
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for c := range answer.Chunks() {
			if !yield(c, nil) {
				return
			}
		}
	}
}
