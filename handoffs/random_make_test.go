package handoffs_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// rndMaker makes a program. How wild it gets is drawn once for a program, so
// that there are quiet ones of many sorts.
type rndMaker struct {
	*rand.Rand
	ids                                         []string
	calls, spawns, moves, odd, times, cost, say int // how often there is such a thing; 0: never
}

// newProgram makes the random program of a seed.
func newProgram(seed uint64) *rndProgram {
	m := &rndMaker{Rand: rand.New(rand.NewPCG(seed, 77))}
	n := 2 + m.IntN(5)
	for i := range n {
		m.ids = append(m.ids, string(rune('a'+i)))
	}
	m.calls, m.spawns, m.moves, m.odd, m.times, m.cost, m.say = m.IntN(4), m.IntN(3), m.IntN(4), m.IntN(3), m.IntN(3), max(m.IntN(4)-2, 0), 2+m.IntN(8)
	if m.calls+m.spawns+m.moves == 0 {
		m.moves = 1
	}
	p := &rndProgram{Cap: 1 + m.IntN(20), Inputs: 1 + m.IntN(3)}
	for _, id := range m.ids {
		p.Agents = append(p.Agents, m.agent(id))
	}
	m.policy(p)
	return p
}

func (m *rndMaker) policy(p *rndProgram) {
	if m.one(3) {
		p.Depth = 1 + m.IntN(3)
	}
	if m.one(4) {
		p.Supervisor = m.id()
	}
	p.Rude, p.Tools = m.one(5), m.one(4)
	if m.cost > 0 && m.one(2) {
		p.Tokens = 50 + m.IntN(500)
	}
	m.more(p)
	if m.one(6) {
		p.Misses = 1 + m.IntN(2)
	}
	if m.one(3) {
		for _, id := range m.ids {
			if m.one(2) {
				p.Ladder = append(p.Ladder, id)
			}
		}
	}
	if m.one(2) {
		p.Siblings = []handoffs.Siblings{handoffs.DetachThem, handoffs.CancelThem}[m.IntN(2)]
	}
	if m.one(6) {
		p.Multiple = []handoffs.Multiple{handoffs.TakeNone, handoffs.FanOut}[m.IntN(2)]
	}
}

// more gives the policy what fewer programs have.
func (m *rndMaker) more(p *rndProgram) {
	if m.times > 0 && m.one(3) {
		p.Accept = m.span()
	}
	for range max(m.IntN(6)-3, 0) {
		e := rndEdge{From: []string{m.id(), ""}[m.IntN(2)], To: []string{m.id(), ""}[m.IntN(2)], Quota: max(m.IntN(5)-1, 0)}
		if m.one(2) {
			e.Retry, e.Wait = 1+m.IntN(2), []time.Duration{-1, m.span()}[m.IntN(2)]
		}
		p.Edges = append(p.Edges, e)
	}
	for at := time.Duration(0); m.times > 0 && len(p.Script) < 6 && !m.one(3); {
		at += m.span()
		p.Script = append(p.Script, rndSignal{at, m.signal()})
	}
}

func (m *rndMaker) signal() string { return []string{"quote", "mail"}[m.IntN(2)] }

func (m *rndMaker) one(of int) bool { return m.IntN(of) == 0 }

func (m *rndMaker) id() string { return m.ids[m.IntN(len(m.ids))] }

// target is an agent, seldom one that there is not.
func (m *rndMaker) target() string {
	if m.odd > 0 && m.one(12) {
		return "nobody"
	}
	return m.id()
}

func (m *rndMaker) agent(id string) rndAgent {
	a := rndAgent{ID: id, Conversational: m.one(8)}
	if m.one(5) {
		a.Room = 1 + m.IntN(2)
	}
	if m.one(8) {
		a.Turns = 1 + m.IntN(4)
	}
	for range 1 + m.IntN(4) {
		a.Does = append(a.Does, m.turn())
	}
	last := rndTurn{}
	if m.one(3) {
		last.Ops = []rndOp{{Kind: handoffs.Return, Result: m.outcome()}}
	}
	a.Does = append(a.Does, last)
	return a
}

