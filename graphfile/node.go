package graphfile

import (
	"math"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// goNode is a node that is written in Go.
type goNode struct {
	work graph.Node[record]
	cfg  graph.NodeConfig
}

// longest is the longest duration a file may name.
const longest = 365 * 24 * time.Hour

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
	n.retry = d.retry(f)
	n.timeout, _ = f.Duration("timeout", 1, longest)
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

// retry reads the retry policy of a node.
func (d *decoder) retry(f *source.Fields) *graph.RetryPolicy {
	if !f.Has("retry") {
		return nil
	}
	p := &graph.RetryPolicy{RetryOn: retryable}
	r := d.rep.Fields(orEmpty(f.Take("retry")), "a retry policy")
	if n, ok := r.Int("max_attempts", 1, math.MaxInt32); ok {
		p.MaxAttempts = int(n)
	}
	first, hasFirst := r.Duration("initial_interval", 0, longest)
	if p.InitialInterval = first; hasFirst && first == 0 {
		p.InitialInterval = -1
	}
	p.Backoff, _ = r.Float("backoff", 1, 1000)
	most, hasMost := r.Duration("max_interval", 1, longest)
	p.MaxInterval = most
	if hasFirst && hasMost && most < first {
		d.rep.Errorf(r.KeyPos("max_interval"), "\"max_interval\" (%s) is shorter than \"initial_interval\" (%s)", most, first)
	}
	if jitter, ok := r.Bool("jitter"); ok {
		p.NoJitter = !jitter
	}
	r.Done()
	return p
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
