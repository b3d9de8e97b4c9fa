package handoffs

import "slices"

// Handoffs that were decided and have not begun hold their places: they begin
// without being decided again, so limits count them as if they had begun.

// held calls visit for every offer that waits and is not counted yet, also of
// work that was set aside.
func (d *Desk) held(visit func(o *Offer)) {
	visitHeld(d.Queue, visit)
	for i := range d.Parked {
		visitHeld(d.Parked[i].Queue, visit)
	}
}

func visitHeld(queue []Offer, visit func(o *Offer)) {
	for i := range queue {
		if queue[i].Attempt <= 1 && queue[i].Record != nil {
			visit(&queue[i])
		}
	}
}

// heldHandoffs is how many waiting handoffs will be counted for the run.
func (c *Case) heldHandoffs() int {
	n := 0
	c.Desk.held(func(o *Offer) {
		if !c.Policy.apart(o.Edge) {
			n++
		}
	})
	return n
}

// heldTurns is how many turns waiting handoffs will begin with.
func (c *Case) heldTurns() int {
	n := 0
	c.Desk.held(func(*Offer) { n++ })
	return n
}

// heldBy is how many waiting handoffs take an edge, or without one go from one
// agent to another.
func (c *Case) heldBy(edge, from, to string) int {
	n := 0
	c.Desk.held(func(o *Offer) {
		if edge != "" && o.Edge == edge || edge == "" && o.Record.From == from && o.To == to {
			n++
		}
	})
	return n
}

// heldUnder is how many waiting handoffs will be counted for a frame: its own
// and those of the frames that it waits for.
func (c *Case) heldUnder(frame *Frame) int {
	n := 0
	c.Desk.held(func(o *Offer) {
		for f := range c.Desk.upward(c.Desk.open(o.Source)) {
			if f.ID == frame.ID && !c.Policy.apart(o.Edge) {
				n++
			}
		}
	})
	return n
}

// heldAgents returns the agents that waiting handoffs go to and that had no part
// in any, each once.
func (c *Case) heldAgents() []string {
	var out []string
	c.Desk.held(func(o *Offer) {
		if o.To != c.From && !c.Desk.met(o.To) && !slices.Contains(out, o.To) {
			out = append(out, o.To)
		}
	})
	return out
}

// apart reports whether an edge's handoffs are not counted for the run.
func (p *Policy) apart(edge string) bool {
	if edge == "" {
		return false
	}
	i := slices.IndexFunc(p.Edges, func(e Edge) bool { return e.Name == edge })
	return i >= 0 && p.Edges[i].Apart
}
