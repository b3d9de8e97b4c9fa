package handoffs

import "strings"

// checkExists rejects handoffs to agents that are not registered. Behind the
// last rung of a ladder a person is asked, if the policy says so.
func checkExists(c *Case) []Failure {
	if c.Target != nil || !c.handing() {
		return nil
	}
	k := c.Command.kind()
	switch {
	case c.Command.Target != "":
		_, near, _ := c.Policy.Registry.Lookup(c.Command.Target)
		return []Failure{c.failure(CodeNotFound, "value", strings.Join(near, ", "))}
	case c.Command.Capability != "":
		return []Failure{c.failure(CodeNoProvider)}
	case k == Escalate:
		f := c.failure(CodeLadder)
		if c.Policy.LadderAsks {
			f.Ask = &ApprovalPolicy{Expires: c.Policy.LadderTime}
		}
		return []Failure{f}
	case k == Spawn && len(c.Command.Branches) > 0:
		return nil // each branch is a case of its own
	}
	return []Failure{c.failure(CodeNotFound)}
}

// checkAvailable rejects handoffs to agents that cannot work now.
func checkAvailable(c *Case) []Failure {
	if !c.aimed() || c.Policy.Registry.Available(c.Target.ID, c.Now) {
		return nil
	}
	return []Failure{c.failure(CodeUnavailable)}
}

// checkSelf rejects handoffs of agents to themselves. They may spawn themselves.
func checkSelf(c *Case) []Failure {
	if !c.aimed() || c.Command.kind() == Spawn || c.Target.ID != c.From {
		return nil
	}
	return []Failure{c.failure(CodeSelf)}
}

// checkSystem rejects handoffs to system agents by others than the supervisor
// and the engine itself.
func checkSystem(c *Case) []Failure {
	if !c.aimed() || !c.Target.System || c.Command.Actor == BySystem {
		return nil
	}
	if c.From == c.Policy.Supervisor && c.From != "" {
		return nil
	}
	return []Failure{c.failure(CodeSystem)}
}

// checkSelectable rejects agents that users choose and may not.
func checkSelectable(c *Case) []Failure {
	if !c.aimed() || c.Command.Actor != ByUser || c.Target.Selectable {
		return nil
	}
	return []Failure{c.failure(CodeSelectable)}
}

// checkAccepts rejects handoffs to agents that take none.
func checkAccepts(c *Case) []Failure {
	if !c.aimed() || !c.Target.Refuses {
		return nil
	}
	return []Failure{c.failure(CodeAccepts)}
}
