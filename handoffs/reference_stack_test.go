package handoffs_test

import (
	"iter"
	"slices"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// refStack is one stack of agents, of which the top one is at work: that of the
// user, of a call, or of a branch. A coroutine runs it from its first turn to
// its result.
type refStack struct {
	run    *refRun
	state  refState
	agent  string
	from   string // who handed to the agent
	task   string
	branch string
	number int    // of the agent's turns
	said   string // in the turn that has ended
	misses int
	stay   int // how many agents had this stack before
	depth  int
	tried  []string // agents that had this stack before

	caller   *refStack // that waits for the result
	group    *refGroup // the spawn that it is a branch of
	part     int       // of the group
	owes     bool      // a result: to a caller, or as a message
	detached bool
	call     *refHandoff // that made the stack
	handoff  *refHandoff // the transfer that brought the agent; nil: it was called

	place   int // of the call among those that the caller asked for
	asked   int // calls in this turn
	waits   int // results to come
	results []handoffs.CallResult
	places  []int // of results
	refusal *handoffs.Refusal
	lost    *refOffer // the call that the stack waited for: nobody had room for it in time
	wait    *rndOp
	wake    time.Duration // 0: never
	came    []string
	late    bool

	edge      int // that the agent came by; -1: none
	attempts  int // of the agent that have failed
	grant     int // tokens that the stack may use, below 0: none; 0: as many as one likes
	spent     int
	most      int // handoffs that the agent may make, as grant
	handed    int
	unchecked bool // the next turn is given whatever the limits say

	does  *rndTurn // in the turn that has ended
	ended bool     // the turn has, and is to be looked at
	gone  bool
	out   *handoffs.Outcome
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// refState is what a stack does.
type refState int

const (
	refWorks   refState = iota // its agent has a turn
	refCalls                   // it waits for results
	refQueues                  // for room at the target of its transfer
	refSleeps                  // for a time
	refListens                 // for the user
)

// errGone unwinds a coroutine that nobody wants any more.
type refGone struct{}

func (s *refStack) start() {
	s.next, s.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && r != any(refGone{}) {
				panic(r)
			}
		}()
		s.yield = yield
		out := s.work()
		s.out = &out
	})
	s.step()
}

// step lets the stack go on until it waits again, or has its result.
func (s *refStack) step() {
	s.next()
	if s.out != nil && !s.gone {
		s.over()
	}
}

// pause waits until the stack is let go on.
func (s *refStack) pause(state refState) {
	s.state = state
	if !s.yield(struct{}{}) {
		panic(refGone{})
	}
}

// work runs agents until there is a result.
func (s *refStack) work() handoffs.Outcome {
	s.unchecked = true
	for {
		if out := s.again(); out != nil {
			return *out
		}
	}
}

// again gives the agent a turn and does what it asks for. What it returns is
// the stack's result, if there is one by then. A turn that the user cut off
// comes to nothing.
func (s *refStack) again() *handoffs.Outcome {
	if code := s.limit(); code != "" {
		return s.fails(handoffs.Outcome{Status: handoffs.Failed, Code: code})
	}
	s.number++
	s.run.turns++
	s.run.due = append(s.run.due, s)
	s.ended, s.unchecked = false, false
	s.pause(refWorks)
	switch {
	case !s.ended:
		return nil
	case s.does.Fail != "":
		return s.fails(handoffs.Outcome{Status: handoffs.Failed, Code: handoffs.CodeFailed, Error: s.does.Fail})
	}
	return s.obey(s.does.Ops)
}

// limit says what keeps the agent from another turn.
func (s *refStack) limit() handoffs.Code {
	if s.unchecked {
		return ""
	}
	if most := s.run.p.agent(s.agent).Turns; most > 0 && s.number >= most {
		return handoffs.CodeTurns
	}
	if left, bounded := s.left(); bounded && left <= 0 {
		return handoffs.CodeBudget
	}
	return ""
}

