package topo_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/topo"
)

func TestMeetings(t *testing.T) {
	t.Parallel()
	send := func(from, to string, choice int, many bool) topo.Edge {
		return topo.Edge{From: from, To: to, Kind: topo.Sent, Choice: choice, Many: many}
	}
	together := func(from, to string, kind topo.EdgeKind, router, choice int) topo.Edge {
		return topo.Edge{From: from, To: to, Kind: kind, Router: router, Choice: choice}
	}
	fan := edges(path(topo.Start, "a", "b"), path("a", "c"))
	for _, c := range []struct {
		name        string
		edges       []topo.Edge
		defers, ask string
		want        string // the steps of the meeting, "" for none
	}{
		{"sequence", path(topo.Start, "a", "b", "c", topo.End), "", "abc", ""},
		{"ring", path(topo.Start, "a", "b", "c", "a"), "", "abc", ""},
		{"fan-out", fan, "", "bc", "a/b c"},
		{"branches of equal length", edges(fan, path("b", "d"), path("c", "e")), "", "de", "a/b c/d e"},
		{"branches of unequal length", edges(fan, path("b", "d"), path("c", "e", "f")), "", "df", ""},
		{"lined up by a loop", edges(fan, path("b", "d", "b"), path("c", "e", "f")), "", "df", ""},
		{"lined up by a loop of odd length", edges(fan, path("b", "d", "b"), path("c", "e", "f", "c")), "", "df", "a/b c/d e/b f/c d/b e/d f"},
		{"one called twice runs once", edges(fan, path("b", "d"), path("c", "d")), "", "d", ""},
		{"branches that exclude one another", edges(path(topo.Start, "a"), []topo.Edge{when("a", "b", ""), when("a", "c", "")}), "", "bc", ""},
		{"one outcome", edges(path(topo.Start, "a"), []topo.Edge{
			together("a", "b", topo.Conditional, 0, 1), together("a", "c", topo.Conditional, 0, 1), when("a", "d", "")}), "", "bc", "a/b c"},
		{"beside an outcome", edges(path(topo.Start, "a"), []topo.Edge{
			together("a", "b", topo.Conditional, 0, 1), together("a", "c", topo.Conditional, 0, 1), when("a", "d", "")}), "", "bd", ""},
		{"two routers", edges(path(topo.Start, "a"), []topo.Edge{
			together("a", "b", topo.Conditional, 0, 0), together("a", "c", topo.Conditional, 1, 0)}), "", "bc", "a/b c"},
		{"a command and a router", edges(path(topo.Start, "a"), []topo.Edge{
			together("a", "b", topo.Conditional, 0, 0), together("a", "c", topo.Declared, 0, 0)}), "", "bc", "a/b c"},
		{"a goto beside a static edge", edges(path(topo.Start, "a", "b"), []topo.Edge{together("a", "c", topo.Declared, 0, 0)}), "", "bc", "a/b c"},
		{"gotos exclude one another", edges(path(topo.Start, "a"), []topo.Edge{
			together("a", "b", topo.Declared, 0, 0), together("a", "c", topo.Declared, 0, 0)}), "", "bc", ""},
		{"many tasks", edges(path(topo.Start, "a"), []topo.Edge{send("a", "b", 0, true)}), "", "b", "a/b b"},
		{"many tasks choose on their own", edges(path(topo.Start, "a"), []topo.Edge{send("a", "b", 0, true), when("b", "c", ""), when("b", "d", "")}), "", "cd", "a/b b/c d"},
		{"behind many tasks", edges(path(topo.Start, "a"), []topo.Edge{send("a", "b", 0, true)}, path("b", "c")), "", "c", ""},
		{"one send", edges(path(topo.Start, "a"), []topo.Edge{send("a", "b", 0, false)}), "", "b", ""},
		{"two senders", edges(fan, []topo.Edge{send("b", "d", 0, false), send("c", "d", 0, false)}), "", "d", "a/b c/d d"},
		{"sends of one command", edges(path(topo.Start, "a"), []topo.Edge{send("a", "b", 1, false), send("a", "c", 1, false)}), "", "bc", "a/b c"},
		{"a join waits", edges(fan, path("c", "e"), []topo.Edge{join(0, "b", "d"), join(0, "e", "d")}), "", "de", ""},
		{"a join that nobody fills", edges(fan, []topo.Edge{join(0, "b", "d"), join(0, "x", "d"), static("c", "e")}), "", "de", ""},
		{"a join beside a branch", edges(fan, path("c", "e"), []topo.Edge{join(0, "b", "d"), join(0, "c", "d")}), "", "de", "a/b c/d e"},
		{"deferred runs alone", edges(fan, path("b", "d"), path("c", "e")), "d", "de", ""},
		{"deferred ones run together", edges(fan, path("b", "d"), path("c", "e", "f")), "df", "df", "a/b c/e/d f"},
		{"deferred join", edges(fan, path("c", "e", "f"), []topo.Edge{join(0, "b", "d"), join(0, "c", "d")}), "d", "df", ""},
		{"a deferred join runs once", edges(fan, path("d", "x", "e"), []topo.Edge{join(0, "b", "d"), join(0, "c", "d")}), "de", "de", ""},
		{"a deferred join forgets who came twice", edges(fan, path("f", "b"), path("d", "x", "c"), path("x", "e"), []topo.Edge{
			join(0, "b", "d"), join(0, "c", "d"), when("b", "f", ""), when("b", topo.End, "")}), "de", "de", ""},
		{"a send does not wait", edges(fan, []topo.Edge{send("b", "d", 0, false), static("c", "e")}), "d", "de", "a/b c/d e"},
		{"unreachable", path("x", "b"), "", "bx", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := &topo.Graph{Nodes: nodes("a", "b", "c", "d", "e", "f", "x"), Edges: c.edges}
			for i := range g.Nodes {
				g.Nodes[i].Deferred = strings.Contains(c.defers, g.Nodes[i].Name)
			}
			m := g.Meetings()
			assert.True(t, m.Complete())
			got, ok := m.Among(strings.Split(c.ask, "")...)
			require.Equal(t, c.want != "", ok, "%+v", got)
			var steps []string
			for _, s := range got.Steps {
				steps = append(steps, strings.Join(s, " "))
			}
			assert.Equal(t, c.want, strings.Join(steps, "/"))
		})
	}
}

