package graphfile

import (
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// tree is a graph among its subgraphs, on its way from what the file tells to
// the compiled graph.
type tree struct {
	*graphSpec
	parent *tree
	kids   []*tree // by node, nil where the node has no graph

	byName map[string]*nodeSpec
	names  []string // of all nodes

	fieldBy map[string]*fieldSpec
	schema  *state.RecordSchema
	locals  []string // keys of sends that are no fields, sorted
	isLocal map[string]bool
	stray   map[string]bool // keys of bad sends, which any node may use

	sends   []*incoming
	entered map[string]bool // nodes that something other than a send leads to
	open    map[string]bool // nodes that Go code may send anything to

	base   expression.Scope                      // the fields
	inputs map[string]map[string]expression.Type // by node: of the local names that are sent to it
	scopes map[string]expression.Scope           // by node

	crew    *handoffs.Team[record] // the graph's agents; nil: it has none, or something is wrong with them
	planned *plan.Executor[record] // nil: they have no plan
	graph   *graph.Graph[record]   // nil if something is wrong
}

// incoming is a send that leads to a node of a tree, from a script of the
// same graph or of a subgraph.
type incoming struct {
	*sendSpec
	from  *tree
	node  *nodeSpec
	bound []string
}

// newTree makes the tree of a graph and of its subgraphs.
func newTree(g *graphSpec) *tree {
	t := &tree{
		graphSpec: g, byName: map[string]*nodeSpec{}, fieldBy: map[string]*fieldSpec{},
		entered: map[string]bool{}, open: map[string]bool{}, isLocal: map[string]bool{}, stray: map[string]bool{},
	}
	for _, f := range g.fields {
		t.fieldBy[f.name] = f
	}
	for _, n := range g.nodes {
		t.byName[n.name] = n
		t.names = append(t.names, n.name)
		var kid *tree
		if n.child != nil {
			kid = newTree(n.child)
			kid.parent = t
		}
		t.kids = append(t.kids, kid)
	}
	return t
}

// finish checks and compiles the tree and makes the File.
func (l *loader) finish(t *tree) (*File, error) {
	t.resolve()
	t.share()
	t.collect()
	t.makeSchema()
	t.infer()
	t.compile()
	l.unused()
	ds := l.diagnostics()
	if err := ds.Err(); err != nil {
		return nil, err
	}
	if err := l.maker.err(); err != nil {
		return nil, err
	}
	if t.graph == nil {
		return nil, fmt.Errorf("graphfile: %q could not be compiled", t.file.Name)
	}
	return &File{
		name: t.name, description: t.description, graph: t.graph, schema: t.schema,
		fields: t.fields, warnings: ds.Warnings(), team: t.crew, planned: t.planned,
	}, nil
}

// each calls do for the subgraphs.
func (t *tree) each(do func(kid *tree)) {
	for _, kid := range t.kids {
		if kid != nil {
			do(kid)
		}
	}
}

// goal is the graph that a script's update, gotos and sends are for; nil if
// there is none.
func (t *tree) goal(s *scriptSpec) *tree {
	if s.parent {
		return t.parent
	}
	return t
}

// share checks the fields that subgraphs share with this graph.
func (t *tree) share() {
	t.each(func(kid *tree) {
		for _, f := range kid.fields {
			outer := t.fieldBy[f.name]
			if outer == nil {
				continue
			}
			if _, wrong := state.Share(outer.schema.Layout(), f.schema.Layout()); len(wrong) > 0 {
				kid.rep.Errorf(f.pos, "the field %q is shared with the graph around this one, where it is %s; here it is %s", f.name, outer, f).Hint =
					"declare it alike in both, or give it another name here"
				kid.unfit = true
			}
		}
		kid.share()
	})
}

// makeSchema makes the schemas of the tree.
func (t *tree) makeSchema() {
	var fields []state.RecordField
	for _, f := range t.fields {
		fields = append(fields, f.decl)
	}
	slices.Sort(t.locals)
	for _, name := range t.locals {
		fields = append(fields, state.RecordField{Name: name, Local: true})
	}
	fields = append(fields, t.teamLocals()...)
	schema, err := state.NewRecordSchema(fields...)
	if err != nil {
		t.rep.Errorf(t.pos, "the state: %s", plain(err))
	}
	if len(t.locals) > mostNames {
		t.rep.Errorf(t.pos, "the inputs of sends have %d names beside those of the state, at most %d are allowed", len(t.locals), mostNames)
	}
	t.schema = schema
	t.each((*tree).makeSchema)
}

// collect gathers what leads to the nodes of the tree.
func (t *tree) collect() {
	t.each((*tree).collect)
	for _, e := range t.edges {
		t.enter(e.to)
		for _, c := range e.cases {
			t.enter(c.to)
		}
	}
	for _, n := range t.nodes {
		if n.work != nil {
			for _, to := range n.work.cfg.Goto {
				t.entered[to] = true
			}
			for _, to := range n.work.cfg.Send {
				t.entered[to], t.open[to] = true, true
			}
		}
		if n.script != nil {
			n.script.walk(nil, func(s *scriptSpec, bound []string) { t.collectScript(n, s, bound) })
		}
	}
}

func (t *tree) collectScript(n *nodeSpec, s *scriptSpec, bound []string) {
	goal := t.goal(s)
	if goal == nil {
		return
	}
	goal.enter(s.gotos)
	for _, send := range s.sends {
		if !send.bad {
			goal.sends = append(goal.sends, &incoming{send, t, n, bound})
		}
		for _, in := range send.input {
			if goal.fieldBy[in.name] == nil && !goal.lost[in.name] && !goal.isLocal[in.name] {
				goal.isLocal[in.name] = true
				goal.locals = append(goal.locals, in.name)
			}
			goal.stray[in.name] = goal.stray[in.name] || send.bad
		}
	}
}

func (t *tree) enter(to []ref) {
	for _, r := range to {
		t.entered[r.name] = true
	}
}
