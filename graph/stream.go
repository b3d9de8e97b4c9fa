package graph

import (
	"context"
	"fmt"
)

// buffered is how many events may wait for the reader of a stream.
const buffered = 64

// pipe carries events from tasks to the reader of a stream.
type pipe struct {
	events chan Event
	gone   chan struct{} // closed when nobody reads any more
}

func (p *pipe) put(e Event) {
	select {
	case p.events <- e:
	case <-p.gone:
	}
}

// stream runs the program and yields its events.
func (p *program) stream(j *job, yield func(Event, error) bool) {
	if c := p.refuse(j); c != nil {
		yield(nil, c.err)
		return
	}
	ctx, cancel := context.WithCancelCause(j.ctx)
	defer cancel(nil)
	pipe := &pipe{events: make(chan Event, buffered), gone: make(chan struct{})}
	defer close(pipe.gone)
	j.ctx, j.frame.sink = ctx, pipe
	r := p.start(*j)
	go r.main()
	seq, open := int64(0), true
	clean := r.await(pipe.events, func(e Event) {
		if !open {
			return
		}
		seq++
		e.head().Seq = seq
		if open = yield(e, nil); !open {
			cancel(ErrStreamClosed)
		}
	})
	c := r.giveBack(clean)
	if open && c.err != nil {
		yield(nil, c.err)
	}
}

func joinCause(ctx context.Context) error {
	return fmt.Errorf("%w: %w", ErrCancelled, context.Cause(ctx))
}

func wrapText(what string, err error) error { return fmt.Errorf("%s: %w", what, err) }