func TestMeetingsAmongUnknownNames(t *testing.T) {
	t.Parallel()
	m := (&topo.Graph{Nodes: nodes("a", "b"), Edges: edges(path(topo.Start, "a"), path(topo.Start, "b"))}).Meetings()
	for _, names := range [][]string{nil, {"a"}, {"a", "nobody"}, {topo.Start, topo.End}, {"a", "a"}} {
		_, ok := m.Among(names...)
		assert.False(t, ok, "%q", names)
	}
	got, ok := m.Among("b", "a")
	assert.True(t, ok)
	assert.Equal(t, topo.Meeting{A: "a", B: "b", Steps: [][]string{{"a", "b"}}}, got)
}

// TestMeetingsAreBounded takes graphs whose runs are too many to follow.
func TestMeetingsAreBounded(t *testing.T) {
	t.Parallel()
	wide := &topo.Graph{}
	for i := range 3_000 {
		name := fmt.Sprintf("n%d", i)
		wide.Edges = append(wide.Edges, static(topo.Start, name), when(name, "x"+name, ""), when(name, "y"+name, ""))
	}
	m := wide.Meetings()
	assert.False(t, m.Complete())
	_, ok := m.Among("n1", "n2999")
	assert.True(t, ok)

	loops := &topo.Graph{}
	for i, length := range []int{2, 3, 5, 7, 11, 13} {
		first := fmt.Sprintf("l%d-0", i)
		names := []string{topo.Start}
		for k := range length {
			names = append(names, fmt.Sprintf("l%d-%d", i, k))
		}
		loops.Edges = append(loops.Edges, path(append(names, first)...)...)
	}
	m = loops.Meetings()
	assert.False(t, m.Complete(), "the loops line up anew for 30030 steps")
	got, ok := m.Among("l0-1", "l1-0")
	assert.True(t, ok)
	assert.Len(t, got.Steps, 4)

	choices := &topo.Graph{}
	for i := range 7 {
		name := fmt.Sprintf("n%d", i)
		choices.Edges = append(choices.Edges, static(topo.Start, name), when(name, "x"+name, ""), when(name, "y"+name, ""))
	}
	m = choices.Meetings()
	assert.False(t, m.Complete(), "128 combinations are more than are tried")
	_, ok = m.Among("xn2", "yn5")
	assert.True(t, ok, "but all pairs are")
	_, ok = m.Among("xn2", "yn2")
	assert.False(t, ok)

	one := &topo.Graph{Edges: path(topo.Start, "a")}
	for i := range 500 {
		one.Edges = append(one.Edges, when("a", fmt.Sprintf("t%d", i), ""))
	}
	assert.True(t, one.Meetings().Complete(), "one choice of many outcomes is no combination")
}

