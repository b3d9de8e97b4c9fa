package handoffs

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Of two callees that ask for 6,000 of 10,000 the second gets nothing;
// when the first has returned 4,000 a third may have 5,000.
func TestBudgetEscrowX55(t *testing.T) {
	x := newRuleDrive(&Policy{}, "parent", "a", "b", "c")
	x.d.Frames[0].Limits.Tokens = 10_000
	require.Empty(t, x.hand("parent", "a", ruleAsking(6_000)))
	left, bounded := remaining(x.d, x.at("parent"))
	require.Equal(t, 4_000, left)
	require.True(t, bounded)
	require.Equal(t, ruleCodes(CodeBudget), x.hand("parent", "b", ruleAsking(6_000)))
	x.spend(x.at("a"), 2_000)
	left, _ = remaining(x.d, x.at("parent"))
	require.Equal(t, 4_000, left, "what the callee spends was set aside")
	left, _ = remaining(x.d, x.at("a"))
	require.Equal(t, 4_000, left)
	x.back(x.at("a"))
	left, _ = remaining(x.d, x.at("parent"))
	require.Equal(t, 8_000, left)
	require.Empty(t, x.hand("parent", "c", ruleAsking(5_000)))
	require.Empty(t, x.hand("parent", "b", ruleAsking(3_000)))
	require.Equal(t, ruleCodes(CodeBudget), x.hand("parent", "a", ruleCalling), "nothing is left")
}

func TestCheckBudget(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Case)
		want   bool // it is rejected
	}{
		{"no limits", func(c *Case) { c.Command.Budget.Tokens = 1 << 40 }, false},
		{"the run's", func(c *Case) { c.Policy.Limits.Tokens = 1000 }, true},
		{"the run's has some left", func(c *Case) { c.Policy.Limits.Tokens = 1001 }, false},
		{"as much as is left", func(c *Case) { c.Policy.Limits.Tokens, c.Command.Budget.Tokens = 1500, 500 }, false},
		{"more than is left", func(c *Case) { c.Policy.Limits.Tokens, c.Command.Budget.Tokens = 1500, 501 }, true},
		{"none at all", func(c *Case) { c.Policy.Limits.Tokens, c.Desk.Spent = -1, Usage{} }, true},
		{"the class's", func(c *Case) {
			c.Policy.Classes, c.Desk.Class, c.Command.Budget.Tokens = map[string]Limits{"x": {Tokens: 1500}}, "x", 501
		}, true},
		{"the frame's", func(c *Case) { c.Frame.Limits.Tokens = 100 }, true},
		{"the frame's has some left", func(c *Case) { c.Frame.Limits.Tokens, c.Command.Budget.Tokens = 101, 1 }, false},
		{"of a frame that waits", func(c *Case) { c.Desk.Frames[0].Limits.Tokens, c.Command.Budget.Tokens = 900, 101 }, true},
		{"its edge gives less than it asks for", func(c *Case) {
			c.Policy.Limits.Tokens, c.Command.Budget.Tokens, c.Edge = 1500, 900, &Edge{Limits: Limits{Tokens: 400}}
		}, false},
		{"what an edge gives is no demand", func(c *Case) { c.Policy.Limits.Tokens, c.Edge = 1500, &Edge{Limits: Limits{Tokens: 900}} }, false},
		{"a sibling's is set aside", func(c *Case) {
			c.Desk.Frames[0].Limits.Tokens, c.Command.Budget.Tokens = 1400, 201
			c.Desk.Frames = append(c.Desk.Frames, Frame{ID: "f3", Caller: "f1", Limits: Limits{Tokens: 400}})
		}, true},
		{"what it has spent is not set aside twice", func(c *Case) {
			c.Desk.Frames[0].Limits.Tokens, c.Command.Budget.Tokens = 1400, 200
			c.Desk.Frames = append(c.Desk.Frames, Frame{ID: "f3", Caller: "f1", Limits: Limits{Tokens: 700}, Spent: Usage{Tokens: 300}})
		}, false},
		{"one that waits", func(c *Case) {
			c.Policy.Limits.Tokens, c.Command.Budget.Tokens = 1500, 101
			c.Desk.Queue = []Offer{{Record: &Record{}, Source: "f1", Frame: Frame{Limits: Limits{Tokens: 400}}}}
		}, true},
		{"one whose source has gone", func(c *Case) {
			c.Policy.Limits.Tokens, c.Command.Budget.Tokens = 1500, 101
			c.Desk.Queue = []Offer{{Record: &Record{}, Source: "gone", Frame: Frame{Limits: Limits{Tokens: 400}}}}
		}, true},
		{"work that was set aside", func(c *Case) {
			c.Policy.Limits.Tokens, c.Command.Budget.Tokens = 1500, 101
			c.Desk.Parked = []Parked{{Frames: []Frame{{ID: "p1"}, {ID: "p2", Caller: "p1", Limits: Limits{Tokens: 400}}}}}
		}, true},
		{"a command that asks for less than nothing", func(c *Case) { c.Policy.Limits.Tokens, c.Command.Budget.Tokens = 1500, -1 }, false},
		{"nobody is there", func(c *Case) { c.Policy.Limits.Tokens, c.Target = -1, nil }, false},
		{"no frame", func(c *Case) { c.Policy.Limits.Tokens, c.Frame = 1000, nil }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := ruleCase(&Policy{}, "rag")
			c.Desk = &Desk{Spent: Usage{Tokens: 1000}, Frames: []Frame{{ID: "f1", Spent: Usage{Tokens: 800}}, {ID: "f2", Caller: "f1", Spent: Usage{Tokens: 100}}}}
			c.Frame = &c.Desk.Frames[1]
			tt.change(c)
			if !tt.want {
				require.Empty(t, ruleCodesOf(c, "budget"))
				return
			}
			require.Equal(t, ruleCodes(CodeBudget), ruleCodesOf(c, "budget"))
		})
	}
}

