package topo

import (
	"errors"
	"fmt"
)

// The bounds of what is drawn. They stop subgraphs that hold themselves, alone or by
// way of one another, and shared ones that multiply.
const (
	maxDepth = 64
	maxParts = 1_000_000 // nodes and edges over all levels
)

// checker gathers what is wrong with a graph and the subgraphs that are opened.
type checker struct {
	problems []error
	parts    int
	full     bool // a bound was hit, so that nothing further is looked at
}

// check returns an error that names all that keeps a graph from being drawn.
func check(g *Graph, open int) error {
	if g == nil {
		return fmt.Errorf("topo: %w: it is nil", ErrShape)
	}
	c := &checker{}
	c.graph(g, "", open, 0)
	if len(c.problems) == 0 {
		return nil
	}
	return fmt.Errorf("topo: %w: %w", ErrShape, errors.Join(c.problems...))
}

// graph checks one level. where is a prefix for its problems: empty for the outermost
// graph, otherwise the subgraph nodes on the way.
func (c *checker) graph(g *Graph, where string, open, depth int) {
	c.parts += len(g.Nodes) + len(g.Edges)
	switch {
	case depth > maxDepth:
		c.full = true
		c.report(where, "subgraphs are nested more than %d deep: does one hold itself?", maxDepth)
		return
	case c.parts > maxParts:
		c.full = true
		c.report(where, "with this graph there are more than %d nodes and edges: open fewer levels", maxParts)
		return
	}
	names := c.nodes(g, where)
	for _, e := range g.Edges {
		c.edge(e, where, names)
	}
	c.joins(g, where)
	if open == 0 {
		return
	}
	for _, n := range g.Nodes {
		if n.Inner != nil && !c.full {
			c.graph(n.Inner, fmt.Sprintf("%ssubgraph %q: ", where, n.Name), open-1, depth+1)
		}
	}
}

func (c *checker) report(where, format string, args ...any) {
	c.problems = append(c.problems, errors.New(where+fmt.Sprintf(format, args...)))
}

func (c *checker) nodes(g *Graph, where string) map[string]bool {
	names := make(map[string]bool, len(g.Nodes))
	for i, n := range g.Nodes {
		switch {
		case n.Name == "":
			c.report(where, "node %d has no name", i)
		case n.Name == Start || n.Name == End:
			c.report(where, "node %d is named %q, which is reserved", i, n.Name)
		case names[n.Name]:
			c.report(where, "two nodes are named %q", n.Name)
		}
		names[n.Name] = true
	}
	return names
}

func (c *checker) edge(e Edge, where string, names map[string]bool) {
	if e.Kind > Joined {
		c.report(where, "edge %q -> %q has an unknown kind %d", e.From, e.To, uint8(e.Kind))
	}
	if e.From == End || e.From != Start && !names[e.From] {
		c.report(where, "edge %q -> %q begins at %q, which is not a node", e.From, e.To, e.From)
	}
	if e.To == Start || e.To != End && !names[e.To] {
		c.report(where, "edge %q -> %q leads to %q, which is not a node", e.From, e.To, e.To)
	}
}

// joins checks that each wait has one target.
func (c *checker) joins(g *Graph, where string) {
	target := map[int]string{}
	for _, e := range g.Edges {
		if e.Kind != Joined {
			continue
		}
		to, ok := target[e.Join]
		switch {
		case e.Join < 0:
			c.report(where, "edge %q -> %q has the negative join id %d", e.From, e.To, e.Join)
		case ok && to != e.To:
			c.report(where, "the waiting edge %d leads to %q and to %q", e.Join, to, e.To)
		default:
			target[e.Join] = e.To
		}
	}
}
