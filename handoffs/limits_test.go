package handoffs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLeast(t *testing.T) {
	for _, tt := range [][3]int{{0, 0, 0}, {0, 5, 5}, {5, 0, 5}, {3, 5, 3}, {-1, 5, -1}, {0, -1, -1}} {
		require.Equal(t, tt[2], least(tt[0], tt[1]))
		require.Equal(t, tt[2], least(tt[1], tt[0]))
	}
	require.Equal(t, Limits{1, 2, 3, 4, 5, 6}, tighter(Limits{1, 9, 3, 0, 9, 6}, Limits{9, 2, 0, 4, 5, 7}))
}

func TestReached(t *testing.T) {
	require.False(t, reached(9, 0))
	require.False(t, reached(4, 5))
	require.True(t, reached(5, 5))
	require.True(t, reached(0, -1))
	require.False(t, tooDeep(9, 0))
	require.False(t, tooDeep(5, 5))
	require.True(t, tooDeep(6, 5))
	require.False(t, tooDeep(0, -1))
	require.True(t, tooDeep(1, -1))
}

// The chain with one retry for quality needs six handoffs.
func TestLimitsQualityLoopX20(t *testing.T) {
	chain := [][2]string{{"researcher", "planner"}, {"planner", "analyzer"}, {"analyzer", "researcher"},
		{"researcher", "planner"}, {"planner", "analyzer"}, {"analyzer", "implementer"}}
	agents := []string{"researcher", "planner", "analyzer", "implementer"}

	capped := newRuleDrive(&Policy{Limits: Limits{Handoffs: 5}}, agents...)
	for _, h := range chain[:5] {
		require.Empty(t, capped.hand(h[0], h[1], nil))
	}
	require.Equal(t, ruleCodes(CodeLimit), capped.hand("analyzer", "implementer", nil))

	quota := &Policy{Limits: Limits{Handoffs: 5}, Edges: []Edge{
		{Name: "retry", From: []string{"analyzer"}, To: []string{"researcher"}, Limits: Limits{Handoffs: 2}, Apart: true}, {Name: "rest"}}}
	x := newRuleDrive(quota, agents...)
	for _, h := range chain {
		require.Empty(t, x.hand(h[0], h[1], nil))
	}
	require.Equal(t, 5, x.d.made())
	require.Equal(t, 1, x.d.Counts["edge:retry"])

	// Scores 70, 71, 72: the third retry is one too many, however many handoffs
	// the run has left.
	quota.Limits.Handoffs = 100
	x = newRuleDrive(quota, agents...)
	for range 2 {
		for _, h := range chain[:3] {
			require.Empty(t, x.hand(h[0], h[1], nil))
		}
	}
	for _, h := range chain[:2] {
		require.Empty(t, x.hand(h[0], h[1], nil))
	}
	require.Equal(t, ruleCodes(CodeQuota), x.hand("analyzer", "researcher", nil))
}

// Simple, medium and complex work may make none, two and five handoffs.
func TestLimitsEconomicClassesX21(t *testing.T) {
	accepted := map[string]int{"simple": 0, "medium": 2, "complex": 5}
	for class, n := range accepted {
		x := newRuleDrive(&Policy{Classes: EconomicClasses(), Class: class}, "a", "b")
		for range n {
			from := x.d.Frames[0].Agent
			require.Empty(t, x.hand(from, map[string]string{"a": "b", "b": "a"}[from], nil), class)
		}
		from := x.d.Frames[0].Agent
		got := x.hand(from, map[string]string{"a": "b", "b": "a"}[from], nil)
		require.Contains(t, got, CodeEconomic, class)
		require.NotContains(t, got, CodeLimit, class)
	}

	x := newRuleDrive(&Policy{Classes: EconomicClasses(), Class: "complex"}, "a", "b", "c")
	require.Empty(t, x.hand("a", "b", ruleCalling))
	x.spend(x.at("b"), 149_999)
	require.Empty(t, x.hand("b", "c", ruleCalling))
	x.spend(x.at("c"), 1)
	require.Contains(t, x.hand("a", "c", ruleCalling), CodeEconomic, "what a callee's callee spent counts")
}