// A turn that cost more than its frame had is missing above, but is not taken
// from what was promised to others.
func TestRemainingOverdrawn(t *testing.T) {
	d := &Desk{Frames: []Frame{
		{ID: "top", Limits: Limits{Tokens: 10_000}, Spent: Usage{Tokens: 5_000}},
		{ID: "a", Caller: "top", Limits: Limits{Tokens: 4_000}, Spent: Usage{Tokens: 5_000}},
		{ID: "b", Caller: "top", Limits: Limits{Tokens: 6_000}},
		{ID: "c", Caller: "b"},
	}}
	for id, want := range map[string]int{"top": -1_000, "a": -1_000, "b": 5_000, "c": 5_000} {
		left, bounded := remaining(d, d.open(id))
		require.Equal(t, want, left, id)
		require.True(t, bounded)
	}
	left, bounded := remaining(d, nil)
	require.Zero(t, left)
	require.False(t, bounded)
	left, bounded = (&Policy{Limits: Limits{Tokens: 9_000}}).tokensLeft(d, nil, "")
	require.Equal(t, 4_000, left, "it has 9,000, and 5,000 are promised to the outermost frame")
	require.True(t, bounded)
}

func TestGrant(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Case)
		want   Limits
	}{
		{"none", func(*Case) {}, Limits{}},
		{"the command's", func(c *Case) { c.Command.Budget = Limits{1, 2, 3, 4, 5, 6} }, Limits{1, 2, 3, 4, 5, 6}},
		{"the edge's, without its quota", func(c *Case) { c.Edge = &Edge{Limits: Limits{1, 2, 3, 4, 5, 6}} }, Limits{0, 2, 3, 4, 5, 6}},
		{"the least of both", func(c *Case) {
			c.Command.Budget, c.Edge = Limits{Tokens: 9, Turns: 3}, &Edge{Limits: Limits{Tokens: 5, Turns: 7}}
		}, Limits{Tokens: 5, Turns: 3}},
		{"the target's turns", func(c *Case) { c.Target = &Profile{ID: "rag", Turns: 15} }, Limits{Turns: 15}},
		{"a call inherits nothing", func(c *Case) { c.Command.Kind, c.Frame.Limits = Call, Limits{1, 1000, 1, 1, 1, time.Hour} }, Limits{}},
		{"X-45 a transfer inside a call", func(c *Case) { c.Frame.Limits = Limits{3, 1000, 4, 5, 6, time.Hour} }, Limits{1, 900, 4, 5, 0, 59 * time.Minute}},
		{"it is counted apart", func(c *Case) { c.Frame.Limits, c.Edge = Limits{Handoffs: 3}, &Edge{Apart: true} }, Limits{Handoffs: 2}},
		{"of which nothing is left", func(c *Case) { c.Frame.Limits = Limits{2, 100, 0, 0, 0, time.Minute} }, Limits{-1, -1, 0, 0, 0, -1}},
		{"nothing at all", func(c *Case) { c.Frame.Limits = Limits{-1, -1, -1, -1, 0, -1} }, Limits{-1, -1, -1, -1, 0, -1}},
		{"a transfer that nobody waits for", func(c *Case) { c.Frame.Caller, c.Frame.Limits = "", Limits{Handoffs: 3, Time: time.Hour} }, Limits{}},
		{"at most what is left", func(c *Case) {
			c.Command.Kind, c.Edge, c.Policy.Limits.Tokens = Call, &Edge{Limits: Limits{Tokens: 900}}, 500
		}, Limits{Tokens: 300}},
		{"nothing is left", func(c *Case) {
			c.Command.Kind, c.Edge, c.Policy.Limits.Tokens = Call, &Edge{Limits: Limits{Tokens: 900}}, 200
		}, Limits{Tokens: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := ruleCase(&Policy{}, "rag")
			c.Desk = &Desk{Spent: Usage{Tokens: 200}, Frames: []Frame{{ID: "f1"}, {ID: "f2", Caller: "f1", Handed: 1, Spent: Usage{Tokens: 100}, Begun: ruleNoon.Add(-time.Minute)}}}
			c.Frame = &c.Desk.Frames[1]
			if tt.name == "of which nothing is left" {
				c.Frame.Limits = Limits{}
			}
			tt.change(c)
			require.Equal(t, tt.want, c.grant())
		})
	}
}

