package handoffs

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// checkLimits rejects handoffs that would be one too many for the run, its
// class, their edge, or one of the frames that they are made for. Tokens of the
// run and of frames are checkBudget's.
func checkLimits(c *Case) []Failure {
	if !c.aimed() {
		return nil
	}
	l := limitFinder{c: c, kind: "run", agents: -1}
	l.run(&c.Policy.Limits)
	if c.Policy.Depth >= 0 {
		l.depth(c.Depth, cmp.Or(c.Policy.Depth, 16))
	}
	l.class()
	l.edge()
	l.frames()
	return l.out
}

// limitFinder collects the limits that a handoff would break.
type limitFinder struct {
	c          *Case
	kind, name string // whose limits are looked at
	code       Code   // of all limits of a class; "": each has its own
	agents     int    // different agents that count; -1: not counted yet
	out        []Failure
}

// most notes that so much of what may be had is used.
func (l *limitFinder) most(code Code, what string, used, most int) {
	if reached(used, most) {
		l.add(code, strconv.Itoa(max(0, most)), what, strconv.Itoa(used))
	}
}

// add notes a limit. A class has one code for all of its own: there the text
// needs to tell which one it is.
func (l *limitFinder) add(code Code, limit, what, value string) {
	if l.code != "" {
		code, limit = l.code, limit+" "+what
	}
	f := l.c.failure(code, "limit", limit, "value", value)
	f.Rule = l.kind
	if l.name != "" {
		f.Rule += " " + l.name
	}
	l.out = append(l.out, f)
}

// run looks at limits of the whole run, or of its class.
func (l *limitFinder) run(m *Limits) {
	c := l.c
	if m.Handoffs != 0 && !c.apart() {
		l.most(CodeLimit, "handoffs", c.Desk.made()+c.heldHandoffs(), m.Handoffs)
	}
	l.newAgent(m)
	l.depth(c.Depth, m.Depth)
	if m.Turns != 0 {
		l.most(CodeTurns, "turns", c.Desk.turns()+c.heldTurns(), m.Turns)
	}
	l.time(m, c.Desk.Begun)
}

// newAgent looks whether the target is one agent too many.
func (l *limitFinder) newAgent(m *Limits) {
	if m.Agents == 0 {
		return
	}
	if l.agents < 0 {
		l.agents = l.c.others()
	}
	if l.agents > 0 {
		l.most(CodeAgents, "agents", l.agents, m.Agents)
	}
}

// others is how many different agents have part in handoffs, the source and
// those that waiting ones go to included; 0 if the target is one of them.
func (c *Case) others() int {
	to := c.Target.ID
	if to == c.From || c.Desk.met(to) {
		return 0
	}
	waiting := c.heldAgents()
	if slices.Contains(waiting, to) {
		return 0
	}
	n := c.Desk.agents() + len(waiting)
	if !c.Desk.met(c.From) {
		n++
	}
	return n
}

func (l *limitFinder) depth(depth, most int) {
	if tooDeep(depth, most) {
		l.add(CodeDepth, strconv.Itoa(max(0, most)), "calls in one another", strconv.Itoa(depth))
	}
}

func (l *limitFinder) time(m *Limits, begun time.Time) {
	if m.Time == 0 {
		return
	}
	used := time.Duration(0)
	if !begun.IsZero() {
		used = l.c.Now.Sub(begun)
	}
	if reached(used, m.Time) {
		l.add(CodeDeadline, max(0, m.Time).String(), "of time", used.String())
	}
}

// class looks at the limits of the run's economic class.
func (l *limitFinder) class() {
	l.kind, l.name = "class", l.c.class()
	if l.name == "" {
		return
	}
	if other := l.c.Command.Class; other != "" && other != l.name {
		l.out = append(l.out, Failure{Code: CodeEconomic, Message: "The run is of the class " + strconv.Quote(l.name) + ", which a handoff cannot change.", Rule: "class " + l.name})
	}
	m, known := l.c.Policy.Classes[l.name]
	l.code = CodeEconomic
	if !known {
		text := "There is no economic class " + strconv.Quote(l.name) + "."
		l.out = append(l.out, Failure{Code: CodeEconomic, Message: text, Rule: "class " + l.name})
	}
	l.run(&m)
	l.most(CodeBudget, "tokens", l.c.Desk.Spent.Tokens, m.Tokens)
	l.code = ""
}

// edge looks at the quota of the handoff's edge.
func (l *limitFinder) edge() {
	e := l.c.Edge
	if e == nil || e.Limits.Handoffs == 0 {
		return
	}
	from, to := l.c.From, l.c.Target.ID
	l.kind, l.name = "edge", e.Name
	used := l.c.Desk.taken(e, from, to) + l.c.heldBy(e.Name, from, to)
	l.most(CodeQuota, "handoffs", used, e.Limits.Handoffs)
}

// frames looks at the limits of the source's frame and of those that wait for
// it.
func (l *limitFinder) frames() {
	c := l.c
	for f := range c.Desk.upward(c.Frame) {
		m := &f.Limits
		l.kind, l.name = "frame", f.ID
		if m.Handoffs != 0 && !c.apart() {
			l.most(CodeLimit, "handoffs", f.Handed+c.heldUnder(f), m.Handoffs)
		}
		l.newAgent(m)
		l.depth(c.Depth-f.Depth, m.Depth)
		l.time(m, f.Begun)
	}
}

// class is the economic class that the run has from this handoff on: a command
// gives one to a run that has none, also if it has to wait.
func (c *Case) class() string {
	name := cmp.Or(c.Desk.Class, c.Policy.Class)
	if name == "" {
		c.Desk.held(func(o *Offer) { name = cmp.Or(name, o.Class) })
	}
	return cmp.Or(name, c.Command.Class)
}

// apart reports whether the handoff is counted for its edge alone.
func (c *Case) apart() bool { return c.Edge != nil && c.Edge.Apart }
