package plan_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// progMaker makes a program. What there is in it is drawn once for a program.
type progMaker struct {
	*rand.Rand
	p                                        *program
	forever                                  bool // many waits are without end
	fails, detours, leaves, waits, odd, caps int  // how often there is such a thing; 0: never
}

// newProgram makes the random program of a seed.
func newProgram(seed uint64) *program {
	m := &progMaker{Rand: rand.New(rand.NewPCG(seed, 99)), p: &program{Order: plan.Linear}}
	if m.one(2) {
		m.p.Order = plan.Graph
	}
	for _, n := range []*int{&m.fails, &m.detours, &m.leaves, &m.waits, &m.odd, &m.caps} {
		*n = m.IntN(4)
	}
	if m.one(2) {
		m.p.Supervisor = "boss"
	}
	if m.one(4) {
		m.p.Stalls = []int{-1, -1, 1, 2, 5}[m.IntN(5)]
	} else {
		m.p.Stalls = -1
	}
	if m.one(3) {
		m.proposals()
	}
	m.p.OnFailure, m.p.OnOrphan = m.failure(3), m.failure(3)
	if m.one(2) {
		m.p.Parallel = 1 + m.IntN(3)
	}
	if m.waits > 0 && m.one(2) {
		m.inputs()
	}
	n := 1 + m.IntN(1+m.IntN(12))
	for i := range n {
		m.p.Steps = append(m.p.Steps, m.step(fmt.Sprint("s", i+1), m.p.Steps))
	}
	for m.waits > 0 && m.one(2) && len(m.p.Signals) < 5 {
		m.p.Signals = append(m.p.Signals, m.span())
	}
	slices.Sort(m.p.Signals)
	return m.p
}

// proposals are what the planner says; steps of the plan may be among them.
func (m *progMaker) proposals() {
	m.p.Replans, m.p.EveryRound = m.IntN(5)-1, m.one(3)
	m.p.Proposals = []proposal{}
	m.p.More = m.p.Order == plan.Graph && m.one(3)
	for range m.IntN(5) {
		var q proposal
		for range m.IntN(4) {
			id := fmt.Sprint([]string{"s", "t"}[m.IntN(2)], 1+m.IntN(6))
			q.Steps = append(q.Steps, m.step(id, q.Steps))
		}
		q.Answer, q.More = m.one(8), m.one(2)
		m.p.Proposals = append(m.p.Proposals, q)
	}
}

// wilder makes a program that does more than the reference knows.
func wilder(seed uint64) *program {
	p := newProgram(seed)
	m := &progMaker{Rand: rand.New(rand.NewPCG(seed, 7)), p: p}
	p.Wild = true
	if m.one(2) {
		p.Room = 1
	}
	if m.one(2) {
		p.Talker = m.agent()
	}
	if m.one(3) {
		p.Limit = 1 + m.IntN(10)
	}
	p.OnSwitch = []handoffs.Switch{handoffs.BranchOff, handoffs.SuspendWork, handoffs.AbandonWork}[m.IntN(3)]
	p.Asks = m.one(4)
	for range m.IntN(5) {
		p.Inputs = append(p.Inputs, []string{"select u", "select " + m.agent(), "resume", "signal", "go on"}[m.IntN(5)])
	}
	return p
}

// inputs are what the user says while the plan waits, or behind it.
func (m *progMaker) inputs() {
	m.p.OnSwitch = []handoffs.Switch{handoffs.SuspendWork, handoffs.SuspendWork, handoffs.AbandonWork}[m.IntN(3)]
	m.forever = true
	for range 1 + m.IntN(5) {
		text := []string{"select u", "select " + m.agent(), "resume", "resume", "signal", "go on"}[m.IntN(6)]
		if text == "go on" && m.p.Proposals != nil {
			text = "signal"
		}
		m.p.Inputs = append(m.p.Inputs, text)
	}
}

func (m *progMaker) one(of int) bool { return m.IntN(of) == 0 }

// chance draws how often there is something, of so many.
func (m *progMaker) chance(weight, of int) bool { return m.IntN(of) < weight }

func (m *progMaker) agent() string { return []string{"boss", "a", "b", "c", "d"}[m.IntN(5)] }

