package handoffs

import "slices"

// checks reports whether one of the checks of the usual pipeline is in force.
func (p *Policy) checks(name string) bool {
	return p.Checks == nil || slices.ContainsFunc(p.Checks, func(c Check) bool { return c.Name == name })
}

// limits reports whether the run has a limit, or its class, which no handoff can
// change.
func (p *Policy) limits(has func(*Limits) bool) bool {
	of := p.Classes[p.Class]
	return has(&p.Limits) || has(&of)
}

// counted names what counts the handoffs of a run; "": nothing does.
func (p *Policy) counted() string {
	if p.checks("limits") && p.limits(func(m *Limits) bool { return m.Handoffs != 0 }) {
		return "handoffs"
	}
	return ""
}

// runsOut names what every turn uses up; "": nothing.
func (p *Policy) runsOut() string {
	switch {
	case !p.checks("limits"):
	case p.limits(func(m *Limits) bool { return m.Turns != 0 }):
		return "turns"
	case p.limits(func(m *Limits) bool { return m.Time != 0 }) && p.Virtual.IsZero():
		return "time"
	case p.checks("budget") && p.limits(func(m *Limits) bool { return m.Tokens != 0 }):
		return "tokens"
	}
	return ""
}

// loopQuota returns a loop rule that bounds how often an arc can be taken in
// a run. Strict ones also count handoffs that wait.
func (p *Policy) loopQuota(a *arc, strict bool) *LoopRule {
	if a.reroute || !p.checks("loop") {
		return nil
	}
	for i := range p.Loops {
		r := &p.Loops[i]
		if r.From != "" && r.From != a.from || r.To != "" && r.To != a.to || !coversAll(r.Kinds, a.kinds) {
			continue
		}
		switch r.Key {
		case LoopQuota:
			return r
		case "", LoopTarget, LoopEdge:
			if r.Window <= 0 && !strict {
				return r
			}
		}
	}
	return nil
}