// There is no fourth agent, but those that were there go on.
func TestLimitsAgentsX21(t *testing.T) {
	x := newRuleDrive(&Policy{Limits: Limits{Agents: 3}}, "a", "b", "c", "d")
	require.Empty(t, x.hand("a", "b", nil))
	require.Empty(t, x.hand("b", "c", nil))
	require.Equal(t, ruleCodes(CodeAgents), x.hand("c", "d", nil))
	require.Empty(t, x.hand("c", "a", nil))
	require.Empty(t, x.hand("a", "b", nil))

	x = newRuleDrive(&Policy{Limits: Limits{Agents: 1}}, "a", "b")
	require.Equal(t, ruleCodes(CodeAgents), x.hand("a", "b", nil))
	require.Empty(t, x.hand("a", "a", func(c *Command) { c.Kind = Spawn }))

	x = newRuleDrive(&Policy{Limits: Limits{Agents: 2}}, "a", "b", "c")
	_, o := x.decide(x.at("a"), Command{Target: "b", Kind: Call})
	x.d.Queue = []Offer{*o}
	require.Equal(t, ruleCodes(CodeAgents), x.hand("a", "c", ruleCalling), "one that waits has its place")
	require.Empty(t, x.hand("a", "b", ruleCalling))
}

// Each limit with its code; one below what is used passes.
func TestCheckLimits(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Case)
		want   []Code
		rule   string
	}{
		{"no limits", func(c *Case) {}, nil, ""},
		{"S2-09 handoffs", func(c *Case) { c.Policy.Limits.Handoffs = 3 }, ruleCodes(CodeLimit), "run"},
		{"one more", func(c *Case) { c.Policy.Limits.Handoffs = 4 }, nil, ""},
		{"one more, and one waits", func(c *Case) {
			c.Policy.Limits.Handoffs, c.Desk.Queue = 4, []Offer{{Record: &Record{}, Attempt: 1}}
		}, ruleCodes(CodeLimit), "run"},
		{"one more, and one waits that was set aside", func(c *Case) {
			c.Policy.Limits.Handoffs, c.Desk.Parked = 4, []Parked{{Queue: []Offer{{Record: &Record{}, Attempt: 1}}}}
		}, ruleCodes(CodeLimit), "run"},
		{"one that waits for its next attempt is counted", func(c *Case) {
			c.Policy.Limits.Handoffs, c.Desk.Queue = 4, []Offer{{Record: &Record{}, Attempt: 2}}
		}, nil, ""},
		{"one that waits is counted apart", func(c *Case) {
			c.Policy.Limits.Handoffs, c.Desk.Queue = 4, []Offer{{Record: &Record{}, Attempt: 1, Edge: "apart"}}
			c.Policy.Edges = []Edge{{Name: "apart", Apart: true}}
		}, nil, ""},
		{"none at all", func(c *Case) { c.Policy.Limits.Handoffs, c.Desk.Counts = -1, nil }, ruleCodes(CodeLimit), "run"},
		{"turns", func(c *Case) { c.Policy.Limits.Turns = 7 }, ruleCodes(CodeTurns), "run"},
		{"one turn more", func(c *Case) { c.Policy.Limits.Turns = 8 }, nil, ""},
		{"one turn more, and one waits", func(c *Case) {
			c.Policy.Limits.Turns, c.Desk.Queue = 8, []Offer{{Record: &Record{}, Attempt: 1}}
		}, ruleCodes(CodeTurns), "run"},
		{"time", func(c *Case) { c.Policy.Limits.Time = time.Hour }, ruleCodes(CodeDeadline), "run"},
		{"a little time", func(c *Case) { c.Policy.Limits.Time = time.Hour + 1 }, nil, ""},
		{"time has not begun", func(c *Case) { c.Policy.Limits.Time, c.Desk.Begun = time.Hour, time.Time{} }, nil, ""},
		{"depth", func(c *Case) { c.Policy.Limits.Depth, c.Depth = 3, 4 }, ruleCodes(CodeDepth), "run"},
		{"deep enough", func(c *Case) { c.Policy.Limits.Depth, c.Depth = 3, 3 }, nil, ""},
		{"the usual depth", func(c *Case) { c.Depth = 17 }, ruleCodes(CodeDepth), "run"},
		{"X-44 the policy's depth", func(c *Case) { c.Policy.Depth, c.Depth = 3, 4 }, ruleCodes(CodeDepth), "run"},
		{"any depth", func(c *Case) { c.Policy.Depth, c.Depth = -1, 1000 }, nil, ""},

		{"class", func(c *Case) { c.Policy.Classes, c.Desk.Class = map[string]Limits{"x": {Handoffs: 3}}, "x" }, ruleCodes(CodeEconomic), "class x"},
		{"class of the policy", func(c *Case) { c.Policy.Classes, c.Policy.Class = map[string]Limits{"x": {Handoffs: 3}}, "x" }, ruleCodes(CodeEconomic), "class x"},
		{"class of the command", func(c *Case) {
			c.Policy.Classes, c.Command.Class = map[string]Limits{"x": {Handoffs: 3}, "y": {}}, "x"
		}, ruleCodes(CodeEconomic), "class x"},
		{"class that the run does not have", func(c *Case) {
			c.Policy.Classes, c.Desk.Class, c.Command.Class = map[string]Limits{"x": {}, "y": {}}, "x", "y"
		}, ruleCodes(CodeEconomic), "class x"},
		{"S2-21 class tokens", func(c *Case) { c.Policy.Classes, c.Desk.Class = map[string]Limits{"x": {Tokens: 1000}}, "x" }, ruleCodes(CodeEconomic), "class x"},
		{"class time, turns, depth", func(c *Case) {
			c.Policy.Classes, c.Desk.Class, c.Depth = map[string]Limits{"x": {Time: 1, Turns: 1, Depth: 1}}, "x", 2
		}, ruleCodes(CodeEconomic, CodeEconomic, CodeEconomic), "class x"},
		{"a class that there is not", func(c *Case) { c.Command.Class = "luxury" }, ruleCodes(CodeEconomic), "class luxury"},

		{"quota", func(c *Case) { c.Edge = &Edge{Name: "e", Limits: Limits{Handoffs: 2}} }, ruleCodes(CodeQuota), "edge e"},
		{"quota is not used up", func(c *Case) { c.Edge = &Edge{Name: "e", Limits: Limits{Handoffs: 3}} }, nil, ""},
		{"quota, and one waits", func(c *Case) {
			c.Edge = &Edge{Name: "e", Limits: Limits{Handoffs: 3}}
			c.Desk.Queue = []Offer{{Record: &Record{}, Attempt: 1, Edge: "e"}}
		}, ruleCodes(CodeQuota), "edge e"},
		{"quota of an edge without a name", func(c *Case) { c.Edge = &Edge{Limits: Limits{Handoffs: 1}} }, ruleCodes(CodeQuota), "edge"},
		{"apart", func(c *Case) {
			c.Policy.Limits.Handoffs, c.Edge = 3, &Edge{Name: "e", Apart: true}
			c.Frame.Limits.Handoffs = 1
		}, nil, ""},
		{"the edge's other limits are the target's", func(c *Case) { c.Edge = &Edge{Limits: Limits{Tokens: 1, Time: 1, Turns: 1, Depth: 1}} }, nil, ""},

		{"frame", func(c *Case) { c.Frame.Limits.Handoffs = 2 }, ruleCodes(CodeLimit), "frame f2"},
		{"frame that waits", func(c *Case) { c.Desk.Frames[0].Limits.Handoffs = 3 }, ruleCodes(CodeLimit), "frame f1"},
		{"frame has some left", func(c *Case) { c.Frame.Limits.Handoffs, c.Desk.Frames[0].Limits.Handoffs = 3, 4 }, nil, ""},
		{"frame has none left, since one waits", func(c *Case) {
			c.Desk.Frames[0].Limits.Handoffs, c.Desk.Queue = 4, []Offer{{Record: &Record{}, Attempt: 1, Source: "f2"}}
		}, ruleCodes(CodeLimit), "frame f1"},
		{"another frame's waits", func(c *Case) {
			c.Frame.Limits.Handoffs, c.Desk.Queue = 3, []Offer{{Record: &Record{}, Attempt: 1, Source: "f1"}}
		}, nil, ""},
		{"frame's time", func(c *Case) { c.Desk.Frames[0].Limits.Time = 30 * time.Minute }, ruleCodes(CodeDeadline), "frame f1"},
		{"frame has time", func(c *Case) { c.Frame.Limits.Time = 30 * time.Minute }, nil, ""},
		{"frame's depth", func(c *Case) { c.Desk.Frames[0].Limits.Depth, c.Depth = 1, 2 }, ruleCodes(CodeDepth), "frame f1"},
		{"frame's depth is its own", func(c *Case) { c.Frame.Limits.Depth, c.Depth = 1, 2 }, nil, ""},
		{"frame calls nobody", func(c *Case) { c.Frame.Limits.Depth, c.Depth = -1, 2 }, ruleCodes(CodeDepth), "frame f2"},
		{"frame's agents", func(c *Case) { c.Frame.Limits.Agents = 2 }, ruleCodes(CodeAgents), "frame f2"},

		{"several", func(c *Case) {
			c.Policy.Limits, c.Policy.Classes, c.Desk.Class = Limits{Handoffs: 1, Turns: 1}, map[string]Limits{"x": {Handoffs: 2}}, "x"
			c.Edge, c.Frame.Limits.Handoffs = &Edge{Limits: Limits{Handoffs: 1}}, 1
		}, ruleCodes(CodeLimit, CodeTurns, CodeEconomic, CodeQuota, CodeLimit), "run"},
		{"nobody is there", func(c *Case) { c.Policy.Limits.Handoffs, c.Target = -1, nil }, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := ruleCase(&Policy{}, "rag")
			c.Desk = &Desk{Counts: map[string]int{"handoffs": 3, "turns": 7, "agents": 3, "edge:e": 2, "edge:bc->rag": 1, "from:bc": 1, "to:rag": 1, "to:shy": 2},
				Begun: ruleNoon.Add(-time.Hour), Spent: Usage{Tokens: 1000}}
			c.Desk.Frames = []Frame{{ID: "f1", Agent: "shy", Handed: 3, Begun: ruleNoon.Add(-time.Hour)}, {ID: "f2", Caller: "f1", Agent: "bc", Handed: 2, Begun: ruleNoon.Add(-time.Minute), Depth: 1}}
			c.Frame, c.Depth = &c.Desk.Frames[1], 1
			if tt.name == "frame's agents" {
				c.Target = &Profile{ID: "new"}
			}
			tt.change(c)
			require.Equal(t, tt.want, ruleCodesOf(c, "limits"))
			if tt.want != nil {
				require.Equal(t, tt.rule, firstFailure(t, c, "limits").Rule)
			}
		})
	}
}

