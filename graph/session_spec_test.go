package graph_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
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

// newSesSpec makes the random graph of a seed.
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