func (m *rndMaker) turn() rndTurn {
	t := rndTurn{Mute: m.one(m.say)}
	if m.odd > 0 && m.one(12) {
		t.Fail = fmt.Sprint("error ", m.IntN(3))
		return t
	}
	if m.times > 0 && m.one(3) {
		t.Takes = m.span()
	}
	if m.cost > 0 && !m.one(3) {
		t.Tokens = m.IntN(60)
	}
	for range m.most(3) {
		if op := m.op(); op.Kind != "" {
			t.Ops = append(t.Ops, op)
		}
	}
	return t
}

// most is a number up to n, mostly a small one.
func (m *rndMaker) most(n int) int { return min(m.IntN(n+1), m.IntN(n+1)+m.IntN(2)) }

func (m *rndMaker) span() time.Duration { return time.Duration(1 + m.Int64N(int64(time.Minute))) }

// op is one thing to ask for; the zero op is none.
func (m *rndMaker) op() rndOp {
	n := m.IntN(m.calls*3 + m.spawns*2 + m.moves*3 + m.odd*2 + m.times + 3)
	for _, sort := range []struct {
		weight int
		make   func() rndOp
	}{{m.calls * 3, m.call}, {m.spawns * 2, m.spawn}, {m.moves * 3, m.move}, {m.odd * 2, m.oddity}, {m.times, m.wait}} {
		if n -= sort.weight; n < 0 {
			return sort.make()
		}
	}
	return rndOp{Kind: handoffs.Return, Result: m.outcome()}
}

func (m *rndMaker) wait() rndOp {
	o := rndOp{Kind: handoffs.Wait, For: m.span()}
	if m.one(2) {
		o.Signals, o.Count = []string{m.signal(), m.signal()}[:1+m.IntN(2)], m.IntN(3)
		o.For *= time.Duration(min(m.IntN(4), 1))
	}
	return o
}

func (m *rndMaker) call() rndOp {
	return m.bounded(rndOp{Kind: handoffs.Call, To: m.target(), Task: m.task(), Priority: m.priority()})
}

func (m *rndMaker) move() rndOp {
	return m.bounded(rndOp{Kind: handoffs.Transfer, To: m.target(), Task: m.task(), Priority: m.priority()})
}

func (m *rndMaker) bounded(o rndOp) rndOp {
	if m.cost > 0 && m.one(2) {
		o.Budget = 1 + m.IntN(120)
	}
	if m.cost > 0 && m.one(4) {
		o.Most = 1 + m.IntN(3)
	}
	return o
}

func (m *rndMaker) oddity() rndOp {
	if m.one(2) {
		return rndOp{Kind: handoffs.Refuse}
	}
	return rndOp{Kind: handoffs.Escalate, Task: m.task()}
}

func (m *rndMaker) task() string { return []string{"", "t1", "t2", "t3"}[m.IntN(4)] }

func (m *rndMaker) priority() handoffs.Priority {
	return []handoffs.Priority{"", "", "", handoffs.Urgent, handoffs.High, handoffs.Low}[m.IntN(6)]
}

func (m *rndMaker) spawn() rndOp {
	o := rndOp{Kind: handoffs.Spawn, Task: m.task(), Priority: m.priority()}
	for range 1 + m.IntN(4) {
		o.Branches = append(o.Branches, m.bounded(rndOp{To: m.target(), Task: m.task()}))
	}
	o.Join.Need = m.IntN(len(o.Branches) + 1)
	o.Join.Partial = m.one(2)
	o.Join.Resolve = []string{"", "first", "last", "fail", "agent:" + m.id()}[m.IntN(5)]
	if m.times > 0 && m.one(3) {
		o.Join.Timeout = m.span()
	}
	return o
}

func (m *rndMaker) outcome() handoffs.Outcome {
	o := handoffs.Outcome{Status: handoffs.Completed}
	switch m.IntN(8) {
	case 0:
		return handoffs.Outcome{Status: handoffs.Failed, Error: fmt.Sprint("no luck ", m.IntN(3))}
	case 1:
		o.Status, o.Missing = handoffs.Partial, []string{"half"}
	}
	if m.one(2) {
		o.Text = fmt.Sprint("text ", m.IntN(5))
	}
	o.Value = []any{nil, int64(m.IntN(5)), "v", []any{int64(1), "x", nil, 1.5, true}, map[string]any{"k": int64(m.IntN(3))}}[m.IntN(5)]
	if m.one(2) {
		o.Outputs = map[string]any{[]string{"k1", "k2"}[m.IntN(2)]: int64(m.IntN(3))}
	}
	return o
}