func TestLimitsMessages(t *testing.T) {
	c := ruleCase(&Policy{Limits: Limits{Handoffs: 5, Time: time.Minute}, Texts: Texts{CodeLimit: "{value} of {limit}", CodeDeadline: "{value} of {limit}", CodeEconomic: "{value} of {limit}"}}, "rag")
	c.Policy.Classes = map[string]Limits{"x": {Handoffs: 2, Tokens: 10}}
	c.Desk = &Desk{Counts: map[string]int{"handoffs": 6}, Begun: ruleNoon.Add(-time.Hour), Class: "x", Spent: Usage{Tokens: 11}}
	fs := checkLimits(c)
	require.Equal(t, "6 of 5", fs[0].Message)
	require.Equal(t, "1h0m0s of 1m0s", fs[1].Message)
	require.Equal(t, "6 of 2 handoffs", fs[2].Message)
	require.Equal(t, "11 of 10 tokens", fs[3].Message)
	c.Desk.Class = "luxury"
	require.Equal(t, `There is no economic class "luxury".`, checkLimits(c)[2].Message)
}

func TestCounts(t *testing.T) {
	d := &Desk{}
	d.countHandoff(nil, "a", "b")
	d.countHandoff(&Edge{Name: "e"}, "b", "c")
	d.countHandoff(&Edge{Name: "b->c", Apart: true}, "b", "c")
	d.countHandoff(&Edge{}, "", "a")
	d.countTurn()
	require.Equal(t, map[string]int{"handoffs": 3, "turns": 1, "agents": 3, "from:a": 1, "from:b": 2, "to:b": 1, "to:c": 2, "to:a": 1,
		"edge:a->b": 1, "edge:b->c": 2, "edge:e": 1, "edge:->a": 1}, d.Counts)
	require.Equal(t, 3, d.made())
	require.Equal(t, 1, d.turns())
	require.Equal(t, 2, d.between("b", "c"))
	require.Equal(t, 1, d.taken(&Edge{Name: "e"}, "b", "c"))
	require.Equal(t, 2, d.taken(&Edge{}, "b", "c"))
	require.Equal(t, 3, d.agents())
	require.True(t, d.met("a"))
	require.False(t, d.met("d"))

	d = &Desk{}
	d.countTurn()
	require.Zero(t, d.agents())
	d.countHandoff(nil, "x", "y")
	require.Equal(t, 2, d.agents(), "the first agent was handed to by nobody")
}