func (m *progMaker) span() time.Duration { return time.Duration(1+m.IntN(3000))*time.Second + 1 }

// failure is what becomes of a step, which is said once in so many times.
func (m *progMaker) failure(of int) (f plan.Failure) {
	if !m.one(of) {
		return f
	}
	kinds := []plan.Do{plan.Reassign, plan.Skip, plan.SkipBranch, plan.Stop, plan.Reassign}
	if m.p.Supervisor != "" {
		kinds = append(kinds, plan.Escalate, plan.Escalate)
	}
	if m.p.Proposals != nil {
		kinds = append(kinds, plan.Replan, plan.Replan)
	}
	f.Do = kinds[m.IntN(len(kinds))]
	switch {
	case f.Do == plan.Reassign && m.one(2):
		f.To = []string{m.agent(), m.agent()}
	case f.Do == plan.Escalate && m.one(2):
		f.To = []string{m.agent()}
	}
	return f
}

// step makes a step that may wait for others.
func (m *progMaker) step(id string, before []progStep) progStep {
	s := progStep{ID: id, Agent: m.agent(), OnFailure: m.failure(3)}
	if m.caps > 0 && m.one(3) {
		s.Agent, s.Capability = "", []string{"x", "y"}[m.IntN(2)]
	}
	for i := range before {
		if m.p.Order == plan.Graph && m.chance(2, 2+i) && m.one(2) {
			s.Deps = append(s.Deps, before[i].ID)
			if m.one(20) {
				s.Deps = append(s.Deps, before[i].ID)
			}
		}
	}
	if names := s.Deps; m.one(6) {
		if m.p.Order == plan.Linear && len(before) > 0 {
			names = []string{before[m.IntN(len(before))].ID}
		}
		if len(names) > 0 {
			s.Need = names[m.IntN(len(names))]
		}
	}
	s.Accept = m.one(6)
	if m.fails > 0 && m.one(3) {
		s.Retry = 1 + m.IntN(3)
		if m.waits > 0 && m.one(2) {
			s.Wait = m.span()
		}
	}
	if m.waits > 0 && m.one(3) {
		s.Timeout = m.span() * 2
	}
	for range m.IntN(4) {
		s.Attempts = append(s.Attempts, m.attempt())
	}
	return s
}

func (m *progMaker) attempt() (a attempt) {
	for range 1 + m.IntN(3) {
		var s stay
		for range m.IntN(3) {
			s.Turns = append(s.Turns, m.turn())
		}
		s.Turns = append(s.Turns, m.turn())
		a.Stays = append(a.Stays, s)
	}
	return a
}

// turn is what an agent does in a turn.
func (m *progMaker) turn() progTurn {
	n := m.IntN(3 + m.fails + m.detours + m.leaves + m.waits + min(m.odd, 1))
	for _, sort := range []struct {
		weight int
		make   func() progTurn
	}{{m.fails, m.fail}, {m.detours, m.detour}, {m.leaves, m.leave}, {m.waits, m.wait}, {min(m.odd, 1), m.oddity}} {
		if n -= sort.weight; n < 0 {
			return sort.make()
		}
	}
	if m.one(2) {
		return sayTurn
	}
	return progTurn{Do: []string{"return", "return", "partial"}[m.IntN(3)], Value: m.IntN(10)}
}

func (m *progMaker) fail() progTurn { return progTurn{Do: []string{"fail", "die"}[m.IntN(2)]} }

func (m *progMaker) detour() progTurn {
	return progTurn{Do: "call", To: m.agent(), Aside: []string{"ok", "ok", "fail", "die", "wait", "call"}[m.IntN(6)]}
}

func (m *progMaker) leave() progTurn {
	if m.one(6) {
		return progTurn{Do: "escalate"}
	}
	return progTurn{Do: "transfer", To: m.agent()}
}

func (m *progMaker) wait() progTurn {
	t := progTurn{Do: "wait", For: m.span()}
	if m.one(6) || m.forever && m.one(2) {
		t.For = 0
	}
	return t
}

func (m *progMaker) oddity() progTurn { return progTurn{Do: "refuse"} }
