package topo

// The places of the two ends in every index.
const (
	startID = 0
	endID   = 1
)

// index numbers the names of a graph: Start, End, the nodes in their order, then the
// names that only edges hold, in the order of the edges.
type index struct {
	edges []Edge
	names []string
	id    map[string]int
	out   [][]int // the edges that leave a name, by place in edges
	from  []int   // the ends of each edge
	to    []int
}

func (g *Graph) index() *index {
	ix := &index{
		edges: g.Edges,
		id:    make(map[string]int, len(g.Nodes)+2),
		from:  make([]int, len(g.Edges)),
		to:    make([]int, len(g.Edges)),
	}
	ix.add(Start)
	ix.add(End)
	for _, n := range g.Nodes {
		ix.add(n.Name)
	}
	for i, e := range g.Edges {
		ix.from[i], ix.to[i] = ix.add(e.From), ix.add(e.To)
	}
	ix.out = make([][]int, len(ix.names))
	for i, f := range ix.from {
		ix.out[f] = append(ix.out[f], i)
	}
	return ix
}

// add returns the number of a name and gives it one if it has none.
func (ix *index) add(name string) int {
	id, ok := ix.id[name]
	if !ok {
		id = len(ix.names)
		ix.id[name] = id
		ix.names = append(ix.names, name)
	}
	return id
}

// successors returns, for each name, the names its edges lead to. The two ends have
// neither successors nor predecessors here.
func (ix *index) successors() [][]int {
	next := make([][]int, len(ix.names))
	for i, f := range ix.from {
		if t := ix.to[i]; f > endID && t > endID {
			next[f] = append(next[f], t)
		}
	}
	return next
}

// wait is one waiting edge: its targets are due when all its sources have run.
type wait struct {
	id      int
	sources []int // each once, in the order of the edges
	targets []int
}

// waits returns the waiting edges in the order in which the edges first name them.
func (ix *index) waits() []wait {
	var all []wait
	place := map[int]int{}
	type pair struct{ join, name int }
	source, target := map[pair]bool{}, map[pair]bool{}
	for i, e := range ix.edges {
		if e.Kind != Joined {
			continue
		}
		at, ok := place[e.Join]
		if !ok {
			at = len(all)
			place[e.Join] = at
			all = append(all, wait{id: e.Join})
		}
		w := &all[at]
		if p := (pair{at, ix.from[i]}); !source[p] {
			source[p] = true
			w.sources = append(w.sources, p.name)
		}
		if p := (pair{at, ix.to[i]}); !target[p] {
			target[p] = true
			w.targets = append(w.targets, p.name)
		}
	}
	return all
}