func TestTurnLimit(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Policy, *Desk)
		want   Code
	}{
		{"no limits", func(*Policy, *Desk) {}, ""},
		{"X-43 the frame's turns", func(_ *Policy, d *Desk) { d.Frames[1].Limits.Turns, d.Frames[1].Turns = 15, 15 }, CodeTurns},
		{"one turn more", func(_ *Policy, d *Desk) { d.Frames[1].Limits.Turns, d.Frames[1].Turns = 15, 14 }, ""},
		{"turns of those that wait", func(_ *Policy, d *Desk) { d.Frames[0].Limits.Turns, d.Frames[0].Turns = 1, 1 }, ""},
		{"the run's turns", func(p *Policy, d *Desk) { p.Limits.Turns = 7 }, CodeTurns},
		{"the class's turns", func(p *Policy, d *Desk) { p.Classes, d.Class = map[string]Limits{"x": {Turns: 7}}, "x" }, CodeEconomic},
		{"the class's tokens", func(p *Policy, d *Desk) { p.Classes, p.Class = map[string]Limits{"x": {Tokens: 100}}, "x" }, CodeEconomic},
		{"the class's time", func(p *Policy, d *Desk) { p.Classes, d.Class = map[string]Limits{"x": {Time: time.Minute}}, "x" }, CodeEconomic},
		{"the run's tokens", func(p *Policy, d *Desk) { p.Limits.Tokens = 100 }, CodeBudget},
		{"one token more", func(p *Policy, d *Desk) { p.Limits.Tokens = 101 }, ""},
		{"the frame's tokens", func(_ *Policy, d *Desk) { d.Frames[1].Limits.Tokens = 60 }, CodeBudget},
		{"the caller's tokens", func(_ *Policy, d *Desk) { d.Frames[0].Limits.Tokens = 90 }, CodeBudget},
		{"the run's time", func(p *Policy, d *Desk) { p.Limits.Time = time.Hour }, CodeDeadline},
		{"the caller's time", func(_ *Policy, d *Desk) { d.Frames[0].Limits.Time = time.Minute }, CodeDeadline},
		{"no time", func(_ *Policy, d *Desk) { d.Frames[0].Limits.Time, d.Frames[0].Begun = -1, time.Time{} }, CodeDeadline},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, d := &Policy{}, &Desk{Counts: map[string]int{"turns": 7}, Begun: ruleNoon.Add(-time.Hour), Spent: Usage{Tokens: 100}, Frames: []Frame{
				{ID: "f1", Begun: ruleNoon.Add(-time.Hour), Spent: Usage{Tokens: 90}}, {ID: "f2", Caller: "f1", Begun: ruleNoon, Spent: Usage{Tokens: 60}}}}
			tt.change(p, d)
			require.Equal(t, tt.want, p.turnLimit(d, &d.Frames[1], ruleNoon))
		})
	}
}

// A desk whose frames wait for one another in a circle is looked at once round.
func TestLimitsCircle(t *testing.T) {
	d := &Desk{Frames: []Frame{{ID: "a", Caller: "b"}, {ID: "b", Caller: "a"}}, Parked: []Parked{{Frames: []Frame{{ID: "c", Caller: "c"}}}}}
	n := 0
	for range d.upward(&d.Frames[0]) {
		n++
	}
	require.LessOrEqual(t, n, 4)
	charge(&d.Spent, &d.Frames[0], d.open, Usage{Tokens: 1})
	cutLoose(&Frame{Caller: "c", Limits: Limits{Tokens: 1}}, d.open)
	require.Nil(t, d.open(""))
}
