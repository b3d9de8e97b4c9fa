package graphfile

import (
	"github.com/graphrun/graphrun/graph"
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
	if f.Has("graph") {
		n.child = d.child(f.Take("graph"))
		n.failed = n.child == nil
		for _, key := range f.Present(scriptKeys()...) {
			d.rep.Errorf(f.KeyPos(key), "a node with \"graph\" cannot have %q: the graph is its work", key)
		}
	} else {
		script, ok := d.script(f, false)
		n.script = &script
		g.partial = g.partial || !ok
	}
	f.Allow("graph")
	if !f.Done() || n.failed {
		g.partial = true
	}
	return n
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
