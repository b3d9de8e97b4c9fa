package graphfile

import (
	"math"
	"strings"
	"unicode"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// mostSteps bounds recursion_limit.
const mostSteps = math.MaxInt32

// decoder reads the graphs of one file. It reports what is wrong and goes on.
type decoder struct {
	*loader
	text
	kit *agent.Kit // of the graph around; nil: there is none
}

// graph reads a whole file or an inline subgraph.
func (d *decoder) graph(n *source.Node) *graphSpec {
	g := &graphSpec{text: d.text, pos: n.Pos, lost: map[string]bool{}}
	f := d.rep.Fields(n, "a graph")
	if f.Node == nil {
		g.partial = true
		return g
	}
	g.name, _ = f.Text("name")
	g.description, _ = f.Text("description")
	around := d.kit
	d.kit = d.kitOf(f)
	g.kit, g.maker = d.kit, d.maker
	defer func() { d.kit = around }()
	d.fields(g, orEmpty(f.Take("state")))
	d.nodes(g, orEmpty(f.Take("nodes")))
	d.agents(g, f)
	d.edges(g, f)
	if limit, ok := f.Int("recursion_limit", 1, mostSteps); ok {
		g.limit = int(limit)
	}
	g.before, _ = d.refs(f.Take("interrupt_before"), `"interrupt_before"`)
	g.after, _ = d.refs(f.Take("interrupt_after"), `"interrupt_after"`)
	if !f.Done() {
		g.partial, g.vague = true, g.vague || f.Take("nodes") == nil
	}
	return g
}

// nodes reads the section "nodes".
func (d *decoder) nodes(g *graphSpec, n *source.Node) {
	if n != nil && n.Kind != source.Map {
		g.partial, g.vague = true, true
	}
	for _, e := range d.rep.Entries(n, `"nodes"`) {
		g.nodes = append(g.nodes, d.node(g, e))
	}
}

// edges reads the section "edges".
func (d *decoder) edges(g *graphSpec, f *source.Fields) {
	n := f.Take("edges")
	if n == nil || n.Kind == source.Null {
		return
	}
	items, ok := d.rep.Items(n, `"edges"`)
	if !ok {
		g.partial = true
	}
	for _, item := range items {
		edges, ok := d.edge(item)
		g.edges = append(g.edges, edges...)
		g.partial = g.partial || !ok
	}
}

// refs reads a name or a list of names. It is false if some were wrong.
func (d *decoder) refs(n *source.Node, what string) ([]ref, bool) {
	if n == nil {
		return nil, true
	}
	if n.Kind != source.String && n.Kind != source.List {
		d.rep.Errorf(n.Pos, "%s: expected a node's name or a list of them, found %s", what, n.Kind)
		return nil, false
	}
	var out []ref
	ok := true
	for _, item := range source.OneOrMany(n) {
		name, good := d.rep.Text(item, what)
		if ok = ok && good; good {
			out = append(out, ref{name: name, pos: item.Pos})
		}
	}
	return out, ok
}

// edge reads one edge, which as text may be a chain of several.
func (d *decoder) edge(n *source.Node) ([]*edgeSpec, bool) {
	switch n.Kind {
	case source.String:
		return d.arrows(n)
	case source.Map:
		return d.edgeMap(n)
	}
	d.rep.Errorf(n.Pos, "an edge: expected text like \"a -> b\" or a map, found %s", n.Kind)
	return nil, false
}

// arrows reads "A -> B", and "A -> B -> C" as the edges A -> B and B -> C.
func (d *decoder) arrows(n *source.Node) ([]*edgeSpec, bool) {
	if strings.Contains(n.Text, "-->") || strings.Contains(n.Text, "->>") {
		d.rep.Errorf(n.Pos, "the edge %q cannot be read", n.Text).Hint = `arrows are written "->"`
		return nil, false
	}
	parts := strings.Split(n.Text, "->")
	var names []ref
	at := 0
	for _, piece := range parts {
		name := strings.TrimSpace(piece)
		lead := page.Runes(piece) - page.Runes(strings.TrimLeftFunc(piece, unicode.IsSpace))
		if name == "" || len(parts) == 1 {
			d.rep.Errorf(n.Pos, "the edge %q cannot be read", n.Text).Hint = arrowHint(n.Text)
			return nil, false
		}
		names = append(names, ref{name, n.Pos, &part{n, at + lead}})
		at += page.Runes(piece) + len("->")
	}
	var out []*edgeSpec
	for i := range names[1:] {
		out = append(out, &edgeSpec{pos: n.Pos, from: names[i : i+1], to: names[i+1 : i+2]})
	}
	return out, true
}

func arrowHint(text string) string {
	for _, arrow := range []string{"=>", "→", "- >", ">", "-"} {
		if from, to, ok := strings.Cut(text, arrow); ok && strings.TrimSpace(from) != "" && strings.TrimSpace(to) != "" && !strings.Contains(text, "->") {
			return "write it \"" + strings.TrimSpace(from) + " -> " + strings.TrimSpace(to) + "\""
		}
	}
	return `write it "from -> to", with a node's name, ` + graph.Start + " or " + graph.End + " at each end"
}

// edgeMap reads {from, to} and {from, cases}.
func (d *decoder) edgeMap(n *source.Node) ([]*edgeSpec, bool) {
	f := d.rep.Fields(n, "an edge")
	e := &edgeSpec{pos: n.Pos}
	fromNode := f.Need("from")
	from, ok := d.refs(fromNode, `"from"`)
	ok = ok && fromNode != nil
	e.from, e.waits = from, fromNode != nil && fromNode.Kind == source.List
	switch f.AtMostOne("to", "cases") {
	case "to":
		to, good := d.goals(f.Take("to"))
		e.to, ok = to, ok && good
	case "cases":
		ok = d.edgeCases(e, f) && ok
	default:
		d.rep.Errorf(n.Pos, `an edge needs "to" or "cases"`)
		ok = false
	}
	e.bad = !ok || len(e.from) == 0 && !e.waits
	ok = f.Done() && ok
	return []*edgeSpec{e}, ok
}

// goals reads where an edge leads, which is not nowhere.
func (d *decoder) goals(n *source.Node) ([]ref, bool) {
	if n != nil && n.Kind == source.List && len(n.Items) == 0 {
		d.rep.Errorf(n.Pos, "\"to\" is empty").Hint = "write " + graph.End + " if nothing follows"
		return nil, false
	}
	return d.refs(n, `"to"`)
}

func (d *decoder) edgeCases(e *edgeSpec, f *source.Fields) bool {
	if e.waits {
		d.rep.Errorf(f.KeyPos("from"), `an edge with "cases" begins at one node`).Hint = "write one such edge for each node"
		return false
	}
	items, ok := f.Items("cases")
	if ok && len(items) == 0 {
		d.rep.Errorf(f.KeyPos("cases"), `"cases" is empty`)
	}
	always := false
	for _, item := range items {
		c := &wayCase{pos: item.Pos}
		cf := d.rep.Fields(item, "a case of an edge")
		c.when = cf.Take("when")
		to := cf.Need("to")
		refs, good := d.goals(to)
		c.to = refs
		ok = cf.Done() && good && to != nil && ok
		always = d.afterAlways(always, c.when, item.Pos)
		e.cases = append(e.cases, c)
	}
	return ok && len(items) > 0
}

// afterAlways warns of a case behind one that always holds.
func (d *decoder) afterAlways(always bool, when *source.Node, at source.Pos) bool {
	if always {
		d.rep.Warnf(at, "this case is never reached: the one before it has no \"when\" and always holds")
	}
	return always || when == nil
}
