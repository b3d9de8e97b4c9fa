package handoffs

import (
	"cmp"
	"slices"
)

// checkApproval asks a person about handoffs that must be approved: as their
// edge says, or else the policy. It asks also where it cannot tell, because the
// guard fails with an error.
func checkApproval(c *Case) []Failure {
	if !c.aimed() {
		return nil
	}
	p := c.Policy.Approve
	if c.Edge != nil {
		p = cmp.Or(c.Edge.Approval, p)
	}
	if p == nil || p.Agents != nil && !slices.Contains(p.Agents, c.Target.ID) {
		return nil
	}
	why, asks := p.asks(c.Facts)
	if !asks {
		return nil
	}
	f := c.failure(CodeApproval, "value", why)
	f.Ask = p
	return []Failure{f}
}

// asks reports whether a person is to be asked, and why.
func (p *ApprovalPolicy) asks(facts Facts) (why string, asks bool) {
	if p.When == nil || p.When.Holds == nil {
		return "", true
	}
	holds, because, err := p.When.evaluate(facts)
	if err != nil {
		return err.Error(), true
	}
	return because, holds
}
