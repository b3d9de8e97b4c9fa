package handoffs

import (
	"cmp"
	"slices"
)

// checkEdge rejects handoffs that no edge allows, and payloads that do not have
// what their edge wants. It does not bind the engine, which goes where the policy
// sends it when something fails. Escalations up the ladder need no edge, but must
// not go down it or to a rung that was tried.
func checkEdge(c *Case) []Failure {
	if !c.aimed() || c.Command.Actor == BySystem {
		return nil
	}
	onLadder := c.Command.kind() == Escalate && slices.Contains(c.Policy.Ladder, c.Target.ID)
	switch {
	case onLadder && c.tried():
		return []Failure{c.failure(CodeLadder)}
	case c.Edge != nil:
		return c.wrongPayload()
	case c.Policy.Edges == nil || onLadder:
		return nil
	}
	return []Failure{c.noEdge()}
}

// tried reports whether an escalation would come to a rung of the ladder that
// was tried, or that is below its source.
func (c *Case) tried() bool {
	if c.Frame != nil && slices.Contains(c.Frame.Visited, c.Target.ID) {
		return true
	}
	ladder := c.Policy.Ladder
	return slices.Index(ladder, c.Target.ID) <= slices.Index(ladder, c.From)
}

// noEdge says why no edge fits: of the first edge that only lacks its guard, or
// else the workflow's state, that is what is wrong.
func (c *Case) noEdge() Failure {
	var state *Edge
	for i := range c.Near {
		e := &c.Near[i]
		if e.Kinds != nil && !slices.Contains(e.Kinds, c.Command.kind()) || e.Reasons != nil && !slices.Contains(e.Reasons, c.Command.Reason) {
			continue
		}
		if e.When != nil && !slices.Contains(e.When, c.workflow()) {
			state = cmp.Or(state, e)
			continue
		}
		if holds, because := e.Guard.holds(c.Facts); !holds {
			f := c.failure(CodeGuard, "limit", e.Guard.Text, "value", because)
			f.Rule = e.Name
			return f
		}
	}
	if state != nil {
		f := c.badTransition(cmp.Or(c.Command.State, state.Next, c.Target.ID))
		f.Rule = state.Name
		return f
	}
	return c.failure(CodeEdge)
}

// workflow is the state of the workflow's state machine.
func (c *Case) workflow() string {
	if m := c.Policy.Machine; m != nil {
		return cmp.Or(c.Desk.Machine, m.Start)
	}
	return c.Desk.Machine
}
