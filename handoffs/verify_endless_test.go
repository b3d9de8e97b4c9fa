package handoffs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// a policy in which nothing gets less on a cycle is refused where it is
// made, and not only by Lint.
func TestNewManagerRefusesEndlessPoliciesX59(t *testing.T) {
	windows := []LoopRule{{Key: LoopTarget, Window: 5, Threshold: 2}, {Key: LoopCycle}}
	ring := []Edge{edge("a", "b", Transfer), edge("b", "a", Transfer)}
	for name, c := range map[string]struct {
		p    Policy
		says string // "": it is taken
	}{
		"mesh with window rules": {Policy{Loops: windows}, "cycle a -> b -> c -> a"},
		"ring":                   {Policy{Edges: ring}, "cycle a -> b -> a"},
		"ring with window rules": {Policy{Edges: ring, Loops: windows}, "Limits.Handoffs"},
		"ring with a cap":        {Policy{Edges: ring, Limits: Limits{Handoffs: 12}, Loops: windows}, ""},
		"ring with tokens":       {Policy{Edges: ring, Limits: Limits{Tokens: 12}}, ""},
		"ring that may be":       {Policy{Edges: ring, Endless: true}, ""},
		"calls":                  {Policy{Edges: []Edge{edge("a", "b", Call)}}, "b returns and can be called again"},
		"line":                   {Policy{Edges: []Edge{edge("a", "b", Transfer)}}, ""},
		"apart":                  {Policy{Edges: []Edge{ring[0], {From: []string{"b"}, To: []string{"a"}, Kinds: []Kind{Transfer}, Apart: true}}, Limits: Limits{Handoffs: 3}}, ""},
		"all apart":              {Policy{Edges: []Edge{{Apart: true}}, Limits: Limits{Handoffs: 3}}, "cycle a -> b -> c -> a"},
		"no check of limits":     {Policy{Limits: Limits{Handoffs: 3}, Checks: []Check{{Name: "self"}}}, `the check "limits"`},
		"when agents fail":       {Policy{Edges: []Edge{{From: []string{"a"}, To: []string{"b"}, Kinds: []Kind{Transfer}}}, OnFailure: Action{Do: RouteTo, Target: "a"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.p.Registry, c.p.Entry = agentsABC(), "a"
			_, err := NewManager(&c.p)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrEndless)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "Endless")
		})
	}
}

// A policy that leaves everything open has a limit, which Policy, Verify and
// Bound all tell.
func TestOpenPoliciesAreBounded(t *testing.T) {
	p := &Policy{Registry: agentsABC(), Entry: "a"}
	m, err := NewManager(p)
	require.NoError(t, err)
	require.Equal(t, mostHandoffs, m.Policy().Limits.Handoffs)
	require.Empty(t, Verify(p))
	n, some, _ := Bound(p)
	require.True(t, some)
	require.Equal(t, mostHandoffs, n)
	require.Zero(t, p.Limits)
	p.Endless = true
	m, err = NewManager(p)
	require.NoError(t, err)
	require.Zero(t, m.Policy().Limits)
	require.Len(t, Verify(p), 1)
}

// BenchmarkEndless is to stay below 50 ms: 200 agents, 1,000 edges with quotas
// and no other bound, so that every way is looked at.
func BenchmarkEndless(b *testing.B) {
	p := &Policy{Registry: MustRegistry(), Entry: "a0"}
	for i := range 200 {
		p.Registry = p.Registry.With(Profile{ID: fmt.Sprint("a", i)})
	}
	for i := range 1000 {
		from, to := fmt.Sprint("a", i*7%200), fmt.Sprint("a", (i*13+i/200+1)%200)
		p.Edges = append(p.Edges, Edge{From: []string{from}, To: []string{to}, Limits: Limits{Handoffs: 2}})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewManager(p); err != nil {
			b.Fatal(err)
		}
	}
}
