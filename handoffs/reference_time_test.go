package handoffs_test

import (
	"slices"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// pass lets time pass: what falls due happens in the order of the times.
func (r *refRun) pass(end time.Duration) {
	for r.fault == "" {
		at, then := r.nextDue()
		if then == nil || at > end {
			break
		}
		r.clock = max(r.clock, at)
		then()
	}
	r.clock = max(r.clock, end)
}

// nextDue is what falls due next; nil: nothing. Of what falls due at one time
// signals come first, then handoffs that wait, joins and sleeping agents.
func (r *refRun) nextDue() (at time.Duration, then func()) {
	sooner := func(due time.Duration, do func()) {
		if due > 0 && (then == nil || due < at) {
			at, then = due, do
		}
	}
	if r.script < len(r.p.Script) {
		sooner(r.p.Script[r.script].After, r.signal)
	}
	for _, o := range r.queue {
		sooner(o.due, func() { r.expire(o) })
	}
	for _, g := range r.groups {
		sooner(g.due, func() { g.joined(handoffs.TimedOut, handoffs.CodeJoinTime) })
	}
	for _, s := range r.open {
		if s.state == refSleeps {
			sooner(s.wake, s.step)
		}
	}
	return at, then
}

// signal lets the next signal come, to all that wait for it.
func (r *refRun) signal() {
	kind := r.p.Script[r.script].Type
	r.script++
	for _, s := range slices.Clone(r.open) {
		if s.state != refSleeps || s.wait == nil || !slices.Contains(s.wait.Signals, kind) {
			continue
		}
		s.came = append(s.came, kind)
		if len(s.came) >= max(1, s.wait.Count) {
			s.wait = nil
			s.step()
		}
	}
}

// waits reports whether anybody waits for something else than the user.
func (r *refRun) waits() bool {
	return len(r.queue) > 0 || slices.ContainsFunc(r.open, func(s *refStack) bool { return s.state == refSleeps })
}

// idle lets time pass until something falls due, as long as anybody waits;
// false: nothing will.
func (r *refRun) idle() bool {
	at, then := r.nextDue()
	if then == nil || !r.waits() {
		return false
	}
	r.pass(at)
	return true
}
