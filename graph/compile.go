package graph

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/internal/topo"
	"github.com/graphrun/graphrun/state"
)

// Graph is a compiled graph over states S. It does not change, and any number
// of goroutines may run it at once.
type Graph[S any] struct {
	program *program
	schema  *state.Schema[S]
	keep    keeping
}

// Compile checks the graph and makes it ready to run. The error is a
// *CompileError with all problems; warnings are in the Graph. Later changes of
// the Builder do not reach the Graph.
func (b *Builder[S]) Compile(cfg *Config) (*Graph[S], error) {
	if cfg == nil {
		cfg = &Config{}
	}
	c := compiler{parts: &b.parts, cfg: *cfg, byName: map[string]*part{}}
	prog, err := c.compile()
	if err != nil {
		return nil, err
	}
	return &Graph[S]{program: prog, schema: b.schema, keep: keeping{cfg.Store, cfg.Items, cfg.Evolution}}, nil
}

// Name returns the name that the graph was compiled with.
func (g *Graph[S]) Name() string { return g.program.name }

// Schema returns the schema of the graph's state.
func (g *Graph[S]) Schema() *state.Schema[S] { return g.schema }

// Warnings returns what Compile found odd but not wrong.
func (g *Graph[S]) Warnings() []Problem { return slices.Clone(g.program.warnings) }

// compiler turns parts into a program.
type compiler struct {
	report
	*parts
	cfg    Config
	byName map[string]*part
	names  []string
	rows   []indexer
	shape  *topo.Graph
}

func (c *compiler) compile() (*program, error) {
	if c.layout == nil {
		c.refuse(Place{}, "", "the graph has no schema")
	}
	c.collectNodes()
	c.rows = c.collectIndexes()
	c.checkEnds()
	c.checkMounts()
	c.shape = c.topology()
	if errs, _ := c.split(); len(errs) == 0 {
		c.checkFlow()
	}
	errs, warnings := c.split()
	if len(errs) > 0 {
		return nil, &CompileError{errs}
	}
	return c.build(warnings), nil
}

// collectNodes takes the nodes with usable names.
func (c *compiler) collectNodes() {
	for _, p := range c.nodes {
		switch {
		case strings.TrimSpace(p.name) == "":
			c.refuse(p.at, "", "a node needs a name")
		case p.name == Start || p.name == End:
			c.refuse(p.at, "", "the name %q is reserved", p.name)
		case c.byName[p.name] != nil:
			c.refuse(p.at, "", "there are two nodes called %q (the other at %v)", p.name, c.byName[p.name].at)
		case p.work == nil && p.child == nil:
			c.refuse(p.at, "", "node %q has no function", p.name)
			fallthrough
		default:
			c.byName[p.name] = p
			c.names = append(c.names, p.name)
		}
	}
	if len(c.nodes) == 0 {
		c.refuse(Place{}, "", "the graph has no nodes")
	}
}

// build makes the program of parts that were found right.
func (c *compiler) build(warnings []Problem) *program {
	plan := kernel.NewPlan(c.names)
	plan.Limit = c.cfg.limit()
	p := &program{
		name: c.cfg.Name, cfg: c.cfg, plan: plan, layout: c.layout,
		zero: c.layout.Fresh(), nodes: make([]node, len(plan.Names)), indexes: c.rows, shape: c.shape, warnings: warnings,
	}
	p.entry = node{id: kernel.StartNode, name: Start, plain: true}
	for i, name := range plan.Names {
		c.buildNode(p, int32(i), c.byName[name])
	}
	c.buildEdges(p)
	plan.Print = p.fingerprint()
	p.described = sync.OnceValue(func() json.RawMessage { d := p.describe(); return d.encode() })
	p.before, p.after = p.marked(c.cfg.InterruptBefore), p.marked(c.cfg.InterruptAfter)
	return p
}

func (c *compiler) buildNode(p *program, id int32, from *part) {
	gotos, sends := from.targets()
	pn := &p.plan.Nodes[id]
	pn.Goto, pn.Send, pn.Defer = p.plan.Targets(gotos), p.plan.Targets(sends), from.cfg.Defer
	n := node{
		id: id, name: from.name, work: from.work, child: from.child,
		timeout: from.cfg.Timeout, limit: max(from.cfg.MaxConcurrency, 0), exit: from.cfg.Exit,
	}
	if from.cfg.Retry != nil {
		policy := *from.cfg.Retry
		n.retry = &policy
	}
	for _, r := range c.rescues {
		if r.node == from.name {
			n.handler = r.by
		}
	}
	p.beWaitedFor(&n, from.child)
	n.plain = n.retry == nil && n.timeout <= 0 && n.handler == nil
	p.nodes[id] = n
}

// targets returns all nodes that a node's commands may go to and send to.
func (p *part) targets() (gotos, sends []string) {
	gotos, sends = slices.Clone(p.cfg.Goto), slices.Clone(p.cfg.Send)
	for _, w := range p.ways {
		gotos, sends = append(gotos, w.Goto...), append(sends, w.Send...)
	}
	return gotos, sends
}

func (c *compiler) buildEdges(p *program) {
	for _, e := range c.edges {
		if e.to != End {
			from, _ := p.ends(e.from)
			to, _ := p.plan.ID(e.to)
			from.Next = append(from.Next, to)
		}
	}
	p.plan.Entry.Next = sortedSet(p.plan.Entry.Next)
	for i := range p.plan.Nodes {
		p.plan.Nodes[i].Next = sortedSet(p.plan.Nodes[i].Next)
	}
	for _, j := range c.joins {
		if j.to == End {
			continue
		}
		to, _ := p.plan.ID(j.to)
		sources := make([]int32, len(j.sources))
		for i, s := range j.sources {
			sources[i], _ = p.plan.ID(s)
		}
		p.plan.AddJoin(sources, to)
	}
	for _, b := range c.branches {
		c.buildBranch(p, b)
	}
}

func sortedSet(ids []int32) []int32 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (c *compiler) buildBranch(p *program, b branch) {
	var names []string
	for _, w := range b.ways {
		names = append(append(names, w.Goto...), w.Send...)
	}
	plan, n := p.ends(b.from)
	one, _ := b.router.(chooser)
	n.routers = append(n.routers, router{by: b.router, one: one, targets: p.plan.Targets(names)})
	for _, t := range plan.Relay {
		names = append(names, t.Name)
	}
	plan.Relay = p.plan.Targets(names)
}

// ends returns both descriptions of a node, or of Start.
func (p *program) ends(name string) (*kernel.Node, *node) {
	if name == Start {
		return &p.plan.Entry, &p.entry
	}
	id, _ := p.plan.ID(name)
	return &p.plan.Nodes[id], &p.nodes[id]
}
