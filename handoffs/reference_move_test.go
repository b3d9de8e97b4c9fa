package handoffs_test

import (
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// hands is a transfer or an escalation.
func (s *refStack) hands(op *rndOp) *handoffs.Outcome {
	to := op.To
	if op.Kind == handoffs.Escalate {
		to = s.rung()
	}
	h := s.run.ask(op.Kind, s.agent, to)
	if code := s.run.check(s, op, to); code != "" {
		h.to = op.To // the log tells what was asked for
		h.end(handoffs.Rejected, code)
		return s.refused(to, code)
	}
	return s.moves(h, op)
}

// moves lets the target take over, as soon as it has room.
func (s *refStack) moves(h *refHandoff, op *rndOp) *handoffs.Outcome {
	grant, most := s.inherited(op)
	if !s.run.offer(s.run.counted(&refOffer{h: h, source: s, op: op, grant: grant})) {
		return s.refused(h.to, handoffs.CodeAcceptTime)
	}
	s.handoff.end(handoffs.Completed, "")
	edge := s.run.p.edge(s.agent, h.to)
	s.become(h.to)
	s.handoff, s.task, s.edge, s.unchecked = h, op.Task, edge, true
	s.grant, s.spent, s.most, s.handed = grant, 0, most, 0
	return nil
}

// fans makes transfers beside that which the agent leaves by: their stacks owe a
// message.
func (s *refStack) fans(ops []rndOp) {
	for i := range ops {
		op := &ops[i]
		if code := s.run.check(s, op, op.To); code != "" {
			s.run.ask(op.Kind, s.agent, op.To).end(handoffs.Rejected, code)
			continue
		}
		h := s.run.ask(handoffs.Call, s.agent, op.To)
		child := s.child(op, h)
		child.depth = s.depth
		s.run.offer(s.run.counted(&refOffer{h: h, source: s, child: child, op: op, grant: op.Budget}))
	}
	if len(ops) > 0 {
		s.run.detachUnder(s)
	}
}

// become makes another agent the top one.
func (s *refStack) become(agent string) {
	s.tried = append(s.tried, s.agent)
	s.from, s.agent = s.agent, agent
	s.stay++
	s.number, s.refusal, s.handoff, s.late, s.came, s.edge, s.attempts = 0, nil, nil, false, nil, -1, 0
	if !s.owes {
		s.run.owner = agent
	}
}

// rung is the next agent of the ladder that did not have this stack yet; "":
// there is none.
func (s *refStack) rung() string {
	at := slices.Index(s.run.p.Ladder, s.agent)
	for _, id := range s.run.p.Ladder[at+1:] {
		if !slices.Contains(s.tried, id) {
			return id
		}
	}
	return ""
}

// missed counts a turn that came to nothing. One too many in a row ends the
// stay, and mostly the stack or the run.
func (s *refStack) missed(code handoffs.Code) (out *handoffs.Outcome, ended bool) {
	most := s.run.p.Misses
	if most == 0 {
		most = 3
	}
	if s.misses++; s.misses <= most {
		return nil, false
	}
	if s.owes {
		return s.fails(handoffs.Outcome{Status: handoffs.Failed, Code: code}), true
	}
	return s.faults(code), true
}

// refused is how an agent goes on whose handoff came to nothing.
func (s *refStack) refused(to string, code handoffs.Code) *handoffs.Outcome {
	p := s.run.p
	if out, ended := s.missed(code); ended {
		return out
	}
	if p.Supervisor != "" && p.Supervisor != s.agent && !s.owes {
		s.run.said = append(s.run.said, fmt.Sprintf("%s: Handoff to %s rejected", p.Supervisor, to))
		s.handoff.end(handoffs.Completed, "")
		s.become(p.Supervisor)
	}
	s.refusal = &handoffs.Refusal{Target: to, Code: code}
	return nil
}

// faults fails the run. The agent then listens to the user again.
func (s *refStack) faults(code handoffs.Code) *handoffs.Outcome {
	s.run.fault = code
	s.pause(refListens)
	return nil
}

// refuses gives the handoff back that brought the agent. Who was given nothing,
// or has ended its work, fails.
func (s *refStack) refuses() *handoffs.Outcome {
	switch given := s.handoff != nil && s.handoff.status == handoffs.Running; {
	case !given && s.owes && s.stay == 0:
		return &handoffs.Outcome{Status: handoffs.Rejected, Code: handoffs.CodeRefused}
	case !given && s.owes:
		return s.fails(handoffs.Outcome{Status: handoffs.Failed, Code: handoffs.CodeRefused})
	case !given:
		return s.faults(handoffs.CodeRefused)
	}
	s.handoff.end(handoffs.Rejected, handoffs.CodeRefused)
	to := s.agent
	s.become(s.from)
	s.from = ""
	return s.refused(to, handoffs.CodeRefused)
}

// gives ends the stack with a result.
func (s *refStack) gives(out handoffs.Outcome) *handoffs.Outcome {
	if out.Status == handoffs.Failed {
		return s.fails(out)
	}
	out.Turns = s.number
	return &out
}

// fails ends the stack as failed, unless the agent is to try again. Where nobody
// called the supervisor takes over.
func (s *refStack) fails(out handoffs.Outcome) *handoffs.Outcome {
	if s.retries(out.Code) {
		return nil
	}
	out.Turns = s.number
	s.handoff.end(handoffs.Failed, out.Code)
	if s.owes {
		return &out
	}
	sup := s.run.p.Supervisor
	if sup == "" || sup == s.agent {
		return s.faults(out.Code)
	}
	h, op := s.run.ask(handoffs.Transfer, s.agent, sup), &rndOp{Kind: handoffs.Transfer, Task: s.task}
	if code := s.run.check(s, op, sup); code != "" {
		h.end(handoffs.Rejected, code)
		return s.faults(code)
	}
	return s.moves(h, op)
}

// retries begins the agent's stay anew, some time later, if the edge that it came
// by says so.
func (s *refStack) retries(code handoffs.Code) bool {
	if s.edge < 0 || s.attempts >= s.run.p.Edges[s.edge].Retry || code.Limit() {
		return false
	}
	s.number, s.misses, s.refusal, s.results, s.places = 0, 0, nil, nil, nil
	s.attempts++
	wait := s.run.p.Edges[s.edge].Wait
	if wait <= 0 {
		s.unchecked = true
		return true
	}
	s.wait = nil
	s.sleep(wait << (s.attempts - 1))
	return true
}
