package graph

import (
	"slices"

	"github.com/graphrun/graphrun/internal/topo"
)

// topology describes the shape of the parts.
func (c *compiler) topology() *topo.Graph {
	g := &topo.Graph{Name: c.cfg.Name}
	for _, p := range c.nodes {
		if c.byName[p.name] == p {
			g.Nodes = append(g.Nodes, c.shapeNode(p))
		}
	}
	for _, e := range c.edges {
		g.Edges = append(g.Edges, topo.Edge{From: e.from, To: e.to})
	}
	for id, j := range c.joins {
		for _, s := range j.sources {
			g.Edges = append(g.Edges, topo.Edge{From: s, To: j.to, Kind: topo.Joined, Join: id})
		}
	}
	for i, b := range c.branches {
		g.Edges = append(g.Edges, wayEdges(b.from, b.ways, topo.Conditional, i+1)...)
	}
	for _, p := range c.nodes {
		g.Edges = append(g.Edges, wayEdges(p.name, p.outcomes(), topo.Declared, 0)...)
	}
	return g
}

func (c *compiler) shapeNode(p *part) topo.Node {
	n := topo.Node{Name: p.name, Deferred: p.cfg.Defer}
	if p.child != nil {
		n.Inner = p.child.shape
	}
	before, after := slices.Contains(c.cfg.InterruptBefore, p.name), slices.Contains(c.cfg.InterruptAfter, p.name)
	switch {
	case before && after:
		n.Note = "interrupt before and after"
	case before:
		n.Note = "interrupt before"
	case after:
		n.Note = "interrupt after"
	}
	return n
}

// outcomes returns what a node's command may choose: the declared ways, else
// each target for itself.
func (p *part) outcomes() []Way {
	ways := slices.Clone(p.ways)
	for _, t := range p.cfg.Goto {
		ways = append(ways, Way{Goto: []string{t}})
	}
	for _, t := range p.cfg.Send {
		ways = append(ways, Way{Send: []string{t}, Many: true})
	}
	return ways
}

// wayEdges makes the edges of one chooser. An outcome with several targets is
// one choice.
func wayEdges(from string, ways []Way, kind topo.EdgeKind, router int) []topo.Edge {
	var out []topo.Edge
	for i, w := range ways {
		choice := 0
		if len(w.Goto)+len(w.Send) > 1 {
			choice = i + 1
		}
		for _, t := range w.Goto {
			out = append(out, topo.Edge{From: from, To: t, Kind: kind, Label: w.Label, Router: router, Choice: choice})
		}
		for _, t := range w.Send {
			sent := topo.Edge{From: from, To: t, Kind: topo.Sent, Label: w.Label, Router: router, Choice: choice, Many: w.Many}
			out = append(out, sent)
		}
	}
	return out
}
