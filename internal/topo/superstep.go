package topo

import (
	"encoding/binary"
	"iter"
)

// state is one superstep: the tasks that run in it and what earlier ones left.
type state struct {
	tasks  []task // by node
	held   []int  // deferred nodes that are due, in order
	marks  []int  // sources that waits have seen, in order
	parent int    // the state it follows
}

// task is a node that runs in a step; count is 1, or 2 where it has several tasks.
type task struct{ node, count int }

func (t task) appendName(names []string, ix *index) []string {
	for range t.count {
		names = append(names, ix.names[t.node])
	}
	return names
}

// key is equal for two states that go on alike.
func (s state) key() string {
	b := make([]byte, 0, 3*(2*len(s.tasks)+len(s.held)+len(s.marks)+2))
	b = binary.AppendUvarint(b, uint64(len(s.tasks)))
	for _, t := range s.tasks {
		b = binary.AppendUvarint(b, uint64(t.node))
		b = append(b, byte(t.count))
	}
	b = binary.AppendUvarint(b, uint64(len(s.held)))
	for _, id := range s.held {
		b = binary.AppendUvarint(b, uint64(id))
	}
	for _, m := range s.marks {
		b = binary.AppendUvarint(b, uint64(m))
	}
	return string(b)
}

// due collects the nodes that are called in one step. It is used again for each step.
type due struct {
	edges   []bool // called by an edge or a goto: one task, however many call
	sends   []int  // called by sends: one task each
	touched []int
}

func newDue(names int) due {
	return due{edges: make([]bool, names), sends: make([]int, names)}
}

func (d *due) reset() {
	for _, id := range d.touched {
		d.edges[id], d.sends[id] = false, 0
	}
	d.touched = d.touched[:0]
}

func (d *due) touch(id int) bool {
	if id <= endID {
		return false
	}
	if !d.edges[id] && d.sends[id] == 0 {
		d.touched = append(d.touched, id)
	}
	return true
}

func (d *due) edge(ids ...int) {
	for _, id := range ids {
		if d.touch(id) {
			d.edges[id] = true
		}
	}
}

func (d *due) send(ids ...int) {
	for _, id := range ids {
		if d.touch(id) {
			d.sends[id]++
		}
	}
}

// plan is what a node does when it has run.
type plan struct {
	always   []int // targets of static edges
	marks    []int // what it adds to waits
	choosers [][]outcome
}

// outcome is what one chooser may decide. A send that may make many tasks is there
// twice.
type outcome struct{ gotos, sends []int }

// plan reads a node's edges, save the waiting ones.
func (ix *index) plan(id int) plan {
	type chooser struct {
		command bool
		router  int
	}
	type option struct{ chooser, choice int }
	var p plan
	chooserAt, outcomeAt := map[chooser]int{}, map[option]int{}
	for _, i := range ix.out[id] {
		e := ix.edges[i]
		if e.Kind == Static {
			p.always = append(p.always, ix.to[i])
		}
		if !e.optional() {
			continue
		}
		key := chooser{command: e.Kind != Conditional, router: e.Router}
		c, ok := chooserAt[key]
		if !ok {
			c = len(p.choosers)
			chooserAt[key] = c
			p.choosers = append(p.choosers, nil)
		}
		o, ok := outcomeAt[option{c, e.Choice}]
		if !ok || e.Choice <= 0 {
			o = len(p.choosers[c])
			outcomeAt[option{c, e.Choice}] = o
			p.choosers[c] = append(p.choosers[c], outcome{})
		}
		p.choosers[c][o].add(e, ix.to[i])
	}
	return p
}

func (o *outcome) add(e Edge, target int) {
	switch {
	case e.Kind != Sent:
		o.gotos = append(o.gotos, target)
	case e.Many:
		o.sends = append(o.sends, target, target)
	default:
		o.sends = append(o.sends, target)
	}
}

// free returns the units that have a choice.
func free(units []int) []int {
	var places []int
	for i, n := range units {
		if n > 1 {
			places = append(places, i)
		}
	}
	return places
}

// few reports whether all combinations of outcomes can be tried.
func few(units []int) bool {
	product := 1
	for _, n := range units {
		if product *= n; product > maxPicks {
			return len(free(units)) < 2
		}
	}
	return true
}

// picks yields combinations of outcomes, one number for each unit: all of them where
// they are few, otherwise all pairs of outcomes of two units while the others take
// their first. The slice is used again.
func picks(units []int) iter.Seq[[]int] {
	if few(units) {
		return allPicks(units)
	}
	return pairPicks(units)
}

func allPicks(units []int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		pick := make([]int, len(units))
		for yield(pick) {
			at := 0
			for at < len(pick) && pick[at] == units[at]-1 {
				pick[at] = 0
				at++
			}
			if at == len(pick) {
				return
			}
			pick[at]++
		}
	}
}

func pairPicks(units []int) iter.Seq[[]int] {
	places := free(units)
	return func(yield func([]int) bool) {
		pick := make([]int, len(units))
		for k, j := range places {
			for _, i := range places[:k] {
				for n := range units[i] * units[j] {
					pick[i], pick[j] = n/units[j], n%units[j]
					if !yield(pick) {
						return
					}
				}
				pick[i], pick[j] = 0, 0
			}
		}
	}
}