func TestCharge(t *testing.T) {
	d := &Desk{Frames: []Frame{{ID: "a"}, {ID: "b", Caller: "a"}, {ID: "c", Caller: "gone"}}}
	charge(&d.Spent, &d.Frames[1], d.open, Usage{5, 1, time.Second})
	charge(&d.Spent, &d.Frames[2], d.open, Usage{-5, -1, -time.Second})
	charge(&d.Spent, nil, d.open, Usage{2, 0, 0})
	require.Equal(t, Usage{7, 1, time.Second}, d.Spent)
	require.Equal(t, Usage{5, 1, time.Second}, d.Frames[0].Spent)
	require.Equal(t, Usage{5, 1, time.Second}, d.Frames[1].Spent)
	require.Zero(t, d.Frames[2].Spent)
	charge(&d.Spent, nil, d.open, Usage{math.MaxInt, 0, math.MaxInt64})
	require.Equal(t, Usage{math.MaxInt, 1, math.MaxInt64}, d.Spent)
}

// A callee that works on for nobody keeps its tokens, and its callers have
// fewer.
func TestCutLoose(t *testing.T) {
	d := &Desk{Frames: []Frame{
		{ID: "a", Limits: Limits{Tokens: 10_000}, Spent: Usage{Tokens: 1_000}}, {ID: "b", Caller: "a"},
		{ID: "c", Caller: "b", Limits: Limits{Tokens: 6_000}, Spent: Usage{Tokens: 1_000}}}}
	p := &Policy{Limits: Limits{Tokens: 20_000}}
	d.Spent.Tokens = 1_000
	before, _ := p.tokensLeft(d, nil, "")
	inner, _ := remaining(d, &d.Frames[0])
	cutLoose(&d.Frames[2], d.open)
	d.Frames[2].Caller = ""
	after, _ := p.tokensLeft(d, nil, "")
	outer, _ := remaining(d, &d.Frames[0])
	require.Equal(t, before, after)
	require.Equal(t, inner, outer)
	require.Equal(t, 5_000, d.Frames[0].Limits.Tokens)
}
