package topo

import (
	"iter"
	"slices"
)

// The bounds of an exploration. A state is one superstep with what it holds over from
// earlier ones; work is counted in elements looked at or copied.
const (
	baseStates   = 2_000
	baseWork     = 200_000
	workPerPart  = 10 // more for each node and edge
	statePerPart = 2
	maxPicks     = 64 // combinations of outcomes that are all tried in one state
)

// explorer follows the runs of a graph breadth first.
type explorer struct {
	ix       *index
	plans    []plan
	deferred []bool
	waits    []wait
	slot     []int // the first mark of each wait; its sources have one each from there
	waitOf   []int // the wait of each mark

	states   []state
	known    map[string]bool
	work     int
	maxWork  int
	most     int // states
	complete bool

	due due
}

func newExplorer(g *Graph) *explorer {
	ix := g.index()
	parts := len(ix.names) + len(ix.edges)
	x := &explorer{
		ix:       ix,
		plans:    make([]plan, len(ix.names)),
		deferred: make([]bool, len(ix.names)),
		waits:    ix.waits(),
		known:    map[string]bool{},
		maxWork:  baseWork + workPerPart*parts,
		most:     baseStates + statePerPart*parts,
		due:      newDue(len(ix.names)),
	}
	for _, n := range g.Nodes {
		if n.Deferred {
			x.deferred[ix.id[n.Name]] = true
		}
	}
	for id := range ix.names {
		x.plans[id] = ix.plan(id)
	}
	for i, w := range x.waits {
		x.slot = append(x.slot, len(x.waitOf))
		for _, s := range w.sources {
			x.plans[s].marks = append(x.plans[s].marks, len(x.waitOf))
			x.waitOf = append(x.waitOf, i)
		}
	}
	return x
}

// run explores until every state was followed or a bound is hit.
func (x *explorer) run() {
	x.complete = true
	x.keep(state{tasks: []task{{node: startID, count: 1}}, parent: -1})
	for at := 0; at < len(x.states); at++ {
		units := x.units(x.states[at])
		if !few(units) {
			x.complete = false
		}
		for pick := range picks(units) {
			if x.work > x.maxWork || len(x.states) >= x.most {
				x.complete = false
				return
			}
			next := x.step(x.states[at], pick)
			next.parent = at
			if len(next.tasks) > 0 {
				x.keep(next)
			}
		}
	}
}

func (x *explorer) keep(s state) {
	key := s.key()
	if !x.known[key] {
		x.known[key] = true
		x.states = append(x.states, s)
	}
}

// units lists, for each choice that the tasks of a state make, its number of outcomes.
func (x *explorer) units(s state) []int {
	var units []int
	for _, t := range s.tasks {
		for range t.count {
			for _, c := range x.plans[t.node].choosers {
				units = append(units, len(c))
			}
		}
	}
	return units
}

// step runs the tasks of a state with the given outcomes and returns what is due then.
func (x *explorer) step(s state, pick []int) state {
	d := &x.due
	d.reset()
	marks := slices.Clone(s.marks)
	unit := 0
	for _, t := range s.tasks {
		p := &x.plans[t.node]
		d.edge(p.always...)
		marks = append(marks, p.marks...)
		x.work += 1 + len(p.always) + len(p.marks)
		for range t.count {
			for _, c := range p.choosers {
				o := c[pick[unit]]
				d.edge(o.gotos...)
				d.send(o.sends...)
				x.work += len(o.gotos) + len(o.sends) + 1
				unit++
			}
		}
	}
	slices.Sort(marks)
	marks = x.fill(slices.Compact(marks))
	next := x.collect(s.held, marks)
	x.work += len(next.tasks) + len(next.held) + len(next.marks)
	return next
}

// fill lets the waits whose marks are all there call their targets and takes their
// marks away. A wait for a deferred node keeps them until that node runs.
func (x *explorer) fill(marks []int) []int {
	var left []int
	for w, group := range x.byWait(marks) {
		full := len(group) == len(x.waits[w].sources)
		if full {
			x.due.edge(x.waits[w].targets...)
		}
		if !full || x.held(w) {
			left = append(left, group...)
		}
	}
	return left
}

// byWait yields the marks of each wait that has any, in order.
func (x *explorer) byWait(marks []int) iter.Seq2[int, []int] {
	return func(yield func(int, []int) bool) {
		for len(marks) > 0 {
			w, n := x.waitOf[marks[0]], 1
			for n < len(marks) && x.waitOf[marks[n]] == w {
				n++
			}
			if !yield(w, marks[:n]) {
				return
			}
			marks = marks[n:]
		}
	}
}

// held reports whether a filled wait has to go on waiting until nothing else is due.
func (x *explorer) held(w int) bool {
	return !slices.ContainsFunc(x.waits[w].targets, func(id int) bool { return !x.deferred[id] })
}

// collect makes the state that follows from what is due.
func (x *explorer) collect(held, marks []int) state {
	next := state{held: slices.Clone(held), marks: marks}
	slices.Sort(x.due.touched)
	for _, id := range x.due.touched {
		count := x.due.sends[id]
		switch {
		case !x.due.edges[id]:
		case x.deferred[id]:
			next.held = append(next.held, id)
		default:
			count++
		}
		if count > 0 {
			next.tasks = append(next.tasks, task{node: id, count: min(count, 2)})
		}
	}
	slices.Sort(next.held)
	next.held = slices.Compact(next.held)
	if len(next.tasks) == 0 {
		x.release(&next)
	}
	return next
}

// release makes the deferred nodes run that were held back.
func (x *explorer) release(s *state) {
	if len(s.held) == 0 {
		return
	}
	for _, id := range s.held {
		s.tasks = append(s.tasks, task{node: id, count: 1})
	}
	s.held = nil
	var left []int
	for w, group := range x.byWait(s.marks) {
		if len(group) < len(x.waits[w].sources) {
			left = append(left, group...)
		}
	}
	s.marks = left
}
