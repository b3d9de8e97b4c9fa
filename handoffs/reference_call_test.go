package handoffs_test

import (
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// gather makes the calls and spawns of a turn, and waits for all results. If
// the only one is refused the agent is told so.
func (s *refStack) gather(ops []rndOp, last *rndOp) (out *handoffs.Outcome, refused bool) {
	s.asked = 0
	for i := range ops {
		to, code := s.calls(&ops[i])
		if code == "" {
			continue
		}
		if len(ops) == 1 && last == nil {
			return s.refused(to, code), true
		}
		s.takes(s.asked, rejected(to, ops[i].Task, code))
	}
	if last != nil && s.waits > 0 {
		switch s.run.p.Siblings {
		case handoffs.CancelThem:
			s.run.cancelUnder(s, handoffs.Cancelled, handoffs.CodeCancelled)
			s.waits = 0
		case handoffs.DetachThem:
			s.run.detachUnder(s)
			s.waits = 0
		}
	}
	for s.waits > 0 {
		s.pause(refCalls)
	}
	if o := s.lost; o != nil {
		s.lost = nil
		if len(s.results) == 0 && last == nil {
			return s.refused(o.h.to, handoffs.CodeAcceptTime), true
		}
		s.takes(o.child.place, rejected(o.h.to, o.op.Task, handoffs.CodeAcceptTime))
	}
	if n := len(s.results); n > 0 && last == nil && !slices.ContainsFunc(s.results, worked) {
		out, _ := s.missed(s.results[n-1].Outcome.Code)
		return out, true
	}
	return nil, false
}

// worked reports whether a result is that of an agent's work.
func worked(r handoffs.CallResult) bool { return r.Outcome.Status != handoffs.Rejected }

func rejected(to, task string, code handoffs.Code) handoffs.CallResult {
	return handoffs.CallResult{Agent: to, Task: task, Outcome: handoffs.Outcome{Status: handoffs.Rejected, Code: code}}
}

// calls makes one call or spawn; the code says why it could not.
func (s *refStack) calls(op *rndOp) (to string, code handoffs.Code) {
	s.asked++
	if op.Kind == handoffs.Spawn {
		return "", s.spawns(op)
	}
	h := s.run.ask(handoffs.Call, s.agent, op.To)
	if code := s.run.check(s, op, op.To); code != "" {
		h.end(handoffs.Rejected, code)
		return op.To, code
	}
	s.waits++
	child := s.child(op, h)
	child.place = s.asked
	s.run.offer(s.run.counted(&refOffer{h: h, source: s, child: child, op: op, grant: op.Budget}))
	return "", ""
}

// child is a stack that an agent begins.
func (s *refStack) child(op *rndOp, h *refHandoff) *refStack {
	return &refStack{
		agent: op.To, from: s.agent, task: op.Task, depth: s.depth + 1, caller: s, owes: true, call: h,
		edge: s.run.p.edge(s.agent, op.To), grant: op.Budget, most: op.Most,
	}
}

// takes keeps a result: they stand in the order in which they were asked for.
func (s *refStack) takes(place int, res handoffs.CallResult) {
	at, _ := slices.BinarySearch(s.places, place)
	s.places, s.results = slices.Insert(s.places, at, place), slices.Insert(s.results, at, res)
}

// result gives a stack something that it waits for. With the last of it the
// stack goes on.
func (s *refStack) result(place int, res handoffs.CallResult) {
	s.takes(place, res)
	if s.waits--; s.waits == 0 && s.state == refCalls {
		s.step()
	}
}

// over hands over the result that a stack came to.
func (s *refStack) over() {
	r, out := s.run, *s.out
	r.remove(s)
	s.handoff.end(handoffs.Completed, "")
	status := out.Status
	if status == handoffs.Completed {
		status = handoffs.Returned
	}
	s.call.end(status, out.Code)
	switch {
	case s.detached:
		text := out.Text
		if out.Status != handoffs.Completed && out.Status != handoffs.Partial {
			text = string(out.Status) + ": " // and why, in the engine's words
		}
		r.said = append(r.said, s.agent+": "+text)
	case s.group != nil:
		s.group.arrived(s.part, s.agent, out)
	default:
		s.caller.result(s.place, handoffs.CallResult{Agent: s.agent, Task: s.task, Outcome: out})
	}
}

func (r *refRun) remove(s *refStack) {
	s.gone = true
	r.open = slices.DeleteFunc(r.open, func(o *refStack) bool { return o == s })
	r.due = slices.DeleteFunc(r.due, func(o *refStack) bool { return o == s })
}

// cancel ends a stack and all that it waits for.
func (r *refRun) cancel(s *refStack, status handoffs.Status, code handoffs.Code) {
	r.cancelUnder(s, status, code)
	r.remove(s)
	s.handoff.end(status, code)
	s.call.end(status, code)
	s.stop()
}

// cancelUnder ends what a stack waits for.
func (r *refRun) cancelUnder(s *refStack, status handoffs.Status, code handoffs.Code) {
	for _, o := range slices.Clone(r.open) {
		if o.caller == s && !o.gone {
			r.cancel(o, status, code)
		}
	}
	for _, o := range slices.Clone(r.queue) {
		if o.source == s && (o.child == nil || !o.child.detached) {
			r.drop(o, handoffs.Cancelled, code)
		}
	}
	r.forget(s)
}

// forget ends the joins that a stack waits for.
func (r *refRun) forget(s *refStack) {
	r.groups = slices.DeleteFunc(slices.Clone(r.groups), func(g *refGroup) bool { return g.caller == s })
}

// detachUnder lets what a stack waits for go on by itself.
func (r *refRun) detachUnder(s *refStack) {
	for _, o := range r.open {
		if o.caller == s {
			o.cutLoose(o.grant)
			o.detached, o.caller = true, nil
		}
	}
	for _, o := range r.queue {
		if o.source == s && o.child != nil && !o.child.detached {
			o.child.cutLoose(o.grant)
			o.child.detached, o.child.caller = true, nil
		}
	}
	r.forget(s)
}
