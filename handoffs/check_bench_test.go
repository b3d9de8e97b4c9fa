package handoffs

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// benchCase is a call behind a log of a thousand handoffs under twelve rules: four
// loop rules, the limits of the run and of its class, edges with two guards and a
// quota, payload types, a state machine, a budget, a breaker and an approval.
func benchCase() *Case {
	agents := []Profile{{ID: "lead"}}
	var edges []Edge
	for i := range 12 {
		id := fmt.Sprint("agent-", i)
		agents = append(agents, Profile{ID: id, Capabilities: []string{"write", "search", "review"}})
		edges = append(edges, Edge{Name: "to " + id, From: []string{"lead", "agent-1", "agent-2"}, To: []string{id}, Kinds: []Kind{Transfer}})
	}
	quotes := func(f Facts) (bool, string, error) {
		v, ok := f("quotes")
		n, _ := v.(int64)
		return ok && n >= 3, "", nil
	}
	edges = append(edges,
		Edge{Name: "never", From: []string{"lead"}, To: []string{"agent-11"}, Guard: &Guard{Holds: func(f Facts) (bool, string, error) { _, ok := f("nothing"); return ok, "", nil }}},
		Edge{Name: "calls", From: []string{"lead"}, To: []string{"agent-10", "agent-11"}, Kinds: []Kind{Call}, Guard: &Guard{Holds: quotes}, When: []string{"work", "check"}, Next: "check",
			Limits: Limits{Handoffs: 500}, Payload: []PayloadField{{Key: "id", Type: "string"}, {Key: "quotes", Type: "int"}, {Key: "kind", Type: "string", Enum: []any{"new", "old"}}}, Closed: true})
	p := &Policy{
		Registry: MustRegistry(agents...), Supervisor: "lead", Edges: edges, Depth: 9, Need: []string{"reason", "task"},
		Loops:  []LoopRule{{Window: 5, Threshold: 4}, {Key: LoopDuplicate, Window: 3, Threshold: 1}, {Key: LoopCycle}, {Key: LoopUnique}},
		Limits: Limits{Handoffs: 2000, Agents: 20, Turns: 9000, Time: time.Hour, Tokens: 1 << 30}, Classes: map[string]Limits{"large": {Handoffs: 1500, Tokens: 1 << 30, Agents: 20}}, Class: "large",
		Machine: &Machine{Start: "work", States: map[string]string{"work": "", "check": ""}, Allowed: map[string][]string{"work": {"check"}, "check": {"work"}}},
		Breaker: &BreakerPolicy{Key: BreakEdge},
		Approve: &ApprovalPolicy{When: &Guard{Holds: func(f Facts) (bool, string, error) { v, _ := f("risk"); return v == "high", "", nil }}},
	}
	d := &Desk{Class: "large", Machine: "work", Begun: ruleNoon, Spent: Usage{Tokens: 1 << 20}, Breakers: map[string]Breaker{"edge:lead->agent-11": {Failures: 2}}}
	var log []Entry
	for i := range 1000 {
		from, to := fmt.Sprint("agent-", i%9), fmt.Sprint("agent-", (i*7+3)%11)
		id := fmt.Sprint("h", i)
		d.countHandoff(nil, from, to)
		log = append(log, Entry{Handoff: id, From: from, To: to, Kind: Call, Record: &Record{ID: id, From: from, To: to, Hash: id}, Stages: []Status{Requested, Validated, Accepted, Running}},
			Entry{Handoff: id, Event: EventReturn, From: to, To: from, Kind: Return, Stages: []Status{Returned}}, Entry{Event: EventTask, From: to})
	}
	d.Frames = []Frame{{ID: "f1", Agent: "lead", Limits: Limits{Tokens: 1 << 29}}, {ID: "f2", Agent: "agent-3", Caller: "f1", Limits: Limits{Tokens: 1 << 20}}}
	cmd := NewCommand("agent-11", Delegation, "it knows how to")
	cmd.Kind, cmd.Task, cmd.Needs, cmd.Budget.Tokens = Call, "find three quotes", []string{"search", "review"}, 1<<20
	cmd.Payload = map[string]any{"id": "q-1", "quotes": int64(3), "kind": "new"}
	facts := map[string]any{"quotes": int64(3), "risk": "low"}
	c := &Case{Policy: p, Desk: d, Log: LogOf(log), Command: &cmd, Now: ruleNoon.Add(time.Minute), Session: "s", From: "lead", Frame: &d.Frames[0], Hash: "new", Depth: 1,
		Facts: func(name string) (any, bool) { v, ok := facts[name]; return v, ok }}
	c.Source, _ = p.Registry.Get("lead")
	c.Target, _ = p.Registry.Get("agent-11")
	return c
}

// BenchmarkDecide is to stay far below 5 µs.
func BenchmarkDecide(b *testing.B) {
	c, checks := benchCase(), DefaultChecks()
	takeEdge(c)
	require.Equal(b, Allow, decide(c, checks).Verdict)
	b.ReportAllocs()
	for b.Loop() {
		c.Edge, c.Near = nil, c.Near[:0]
		takeEdge(c)
		if d := decide(c, checks); d.Verdict != Allow {
			b.Fatal(d.Failures)
		}
	}
}

// What is allowed costs no memory.
func TestDecideAllocates(t *testing.T) {
	c, checks := benchCase(), DefaultChecks()
	takeEdge(c)
	d := decide(c, checks)
	require.Equal(t, Allow, d.Verdict, d.Failures)
	require.Zero(t, testing.AllocsPerRun(100, func() { decide(c, checks) }))
}
