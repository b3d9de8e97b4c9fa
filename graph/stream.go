package graph

import "context"

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

func (p *pipe) offer(until <-chan struct{}, e Event) bool {
	select {
	case p.events <- e:
		return true
	case <-until:
		return false
	case <-p.gone:
		return true
	}
}

// direct is a sink that calls its reader.
type direct func(Event)

func (d direct) put(e Event) { d(e) }

func (d direct) offer(_ <-chan struct{}, e Event) bool {
	d(e)
	return true
}

// stream runs the program and yields its events.
func (p *program) stream(j *job, yield func(Event, error) bool) {
	if err := p.refuse(j); err != nil {
		e := &RunFinished{Head: j.frame.at.head(0, 0, 0), Outcome: err.outcome, Err: err.err}
		e.Seq = 1
		if yield(e, nil) {
			yield(nil, err.err)
		}
		return
	}
	ctx, cancel := context.WithCancelCause(j.ctx)
	defer cancel(nil)
	pipe := &pipe{events: make(chan Event, buffered), gone: make(chan struct{})}
	defer close(pipe.gone)
	j.ctx, j.frame.sink = ctx, pipe
	r := p.start(j)
	go r.main()
	seq, open, over := int64(0), true, false
	clean := r.await(pipe.events, func(e Event) {
		if !open || over { // a goroutine that a node left behind may still emit
			return
		}
		if end, ok := e.(*RunFinished); ok && len(end.NS) == 0 {
			over = true
		}
		seq++
		e.head().Seq = seq
		if open = yield(e, nil); !open {
			cancel(ErrStreamClosed)
		}
	})
	err := r.end.err
	r.release(clean)
	if open && err != nil {
		yield(nil, err)
	}
}
