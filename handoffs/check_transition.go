package handoffs

import "cmp"

// checkTransition rejects handoffs that would move the workflow to a state that
// must not follow.
func checkTransition(c *Case) []Failure {
	m := c.Policy.Machine
	if m == nil || !c.aimed() {
		return nil
	}
	next := c.Command.State
	if c.Edge != nil {
		next = cmp.Or(next, c.Edge.Next)
	}
	if next == "" || next == c.workflow() || m.CanMove(c.workflow(), next) {
		return nil
	}
	return []Failure{c.badTransition(next)}
}

func (c *Case) badTransition(next string) Failure {
	return c.failure(CodeTransition, "value", c.workflow()+" -> "+next)
}
