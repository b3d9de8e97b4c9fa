package handoffs

import (
	"cmp"
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
	l := limitFinder{c: c}
	l.run(&c.Policy.Limits, "run")
	l.class()
	if c.Policy.Depth >= 0 {
		l.depth("run", c.Depth, cmp.Or(c.Policy.Depth, 16))
	}
	l.edge()
	l.frames()
	return l.out
}

// limitFinder collects the limits that a handoff would break.
type limitFinder struct {
	c    *Case
	code Code // of all limits of a class; "": each has its own
	out  []Failure
}

// most notes that so much of what may be had is used.
func (l *limitFinder) most(code Code, rule, what string, used, most int) {
	if reached(used, most) {
		l.add(code, rule, strconv.Itoa(max(0, most))+" "+what, strconv.Itoa(used))
	}
}

func (l *limitFinder) add(code Code, rule, limit, value string) {
	f := l.c.failure(cmp.Or(l.code, code), "limit", limit, "value", value)
	f.Rule = rule
	l.out = append(l.out, f)
}

// run looks at limits of the whole run, or of its class.
func (l *limitFinder) run(m *Limits, rule string) {
	if *m == (Limits{}) {
		return
	}
	c := l.c
	if m.Handoffs != 0 && !c.apart() {
		l.most(CodeLimit, rule, "handoffs", c.Desk.made()+c.heldHandoffs(), m.Handoffs)
	}
	l.agents(m, rule)
	l.depth(rule, c.Depth, m.Depth)
	l.most(CodeTurns, rule, "turns", c.Desk.turns(), m.Turns)
	l.time(m, rule, c.Desk.Begun)
}

// agents looks whether the target is one agent too many.
func (l *limitFinder) agents(m *Limits, rule string) {
	c := l.c
	to := c.Target.ID
	if m.Agents == 0 || to == c.From || c.Desk.met(to) {
		return
	}
	n := c.Desk.agents()
	if !c.Desk.met(c.From) {
		n++
	}
	if c.Desk.waits() {
		waiting := c.heldAgents()
		for _, id := range waiting {
			if id == to {
				return
			}
		}
		n += len(waiting)
	}
	l.most(CodeAgents, rule, "agents", n, m.Agents)
}

func (l *limitFinder) depth(rule string, depth, most int) {
	if tooDeep(depth, most) {
		l.add(CodeDepth, rule, strconv.Itoa(max(0, most))+" calls deep", strconv.Itoa(depth))
	}
}

func (l *limitFinder) time(m *Limits, rule string, begun time.Time) {
	if m.Time == 0 {
		return
	}
	used := time.Duration(0)
	if !begun.IsZero() {
		used = l.c.Now.Sub(begun)
	}
	if reached(used, m.Time) {
		l.add(CodeDeadline, rule, max(0, m.Time).String(), used.String())
	}
}

// class looks at the limits of the run's economic class.
func (l *limitFinder) class() {
	name := l.c.class()
	if name == "" {
		return
	}
	m, known := l.c.Policy.Classes[name]
	l.code = CodeEconomic
	if !known {
		l.add(CodeEconomic, "class "+name, "a known class", strconv.Quote(name))
	}
	l.run(&m, "class "+name)
	l.most(CodeBudget, "class "+name, "tokens", l.c.Desk.Spent.Tokens, m.Tokens)
	l.code = ""
}

// edge looks at the quota of the handoff's edge.
func (l *limitFinder) edge() {
	e := l.c.Edge
	if e == nil || e.Limits.Handoffs == 0 {
		return
	}
	from, to := l.c.From, l.c.Target.ID
	used := l.c.Desk.taken(e, from, to) + l.c.heldBy(e.Name, from, to)
	l.most(CodeQuota, "edge "+cmp.Or(e.Name, from+"->"+to), "handoffs", used, e.Limits.Handoffs)
}

// frames looks at the limits of the source's frame and of those that wait for
// it.
func (l *limitFinder) frames() {
	c := l.c
	for f := range c.Desk.upward(c.Frame) {
		m := &f.Limits
		if *m == (Limits{}) {
			continue
		}
		rule := "frame " + f.ID
		if m.Handoffs != 0 && !c.apart() {
			l.most(CodeLimit, rule, "handoffs", f.Handed+c.heldUnder(f), m.Handoffs)
		}
		l.agents(m, rule)
		l.depth(rule, c.Depth-f.Depth, m.Depth)
		l.time(m, rule, f.Begun)
	}
}

// class is the economic class that the run has from this handoff on.
func (c *Case) class() string {
	return cmp.Or(c.Command.Class, c.Desk.Class, c.Policy.Class)
}

// apart reports whether the handoff is counted for its edge alone.
func (c *Case) apart() bool { return c.Edge != nil && c.Edge.Apart }
