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
func (p *program) stream(ctx context.Context, keep *keeping, o *order, cfg *RunConfig, yield func(Event, error) bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	j, bad := p.prepare(ctx, keep, o, cfg)
	if bad != nil {
		stillborn(bad, yield)
		return
	}
	pipe := &pipe{events: make(chan Event, buffered), gone: make(chan struct{})}
	defer close(pipe.gone)
	j.frame.sink = pipe
	r, bad := p.begin(j)
	if bad != nil {
		stillborn(j.close(bad), yield)
		return
	}
	r.launch()
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
	err := j.close(&r.end).err
	r.release(clean)
	if open && err != nil {
		yield(nil, err)
	}
}

// stillborn yields what there is to tell of a run that could not begin.
func stillborn(end *ending, yield func(Event, error) bool) {
	e := &RunFinished{Head: (&at{}).head(0, 0, 0), Outcome: end.outcome, Err: end.err, Next: end.next}
	e.Seq = 1
	if yield(e, nil) {
		yield(nil, end.err)
	}
}
