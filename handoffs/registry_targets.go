package handoffs

import (
	"slices"
	"time"
)

// AllowedTargets returns the ids of the agents that a handoff by an agent may
// name right now, in the order of registration: those of which a transfer or a
// call passes the policy's checks. What only the command will say is not held
// against them: its texts, its payload, and guards that look at these. A handoff
// that a person must approve is allowed. Facts are the state's fields; nil: none.
func AllowedTargets(p *Policy, d *Desk, log Log, from string, facts Facts, now time.Time) []string {
	var out []string
	for _, w := range waysFrom(p, d, log, from, facts, now) {
		out = append(out, w.agent.ID)
	}
	return out
}

// openWay is an agent that may be handed to.
type openWay struct {
	agent    *Profile
	edge     *Edge // that the handoff takes; nil: none is needed
	transfer bool  // which kinds are allowed: one of them, or both
	call     bool
}

// waysFrom returns the ways that are open to an agent, in the order of
// registration.
func waysFrom(p *Policy, d *Desk, log Log, from string, facts Facts, now time.Time) []openWay {
	d = begunDesk(p, d)
	if p.Disabled || d.Degraded {
		return nil
	}
	s := waySearch{checks: p.Checks, facts: facts, base: Case{Policy: p, Desk: d, Log: log, From: from, Now: now, Frame: frameAt(d, from)}}
	if s.checks == nil {
		s.checks = DefaultChecks()
	}
	s.base.Source, _ = p.Registry.Get(from)
	var out []openWay
	for a := range p.Registry.All() {
		w := openWay{agent: a}
		if e, ok := s.passes(a, Call); ok {
			w.call, w.edge = true, e
		}
		if e, ok := s.passes(a, Transfer); ok {
			w.transfer, w.edge = true, e
		}
		if w.call || w.transfer {
			out = append(out, w)
		}
	}
	return out
}

// begunDesk returns the desk, with class and workflow as a session begins with
// them if nobody was at work yet.
func begunDesk(p *Policy, d *Desk) *Desk {
	if d == nil {
		d = &Desk{}
	}
	if d.Active != "" {
		return d
	}
	begun := *d
	begun.Class = p.Class
	if p.Machine != nil {
		begun.Machine = p.Machine.Start
	}
	return &begun
}

// frameAt returns the frame of an agent that is at work, or else one that
// waits; nil: it has none.
func frameAt(d *Desk, agent string) *Frame {
	var found *Frame
	for i := range d.Frames {
		f := &d.Frames[i]
		if f.Agent == agent && (found == nil || f.State == FrameRunning && found.State != FrameRunning) {
			found = f
		}
	}
	return found
}

// waySearch tries handoffs of one agent.
type waySearch struct {
	base   Case
	checks []Check
	facts  Facts
	vague  bool // a guard looked at what only the command will say
}

// passes reports whether a handoff of a kind to an agent passes the checks, for
// any of the reasons that edges know, and by which edge.
func (s *waySearch) passes(to *Profile, k Kind) (*Edge, bool) {
	for _, reason := range s.reasons() {
		c := s.base
		c.Target, c.Command = to, &Command{Type: CommandType, Kind: k, Target: to.ID, Reason: reason}
		if c.Frame != nil {
			c.Depth = c.Frame.Depth
		}
		if k == Call {
			c.Depth++
		}
		c.Facts = s.known(c.Command)
		if e, ok := s.byAnyEdge(&c); ok {
			return e, true
		}
	}
	return nil, false
}

// reasons are none and those that edges ask for.
func (s *waySearch) reasons() []Reason {
	out := []Reason{""}
	for i := range s.base.Policy.Edges {
		for _, r := range s.base.Policy.Edges[i].Reasons {
			if !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// known are the facts of a command of which no more is known than its target
// and reason.
func (s *waySearch) known(c *Command) Facts {
	return func(name string) (any, bool) {
		switch name {
		case "payload":
			s.vague = true
			return map[string]any{}, true
		case "task":
			s.vague = true
			return "", true
		case "reason":
			s.vague = s.vague || c.Reason == ""
			return string(c.Reason), true
		case "source":
			return s.base.From, true
		case "target":
			return c.Target, true
		case "workflow":
			return s.base.Desk.Machine, true
		case "fired":
			return s.base.Desk.fired(), true
		}
		if s.facts == nil {
			return nil, false
		}
		return s.facts(name)
	}
}

// byAnyEdge tries the edges that may turn out to be the handoff's: those whose
// guards cannot be judged yet, and the first one that fits, or none.
func (s *waySearch) byAnyEdge(c *Case) (*Edge, bool) {
	c.Near = nil
	for i := range c.Policy.Edges {
		e := &c.Policy.Edges[i]
		if !e.joins(c.From, c.Target, c.Command) {
			continue
		}
		s.vague = false
		fits := e.fits(c)
		if fits || s.vague {
			c.Edge = e
			if s.allowed(c) {
				return e, true
			}
		}
		if fits {
			return nil, false
		}
		c.Near = append(c.Near, *e)
	}
	c.Edge = nil
	return nil, s.allowed(c)
}

// allowed reports whether the checks have nothing against a handoff but what
// the rest of its command may set right.
func (s *waySearch) allowed(c *Case) bool {
	d := decide(c, s.checks)
	return d.Verdict != Reject || !slices.ContainsFunc(d.Failures, func(f Failure) bool {
		return f.Code != CodeSyntax && f.Code != CodeMissing && f.Code != CodePayload
	})
}
