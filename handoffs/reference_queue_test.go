package handoffs_test

import (
	"slices"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// refOffer is a handoff that was accepted and may have to wait for room.
type refOffer struct {
	h        *refHandoff
	source   *refStack
	stay     int       // of the source when it asked
	child    *refStack // that it begins; nil: it is a transfer of the source
	priority handoffs.Priority
}

func (o *refOffer) level() int {
	switch o.priority {
	case handoffs.Urgent:
		return 1
	case handoffs.High:
		return 2
	case handoffs.Low:
		return 10
	}
	return 5
}

// free reports whether an agent has room for another stay.
func (r *refRun) free(agent string) bool {
	n := 0
	for _, s := range r.open {
		if s.agent == agent {
			n++
		}
	}
	room := r.p.agent(agent).Room
	return room == 0 || n < room
}

// offer begins a handoff, or lets it wait until there is room: behind those
// that wait for the same agent already. A transfer pauses its source until then.
func (r *refRun) offer(o *refOffer) {
	o.stay = o.source.stay
	waits := slices.ContainsFunc(r.queue, func(q *refOffer) bool { return q.h.to == o.h.to })
	if r.free(o.h.to) && !waits {
		r.take(o)
		return
	}
	r.queue = append(r.queue, o)
	if o.child == nil {
		o.source.pause(refQueues)
	}
}

// take begins a handoff. The source of a transfer is let go on by who calls.
func (r *refRun) take(o *refOffer) {
	if o.child == nil {
		return
	}
	if o.source.stay == o.stay {
		o.source.misses = 0
	}
	r.begin(o.child)
}

// drain begins the handoffs for which there is room: the most urgent first, of
// equals the one that has waited longest.
func (r *refRun) drain() {
	for r.fault == "" {
		best := -1
		for i, o := range r.queue {
			if r.free(o.h.to) && (best < 0 || o.level() < r.queue[best].level()) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		o := r.queue[best]
		r.queue = slices.Delete(r.queue, best, best+1)
		if o.child == nil {
			o.source.step()
		} else {
			r.take(o)
		}
	}
}

// drop ends a handoff that waits: it does not count.
func (r *refRun) drop(o *refOffer, code handoffs.Code) {
	r.queue = slices.DeleteFunc(r.queue, func(q *refOffer) bool { return q == o })
	o.h.end(handoffs.Cancelled, code)
	r.handed--
}

// pass lets time pass: joins fall due, and sleeping agents wake, in the order of
// their times.
func (r *refRun) pass(end time.Duration) {
	for {
		at, then := r.nextDue()
		if then == nil || at > end {
			break
		}
		r.clock = max(r.clock, at)
		then()
	}
	r.clock = max(r.clock, end)
}

// nextDue is what falls due next; nil: nothing.
func (r *refRun) nextDue() (at time.Duration, then func()) {
	for _, g := range r.groups {
		if g.due > 0 && (then == nil || g.due < at) {
			at, then = g.due, func() { g.joined(handoffs.TimedOut, handoffs.CodeJoinTime) }
		}
	}
	for _, s := range r.open {
		if s.state == refSleeps && (then == nil || s.wake < at) {
			at, then = s.wake, s.step
		}
	}
	return at, then
}

// idle lets time pass until something falls due, as long as anybody waits for
// something else than the user; false: nothing will.
func (r *refRun) idle() bool {
	at, then := r.nextDue()
	sleeps := slices.ContainsFunc(r.open, func(s *refStack) bool { return s.state == refSleeps })
	if then == nil || !sleeps && len(r.queue) == 0 {
		return false
	}
	r.pass(at)
	return true
}
