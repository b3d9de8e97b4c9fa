package handoffs

import "time"

// turnLimit returns the code of a limit that keeps a frame's agent from another
// turn; "": none does. It looks at the frame and at those that wait for it, at
// the run and its class.
func (p *Policy) turnLimit(d *Desk, f *Frame, now time.Time) Code {
	class := p.Classes[p.classOf(d)]
	switch {
	case reached(d.turns(), class.Turns), reached(d.Spent.Tokens, class.Tokens), overTime(&class, d.Begun, now):
		return CodeEconomic
	case reached(d.turns(), p.Limits.Turns), reached(f.Turns, f.Limits.Turns):
		return CodeTurns
	case overTime(&p.Limits, d.Begun, now):
		return CodeDeadline
	}
	for o := range d.upward(f) {
		if overTime(&o.Limits, o.Begun, now) {
			return CodeDeadline
		}
	}
	if left, bounded := p.tokensLeft(d, f, p.classOf(d)); bounded && left <= 0 {
		return CodeBudget
	}
	return ""
}

func overTime(m *Limits, begun, now time.Time) bool {
	return m.Time < 0 || !begun.IsZero() && reached(now.Sub(begun), m.Time)
}

// classOf is the economic class that a run has.
func (p *Policy) classOf(d *Desk) string {
	if d.Class != "" {
		return d.Class
	}
	return p.Class
}