// step is a superstep of the naive machine: tasks, held nodes and marks by name.
type step struct {
	tasks map[string]int
	held  map[string]bool
	marks map[string]bool // "join/source"
}

func (s step) String() string {
	return fmt.Sprint(s.tasks, s.held, s.marks) // fmt sorts the keys of maps
}

// naive simulates a graph straight from its edges.
type naive struct {
	g        *topo.Graph
	deferred map[string]bool
}

// outcomes returns the alternatives of each choice that one task of a node makes.
func (n naive) outcomes(node string) [][][]topo.Edge {
	choices := map[string]map[string][]topo.Edge{}
	for i, e := range n.g.Edges {
		if e.From != node || e.Kind == topo.Static || e.Kind == topo.Joined {
			continue
		}
		chooser, choice := fmt.Sprint(e.Kind == topo.Conditional, e.Router), fmt.Sprint("alone", i)
		if e.Choice > 0 {
			choice = fmt.Sprint(e.Choice)
		}
		if choices[chooser] == nil {
			choices[chooser] = map[string][]topo.Edge{}
		}
		choices[chooser][choice] = append(choices[chooser][choice], e)
	}
	var all [][][]topo.Edge
	for _, c := range slices.Sorted(maps.Keys(choices)) {
		var alternatives [][]topo.Edge
		for _, o := range slices.Sorted(maps.Keys(choices[c])) {
			alternatives = append(alternatives, choices[c][o])
		}
		all = append(all, alternatives)
	}
	return all
}

// next returns all supersteps that can follow.
func (n naive) next(s step) []step {
	base := []topo.Edge{}
	var choices [][][]topo.Edge
	for _, name := range slices.Sorted(maps.Keys(s.tasks)) {
		for _, e := range n.g.Edges {
			if e.From == name && (e.Kind == topo.Static || e.Kind == topo.Joined) {
				base = append(base, e)
			}
		}
		for range s.tasks[name] {
			choices = append(choices, n.outcomes(name)...)
		}
	}
	taken := [][]topo.Edge{base}
	for _, alternatives := range choices {
		var more [][]topo.Edge
		for _, t := range taken {
			for _, a := range alternatives {
				more = append(more, slices.Concat(t, a))
			}
		}
		taken = more
	}
	var all []step
	for _, t := range taken {
		all = append(all, n.apply(s, t))
	}
	return all
}

func (n naive) apply(s step, taken []topo.Edge) step {
	next := step{tasks: map[string]int{}, held: maps.Clone(s.held), marks: maps.Clone(s.marks)}
	called := map[string]bool{}
	for _, e := range taken {
		switch {
		case e.Kind == topo.Joined:
			next.marks[fmt.Sprint(e.Join, "/", e.From)] = true
		case e.To == topo.End:
		case e.Kind == topo.Sent && e.Many:
			next.tasks[e.To] += 2
		case e.Kind == topo.Sent:
			next.tasks[e.To]++
		default:
			called[e.To] = true
		}
	}
	n.fill(next, func(to string) bool { return !n.deferred[to] }, called)
	n.fill(step{marks: maps.Clone(next.marks)}, func(to string) bool { return n.deferred[to] }, called)
	for name := range called {
		if n.deferred[name] {
			next.held[name] = true
		} else if name != topo.End {
			next.tasks[name]++
		}
	}
	if len(next.tasks) == 0 && len(next.held) > 0 {
		for name := range next.held {
			next.tasks[name] = 1
		}
		next.held = map[string]bool{}
		n.fill(next, func(to string) bool { return n.deferred[to] }, map[string]bool{})
	}
	for name := range next.tasks {
		next.tasks[name] = min(next.tasks[name], 2)
	}
	return next
}

