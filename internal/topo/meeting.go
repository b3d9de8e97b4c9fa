package topo

import "slices"

// Meeting says that two nodes can run in one superstep, and how it comes to that.
type Meeting struct {
	// A and B are the two nodes, A not behind B in the order of names. They are equal
	// where one node can have several tasks in a step.
	A, B string
	// Steps are the nodes of each superstep from the first to the one in which the two
	// meet. A node with several tasks in a step is named twice there.
	Steps [][]string
}

// Meetings holds supersteps that runs of one graph can come to. It does not change
// once made and may be asked by several goroutines at once.
type Meetings struct {
	ix       *index
	states   []state
	complete bool
}

// Meetings follows the runs that the graph allows, superstep by superstep: all due
// nodes run, each takes all its static edges, one outcome of each of its choosers (see
// [Edge]) and adds to the waits it is a source of; deferred nodes run when nothing else
// is due, except where they are sent to. What it finds is therefore possible in the
// graph's shape, though the conditions on its edges may know better.
//
// The work is bounded and grows with the size of the graph; see [Meetings.Complete].
func (g *Graph) Meetings() *Meetings {
	x := newExplorer(g)
	x.run()
	return &Meetings{ix: x.ix, states: x.states, complete: x.complete}
}

// Complete reports whether all runs were followed, so that nodes for which no meeting
// was found cannot meet. Otherwise the bound was hit: meetings that were found are
// real, but there may be more.
func (m *Meetings) Complete() bool { return m.complete }

// Among returns a meeting of two of the named nodes, or of one of them with itself,
// that takes the fewest supersteps, and whether one was found.
func (m *Meetings) Among(names ...string) (Meeting, bool) {
	wanted := make([]bool, len(m.ix.names))
	for _, name := range names {
		if id, ok := m.ix.id[name]; ok && id > endID {
			wanted[id] = true
		}
	}
	for at, s := range m.states {
		var met []string
		for _, t := range s.tasks {
			if wanted[t.node] {
				met = t.appendName(met, m.ix)
			}
		}
		if len(met) > 1 {
			slices.Sort(met)
			return Meeting{A: met[0], B: met[1], Steps: m.steps(at)}, true
		}
	}
	return Meeting{}, false
}

// steps names the nodes of each step on the way to a state. The first state, in which
// Start runs, is left out.
func (m *Meetings) steps(at int) [][]string {
	var steps [][]string
	for ; at > 0; at = m.states[at].parent {
		var names []string
		for _, t := range m.states[at].tasks {
			names = t.appendName(names, m.ix)
		}
		steps = append(steps, names)
	}
	slices.Reverse(steps)
	return steps
}
