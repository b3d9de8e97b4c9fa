package model

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"
)

// Deadline is a model that bounds how long another one takes: a call that takes
// longer is a TimedOut *Error that says what did not come. The context of the
// call is cancelled then, as it is when the reader leaves or ctx ends, and the
// call is waited for; one that has not heeded its context after a second is left
// behind, in a goroutine that ends when the call does. A model that panics is a
// Broken *Error.
//
// The time in which the reader is at work counts for Total only. Put a Deadline
// inside a Retry, and around a Limit only if waiting for the limit should count.
// It keeps nothing: it may be copied, and used concurrently.
type Deadline struct {
	Model Model
	First time.Duration // until the first chunk; 0 or less: no bound
	Idle  time.Duration // from one chunk to the next, and to the stream's end; 0 or less: no bound
	Total time.Duration // until the stream's end; 0 or less: no bound
}

// grace is how long a call has to heed its context.
const grace = time.Second

// Info tells what the model is that is asked.
func (d Deadline) Info() Info { return InfoOf(d.Model) }

// Stream asks the model and bounds the time of it.
func (d Deadline) Stream(ctx context.Context, r *Request) iter.Seq2[Chunk, error] {
	if d.First <= 0 && d.Idle <= 0 && d.Total <= 0 {
		return ask(ctx, d.Model, r)
	}
	return func(yield func(Chunk, error) bool) {
		p := start(ctx, d.Model, r)
		defer p.stop(errLeft)
		if err := d.read(ctx, p, yield); err != nil {
			p.stop(err)
			if err != errLeft {
				yield(nil, err)
			}
		}
	}
}

func (d Deadline) read(ctx context.Context, p *pump, yield func(Chunk, error) bool) error {
	total := alarm(d.Total)
	wait, what := d.First, "the first chunk did not come within"
	for {
		select {
		case i := <-p.items:
			switch {
			case i.over:
				return nil
			case i.err != nil && ctx.Err() != nil:
				return context.Cause(ctx)
			case i.err != nil:
				return i.err
			case !yield(i.chunk, nil):
				return errLeft
			}
		case <-alarm(wait):
			return d.late(what, wait)
		case <-total:
			return d.late("the answer was not whole within", d.Total)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		wait, what = d.Idle, "the next chunk, or the end, did not come within"
	}
}

func (d Deadline) late(what string, bound time.Duration) error {
	i := d.Info()
	return &Error{Class: TimedOut, Provider: i.Provider, Model: i.Name, Text: fmt.Sprintf("%s %s", what, bound)}
}

// alarm tells that a time is over; without a bound it never does.
func alarm(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return time.After(d)
}

// pump reads a stream in a goroutine of its own.
type pump struct {
	items  chan item
	done   chan struct{} // closed when the goroutine ends
	cancel context.CancelCauseFunc
	once   sync.Once
}

type item struct {
	chunk Chunk
	err   error
	over  bool // the stream has ended by itself
}

func start(ctx context.Context, m Model, r *Request) *pump {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &pump{items: make(chan item), done: make(chan struct{}), cancel: cancel}
	go p.run(ctx, m, r)
	return p
}

func (p *pump) run(ctx context.Context, m Model, r *Request) {
	defer close(p.done)
	last := item{err: &Error{Class: Broken, Text: "the model ended its goroutine"}}
	defer func() {
		if v := recover(); v != nil {
			last.err = &Error{Class: Broken, Text: fmt.Sprintf("the model panicked: %v", v)}
		}
		p.send(ctx, last)
	}()
	for c, err := range ask(ctx, m, r) {
		if !p.send(ctx, item{chunk: c, err: err}) {
			return
		}
	}
	last = item{over: true}
}

func (p *pump) send(ctx context.Context, i item) bool {
	select {
	case p.items <- i:
		return true
	case <-ctx.Done():
		return false
	}
}

// stop ends the stream and waits for it, for a while.
func (p *pump) stop(cause error) {
	p.once.Do(func() {
		p.cancel(cause)
		select {
		case <-p.done:
		case <-alarm(grace):
		}
	})
}
