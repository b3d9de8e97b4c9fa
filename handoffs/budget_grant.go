package handoffs

import "time"

// grant returns the limits of the frame that a handoff makes: the least of what
// the command, the edge and the target's profile say. Of the source's tokens it
// gets at most what is left. The target of a transfer inside a call, which owes
// the result of that call now, gets what is left of the call's limits.
func (c *Case) grant() Limits {
	l := c.Command.Budget
	if c.Edge != nil {
		own := c.Edge.Limits
		own.Handoffs = 0 // the edge's quota
		l = tighter(l, own)
	}
	if c.Target != nil && c.Target.Turns > 0 {
		l.Turns = least(l.Turns, c.Target.Turns)
	}
	k := c.Command.kind()
	if k != Call && k != Spawn && c.Frame != nil && (c.Frame.Caller != "" || c.Frame.Detached || c.Frame.Root != nil && c.Command.Actor != ByUser) {
		l = tighter(l, c.inherited())
	}
	left, bounded := c.Policy.tokensLeft(c.Desk, c.Frame, c.class())
	if bounded && l.Tokens > left {
		l.Tokens = restLimit(left)
	}
	return l
}

// inherited is what is left of the limits of the source's frame. Its turns are
// its own.
func (c *Case) inherited() Limits {
	f := c.Frame
	l := f.Limits
	l.Turns = 0
	if l.Tokens != 0 {
		left, _ := remaining(c.Desk, f)
		l.Tokens = restLimit(left)
	}
	if l.Handoffs > 0 {
		used := f.Handed
		if !c.apart() {
			used++
		}
		l.Handoffs = restLimit(l.Handoffs - used)
	}
	if l.Time > 0 {
		l.Time = restLimit(f.Begun.Add(l.Time).Sub(c.Now))
	}
	return l
}

// restLimit is a limit of so much: 0 would be none.
func restLimit[N int | time.Duration](n N) N {
	if n <= 0 {
		return -1
	}
	return n
}
