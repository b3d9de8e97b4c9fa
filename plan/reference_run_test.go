package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// reference carries a program out step by step, in the plainest way: a list of
// those at work, a clock, and what the plan says about each end.
type reference struct {
	p       *program
	now     time.Duration
	signals int // of the script that came

	talk    string      // who has the conversation
	at      []*refWork  // at work, oldest first
	later   []*refLater // steps that wait before they begin
	parked  []refParked // what the user has set aside, newest last
	put     bool        // the plan is set aside
	plan    refPlan
	rounds  []string
	records []string
	ends    []string
}

// refParked is what was set aside.
type refParked struct {
	at    []*refWork
	later []*refLater
	talk  string
	plan  bool
}

// refLater is a step that waits before it begins.
type refLater struct {
	step string
	from time.Duration
}

// refWork is an agent at work: for a step, or called by another.
type refWork struct {
	step, agent, given string // given: who the step was given to; "": anyone may end it
	free               bool
	attempt            int
	stay, turn         int
	from               string // who handed it over
	handed             bool   // by a handoff that is not given back yet
	completes          bool   // an edge said so
	visited            []string
	misses             int
	caller             *refWork
	aside              string
	state              string        // ready, calls, waits
	wake, due          time.Duration // 0: never
	ended              bool
}

// refEnd is how the work for a step ended.
type refEnd struct {
	step, agent string
	given       string
	attempt     int
	good        bool
	orphan      bool
	code        handoffs.Code
	value       any
}

func newReference(p *program) *reference {
	return &reference{p: p, talk: progAgents[0]}
}

// play plays the whole session.
func (r *reference) play() {
	r.plan.begin(r)
	r.ends = append(r.ends, r.run(nil))
	for n := range r.p.Inputs {
		r.ends = append(r.ends, r.input(r.p.Inputs[n]))
	}
}

// most bounds the rounds of a run.
const most = 2000

// run goes on until nothing is left to do. The ends are steps that ended before.
func (r *reference) run(ends []refEnd) string {
	for range most {
		if fault := r.round(ends); fault != "" {
			return "failed " + fault
		}
		ends = nil
		if r.ready() {
			ends = r.turn()
			r.plan.due() // beside them
			continue
		}
		if r.plan.due() {
			continue
		}
		switch e, ok := r.wait(); {
		case !ok && r.waiting():
			return "waits"
		case !ok:
			return "done"
		default:
			ends = e
		}
	}
	return "no end"
}

func (r *reference) ready() bool {
	return slices.ContainsFunc(r.at, func(w *refWork) bool { return w.state == "ready" })
}

func (r *reference) waiting() bool {
	return len(r.later) > 0 || slices.ContainsFunc(r.at, func(w *refWork) bool { return w.state == "waits" })
}

// turn gives every agent that can work a turn.
func (r *reference) turn() (ends []refEnd) {
	var now []*refWork
	var said []string
	for _, w := range r.at {
		if w.state == "ready" {
			now = append(now, w)
			w.turn++
			said = append(said, w.String())
		}
	}
	slices.Sort(said)
	r.rounds = append(r.rounds, strings.Join(said, ", "))
	for _, w := range now {
		if !w.ended && w.state == "ready" {
			ends = append(ends, r.act(w)...)
		}
	}
	return ends
}

func (w *refWork) String() string {
	switch {
	case w.aside != "":
		return fmt.Sprintf("%s aside %s.%d %s", w.agent, w.aside, w.turn, w.step)
	case w.step == "":
		return w.agent + " idle"
	}
	return fmt.Sprintf("%s %s.%d.%d.%d", w.agent, w.step, w.attempt, w.stay, w.turn)
}

// wait lets time pass until something happens.
func (r *reference) wait() (ends []refEnd, ok bool) {
	for !r.ready() && len(ends) == 0 {
		at, there := r.next()
		if !there || !r.waiting() {
			return nil, false
		}
		r.now = max(r.now, at)
		for {
			more, happened := r.happen()
			ends = append(ends, more...)
			if !happened {
				break
			}
		}
	}
	return ends, true
}

// next is when the next thing happens.
func (r *reference) next() (at time.Duration, ok bool) {
	times := []time.Duration{}
	if r.signals < len(r.p.Signals) {
		times = append(times, r.p.Signals[r.signals])
	}
	for _, l := range r.later {
		times = append(times, l.from)
	}
	for _, w := range r.at {
		for _, t := range []time.Duration{w.wake, w.due} {
			if t > 0 && (t != w.wake || w.state == "waits") {
				times = append(times, t)
			}
		}
	}
	if len(times) == 0 {
		return 0, false
	}
	return slices.Min(times), true
}

// happen does one thing that is due: signals first, then steps that waited, then
// waits that are over, then work whose time is up.
func (r *reference) happen() ([]refEnd, bool) {
	if r.signals < len(r.p.Signals) && r.p.Signals[r.signals] <= r.now {
		r.signals++
		return r.signal(), true
	}
	for i, l := range r.later {
		if l.from <= r.now {
			r.later = slices.Delete(r.later, i, i+1)
			return r.start(l.step), true
		}
	}
	for _, w := range r.at {
		if w.state == "waits" && w.wake > 0 && w.wake <= r.now {
			return r.wakes(w), true
		}
	}
	for _, w := range r.at {
		if w.due > 0 && w.due <= r.now {
			return r.end(w, refEnd{code: handoffs.CodeDeadline}), true
		}
	}
	return nil, false
}

func (r *reference) signal() (ends []refEnd) {
	for _, w := range slices.Clone(r.at) {
		if w.state == "waits" && !w.ended {
			ends = append(ends, r.wakes(w)...)
		}
	}
	return ends
}

// wakes lets somebody go on who has waited, unless their time is up.
func (r *reference) wakes(w *refWork) []refEnd {
	w.state, w.wake = "ready", 0
	for o := w; o != nil; o = o.caller {
		if o.due > 0 && o.due <= r.now {
			return r.end(o, refEnd{code: handoffs.CodeDeadline})
		}
	}
	return nil
}

// start lets a step's agent begin.
func (r *reference) start(id string) []refEnd {
	s, q := r.plan.step(id), r.plan.at(id)
	agent := q.agent
	if agent == "" {
		agent = can(s.Capability)[0]
	}
	from, reason := progAgents[0], handoffs.PlanStep
	if r.plan.linear {
		from = r.talk
	}
	if q.raised {
		reason = handoffs.ErrorRecovery
	}
	if !r.plan.linear || from != agent {
		r.records = append(r.records, fmt.Sprintf("%s>%s %s %s", from, agent, reason, id))
	}
	w := &refWork{step: id, agent: agent, given: agent, free: q.raised, attempt: q.attempt, stay: 1, from: from, state: "ready"}
	if w.handed = !r.plan.linear || from != agent; q.raised {
		w.given = ""
	}
	if s.Timeout > 0 {
		w.due = r.now + s.Timeout
	}
	r.at = append(r.at, w)
	r.talks(w)
	return nil
}

// round lets the plan look at the steps that have ended and begins others. It
// returns the code that the run fails with.
func (r *reference) round(ends []refEnd) string {
	if r.put {
		return ""
	}
	return r.plan.round(r, ends)
}
