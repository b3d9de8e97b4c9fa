package graph

import (
	"fmt"
	"math"
	"time"
)

// await waits for the run's goroutine, and hands every event to pump, if
// there are any. When the run should have ended and its goroutine is stuck in
// a node for longer than the grace period, the run is taken over: what the
// node still does is fenced off. It is false if that was done: then the run
// must not be used again.
func (r *run) await(events <-chan Event, pump direct) bool {
	if events == nil && r.done == nil && <-r.signals == finished {
		return true
	}
	ended := r.done
	var grace, look <-chan time.Time
	lose := func() { // patience, once
		if ended = nil; grace == nil && look == nil {
			grace = time.After(r.prog.patience)
		}
	}
	if ended == nil && events == nil { // the signal was trouble
		lose()
	}
	for {
		select {
		case s := <-r.signals:
			if s == finished {
				drain(events, pump)
				return true
			}
			lose()
		case e := <-events:
			pump(e)
		case <-ended:
			lose()
		case <-grace:
			grace, look = nil, time.After(0)
		case <-look:
			if r.where.CompareAndSwap(inTask, taken) {
				drain(events, pump)
				r.takeOver(pump)
				return false
			}
			look = time.After(time.Millisecond)
		}
	}
}

// drain hands over what is already in the channel.
func drain(events <-chan Event, pump direct) {
	for {
		select {
		case e := <-events:
			pump(e)
		default:
			return
		}
	}
}

// takeOver ends the run in place of its goroutine, which is stuck in a task.
// The events of its end go straight to the reader, who is the caller.
func (r *run) takeOver(pump direct) {
	if pump != nil {
		f := *r.frame
		f.sink = pump
		r.frame = &f
	}
	if r.crew != nil {
		r.crew.stopped.Store(true)
		r.crew.cancel(ErrLeftBehind)
		r.crew.forsake()
	} else {
		r.leave(0, r.alone)
		r.m.Forsake(func(int) bool { return false })
	}
	r.advance()
}

// leave leaves task i behind: it can tell no more, and is told of once.
func (r *run) leave(i int, t *taskContext) {
	ref := r.ref(i)
	r.deaf = append(r.deaf, ref)
	count := t.events.Swap(math.MinInt32)
	if r.frame.sink == nil || count < 0 {
		return
	}
	err := &Error{
		Thread: r.frame.thread, NS: r.frame.at.ns, Step: r.m.Step(), Node: ref.Node, Task: ref.Task,
		Err: fmt.Errorf("%w: it did not end within %v", ErrLeftBehind, r.prog.cfg.grace()),
	}
	r.frame.sink.put(&TaskFailed{Head: r.frame.at.head(r.m.Step(), i+1, count), TaskRef: ref, Err: err, Cancelled: true})
}
