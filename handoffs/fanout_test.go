package handoffs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

func parallel(from string, to ...string) handoffs.Edge {
	return handoffs.Edge{From: []string{from}, To: to, Parallel: true}
}

// Of several transfers by parallel edges the first takes the conversation over,
// and the others work beside it.
func TestFanOutOfTransfers(t *testing.T) {
	p := handoffs.Policy{OnMultiple: handoffs.FanOut, Limits: handoffs.Limits{Handoffs: 9}, Edges: []handoffs.Edge{parallel("a", "b", "c", "d")}}
	returns := handoffs.Command{Kind: handoffs.Return, Result: &handoffs.Outcome{Text: "found"}}
	r := newRig(t, p, map[string]bot{"a": then(one(to("b"), to("c"), to("nobody"))), "b": just(), "c": just(returns), "d": just()}, agents("a", "b", "c", "d")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a b c", r.route())
	require.Equal(t, "b", r.last.State.Handoffs.Owner)
	require.Equal(t, "b", r.last.State.Handoffs.Active)
	require.Equal(t, []string{
		"call a>c requested validated accepted running",
		"transfer a>nobody requested rejected !not_found",
		"transfer a>b requested validated accepted running",
		"task a>",
		"transfer a>b completed",
		"task b>",
		"task c>",
		"return c> returned",
	}, r.log())
}

// Beside calls, and beside a transfer that comes first by another kind, the
// first one wins; what loses is told by whom.
func TestFanOutIsForTransfersAlone(t *testing.T) {
	p := handoffs.Policy{OnMultiple: handoffs.FanOut, Limits: handoffs.Limits{Handoffs: 9}, Edges: []handoffs.Edge{parallel("a", "b", "c"), {From: []string{"a"}, To: []string{"b", "c"}, Kinds: []handoffs.Kind{handoffs.Call, handoffs.Spawn}}}}
	r := newRig(t, p, map[string]bot{"a": then(one(kind(handoffs.Call, "c"), to("b"), to("c"))), "b": just(), "c": just()}, agents("a", "b", "c")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a c b", r.route())
	lost := r.last.State.HandoffLog[0]
	require.Equal(t, []handoffs.Status{handoffs.Requested, handoffs.Superseded}, lost.Stages)
	winner, ok := handoffs.Last(handoffs.LogOf(r.last.State.HandoffLog), handoffs.Filter{To: "b"})
	require.True(t, ok)
	require.Contains(t, lost.Message, winner.ID)
}

// Two transfers to one agent by an edge that is not parallel are as with
// TakeFirst.
func TestFanOutWithoutParallelEdges(t *testing.T) {
	p := handoffs.Policy{OnMultiple: handoffs.FanOut, Limits: handoffs.Limits{Handoffs: 9}, Edges: []handoffs.Edge{{From: []string{"a"}, To: []string{"b"}}}}
	r := newRig(t, p, map[string]bot{"a": then(one(to("b"), to("b"))), "b": just()}, agents("a", "b")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "transfer a>b requested superseded !superseded", r.log()[0])
	require.Equal(t, "a b", r.route())
}

// Where one turn could hand over to two agents the edges must say that this
// is meant.
func TestFanOutNeedsParallelEdges(t *testing.T) {
	cap := handoffs.Limits{Handoffs: 9}
	calls := []handoffs.Kind{handoffs.Call, handoffs.Spawn}
	for name, c := range map[string]struct {
		p    handoffs.Policy
		says string
	}{
		"everyone to everyone": {handoffs.Policy{Limits: cap}, "a may hand over to b and c in one turn"},
		"one edge":             {handoffs.Policy{Limits: cap, Edges: []handoffs.Edge{{From: []string{"a"}, To: []string{"b", "c"}}}}, "a may hand over to b and c in one turn"},
		"one of two":           {handoffs.Policy{Limits: cap, Edges: []handoffs.Edge{parallel("a", "b"), {From: []string{"a"}, To: []string{"c"}}}}, "a may hand over to b and c in one turn"},
		"the other of two":     {handoffs.Policy{Limits: cap, Edges: []handoffs.Edge{{From: []string{"a"}, To: []string{"c"}}, parallel("a", "b")}}, "a may hand over to c and b in one turn"},
		"parallel":             {handoffs.Policy{Limits: cap, Edges: []handoffs.Edge{parallel("a", "b"), parallel("a", "c")}}, ""},
		"calls":                {handoffs.Policy{Limits: cap, Edges: []handoffs.Edge{{Kinds: calls}}}, ""},
		"one target":           {handoffs.Policy{Limits: cap, Edges: []handoffs.Edge{{From: []string{"a"}, To: []string{"b"}}, {From: []string{"b"}, To: []string{"c"}}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.p.OnMultiple = handoffs.FanOut
			cfg := handoffs.TeamConfig[team]{Fields: fields, Policy: &c.p}
			for _, a := range agents("a", "b", "c") {
				cfg.Agents = append(cfg.Agents, handoffs.Agent[team]{Profile: a, Node: graph.Node[team](nil)})
			}
			_, err := handoffs.NewTeam(cfg)
			if c.says == "" {
				require.NotContains(t, err.Error(), "fanout") // the agents have no nodes
				return
			}
			require.ErrorContains(t, err, c.says)
		})
	}
}
