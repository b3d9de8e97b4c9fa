package graph_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graph"
)

// sesSpec is a random graph whose nodes fail for a while, ask, keep values and
// are paused at.
type sesSpec struct {
	*rndSpec
	trait         map[string]*sesTrait
	before, after []string // where runs pause
	inner         map[string]*sesSpec
}

// sesTrait is what a node does beside what nodes of random graphs do.
type sesTrait struct {
	fails    int  // so many of its first runs
	late     bool // it fails behind its questions, not before
	once     bool // it keeps a value
	asks     int
	keyed    bool // its questions have keys
	together bool // it asks all questions before it ends
	retry    int  // attempts
}

func (t *sesTrait) attempts() int { return max(t.retry, 1) }

func sesKey(i int) string { return fmt.Sprint("key ", i+1) }

func sesQuestion(node string, i int) string { return fmt.Sprintf("%s asks %d?", node, i+1) }

// newSession makes the random graph of a seed.
func newSesSpec(seed uint64) *sesSpec {
	rng := rand.New(rand.NewPCG(seed, 21))
	s := newGraph(rng, seed, 5, max(rng.IntN(3)-1, 0))
	return newTraits(rng, s)
}

func newTraits(rng *rand.Rand, s *rndSpec) *sesSpec {
	t := &sesSpec{rndSpec: s, trait: map[string]*sesTrait{}, inner: map[string]*sesSpec{}}
	if s.fails > 0 {
		s.fails = rng.IntN(30)
	}
	names, calm := slices.Sorted(slices.Values(s.names)), 1+rng.IntN(5)
	for _, name := range names {
		tr := &sesTrait{}
		t.trait[name] = tr
		if child := s.child[name]; child != nil {
			if rng.IntN(2) == 0 {
				child.exits = nil
			}
			t.inner[name] = newTraits(rng, child)
			continue
		}
		if rng.IntN(calm) == 0 {
			tr.fails, tr.late = max(rng.IntN(6)-3, 0), rng.IntN(2) == 0
		}
		if rng.IntN(calm) == 0 {
			tr.asks, tr.keyed, tr.together = rng.IntN(3), rng.IntN(2) == 0, rng.IntN(2) == 0
		}
		tr.once, tr.retry = rng.IntN(3) == 0, max(rng.IntN(6)-2, 0)
	}
	t.before, t.after = sesSome(rng, names), sesSome(rng, names)
	return t
}

func sesSome(rng *rand.Rand, names []string) (out []string) {
	for _, name := range names {
		if rng.IntN(12) == 0 {
			out = append(out, name)
		}
	}
	return out
}

// conclude is what a node does behind its questions.
func (s *sesSpec) conclude(node string, view refState, given []string, once string) refAct {
	if len(given) > 0 {
		view.Item += "|" + strings.Join(given, "|")
	}
	a := s.act(node, view)
	if a.Fail == "" && a.Parent == nil {
		for _, text := range append(slices.Clone(given), once) {
			if text != "" {
				a.Writes = append(a.Writes, refWrite{Field: "list", Verb: "append", L: []string{node + "=" + text}})
			}
		}
	}
	return a
}

// String describes the graph.
func (s *sesSpec) String() string {
	var b strings.Builder
	b.WriteString(s.rndSpec.String())
	s.describe(&b, "  ")
	return b.String()
}

func (s *sesSpec) describe(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%sfails %d, last %d, over %d; pauses before %q, after %q\n", indent, s.fails, s.last, s.over, s.before, s.after)
	for _, name := range slices.Sorted(maps.Keys(s.trait)) {
		if inner := s.inner[name]; inner != nil {
			fmt.Fprintf(b, "%sin %s:\n", indent, name)
			inner.describe(b, indent+"  ")
			continue
		}
		fmt.Fprintf(b, "%s%s: %+v\n", indent, name, *s.trait[name])
	}
}

