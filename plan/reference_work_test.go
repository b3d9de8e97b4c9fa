package plan_test

import (
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// act does what an agent does in its turn.
func (r *reference) act(w *refWork) []refEnd {
	t := r.p.turn(w.step, w.attempt, w.stay, w.turn)
	if w.aside != "" {
		t = asideTurn(w.aside, w.turn)
	} else if w.step == "" {
		t = sayTurn
	}
	switch t.Do {
	case "call":
		if t.To == w.agent {
			return r.miss(w, handoffs.CodeSelf)
		}
		w.state, w.misses = "calls", 0
		r.at = append(r.at, &refWork{step: w.step, agent: t.To, aside: t.Aside, caller: w, state: "ready"})
	case "transfer":
		if t.To == w.agent {
			return r.miss(w, handoffs.CodeSelf)
		}
		r.hand(w, t.To, false)
	case "escalate":
		to := w.rung()
		if to == "" {
			return r.miss(w, handoffs.CodeLadder)
		}
		r.hand(w, to, true)
	case "wait":
		w.state = "waits"
		if w.wake = 0; t.For > 0 {
			w.wake = r.now + t.For
		}
	case "refuse":
		return r.refuse(w)
	case "fail", "die":
		return r.end(w, refEnd{code: handoffs.CodeFailed})
	case "return", "partial":
		return r.end(w, refEnd{good: true, value: int64(t.Value)})
	default:
		return r.end(w, refEnd{good: true})
	}
	return nil
}

// hand gives a step's work to another agent.
func (r *reference) hand(w *refWork, to string, up bool) {
	w.completes = w.completes || completes(w.agent, to)
	if up && !w.free {
		w.given = to
	}
	w.visit(w.agent)
	w.from, w.agent, w.handed = w.agent, to, true
	w.stay, w.turn, w.misses = w.stay+1, 0, 0
	r.talks(w)
}

func (w *refWork) visit(agent string) {
	if !slices.Contains(w.visited, agent) {
		w.visited = append(slices.Clip(w.visited), agent)
	}
}

// talks notes who has the conversation: in a linear plan whoever has the step.
func (r *reference) talks(w *refWork) {
	if r.plan.linear && w.caller == nil {
		r.talk = w.agent
	}
}

func (w *refWork) rung() string {
	ladder := []string{"d", "c"}
	for _, id := range ladder[slices.Index(ladder, w.agent)+1:] {
		if !slices.Contains(w.visited, id) {
			return id
		}
	}
	return ""
}

// miss is what becomes of work whose handoff was not accepted: the supervisor
// takes over, if nobody waits for its result, else it goes on.
func (r *reference) miss(w *refWork, code handoffs.Code) []refEnd {
	if w.misses++; w.misses > 3 {
		return r.end(w, refEnd{code: code})
	}
	if s := r.p.Supervisor; s != "" && s != w.agent && w.caller == nil && r.plan.linear {
		w.visit(w.agent)
		w.from, w.agent, w.handed, w.turn = w.agent, s, false, 0
		if !w.free {
			w.given = s
		}
		r.talks(w)
	}
	w.state = "ready"
	return nil
}

// refuse gives a step back: by the agent that it was given to to the plan, by
// another one to whom it has it from.
func (r *reference) refuse(w *refWork) []refEnd {
	if w.free || w.given == w.agent || !w.handed {
		return r.end(w, refEnd{code: handoffs.CodeRefused})
	}
	w.visit(w.agent)
	w.agent, w.from, w.handed, w.turn = w.from, "", false, 0
	r.talks(w)
	return r.miss(w, handoffs.CodeRefused)
}

// end ends what somebody works on.
func (r *reference) end(w *refWork, e refEnd) []refEnd {
	r.drop(w)
	if w.aside != "" {
		if c := w.caller; c != nil && !c.ended {
			c.state = "ready"
		}
		return nil
	}
	if w.step == "" {
		return nil
	}
	e.step, e.agent, e.given, e.attempt = w.step, w.agent, w.given, w.attempt
	e.orphan = !w.free && w.given != w.agent && !w.completes
	return []refEnd{e}
}

// drop takes work away, and what was called by it.
func (r *reference) drop(w *refWork) {
	w.ended = true
	r.at = slices.DeleteFunc(r.at, func(o *refWork) bool { return o == w })
	for _, o := range slices.Clone(r.at) {
		if o.caller == w {
			r.drop(o)
		}
	}
}
