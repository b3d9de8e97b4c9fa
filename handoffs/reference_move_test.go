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
	if code := s.run.check(op.Kind, s.agent, to, s.depth); code != "" {
		h.to = op.To // the log tells what was asked for
		h.end(handoffs.Rejected, code)
		return s.refused(to, code)
	}
	s.moves(h, op)
	return nil
}

// moves lets the target take over, as soon as it has room.
func (s *refStack) moves(h *refHandoff, op *rndOp) {
	s.run.handed++
	s.run.offer(&refOffer{h: h, source: s, priority: op.Priority})
	s.handoff.end(handoffs.Completed, "")
	s.become(h.to)
	s.handoff, s.task = h, op.Task
}

// become makes another agent the top one.
func (s *refStack) become(agent string) {
	s.tried = append(s.tried, s.agent)
	s.from, s.agent = s.agent, agent
	s.stay++
	s.number, s.refusal, s.handoff, s.late = 0, nil, nil, false
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
// stack, or the run.
func (s *refStack) missed(code handoffs.Code) *handoffs.Outcome {
	most := s.run.p.Misses
	if most == 0 {
		most = 3
	}
	if s.misses++; s.misses <= most {
		return nil
	}
	if s.owes {
		return s.fails(handoffs.Outcome{Status: handoffs.Failed, Code: code})
	}
	return s.faults(code)
}

// refused is how an agent goes on whose handoff came to nothing.
func (s *refStack) refused(to string, code handoffs.Code) *handoffs.Outcome {
	p := s.run.p
	if out := s.missed(code); out != nil || s.state == refListens {
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

// fails ends the stack as failed. Where nobody called the supervisor takes over.
func (s *refStack) fails(out handoffs.Outcome) *handoffs.Outcome {
	out.Turns = s.number
	s.handoff.end(handoffs.Failed, out.Code)
	if s.owes {
		return &out
	}
	sup := s.run.p.Supervisor
	if sup == "" || sup == s.agent {
		return s.faults(out.Code)
	}
	h := s.run.ask(handoffs.Transfer, s.agent, sup)
	if code := s.run.check(handoffs.Transfer, s.agent, sup, s.depth); code != "" {
		h.end(handoffs.Rejected, code)
		return s.faults(code)
	}
	s.moves(h, &rndOp{Kind: handoffs.Transfer, Task: s.task})
	return nil
}
