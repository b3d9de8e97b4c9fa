package handoffs

import (
	"fmt"
	"slices"
	"time"
)

// ruleDrive does with decisions what a manager does: it keeps a desk and a log of
// handoffs that begin, wait, return and cost.
type ruleDrive struct {
	p      *Policy
	checks []Check
	d      *Desk
	log    []Entry
	now    time.Time
	ids    int
}

func newRuleDrive(p *Policy, agents ...string) *ruleDrive {
	var list []Profile
	for _, id := range agents {
		list = append(list, Profile{ID: id})
	}
	p.Registry = MustRegistry(list...)
	return &ruleDrive{p: p, checks: DefaultChecks(), now: ruleNoon, d: &Desk{Class: p.Class, Made: 1, Frames: []Frame{{ID: "f1", Agent: agents[0]}}}}
}

func (x *ruleDrive) frame(id string) *Frame {
	i := slices.IndexFunc(x.d.Frames, func(f Frame) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &x.d.Frames[i]
}

// at is the frame of an agent.
func (x *ruleDrive) at(agent string) *Frame {
	i := slices.IndexFunc(x.d.Frames, func(f Frame) bool { return f.Agent == agent })
	return &x.d.Frames[i]
}

// decide decides a command of a frame, and makes an offer of it.
func (x *ruleDrive) decide(f *Frame, cmd Command) (Decision, *Offer) {
	from := *f
	c := &Case{Policy: x.p, Desk: x.d, Log: LogOf(x.log), Command: &cmd, Now: x.now, Session: "s", From: f.Agent, Frame: &from,
		Hash: cmd.Task, Depth: f.Depth}
	k := cmd.kind()
	if k == Call || k == Spawn {
		c.Depth++
	}
	c.Source, _ = x.p.Registry.Get(f.Agent)
	c.Target, _ = x.p.Registry.Get(cmd.Target)
	takeEdge(c)
	d := decide(c, x.checks)
	if d.Verdict == Reject {
		return d, nil
	}
	x.ids++
	r := CommandToRecord(&cmd, fmt.Sprint("h", x.ids), f.Agent, "s", x.now)
	r.Hash = c.Hash
	o := &Offer{Record: &r, To: cmd.Target, Attempt: 1, Source: f.ID, Frame: Frame{Agent: cmd.Target, Depth: c.Depth, Limits: c.grant(), Caller: f.Caller}}
	if k == Call || k == Spawn {
		o.Frame.Caller = f.ID
	}
	if c.Edge != nil {
		o.Edge = c.Edge.Name
	}
	return d, o
}

// takeEdge finds the first edge that fits.
func takeEdge(c *Case) {
	for i := range c.Policy.Edges {
		e := &c.Policy.Edges[i]
		if e.From != nil && !slices.Contains(e.From, c.From) || e.To != nil && !slices.Contains(e.To, c.Command.Target) {
			continue
		}
		holds, _ := e.Guard.holds(c.Facts)
		if holds && (e.Kinds == nil || slices.Contains(e.Kinds, c.Command.kind())) && (e.When == nil || slices.Contains(e.When, c.Desk.Machine)) {
			c.Edge, c.Near = e, nil
			return
		}
		c.Near = append(c.Near, *e)
	}
}

// begin lets an offer begin, and returns its frame's id.
func (x *ruleDrive) begin(o *Offer) string {
	source := x.frame(o.Source)
	if x.d.Begun.IsZero() {
		x.d.Begun = x.now
	}
	var edge *Edge
	if i := slices.IndexFunc(x.p.Edges, func(e Edge) bool { return e.Name == o.Edge && o.Edge != "" }); i >= 0 {
		edge = &x.p.Edges[i]
	}
	x.d.countHandoff(edge, o.Record.From, o.To)
	for f := range x.d.upward(source) {
		if edge == nil || !edge.Apart {
			f.Handed++
		}
	}
	x.d.Made++
	child := o.Frame
	child.ID, child.Begun, child.Turns = fmt.Sprint("f", x.d.Made), x.now, 1
	x.d.countTurn()
	x.log = append(x.log, Entry{Handoff: o.Record.ID, From: o.Record.From, To: o.To, Kind: o.Record.Kind, Record: o.Record, Stages: []Status{Requested, Validated, Accepted, Running}})
	if k := o.Record.Kind; k == Call || k == Spawn {
		x.d.Frames = append(x.d.Frames, child)
	} else {
		*source = child
	}
	return child.ID
}

// hand decides a handoff between agents and lets it begin if it may. It returns
// the codes that speak against it.
func (x *ruleDrive) hand(from, to string, change func(*Command)) []Code {
	cmd := NewCommand(to, Delegation, "")
	if change != nil {
		change(&cmd)
	}
	d, o := x.decide(x.at(from), cmd)
	if d.Verdict != Allow {
		var out []Code
		for _, f := range d.Failures {
			out = append(out, f.Code)
		}
		return out
	}
	x.begin(o)
	return nil
}

// back ends a frame that nobody under it works for.
func (x *ruleDrive) back(f *Frame) {
	caller := x.frame(f.Caller)
	x.log = append(x.log, Entry{Event: EventReturn, From: f.Agent, To: caller.Agent, Kind: Return, Stages: []Status{Returned}})
	id := f.ID
	x.d.Frames = slices.DeleteFunc(x.d.Frames, func(o Frame) bool { return o.ID == id })
}

func (x *ruleDrive) spend(f *Frame, tokens int) {
	charge(&x.d.Spent, f, x.frame, Usage{Tokens: tokens})
}

func ruleCalling(c *Command) { c.Kind = Call }

// ruleAsking calls with a budget of tokens.
func ruleAsking(tokens int) func(*Command) {
	return func(c *Command) { c.Kind, c.Budget.Tokens = Call, tokens }
}
