package handoffs_test

import (
	"slices"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// refOffer is a handoff that was accepted and may have to wait for room.
type refOffer struct {
	h      *refHandoff
	source *refStack
	stay   int       // of the source when it asked
	child  *refStack // that it begins; nil: it is a transfer of the source
	op     *rndOp
	edge   int           // that it takes; -1: none
	makers []*refStack   // that it counts for
	grant  int           // tokens that it sets aside; 0: none
	due    time.Duration // when it must have begun; 0: some day
	late   bool          // it has not
}

func (o *refOffer) level() int {
	switch o.op.Priority {
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

// counted counts a handoff that was accepted, at once: also if it has to wait.
func (r *refRun) counted(o *refOffer) *refOffer {
	o.stay, o.edge = o.source.stay, r.p.edge(o.source.agent, o.h.to)
	for s := o.source; s != nil; s = s.caller {
		o.makers = append(o.makers, s)
	}
	r.count(o, 1)
	return o
}

// uncount takes back a handoff that has never begun.
func (r *refRun) uncount(o *refOffer) { r.count(o, -1) }

func (r *refRun) count(o *refOffer, n int) {
	r.handed += n
	if o.edge >= 0 {
		r.taken[o.edge] += n
	}
	for _, s := range o.makers {
		s.handed += n
	}
}

// offer begins a handoff, or lets it wait until there is room: behind those
// that wait for the same agent already. A transfer pauses its source until then;
// false: there was no room in time.
func (r *refRun) offer(o *refOffer) bool {
	waits := slices.ContainsFunc(r.queue, func(q *refOffer) bool { return q.h.to == o.h.to })
	if r.free(o.h.to) && !waits {
		r.take(o)
		return true
	}
	if r.p.Accept > 0 {
		o.due = r.clock + r.p.Accept
	}
	r.queue = append(r.queue, o)
	if o.child == nil {
		o.source.pause(refQueues)
	}
	return !o.late
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
func (r *refRun) drop(o *refOffer, status handoffs.Status, code handoffs.Code) {
	r.queue = slices.DeleteFunc(slices.Clone(r.queue), func(q *refOffer) bool { return q == o })
	o.h.end(status, code)
	r.uncount(o)
}

// expire ends a handoff that nobody had room for in time.
func (r *refRun) expire(o *refOffer) {
	r.drop(o, handoffs.TimedOut, handoffs.CodeAcceptTime)
	o.late = true
	out := handoffs.Outcome{Status: handoffs.Rejected, Code: handoffs.CodeAcceptTime}
	switch {
	case o.child == nil:
		o.source.step()
	case o.child.detached:
		r.said = append(r.said, o.h.to+": rejected: ")
	case o.child.group != nil:
		o.child.group.arrived(o.child.part, o.h.to, out)
	case o.source.waits == 1 && len(o.source.results) == 0:
		o.source.lost = o
		o.source.waits = 0
		o.source.step()
	default:
		o.source.result(o.child.place, rejected(o.h.to, o.op.Task, handoffs.CodeAcceptTime))
	}
}
