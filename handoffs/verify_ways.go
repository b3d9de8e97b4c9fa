package handoffs

import (
	"slices"
	"strings"

	"github.com/graphrun/graphrun/internal/topo"
)

// ways are arcs by source and target; the value tells a handoff from a
// takeover.
type ways map[string]map[string]bool

func (w ways) add(a arc) {
	for _, id := range []string{a.from, a.to} {
		if w[id] == nil {
			w[id] = map[string]bool{}
		}
	}
	w[a.from][a.to] = w[a.from][a.to] || !a.reroute
}

// cycles returns the groups of agents that can all come to one another.
func (w ways) cycles() [][]string {
	g := &topo.Graph{}
	for _, from := range sortedKeys(w) {
		g.Nodes = append(g.Nodes, topo.Node{Name: "@" + from}) // no agent's id is one of topo's own names then
		for _, to := range sortedKeys(w[from]) {
			g.Edges = append(g.Edges, topo.Edge{From: "@" + from, To: "@" + to})
		}
	}
	comps := g.Cycles()
	for _, comp := range comps {
		for i := range comp {
			comp[i] = strings.TrimPrefix(comp[i], "@")
		}
	}
	return comps
}

// walk returns a way through all agents of a cycle, or the first ones of many,
// that ends where it begins and has a handoff in it; nil: it has none.
func (w ways) walk(comp []string) []string {
	for i, from := range comp {
		order := slices.Concat(comp[i+1:], comp[:i+1])
		j := slices.IndexFunc(order, func(to string) bool { return w[from][to] })
		if j < 0 {
			continue
		}
		path := []string{from, order[j]}
		for _, to := range order[:min(len(order)-1, mostWay-1)] {
			if !slices.Contains(path, to) {
				path = append(path, w.between(comp, path[len(path)-1], to)...)
			}
		}
		return append(path, w.between(comp, path[len(path)-1], from)...)
	}
	return nil
}

// between returns the shortest way from one agent of a cycle to another one,
// without the first.
func (w ways) between(comp []string, from, to string) []string {
	if from == to {
		return nil
	}
	came := map[string]string{}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		for _, id := range comp {
			if _, there := w[todo[0]][id]; !there || came[id] != "" || id == from {
				continue
			}
			came[id] = todo[0]
			todo = append(todo, id)
		}
	}
	var path []string
	for at := to; at != from; at = came[at] {
		path = append(path, at)
	}
	slices.Reverse(path)
	return path
}
