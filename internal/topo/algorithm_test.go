package topo_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/graphrun/graphrun/internal/topo"
)

// chain makes a line of n nodes from Start to End.
func chain(n int) *topo.Graph {
	g := &topo.Graph{Name: "chain"}
	last := topo.Start
	for i := range n {
		name := fmt.Sprintf("n%d", i)
		g.Nodes = append(g.Nodes, topo.Node{Name: name})
		g.Edges = append(g.Edges, static(last, name))
		last = name
	}
	g.Edges = append(g.Edges, static(last, topo.End))
	return g
}

// random makes a small graph with edges of all kinds.
func random(r *rand.Rand) *topo.Graph {
	g := &topo.Graph{}
	n := 2 + r.IntN(5)
	for i := range n {
		g.Nodes = append(g.Nodes, topo.Node{Name: string(rune('a' + i)), Deferred: r.IntN(6) == 0})
	}
	g.Edges = append(g.Edges, static(topo.Start, "a"))
	target := map[int]string{}
	for range 1 + r.IntN(2*n) {
		e := topo.Edge{From: g.Nodes[r.IntN(n)].Name, To: g.Nodes[r.IntN(n)].Name, Kind: topo.EdgeKind(r.IntN(5))}
		switch {
		case r.IntN(8) == 0:
			e.From = topo.Start
		case r.IntN(8) == 0:
			e.To = topo.End
		}
		switch e.Kind {
		case topo.Joined:
			e.Join = r.IntN(2)
			if to, ok := target[e.Join]; ok {
				e.To = to
			}
			target[e.Join] = e.To
		case topo.Conditional, topo.Declared, topo.Sent:
			e.Router, e.Choice = r.IntN(2), r.IntN(3)
			e.Many = e.Kind == topo.Sent && r.IntN(2) == 0
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// naiveReach repeats all edges until nothing is added. strict makes joins wait.
func naiveReach(g *topo.Graph, strict bool, from ...string) map[string]bool {
	reach := map[string]bool{}
	for _, f := range from {
		reach[f] = true
	}
	for {
		before := len(reach)
		for _, e := range g.Edges {
			ok := reach[e.From]
			for _, o := range g.Edges {
				if strict && e.Kind == topo.Joined && o.Kind == topo.Joined && o.Join == e.Join && !reach[o.From] {
					ok = false
				}
			}
			if ok {
				reach[e.To] = true
			}
		}
		if len(reach) == before {
			return reach
		}
	}
}

func TestReachableAgainstNaive(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		g := random(r)
		assert.Equal(t, naiveReach(g, false, topo.Start), g.Reachable(), "%+v", g)
		assert.Equal(t, naiveReach(g, false, "a", "b"), g.Reachable("a", "b", "no such node"), "%+v", g)
		reach, stuck := g.Fillable()
		assert.Equal(t, naiveReach(g, true, topo.Start), reach, "%+v", g)
		assert.Equal(t, naiveStuck(g, reach), stuck, "%+v", g)
	}
}

func naiveStuck(g *topo.Graph, reach map[string]bool) []int {
	var stuck []int
	for id := range 2 {
		some, all := false, true
		for _, e := range g.Edges {
			if e.Kind == topo.Joined && e.Join == id {
				some, all = some || reach[e.From], all && reach[e.From]
			}
		}
		if some && !all {
			stuck = append(stuck, id)
		}
	}
	return stuck
}

func TestFillable(t *testing.T) {
	t.Parallel()
	g := &topo.Graph{Nodes: nodes("a", "b", "c", "d", "lost"), Edges: edges(path(topo.Start, "a", "b"), []topo.Edge{
		join(3, "b", "c"), join(3, "lost", "c"), join(1, "a", "d"), join(1, "b", "d"), join(0, "d", "c"), join(0, "c", "c"),
	})}
	reach, stuck := g.Fillable()
	assert.Equal(t, []string{topo.Start, "a", "b", "d"}, sorted(reach))
	assert.Equal(t, []int{0, 3}, stuck)
	assert.Equal(t, []string{topo.Start, "a", "b", "c", "d"}, sorted(g.Reachable()))
	assert.Empty(t, g.Reachable("no such node"))
}

func TestComponentsAgainstNaive(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for range 500 {
		g := random(r)
		got := g.Components()
		place := map[string]int{}
		for i, c := range got {
			for _, n := range c {
				_, twice := place[n]
				assert.False(t, twice)
				place[n] = i
			}
		}
		assert.Len(t, place, len(g.Nodes))
		for _, a := range g.Nodes {
			for _, b := range g.Nodes {
				there, back := leads(g, a.Name, b.Name), leads(g, b.Name, a.Name)
				assert.Equal(t, a.Name == b.Name || there && back, place[a.Name] == place[b.Name], "%s %s %+v", a.Name, b.Name, g)
				assert.True(t, !there || place[a.Name] <= place[b.Name], "a component stands behind one it leads to")
			}
		}
		naiveCycles(t, g, g.Cycles())
	}
}

// leads reports whether there is a way of at least one edge.
func leads(g *topo.Graph, from, to string) bool {
	for _, e := range g.Edges {
		if e.From == from && e.From != topo.Start && naiveReach(g, false, e.To)[to] {
			return true
		}
	}
	return false
}

func naiveCycles(t *testing.T, g *topo.Graph, cycles [][]string) {
	t.Helper()
	in := map[string]bool{}
	last := ""
	for _, c := range cycles {
		assert.Equal(t, slices.Min(c), c[0])
		assert.Less(t, last, c[0])
		last = c[0]
		for _, n := range c {
			in[n] = true
		}
	}
	for _, n := range g.Nodes {
		assert.Equal(t, leads(g, n.Name, n.Name), in[n.Name], "%s %+v", n.Name, g)
	}
}

func TestCycles(t *testing.T) {
	t.Parallel()
	g := &topo.Graph{Nodes: nodes("z", "m", "q", "b", "solo", "plain"), Edges: edges(
		path(topo.Start, "z", "m", "q", "z"), path("q", "b", "solo", "solo", "plain", topo.End))}
	assert.Equal(t, [][]string{{"m", "q", "z"}, {"solo"}}, g.Cycles())
	assert.Equal(t, [][]string{{"z", "m", "q"}, {"b"}, {"solo"}, {"plain"}}, g.Components())
	assert.Empty(t, chain(3).Cycles())
	assert.Empty(t, (&topo.Graph{}).Components())
}

func TestLongChain(t *testing.T) {
	t.Parallel()
	const n = 100_000
	g := chain(n)
	assert.Len(t, g.Reachable(), n+2)
	reach, stuck := g.Fillable()
	assert.Len(t, reach, n+2)
	assert.Empty(t, stuck)
	assert.Len(t, g.Components(), n)
	assert.Empty(t, g.Cycles())
	m := g.Meetings()
	assert.True(t, m.Complete())
	_, met := m.Among("n0", "n99999", "n500")
	assert.False(t, met)

	g.Edges = append(g.Edges, static("n99999", "n0"))
	assert.Len(t, g.Cycles(), 1)
	assert.Len(t, g.Cycles()[0], n)
}

func TestNearest(t *testing.T) {
	t.Parallel()
	long := string(make([]byte, 300))
	for _, c := range []struct {
		name  string
		among []string
		want  string
	}{
		{"triage", []string{"review", "triage"}, ""},
		{"Triage", []string{"triages", "triage"}, "triage"},
		{"traige", []string{"review", "triage"}, "triage"},
		{"triag", []string{"triage", "trial"}, "triage"},
		{"cat", []string{"car", "bat"}, "bat"},
		{"cat", []string{"dog", "cow"}, ""},
		{"a", []string{"b"}, ""},
		{"a", []string{"ab"}, ""},
		{"N", []string{"m", "n"}, "n"},
		{"max-attempts", []string{"max_attempts"}, "max_attempts"},
		{"maxAttempts", []string{"max_attempts"}, "max_attempts"},
		{"interrupts_bfore", []string{"interrupt", "interrupt_after", "interrupt_before"}, "interrupt_before"},
		{"goot", []string{"to", "goto"}, "goto"},
		{"ot", []string{"to"}, "to"},
		{"node_x", []string{"node_c", "node_a", "node_b"}, "node_a"},
		{"ab", []string{"cd"}, ""},
		{"abcd", []string{"abxy"}, ""},
		{"abcde", []string{"abcxy"}, "abcxy"},
		{"interrupt_bfore", []string{"interrupt_before", "interrupt_after"}, "interrupt_before"},
		{"recursionlimit", []string{"recursion_limit"}, "recursion_limit"},
		{"größe", []string{"grösse"}, "grösse"},
		{"", []string{"a"}, ""},
		{"x", nil, ""},
		{long, []string{long + "x", "y"}, ""},
		{long, []string{long}, ""},
	} {
		got, ok := topo.Nearest(c.name, c.among)
		assert.Equal(t, c.want, got, "%q among %q", c.name, c.among)
		assert.Equal(t, c.want != "", ok)
	}
}

func TestNearestIgnoresTheOrderGiven(t *testing.T) {
	t.Parallel()
	among := []string{"bat", "car", "cab", "can"}
	first, _ := topo.Nearest("cat", among)
	slices.Reverse(among)
	second, _ := topo.Nearest("cat", among)
	assert.Equal(t, first, second)
	assert.Equal(t, []string{"can", "cab", "car", "bat"}, among, "the names given are not sorted")
}
