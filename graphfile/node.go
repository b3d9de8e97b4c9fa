package graphfile

import (
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
)

// goNode is a node that is written in Go.
type goNode struct {
	work graph.Node[record]
	cfg  graph.NodeConfig
}

// scriptKeys are the keys of scripted nodes and of their cases.
func scriptKeys() []string {
	return []string{"sleep", "fail", "interrupt", "update", "goto", "send", "parent", "cases"}
}

// node reads one node.
func (d *decoder) node(g *graphSpec, e source.Entry) *nodeSpec {
	n := &nodeSpec{ref: ref{name: e.Key, pos: e.KeyPos}}
	if e.Key == "" {
		d.rep.Errorf(e.KeyPos, "a node needs a name")
	}
	f := d.rep.Fields(orEmpty(e.Value), "a node")
	if f.Node == nil {
		n.failed, g.partial = true, true
		return n
	}
	n.retry = task.ReadRetry(d.Page, f)
	n.timeout, _ = f.Duration("timeout", 1, task.Longest)
	n.defers, _ = f.Bool("defer")
	switch {
	case f.Has("graph"):
		n.child = d.child(f.Take("graph"))
		n.failed = n.child == nil
		d.besideWork(f, "graph", append(scriptKeys(), "agent"))
	case f.Has("agent"):
		n.model = d.helper(f)
		n.failed = n.model == nil
		d.besideWork(f, "agent", scriptKeys())
	default:
		script, ok := d.script(f, false)
		n.script = &script
		g.partial = g.partial || !ok
	}
	f.Allow("graph", "agent")
	if !f.Done() || n.failed {
		g.partial = true
	}
	return n
}

// besideWork reports keys that a node cannot have beside its work.
func (d *decoder) besideWork(f *source.Fields, work string, keys []string) {
	for _, key := range f.Present(keys...) {
		d.rep.Errorf(f.KeyPos(key), "a node with %q cannot have %q: the %s is its work", work, key, work)
	}
}

// helper reads an agent that is a node of its own; nil if it cannot be told what
// it is.
func (d *decoder) helper(f *source.Fields) *agent.Spec {
	g := f.Fields("agent", "an agent")
	if g.Node == nil {
		return nil
	}
	g.Need("model")
	s := agent.Read(d.Page, g, d.kit)
	if s != nil {
		s.Talk = agent.Field{Name: "messages", Pos: f.KeyPos("agent")}
		if name, ok := g.Text("messages"); ok {
			s.Talk = agent.Field{Name: name, Pos: g.Take("messages").Pos}
		}
	}
	for _, key := range g.Present("handoff") {
		d.rep.Errorf(g.KeyPos(key), "an agent that is a node hands to nobody").Hint = `write it in the section "agents"`
	}
	g.Done()
	return s
}

// child reads a subgraph, inline or from a file of its own; nil if it has
// none that could be read.
func (d *decoder) child(n *source.Node) *graphSpec {
	if !d.count(d.rep, n.Pos) {
		return nil
	}
	if n.Get("file") == nil {
		if n.Kind != source.Map {
			d.rep.Errorf(n.Pos, "\"graph\": expected a graph or {file: path}, found %s", n.Kind)
			return nil
		}
		return d.graph(n)
	}
	f := d.rep.Fields(n, "a graph in a file of its own")
	path, ok := f.Text("file")
	if !f.Done() || !ok {
		return nil
	}
	return d.include(path, n.Get("file").Pos)
}
