package topo

import "slices"

// Reachable returns the names that edges of any kind lead to from the given names,
// those included; without names it begins at Start. The target of a wait counts as
// soon as one source does. Names that the graph does not hold are left out.
func (g *Graph) Reachable(from ...string) map[string]bool {
	ix := g.index()
	if len(from) == 0 {
		from = []string{Start}
	}
	f := newFlood(ix)
	for _, name := range from {
		if id, ok := ix.id[name]; ok {
			f.visit(id)
		}
	}
	for f.more() {
		for _, e := range ix.out[f.take()] {
			f.visit(ix.to[e])
		}
	}
	return f.reached()
}

// Fillable returns what can be reached from Start where the target of a wait counts
// only when all its sources do. stuck lists, in ascending order, the Join ids of the
// waits that some source can reach and another cannot, so that they never fill.
//
// A wait whose sources exclude one another is not found: each of them can be reached.
func (g *Graph) Fillable() (reach map[string]bool, stuck []int) {
	ix := g.index()
	waits := ix.waits()
	feeds := make([][]int, len(ix.names)) // the waits that a name is a source of
	for i, w := range waits {
		for _, s := range w.sources {
			feeds[s] = append(feeds[s], i)
		}
	}
	arrived := make([]int, len(waits))
	f := newFlood(ix)
	f.visit(startID)
	for f.more() {
		at := f.take()
		for _, e := range ix.out[at] {
			if ix.edges[e].Kind != Joined {
				f.visit(ix.to[e])
			}
		}
		for _, w := range feeds[at] {
			arrived[w]++
			if arrived[w] == len(waits[w].sources) {
				f.visit(waits[w].targets...)
			}
		}
	}
	for i, w := range waits {
		if arrived[i] > 0 && arrived[i] < len(w.sources) {
			stuck = append(stuck, w.id)
		}
	}
	slices.Sort(stuck)
	return f.reached(), stuck
}

// flood is a set of reached names with those whose edges are still to be followed.
type flood struct {
	ix   *index
	seen []bool
	todo []int
}

func newFlood(ix *index) *flood {
	return &flood{ix: ix, seen: make([]bool, len(ix.names))}
}

func (f *flood) visit(ids ...int) {
	for _, id := range ids {
		if !f.seen[id] {
			f.seen[id] = true
			f.todo = append(f.todo, id)
		}
	}
}

func (f *flood) more() bool { return len(f.todo) > 0 }

func (f *flood) take() int {
	last := f.todo[len(f.todo)-1]
	f.todo = f.todo[:len(f.todo)-1]
	return last
}

func (f *flood) reached() map[string]bool {
	names := map[string]bool{}
	for id, ok := range f.seen {
		if ok {
			names[f.ix.names[id]] = true
		}
	}
	return names
}
