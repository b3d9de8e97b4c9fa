package handoffs

// decide runs all checks in their order. Failures reject the handoff, the first
// one says why; questions ask a person only where nothing rejects it.
func decide(c *Case, checks []Check) Decision {
	d := Decision{Verdict: Allow, Edge: c.Edge}
	var asks []Failure
	for i := range checks {
		for _, f := range checks[i].run(c) {
			if f.Ask != nil {
				asks = append(asks, f)
			} else {
				d.Failures = append(d.Failures, f)
			}
		}
	}
	switch {
	case len(d.Failures) > 0:
		d.Verdict = Reject
	case len(asks) > 0:
		d.Verdict, d.Failures, d.Approval = Ask, asks, asks[0].Ask
	}
	return d
}

// run runs the check. One without a function passes nothing.
func (k *Check) run(c *Case) []Failure {
	if k.Run == nil {
		return []Failure{{Code: CodeSyntax, Message: "the check " + k.Name + " has no function", Rule: k.Name}}
	}
	return k.Run(c)
}
