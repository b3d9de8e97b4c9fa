package graph

import (
	"slices"

	"github.com/graphrun/graphrun/state"
)

// Builder collects the parts of a graph over states S. Its methods never
// fail: Compile reports everything that is wrong, with the place of the call
// that declared it. A Builder is not safe for concurrent use.
type Builder[S any] struct {
	schema *state.Schema[S]
	parts  parts
	place  *Place
}

// parts is what was declared, without the state type.
type parts struct {
	layout   *state.Layout
	nodes    []*part
	edges    []edge
	joins    []joined
	branches []branch
	rescues  []rescue
	mounts   []mounted
	indexes  []indexed
}

// part is a declared node.
type part struct {
	name  string
	work  caller
	cfg   NodeConfig
	ways  []Way
	child *program
	at    Place
}

type edge struct {
	from, to string
	at       Place
}

type joined struct {
	sources []string
	to      string
	at      Place
}

type branch struct {
	from   string
	router caller
	ways   []Way
	at     Place
}

type rescue struct {
	node string
	by   rescuer
	at   Place
}

type mounted struct {
	node     string
	problems []error
	at       Place
}

// Way is one outcome of a router or of a node's command: the nodes it goes to
// and sends to, taken together. The label, a condition say, is for drawings.
type Way struct {
	Label string
	Goto  []string
	Send  []string
	Many  bool // each of Send may be sent several tasks at once
}

// New returns a Builder for graphs over the schema's state.
func New[S any](schema *state.Schema[S]) *Builder[S] {
	b := &Builder[S]{schema: schema}
	if schema != nil {
		b.parts.layout = schema.Layout()
	}
	return b
}

// At gives the parts that are declared next, up to the next At, a place other
// than that of the Go call: that in a file from which the graph is read. It
// returns b.
func (b *Builder[S]) At(p Place) *Builder[S] {
	b.place = &p
	return b
}

func (b *Builder[S]) here() Place {
	if b.place != nil {
		return *b.place
	}
	return callerPlace()
}

// AddNode adds a node. Names are unique, not empty, and neither Start nor End.
// A nil config means its zero value.
func (b *Builder[S]) AddNode(name string, work Node[S], cfg *NodeConfig) {
	p := &part{name: name, at: b.here()}
	if work != nil {
		p.work = work
	}
	if cfg != nil {
		p.cfg = *cfg
	}
	b.parts.nodes = append(b.parts.nodes, p)
}

// AddWays tells which targets a node's commands name together, for drawings
// and for the warnings of Compile. Without it each target is an outcome of its
// own. The targets are declared by it as by NodeConfig. Call it behind AddNode.
func (b *Builder[S]) AddWays(node string, ways ...Way) {
	for _, p := range slices.Backward(b.parts.nodes) {
		if p.name == node {
			p.ways = append(p.ways, ways...)
			return
		}
	}
	b.parts.nodes = append(b.parts.nodes, &part{name: node, ways: ways, at: b.here()})
}

// AddEdge adds a static edge: to runs in the step after from. From may be
// Start, to may be End.
func (b *Builder[S]) AddEdge(from, to string) {
	b.parts.edges = append(b.parts.edges, edge{from, to, b.here()})
}

// AddJoin adds a waiting edge: to runs in the step after the last of the
// sources has run, once for each time that all of them ran.
func (b *Builder[S]) AddJoin(sources []string, to string) {
	b.parts.joins = append(b.parts.joins, joined{append([]string(nil), sources...), to, b.here()})
}

// AddConditional adds a conditional edge: behind from, which may be Start, the
// router chooses among the targets, which may include End.
func (b *Builder[S]) AddConditional(from string, router Router[S], targets ...string) {
	b.addBranch(from, router, single(targets))
}

// single makes an outcome of each target.
func single(targets []string) []Way {
	ways := make([]Way, len(targets))
	for i, t := range targets {
		ways[i] = Way{Goto: []string{t}}
	}
	return ways
}

// AddChoice adds a conditional edge whose router is a pure function of the
// state that names one of the targets; see AddConditional.
func (b *Builder[S]) AddChoice(from string, by func(s S) string, targets ...string) {
	br := branch{from: from, ways: single(targets), at: b.here()}
	if by != nil {
		br.router = choice[S](by)
	}
	b.parts.branches = append(b.parts.branches, br)
}

// AddBranch is AddConditional with the outcomes told one by one: for routers
// that choose several targets together or that send.
func (b *Builder[S]) AddBranch(from string, router Router[S], ways ...Way) {
	b.addBranch(from, router, ways)
}

func (b *Builder[S]) addBranch(from string, router Router[S], ways []Way) {
	br := branch{from: from, ways: ways, at: b.here()}
	if router != nil {
		br.router = router
	}
	b.parts.branches = append(b.parts.branches, br)
}

// AddErrorHandler lets a handler stand in for a node that failed for good: in
// its last attempt, if it has a retry policy. A node has at most one handler,
// whose commands may name the targets that are declared for the node.
func (b *Builder[S]) AddErrorHandler(node string, handler ErrorHandler[S]) {
	r := rescue{node: node, at: b.here()}
	if handler != nil {
		r.by = handler
	}
	b.parts.rescues = append(b.parts.rescues, r)
}
