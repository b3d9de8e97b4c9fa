package handoffs

import "strconv"

// checkBudget rejects handoffs whose source has no tokens left, or fewer than
// the command asks for.
func checkBudget(c *Case) []Failure {
	if !c.aimed() {
		return nil
	}
	left, bounded := c.Policy.tokensLeft(c.Desk, c.Frame, c.class())
	asked := c.asked()
	switch {
	case !bounded || left > 0 && asked <= left:
		return nil
	case left <= 0:
		return []Failure{c.failure(CodeBudget)}
	}
	return []Failure{c.failure(CodeBudget, "limit", strconv.Itoa(left), "value", strconv.Itoa(asked))}
}

// asked is how many tokens the command asks for, at most what its edge gives;
// 0: nothing is set aside.
func (c *Case) asked() int {
	n := c.Command.Budget.Tokens
	if n > 0 && c.Edge != nil {
		return least(n, c.Edge.Limits.Tokens)
	}
	return n
}