// cuts are ways to make the graph smaller; each is false if it did nothing.
func (s *sesSpec) cuts() (out []func() bool) {
	out = append(out, func() bool { return clearInt(&s.fails) }, func() bool { return clearInt(&s.last) },
		func() bool { return clearInt(&s.over) }, func() bool { return clearList(&s.exits) },
		func() bool { return clearList(&s.before) }, func() bool { return clearList(&s.after) },
		func() bool { return clearWrites(&s.in) })
	for i := range s.Joins {
		out = append(out, func() bool {
			if i >= len(s.Joins) {
				return false
			}
			s.Joins = slices.Delete(slices.Clone(s.Joins), i, i+1)
			return true
		})
	}
	for _, name := range slices.Sorted(slices.Values(s.names)) {
		tr, n, more := s.trait[name], s.Nodes[name], s.node[name]
		out = append(out, func() bool { return s.remove(name) },
			func() bool { return clearInt(&tr.fails) }, func() bool { return clearInt(&tr.asks) },
			func() bool { return clearInt(&tr.retry) }, func() bool { return clearBool(&tr.once) },
			func() bool { return clearBool(&tr.late) }, func() bool { return clearBool(&tr.keyed) },
			func() bool { return clearBool(&tr.together) }, func() bool { return clearBool(&n.Defer) },
			func() bool { return clearList(&n.Next) }, func() bool { return clearList(&more.gotos) },
			func() bool { return clearList(&more.sends) }, func() bool { return clearList(&more.relay) },
			func() bool { return s.straighten(name) }, func() bool { return s.unmount(name) })
		if inner := s.inner[name]; inner != nil {
			out = append(out, inner.cuts()...)
		}
	}
	return append(out, func() bool { return clearList(&s.node[graph.Start].relay) }, func() bool { return s.straighten(graph.Start) })
}

func clearInt(n *int) bool {
	had := *n != 0
	*n = 0
	return had
}

func clearBool(b *bool) bool {
	had := *b
	*b = false
	return had
}

func clearList(l *[]string) bool {
	had := len(*l) > 0
	*l = nil
	return had
}

func clearWrites(l *[]refWrite) bool {
	had := len(*l) > 0
	*l = nil
	return had
}

// straighten takes away the routers of a node.
func (s *sesSpec) straighten(name string) bool {
	more := s.node[name]
	if had := len(more.ways) > 0; !had {
		return false
	}
	more.ways, more.relay, s.Nodes[name].Ways = nil, nil, false
	return true
}

// unmount makes a subgraph a plain node.
func (s *sesSpec) unmount(name string) bool {
	if s.inner[name] == nil {
		return false
	}
	delete(s.inner, name)
	delete(s.child, name)
	s.Nodes[name].Child = nil
	return true
}

// remove takes a node out of the graph.
func (s *sesSpec) remove(name string) bool {
	without := func(l []string) []string {
		return slices.DeleteFunc(slices.Clone(l), func(n string) bool { return n == name })
	}
	s.names, s.before, s.after = without(s.names), without(s.before), without(s.after)
	delete(s.Nodes, name)
	for other, n := range s.Nodes {
		more := s.node[other]
		n.Next, more.gotos, more.sends, more.relay = without(n.Next), without(more.gotos), without(more.sends), without(more.relay)
		for i := range more.ways {
			if more.ways[i] = without(more.ways[i]); len(more.ways[i]) == 0 {
				more.ways[i] = []string{graph.End}
			}
		}
		if sub := s.child[other]; sub != nil {
			sub.exits = without(sub.exits)
		}
	}
	for i, j := range s.Joins {
		s.Joins[i].Sources = without(j.Sources)
	}
	s.Joins = slices.DeleteFunc(s.Joins, func(j refJoin) bool { return j.To == name || len(j.Sources) == 0 })
	delete(s.trait, name)
	s.unmountGone(name)
	return true
}

func (s *sesSpec) unmountGone(name string) {
	delete(s.inner, name)
	delete(s.child, name)
}
