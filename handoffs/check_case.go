package handoffs

// handing reports whether the command hands to an agent. Kinds that there are
// not count, so that no check passes them over.
func (c *Case) handing() bool {
	switch c.Command.kind() {
	case Resume, Return, Refuse, Wait, Report:
		return false
	}
	return true
}

// aimed reports whether the command hands to an agent that is known. Checks
// about the target pass where it is not: checkExists tells that.
func (c *Case) aimed() bool { return c.Target != nil && c.handing() }

// failure makes what a check has against the handoff, with the policy's text
// for the code. The pairs are names in texts and what stands for them; of two with
// one name the first counts.
func (c *Case) failure(code Code, pairs ...string) Failure {
	target := c.Command.Target
	if c.Target != nil {
		target = c.Target.ID
	}
	pairs = append(pairs, "target", target, "source", c.From, "capability", c.Command.Capability)
	return Failure{Code: code, Message: c.Policy.text(code, pairs...)}
}

// evaluate says whether a guard holds, and with which values. Nil and one
// without a function do.
func (g *Guard) evaluate(facts Facts) (holds bool, because string, err error) {
	if g == nil || g.Holds == nil {
		return true, "", nil
	}
	if facts == nil {
		facts = func(string) (any, bool) { return nil, false }
	}
	return g.Holds(facts)
}

// holds is evaluate, where an error is a reason not to hold.
func (g *Guard) holds(facts Facts) (holds bool, because string) {
	holds, because, err := g.evaluate(facts)
	if err != nil {
		return false, err.Error()
	}
	return holds, because
}
