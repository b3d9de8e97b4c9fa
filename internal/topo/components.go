package topo

import (
	"cmp"
	"slices"
)

// Components returns the strongly connected components: the groups of nodes that can
// all come to one another, a node on no cycle being a group of its own. A component
// stands before those it leads to; within one the nodes have the graph's order. Start
// and End are left out.
func (g *Graph) Components() [][]string {
	ix := g.index()
	var named [][]string
	for _, c := range ix.components() {
		names := make([]string, len(c))
		for i, id := range c {
			names[i] = ix.names[id]
		}
		named = append(named, names)
	}
	return named
}

// Cycles returns the components that can run again: those of more than one node and
// nodes with an edge to themselves. Each begins with its smallest name and goes on in
// the order in which edges lead from it, so that a plain ring reads as it runs. The
// cycles are sorted by their first names.
func (g *Graph) Cycles() [][]string {
	ix := g.index()
	next := ix.successors()
	var cycles [][]string
	for _, c := range ix.components() {
		if len(c) > 1 || slices.Contains(next[c[0]], c[0]) {
			cycles = append(cycles, ix.ring(c, next))
		}
	}
	slices.SortFunc(cycles, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return cycles
}

// ring walks a component depth first from its smallest name.
func (ix *index) ring(component []int, next [][]int) []string {
	first := slices.MinFunc(component, func(a, b int) int { return cmp.Compare(ix.names[a], ix.names[b]) })
	todo := map[int]bool{}
	for _, id := range component {
		todo[id] = true
	}
	var names []string
	stack := []int{first}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !todo[at] {
			continue
		}
		delete(todo, at)
		names = append(names, ix.names[at])
		for _, t := range slices.Backward(next[at]) {
			if todo[t] {
				stack = append(stack, t)
			}
		}
	}
	return names
}

// components runs Tarjan's algorithm with a stack of its own.
func (ix *index) components() [][]int {
	t := &tarjan{next: ix.successors(), order: make([]int, len(ix.names)), low: make([]int, len(ix.names)), open: make([]bool, len(ix.names))}
	for id := range ix.names {
		if id > endID && t.order[id] == 0 {
			t.walk(id)
		}
	}
	slices.Reverse(t.found)
	return t.found
}

// tarjan is one search for strongly connected components.
type tarjan struct {
	next  [][]int
	order []int // when a node was first seen, from 1; 0 means not yet
	low   []int // the earliest open node that is known to be within reach
	open  []bool
	stack []int // the open nodes
	path  []visit
	count int
	found [][]int // a component stands behind those it leads to
}

// visit is a node on the way from the root, with the edges that were followed.
type visit struct{ node, edge int }

func (t *tarjan) walk(root int) {
	t.enter(root)
	for len(t.path) > 0 {
		v := &t.path[len(t.path)-1]
		if v.edge == len(t.next[v.node]) {
			t.leave(v.node)
			continue
		}
		target := t.next[v.node][v.edge]
		v.edge++
		switch {
		case t.order[target] == 0:
			t.enter(target)
		case t.open[target]:
			t.low[v.node] = min(t.low[v.node], t.order[target])
		}
	}
}

func (t *tarjan) enter(node int) {
	t.count++
	t.order[node], t.low[node], t.open[node] = t.count, t.count, true
	t.stack = append(t.stack, node)
	t.path = append(t.path, visit{node: node})
}

func (t *tarjan) leave(node int) {
	t.path = t.path[:len(t.path)-1]
	if len(t.path) > 0 {
		parent := t.path[len(t.path)-1].node
		t.low[parent] = min(t.low[parent], t.low[node])
	}
	if t.low[node] != t.order[node] {
		return
	}
	first := len(t.stack) - 1
	for t.stack[first] != node {
		first--
	}
	component := slices.Clone(t.stack[first:])
	t.stack = t.stack[:first]
	for _, member := range component {
		t.open[member] = false
	}
	slices.Sort(component)
	t.found = append(t.found, component)
}