// acts is the agent's turn.
func (s *refStack) acts() {
	sight := s.sight()
	s.does = s.run.p.turn(sight)
	s.results, s.places, s.refusal, s.late, s.came, s.said = nil, nil, nil, false, nil, ""
	if !s.does.Mute && s.does.Fail == "" {
		s.said = sight.String()
		s.run.said = append(s.run.said, s.agent+": "+s.said)
	}
}

func (s *refStack) sight() *rndSight {
	sight := &rndSight{
		Agent: s.agent, From: s.from, Task: s.task, Branch: s.branch, Called: s.owes, Late: s.late,
		Number: s.number, Results: s.results, Refused: s.refusal, Signals: s.came,
	}
	if s.attempts > 0 {
		sight.Attempt = s.attempts + 1
	}
	return sight
}

// obey does what an agent asks for in a turn: calls first, then what it leaves
// by.
func (s *refStack) obey(ops []rndOp) *handoffs.Outcome {
	var calls, lost []rndOp
	var last *rndOp
	for i := range ops {
		switch op := &ops[i]; {
		case op.Kind == handoffs.Call || op.Kind == handoffs.Spawn:
			calls = append(calls, *op)
		case last != nil:
			lost = append(lost, *op)
		default:
			last = op
		}
	}
	if s.run.p.Multiple == handoffs.TakeNone && len(ops) > 1 {
		return s.none(calls, lost, last)
	}
	if last != nil && last.Kind == handoffs.Wait && len(calls) > 0 {
		lost, last = append(lost, *last), nil
	}
	var beside []rndOp
	if s.run.p.Multiple == handoffs.FanOut && len(calls) == 0 && last != nil && last.Kind == handoffs.Transfer {
		isTransfer := func(op rndOp) bool { return op.Kind == handoffs.Transfer }
		for _, op := range lost {
			if isTransfer(op) {
				beside = append(beside, op)
			}
		}
		lost = slices.DeleteFunc(lost, isTransfer)
	}
	for _, op := range lost {
		s.run.ask(op.Kind, s.agent, op.To).end(handoffs.Superseded, handoffs.CodeSuperseded)
	}
	if len(calls) > 0 {
		if out, refused := s.gather(calls, last); refused || out != nil {
			return out
		}
		if last == nil {
			return nil
		}
	}
	s.fans(beside)
	return s.leave(last)
}

// sleep waits for a time, or for ever.
func (s *refStack) sleep(d time.Duration) {
	if s.wake = 0; d > 0 {
		s.wake = s.run.clock + d
	}
	s.pause(refSleeps)
}

// none refuses all that an agent asks for in one turn.
func (s *refStack) none(calls, lost []rndOp, last *rndOp) *handoffs.Outcome {
	all := slices.Concat(calls, lost)
	if last != nil {
		all = append(all, *last)
	}
	for _, op := range all {
		s.run.ask(op.Kind, s.agent, op.To).end(handoffs.Rejected, handoffs.CodeMultiple)
	}
	return s.refused(all[0].To, handoffs.CodeMultiple)
}

// leave does what ends a turn; nil: it just ends.
func (s *refStack) leave(op *rndOp) *handoffs.Outcome {
	switch {
	case op == nil && s.owes && !s.run.p.agent(s.agent).Conversational:
		return s.gives(handoffs.Outcome{Status: handoffs.Completed, Text: s.said})
	case op == nil:
		if !s.owes {
			s.handoff.end(handoffs.Completed, "")
		}
		s.pause(refListens)
		return nil
	case op.Kind == handoffs.Wait:
		s.wait, s.came = op, nil
		s.sleep(op.For)
		s.late = s.wait != nil
		return nil
	case op.Kind == handoffs.Return && s.owes:
		return s.gives(op.Result)
	case op.Kind == handoffs.Return:
		s.run.ask(op.Kind, s.agent, "").end(handoffs.Rejected, handoffs.CodeNoCall)
		return s.refused("", handoffs.CodeNoCall)
	case op.Kind == handoffs.Refuse:
		return s.refuses()
	}
	return s.hands(op)
}
