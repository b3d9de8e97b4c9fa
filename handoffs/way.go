package handoffs

import (
	"slices"
	"strings"
)

// findEdge finds the edge that a handoff takes.
func (w *work) findEdge(c *Case, g *given) {
	if g.edge() != nil {
		c.Edge = g.edge()
		return
	}
	for i := range w.m.p.Edges {
		e := &w.m.p.Edges[i]
		if !e.joins(c.From, c.Target, c.Command) {
			continue
		}
		if e.fits(c) {
			c.Edge, c.Near = e, nil
			return
		}
		c.Near = append(c.Near, *e)
	}
}

// joins reports whether an edge leads from a source to a target.
func (e *Edge) joins(from string, to *Profile, c *Command) bool {
	if e.From != nil && !slices.Contains(e.From, from) {
		return false
	}
	switch {
	case e.To == nil && e.Capability == "":
		return true
	case to == nil:
		return false
	case slices.Contains(e.To, to.ID):
		return true
	}
	return e.Capability != "" && (slices.Contains(to.Capabilities, e.Capability) || to.Specialization == e.Capability)
}

// fits reports whether an edge may be taken by a handoff now.
func (e *Edge) fits(c *Case) bool {
	if e.Kinds != nil && !slices.Contains(e.Kinds, c.Command.kind()) {
		return false
	}
	if e.Reasons != nil && !slices.Contains(e.Reasons, c.Command.Reason) {
		return false
	}
	if e.When != nil && !slices.Contains(e.When, c.Desk.Machine) {
		return false
	}
	holds, _ := e.Guard.holds(c.Facts)
	return holds
}

// facts are what guards of a handoff see.
func (w *work) facts(f *Frame, g *given) Facts {
	return func(name string) (any, bool) {
		switch name {
		case "payload":
			if g.command.Payload == nil {
				return map[string]any{}, true
			}
			return g.command.Payload, true
		case "task":
			return g.command.Task, true
		case "reason":
			return string(g.command.Reason), true
		case "source":
			return f.Agent, true
		case "target":
			return g.command.Target, true
		case "workflow":
			return w.d.Machine, true
		case "fired":
			return w.d.fired(), true
		}
		if w.in.Facts == nil {
			return nil, false
		}
		return w.in.Facts(name)
	}
}

// fired tells how often each rule has fired in the session.
func (d *Desk) fired() map[string]any {
	out := map[string]any{}
	for key, n := range d.Counts {
		if name, ok := strings.CutPrefix(key, "rule:"); ok {
			out[name] = int64(n)
		}
	}
	return out
}

func (w *work) count(key string) {
	if w.d.Counts == nil {
		w.d.Counts = map[string]int{}
	}
	w.d.Counts[key]++
}
