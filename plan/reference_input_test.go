package plan_test

import (
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// input is what the user says. It returns how the run ended.
func (r *reference) input(text string) string {
	for _, w := range r.at {
		w.misses = 0
	}
	var ends []refEnd
	switch verb, arg, _ := strings.Cut(text, " "); verb {
	case "select":
		r.choose(arg)
	case "resume":
		r.resume()
	case "signal":
		ends = r.signal()
	default:
		if r.put || r.plan.over() {
			r.idle()
		}
	}
	return r.run(ends)
}

// idle gives whoever has the conversation a turn that is for no step.
func (r *reference) idle() {
	r.at = append(r.at, &refWork{agent: r.talk, state: "ready"})
}

// choose lets the user talk to another agent: what is at work is set aside or
// given up.
func (r *reference) choose(agent string) {
	quiet, open := len(r.at)+len(r.later) == 0, !r.put && !r.plan.over()
	switch {
	case agent == r.talk && !quiet || agent == r.top():
		return
	case agent == r.talk:
	case quiet && !open:
		r.talk = agent
	case r.p.OnSwitch == handoffs.AbandonWork:
		r.plan.abandon()
		r.at, r.later, r.talk = nil, nil, agent
	default:
		r.parked = append(r.parked, refParked{at: r.at, later: r.later, talk: r.talk, plan: open})
		r.at, r.later, r.talk, r.put = nil, nil, agent, r.put || open
	}
	r.idle()
}

// top is the agent at the end of those that wait for each other.
func (r *reference) top() string {
	var top *refWork
	for {
		next := top
		for _, w := range r.at {
			if w.caller == top {
				next = w
				break
			}
		}
		if next == top {
			break
		}
		top = next
	}
	if top == nil {
		return ""
	}
	return top.agent
}

// resume goes on with what was set aside last.
func (r *reference) resume() {
	n := len(r.parked)
	if n == 0 {
		return
	}
	p := r.parked[n-1]
	r.parked = r.parked[:n-1]
	r.at, r.later, r.talk = p.at, p.later, p.talk
	r.put = r.put && !p.plan
}

// abandon gives the plan up.
func (l *refPlan) abandon() {
	for _, s := range l.steps {
		if q := l.at(s.ID); !q.final() {
			q.status = plan.Superseded
		}
	}
	l.phase, l.open = plan.Abandoned, nil
}
