package graph_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphrun/graphrun/graph"
)

var rndGraphs = flag.Int("graphs", 0, "how many random graphs the kernel's test runs; 0: GRAPHRUN_GRAPHS, else a number for everyday runs")

// rndCount says how many random graphs to run.
func rndCount(t *testing.T, everyday int) int {
	n := *rndGraphs
	if text := os.Getenv("GRAPHRUN_GRAPHS"); n == 0 && text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("GRAPHRUN_GRAPHS: %v", err)
		}
	}
	switch {
	case n > 0:
		return n
	case testing.Short():
		return everyday / 10
	}
	return everyday
}

// rndSpec is a random graph. What its nodes return is a function of the seed,
// the node and the state they see.
type rndSpec struct {
	refGraph
	seed  uint64
	names []string // of nodes, in the order in which they are added
	node  map[string]*rndNode
	in    []refWrite
	exits []string // nodes of the parent graph, if it is a subgraph that is left by commands
	fails int      // of 1000 acts
	last  int      // of 100 acts write "last"
	over  int      // of 1000 acts replace a field
	child map[string]*rndSpec
}

// rndNode is what a node may do.
type rndNode struct {
	gotos, sends []string   // of its commands
	ways         [][]string // of its routers: targets of gotos, END among them
	relay        []string   // what its routers may send to
}

// dice is a small generator whose seed is cheap to make.
type dice uint64

func (d *dice) roll(n int) int {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

func (d *dice) in(part, of int) bool { return d.roll(of) < part }

// throw makes dice of everything that a node can see.
func (s *rndSpec) throw(what string, view refState) *dice {
	h := s.seed ^ 14695981039346656037
	mix := func(text string) {
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * 1099511628211
		}
		h = (h ^ 255) * 1099511628211
	}
	mix(what)
	for _, e := range view.List {
		mix(e)
	}
	mix(strconv.Itoa(view.Count))
	mix(view.Last)
	mix(view.Item)
	for _, k := range slices.Sorted(maps.Keys(view.Meta)) {
		mix(k)
		mix(strconv.Itoa(view.Meta[k]))
	}
	d := dice(h)
	return &d
}

// newSpec makes the random graph of a seed.
func newSpec(seed uint64) *rndSpec {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := newGraph(rng, seed, 7, 0)
	if rng.IntN(8) == 0 {
		s.exits = s.names
	}
	return s
}

// newNested makes a random graph with subgraphs.
func newNested(seed uint64) *rndSpec {
	return newGraph(rand.New(rand.NewPCG(seed, 3)), seed, 5, 2)
}

