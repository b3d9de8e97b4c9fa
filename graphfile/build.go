package graphfile

import (
	"context"
	"slices"

	"github.com/graphrun/graphrun/graph"
)

// compile compiles the graph, innermost graphs first. What is wrong is
// reported, and the graph is then nil.
func (t *tree) compile() {
	t.each((*tree).compile)
	if t.schema == nil || t.partial && len(t.nodes) == 0 {
		return
	}
	b := graph.New(t.schema.Schema)
	t.gather(b)
	for i, n := range t.nodes {
		b.At(t.place(n.pos))
		t.addNode(b, n, t.kids[i])
	}
	for _, e := range t.edges {
		b.At(t.place(e.pos))
		t.addEdge(b, e)
	}
	t.beginWithAgents(b)
	if t.partial {
		t.leadEverywhere(b)
	}
	g, err := b.Compile(&graph.Config{
		Name: t.name, RecursionLimit: t.steps(),
		InterruptBefore: texts(t.before), InterruptAfter: texts(t.after),
	})
	if err != nil {
		t.reportCompile(err)
		return
	}
	t.reportProblems(g.Warnings())
	t.graph = g
}

// leadEverywhere gives every node an edge, so that nothing is said about
// nodes to which a part that was left out may lead.
func (t *tree) leadEverywhere(b *graph.Builder[record]) {
	for _, n := range t.nodes {
		if n.name != graph.Start && n.name != graph.End && (!n.agent || n.name != "" && t.crew == nil) {
			b.AddEdge(graph.Start, n.name)
		}
	}
}

// teamSteps is how many supersteps a run with agents may make: what bounds them
// is the policy of their handoffs.
const teamSteps = 10_000

// steps is how many supersteps a run may make; 0: as the engine has it.
func (t *tree) steps() int {
	if t.limit == 0 && t.team != nil {
		return teamSteps
	}
	return t.limit
}

func texts(refs []ref) []string {
	var out []string
	for _, r := range refs {
		out = append(out, r.name)
	}
	return out
}

func (t *tree) addNode(b *graph.Builder[record], n *nodeSpec, kid *tree) {
	cfg := &graph.NodeConfig{Retry: n.retry, Timeout: n.timeout, Defer: n.defers}
	switch {
	case n.agent:
		return
	case n.work != nil:
		b.AddNode(n.name, n.work.work, &n.work.cfg)
	case kid != nil:
		t.addKid(b, n, kid, cfg)
	case n.model != nil:
		t.addHelper(b, n, cfg)
	case n.script != nil:
		cfg.Writes, cfg.Exit = n.script.homeWrites(t), n.script.exit()
		b.AddNode(n.name, t.program(n.script, t.scopeOf(n.name)).node(), cfg)
		if ways := n.script.ways(); len(ways) > 0 {
			b.AddWays(n.name, ways...)
		}
	default:
		b.AddNode(n.name, idle, nil)
	}
}

// idle stands for the work of a node that could not be read.
func idle(context.Context, record) (graph.Command[record], error) {
	return graph.Command[record]{}, nil
}

func (t *tree) addKid(b *graph.Builder[record], n *nodeSpec, kid *tree, cfg *graph.NodeConfig) {
	cfg.Writes = kid.writesOut()
	if kid.graph == nil || kid.unfit {
		b.AddNode(n.name, idle, cfg)
		b.AddWays(n.name, kid.waysOut()...)
		return
	}
	m := &graph.Mount[record, record]{NodeConfig: *cfg, In: t.takes(kid, n.name)}
	if t.team != nil && kid.team != nil {
		m.Apart, m.Share = true, t.besideTeams(kid)
	}
	graph.AddSubgraph(b, n.name, kid.graph, m)
}

func (t *tree) addEdge(b *graph.Builder[record], e *edgeSpec) {
	switch {
	case t.crew == nil && slices.ContainsFunc(e.from, t.teamEnds): // what is wrong with the agents was told
	case len(e.cases) > 0:
		t.addRouter(b, e)
	case e.bad:
	case e.waits:
		for _, to := range e.to {
			b.AddJoin(t.sources(e.from), to.name)
		}
	default:
		for _, to := range e.to {
			t.addPlain(b, t.sources(e.from)[0], to.name)
		}
	}
}

// addPlain adds an edge, which may lead to the agents.
func (t *tree) addPlain(b *graph.Builder[record], from, to string) {
	if t.team == nil || to != teamName {
		b.AddEdge(from, to)
		return
	}
	t.leadToAgents(b, from)
}

func (t *tree) addRouter(b *graph.Builder[record], e *edgeSpec) {
	r := &router{}
	var ways []graph.Way
	always := false
	for _, c := range e.cases {
		made := way{to: route(c.to)}
		if len(c.to) == 0 {
			made.to = route([]ref{{name: graph.End}})
		}
		label := ""
		if c.when != nil {
			made.when, _ = t.Condition(c.when, t.base)
			made.place, label = t.At(c.when.Pos, "when"), c.when.Text
		}
		always = always || c.when == nil
		r.cases = append(r.cases, made)
		ways = append(ways, graph.Way{Label: label, Goto: texts(c.to)})
	}
	if !always {
		ways = append(ways, graph.Way{Label: "else", Goto: []string{graph.End}})
	}
	if !e.bad {
		b.AddBranch(t.sources(e.from)[0], r.choose, ways...)
	}
}
