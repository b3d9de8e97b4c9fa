package handoffs_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// refRun is a session as the meaning of handoffs has it: a call is a function
// call, a transfer is a round of a loop, a branch is a stack of its own. Stacks
// are coroutines, so that agents side by side take turns in rounds as the tasks
// of a graph do in steps.
type refRun struct {
	p        *rndProgram
	open     []*refStack // in the order in which they began
	due      []*refStack // whose agents have a turn in the next round
	queue    []*refOffer
	groups   []*refGroup
	clock    time.Duration
	handed   int // handoffs that began, or wait for room
	turns    int
	tokens   int
	over     int           // tokens that turns cost more than was left
	taken    []int         // how often each edge was taken
	script   int           // signals that have come
	handoffs []*refHandoff // in the order in which they were asked for
	said     []string
	owner    string
	fault    handoffs.Code
}

// refHandoff is what came of a handoff.
type refHandoff struct {
	kind     handoffs.Kind
	from, to string
	status   handoffs.Status
	code     handoffs.Code
}

func (h *refHandoff) String() string {
	text := fmt.Sprintf("%s %s>%s %s", h.kind, h.from, h.to, h.status)
	if h.code != "" {
		text += " " + string(h.code)
	}
	return text
}

// end gives a handoff its last status. It has but one.
func (h *refHandoff) end(s handoffs.Status, code handoffs.Code) {
	if h != nil && h.status == handoffs.Running {
		h.status, h.code = s, code
	}
}

// The ways in which an input ends.
const (
	refDone  = "done"
	refStuck = "waiting" // for signals that do not come, for room that nobody makes
)

// refLong is how many turns a session may come to before it is left.
const refLong = 400

// input lets the user say something, and returns how the run ended: refDone,
// refStuck or the code that it failed with.
func (r *refRun) input(n int) string {
	r.said = append(r.said, fmt.Sprint("user: input ", n))
	if n == 1 {
		r.owner = r.p.Agents[0].ID
		r.taken = make([]int, len(r.p.Edges))
		r.begin(&refStack{agent: r.owner, edge: -1})
	}
	r.fault = ""
	for _, s := range slices.Clone(r.open) {
		s.misses = 0
		if s.state == refListens || s.state == refWorks && !slices.Contains(r.due, s) {
			s.unchecked = true
			s.step()
		}
	}
	r.pass(r.clock) // what fell due as the run before failed
	r.drain()
	for r.fault == "" && r.turns < refLong {
		if len(r.due) > 0 {
			r.round()
		} else if !r.idle() {
			break
		}
		if r.fault == "" {
			r.drain()
		}
	}
	switch {
	case r.fault != "":
		return "failed " + string(r.fault)
	case r.waits():
		return refStuck
	}
	return refDone
}

// round lets all agents that are due have their turns, side by side, and then
// does what they ask for, stack by stack in the order in which those began.
func (r *refRun) round() {
	var due []*refStack
	for _, s := range r.open {
		if slices.Contains(r.due, s) {
			due = append(due, s)
		}
	}
	r.due = nil
	var took time.Duration
	acted, spoke := map[string]int{}, map[string]int{}
	for _, s := range due {
		s.acts()
		took = max(took, s.does.takes())
		acted[s.agent]++
		if s.said != "" || r.p.Tools && s.does.Fail == "" && len(s.does.Ops) > 0 { // a message without a text is one
			spoke[s.agent]++
		}
	}
	for _, s := range due {
		s.spend()
		if acted[s.agent] != spoke[s.agent] {
			s.said = "" // whose texts they are is not known
		}
	}
	r.pass(r.clock + took)
	for _, s := range due {
		if s.state == refWorks && !s.gone && r.fault == "" {
			s.ended = true
			s.step()
		}
	}
}

// takes is how long a turn took, as far as its agent can tell.
func (t *rndTurn) takes() time.Duration {
	if t.Fail != "" {
		return 0
	}
	return t.Takes
}

// begin adds a stack, whose agent gets a turn.
func (r *refRun) begin(s *refStack) {
	s.run = r
	r.open = append(r.open, s)
	s.start()
}

// ask notes that a handoff was asked for.
func (r *refRun) ask(kind handoffs.Kind, from, to string) *refHandoff {
	h := &refHandoff{kind: kind, from: from, to: to, status: handoffs.Running}
	r.handoffs = append(r.handoffs, h)
	return h
}

// check says what speaks against a handoff; "": nothing.
func (r *refRun) check(s *refStack, op *rndOp, to string) handoffs.Code {
	depth, most := s.depth, r.p.Depth
	if op.Kind == handoffs.Call || op.Kind == handoffs.Spawn {
		depth++
	}
	if most == 0 {
		most = 16
	}
	edge := r.p.edge(s.agent, to)
	switch {
	case to == "" && op.Kind == handoffs.Escalate:
		return handoffs.CodeLadder
	case r.p.agent(to) == nil:
		return handoffs.CodeNotFound
	case to == s.agent && op.Kind != handoffs.Spawn:
		return handoffs.CodeSelf
	case r.p.Cap > 0 && r.handed >= r.p.Cap:
		return handoffs.CodeLimit
	case depth > most:
		return handoffs.CodeDepth
	case edge >= 0 && r.p.Edges[edge].Quota > 0 && r.taken[edge] >= r.p.Edges[edge].Quota:
		return handoffs.CodeQuota
	case s.full():
		return handoffs.CodeLimit
	}
	if left, bounded := s.left(); bounded && (left <= 0 || op.Budget > left) {
		return handoffs.CodeBudget
	}
	return ""
}

// edge is the first edge from an agent to another; -1: there is none.
func (p *rndProgram) edge(from, to string) int {
	return slices.IndexFunc(p.Edges, func(e rndEdge) bool { return (e.From == "" || e.From == from) && (e.To == "" || e.To == to) })
}

// close ends all coroutines.
func (r *refRun) close() {
	for _, s := range r.open {
		s.stop()
	}
}
