package handoffs

import (
	"cmp"
	"slices"
	"strconv"
)

// checkLoop rejects handoffs that a loop rule finds to be one too many.
func checkLoop(c *Case) []Failure {
	if !c.aimed() {
		return nil
	}
	var out []Failure
	for i := range c.Policy.Loops {
		r := &c.Policy.Loops[i]
		if !r.concerns(c) {
			continue
		}
		if n, limit, found := r.find(c); found {
			f := c.failure(r.code(), r.told(n, limit)...)
			f.Rule, f.Action = cmp.Or(r.Name, string(r.Key)), r.Action
			out = append(out, f)
		}
	}
	return out
}

// concerns reports whether a rule may reject a handoff.
func (r *LoopRule) concerns(c *Case) bool {
	return (r.From == "" || r.From == c.From) && (r.To == "" || r.To == c.Target.ID) &&
		(r.Kinds == nil || slices.Contains(r.Kinds, c.Command.kind()))
}

// find reports whether the handoff is one too many, with what was counted and
// what it is measured by. A key that there is not finds everything, so that it
// is not overlooked.
func (r *LoopRule) find(c *Case) (n, limit int, found bool) {
	switch r.Key {
	case "", LoopTarget, LoopEdge, LoopDuplicate:
		limit = orElse(r.Threshold, 1)
		n = r.countSame(c, limit)
	case LoopCycle:
		limit = max(2, r.Threshold)
		n = r.periods(c, limit)
	case LoopUnique:
		return r.tooFew(c)
	case LoopQuota:
		limit = orElse(r.Threshold, 1)
		n = c.Desk.between(c.From, c.Target.ID) + c.heldBy("", c.From, c.Target.ID)
	case LoopProgress:
		limit = orElse(r.Threshold, 3)
		n = r.still(c, limit)
	}
	return n, limit, n >= limit
}

// told are the numbers for the text, which is about how often something was.
func (r *LoopRule) told(n, limit int) []string {
	switch r.Key {
	case LoopUnique:
		return nil
	case LoopCycle: // the round that the handoff would complete is not among them
		n, limit = n-1, limit-1
	}
	return []string{"limit", strconv.Itoa(limit), "value", strconv.Itoa(n)}
}

func (r *LoopRule) code() Code {
	switch {
	case r.Code != "":
		return r.Code
	case r.Key == LoopDuplicate:
		return CodeDeadlock
	case r.Key == LoopQuota:
		return CodeQuota
	case r.Key == LoopProgress:
		return CodeNoProgress
	}
	return CodeLoop
}