func newGraph(rng *rand.Rand, seed uint64, most, depth int) *rndSpec {
	s := &rndSpec{seed: seed, node: map[string]*rndNode{}, child: map[string]*rndSpec{}}
	s.Nodes, s.Limit = map[string]*refNode{}, 1+rng.IntN(12)
	s.fails, s.last, s.over = rng.IntN(3)*rng.IntN(40), rng.IntN(3)*8, rng.IntN(3)*15
	pool := []string{"a", "b", "c", "d", "n10", "n2", "Z", "é"}
	rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	s.names = pool[:1+rng.IntN(most)]
	some := func(most int) (out []string) {
		for range rng.IntN(min(most, len(s.names)) + 1) {
			if name := s.names[rng.IntN(len(s.names))]; !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		return out
	}
	ahead := rng.IntN(2) == 0 // edges lead ahead only
	all := s.names
	for i, name := range append([]string{graph.Start}, all...) {
		if s.names = all; ahead {
			s.names = all[i:]
		}
		n, more := &refNode{Name: name, Next: some(2)}, &rndNode{}
		s.Nodes[name], s.node[name] = n, more
		for range rng.IntN(3) * rng.IntN(2) {
			way := some(3)
			if len(way) == 0 || rng.IntN(2) == 0 {
				way = append(way, graph.End)
			}
			more.ways, n.Ways = append(more.ways, way), true
		}
		if n.Ways {
			more.relay = some(1)
		}
		if name != graph.Start {
			n.Defer = rng.IntN(5) == 0
			more.gotos, more.sends = some(2), some(rng.IntN(3))
		}
		if depth > 0 && name != graph.Start && rng.IntN(3) == 0 {
			s.mount(rng, n, depth)
		}
	}
	s.names = all
	for range rng.IntN(4) {
		if sources := some(3); len(sources) > 0 {
			s.Joins = append(s.Joins, refJoin{sources, s.names[rng.IntN(len(s.names))]})
		}
	}
	s.link(rng)
	s.Act, s.Choose = s.act, s.choose
	s.in = s.throw("input", refState{}).writes(s, "in")
	return s
}

// mount makes a node a subgraph.
func (s *rndSpec) mount(rng *rand.Rand, n *refNode, depth int) {
	sub := newGraph(rng, rng.Uint64(), 4, depth-1)
	s.node[n.Name].gotos, s.node[n.Name].sends = nil, nil
	if len(s.names) > 0 && rng.IntN(2) == 0 {
		sub.exits = s.names
	}
	n.Child, n.Shared, s.child[n.Name] = &sub.refGraph, rng.IntN(2) == 0, sub
}

// link adds an edge to every node that nothing leads to, and one from START.
func (s *rndSpec) link(rng *rand.Rand) {
	begins := s.Nodes[graph.Start]
	if len(begins.Next) == 0 {
		begins.Next = []string{s.names[0]}
	}
	led := map[string]bool{}
	for name, n := range s.Nodes {
		more := s.node[name]
		for _, to := range slices.Concat(n.Next, more.gotos, more.sends, more.relay, slices.Concat(more.ways...)) {
			led[to] = true
		}
	}
	for _, j := range s.Joins {
		led[j.To] = true
	}
	for _, name := range s.names {
		if !led[name] {
			from := s.Nodes[append([]string{graph.Start}, s.names...)[rng.IntN(len(s.names)+1)]]
			from.Next = append(from.Next, name)
		}
	}
}

// act is what a node does.
func (s *rndSpec) act(node string, view refState) (a refAct) {
	d, n := s.throw(node, view), s.node[node]
	if d.in(s.fails, 1000) {
		a.Fail = fmt.Sprintf("%s is tired %d", node, d.roll(1000))
		return a
	}
	if len(s.exits) > 0 && d.in(1, 8) {
		p := &refAct{Writes: d.writes(s, node+"^")}
		p.Gotos = d.some(append([]string{graph.End}, s.exits...), 2)
		p.Sends = d.sends(s, s.exits, len(view.List))
		a.Parent = p
		return a
	}
	a.Writes = d.writes(s, node)
	a.Gotos = d.some(append([]string{graph.End}, n.gotos...), d.roll(3))
	a.Sends = d.sends(s, n.sends, len(view.List))
	return a
}

// choose is what the routers behind a node choose, one after the other.
func (s *rndSpec) choose(node string, view refState) (all refAct) {
	for i := range s.node[node].ways {
		one := s.chooseOne(node, i, view)
		all.Gotos, all.Sends = append(all.Gotos, one.Gotos...), append(all.Sends, one.Sends...)
	}
	return all
}

func (s *rndSpec) chooseOne(node string, router int, view refState) (a refAct) {
	d, n := s.throw(fmt.Sprintf("%s?%d", node, router), view), s.node[node]
	a.Gotos = d.some(n.ways[router], 1+d.roll(2))
	if len(a.Gotos) == 0 {
		a.Gotos = n.ways[router][:1]
	}
	if router == 0 {
		a.Sends = d.sends(s, n.relay, len(view.List))
	}
	return a
}

func (d *dice) some(of []string, most int) (out []string) {
	for range most {
		if name := of[d.roll(len(of))]; d.in(1, 2) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (d *dice) sends(s *rndSpec, to []string, busy int) (out []refSend) {
	if len(to) == 0 || busy > 40 || !d.in(1, 3) {
		return nil
	}
	for i := range 1 + d.roll(3) {
		over := []refWrite{{Field: "item", Verb: "set", S: fmt.Sprint("item", i)}}
		if d.in(1, 3) {
			over = append(over, d.writes(s, "over")...)
		}
		out = append(out, refSend{to[d.roll(len(to))], over})
	}
	return out
}

func (d *dice) writes(s *rndSpec, by string) (out []refWrite) {
	for range d.roll(4) {
		key := "k" + strconv.Itoa(d.roll(3))
		switch d.roll(8) {
		case 0, 1, 2:
			out = append(out, refWrite{Field: "list", Verb: "append", L: d.items(by)})
		case 3, 4:
			out = append(out, refWrite{Field: "count", Verb: "add", N: d.roll(9) - 3})
		case 5, 6:
			out = append(out, refWrite{Field: "meta", Verb: "put", S: key, N: d.roll(100)})
		case 7:
			out = append(out, refWrite{Field: "meta", Verb: "delete", S: key})
		}
	}
	if d.in(s.last, 100) {
		out = append(out, refWrite{Field: "last", Verb: "set", S: by})
	}
	if d.in(s.last, 2000) {
		out = append(out, refWrite{Field: "last", Verb: "set", S: by + "!"})
	}
	if d.in(s.over, 1000) {
		w := refWrite{Field: []string{"list", "count", "meta"}[d.roll(3)], Verb: "replace", N: d.roll(9), S: "r", L: d.items(by + "=")}
		out = slices.Insert(out, d.roll(len(out)+1), w)
	}
	return out
}

func (d *dice) items(by string) (out []string) {
	for range 1 + d.roll(3)*d.roll(2) {
		out = append(out, by+strconv.Itoa(d.roll(10)))
	}
	return out
}

// String describes the graph for whoever has to find out why it failed.
func (s *rndSpec) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, limit %d, input %v\n", s.seed, s.Limit, s.in)
	for _, name := range append([]string{graph.Start}, slices.Sorted(slices.Values(s.names))...) {
		n, more := s.Nodes[name], s.node[name]
		fmt.Fprintf(&b, "  %s -> %v, goto %v, send %v, routers %v %v", name, n.Next, more.gotos, more.sends, more.ways, more.relay)
		if n.Defer {
			b.WriteString(", deferred")
		}
		b.WriteString("\n")
		if sub := s.child[name]; sub != nil {
			fmt.Fprintf(&b, "    subgraph (shares last: %v, exits %v): %s", n.Shared, sub.exits, strings.ReplaceAll(sub.String(), "\n", "\n    "))
			b.WriteString("\n")
		}
	}
	for _, j := range s.Joins {
		fmt.Fprintf(&b, "  join %v -> %s\n", j.Sources, j.To)
	}
	return b.String()
}