// fill calls the targets of full waits that are wanted and takes their marks away.
func (n naive) fill(s step, wanted func(string) bool, called map[string]bool) {
	for id := range 2 {
		full, target := true, ""
		for _, e := range n.g.Edges {
			if e.Kind == topo.Joined && e.Join == id {
				target = e.To
				full = full && s.marks[fmt.Sprint(id, "/", e.From)]
			}
		}
		if target == "" || !full || !wanted(target) {
			continue
		}
		called[target] = true
		for key := range s.marks {
			if strings.HasPrefix(key, fmt.Sprint(id, "/")) {
				delete(s.marks, key)
			}
		}
	}
}

// depths returns, for each pair that meets, the number of the first step in which it
// does; ok is false if there are too many steps to follow.
func (n naive) depths() (met map[[2]string]int, ok bool) {
	met = map[[2]string]int{}
	front := []step{{tasks: map[string]int{topo.Start: 1}, held: map[string]bool{}, marks: map[string]bool{}}}
	seen := map[string]bool{}
	for depth := 1; len(front) > 0; depth++ {
		var behind []step
		for _, s := range front {
			for _, next := range n.next(s) {
				if key := next.String(); len(next.tasks) > 0 && !seen[key] {
					seen[key] = true
					behind = append(behind, next)
					note(met, next, depth)
				}
			}
		}
		if len(seen) > 1_000 {
			return nil, false
		}
		front = behind
	}
	return met, true
}

func note(met map[[2]string]int, s step, depth int) {
	for a, n := range s.tasks {
		for b := range s.tasks {
			pair := [2]string{min(a, b), max(a, b)}
			if _, ok := met[pair]; !ok && (a != b || n > 1) {
				met[pair] = depth
			}
		}
	}
}

func TestMeetingsAgainstNaive(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	compared, meetings := 0, 0
	for range 600 {
		g := random(r)
		n := naive{g: g, deferred: map[string]bool{}}
		for _, node := range g.Nodes {
			n.deferred[node.Name] = node.Deferred
		}
		want, ok := n.depths()
		m := g.Meetings()
		if !ok || !m.Complete() {
			continue
		}
		compared++
		for i, a := range g.Nodes {
			for _, b := range g.Nodes[:i+1] {
				meetings += comparePair(t, m, want, [2]string{b.Name, a.Name})
			}
		}
		if t.Failed() {
			t.Fatalf("%+v", g)
		}
	}
	assert.Greater(t, compared, 500)
	assert.Greater(t, meetings, 500)
}

// comparePair checks what is found for two nodes and returns 1 if they meet.
func comparePair(t *testing.T, m *topo.Meetings, want map[[2]string]int, pair [2]string) int {
	t.Helper()
	best := 0
	for _, p := range [][2]string{pair, {pair[0], pair[0]}, {pair[1], pair[1]}} {
		if d := want[p]; d > 0 && (best == 0 || d < best) {
			best = d
		}
	}
	got, ok := m.Among(pair[0], pair[1])
	assert.Equal(t, best > 0, ok, "%v: %+v", pair, got)
	assert.Len(t, got.Steps, best, "%v: %+v", pair, got)
	if !ok {
		return 0
	}
	last := slices.Clone(got.Steps[len(got.Steps)-1])
	for _, name := range []string{got.A, got.B} {
		at := slices.Index(last, name)
		require.GreaterOrEqual(t, at, 0)
		last = slices.Delete(last, at, at+1)
	}
	return 1
}
