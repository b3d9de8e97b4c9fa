package prd040

import (
	"github.com/graphrun/graphrun/handoffs"
)

// UserSelected is the explanation of a user's choice of an agent.
const UserSelected = "User selected this agent"

// Supervisor is the id of the agent that may hand to system agents and gets
// what is rejected.
const Supervisor = "supervisor"

// mostHandoffs bounds a run: the loop rule alone does not stop a cycle of three
// agents.
const mostHandoffs = 50

// Policy returns the policy of dynamic handoffs. Registry and Entry are left to
// the caller.
func Policy() *handoffs.Policy {
	checks, err := handoffs.ChecksNamed("exists", "self", "system", "loop", "capability",
		"syntax", "available", "accepts", "edge", "transition", "limits", "budget", "breaker", "approval")
	if err != nil {
		panic(err) // the names are constants of the package above
	}
	return &handoffs.Policy{
		Name:       "prd040",
		Supervisor: Supervisor,
		Checks:     checks,
		UserChecks: userChecks(),
		Loops:      []handoffs.LoopRule{{Name: "target twice in five", Key: handoffs.LoopTarget, Window: 5, Threshold: 2}},
		Limits:     handoffs.Limits{Handoffs: mostHandoffs},
		OnReject:   map[handoffs.Code]handoffs.Action{"": {Do: handoffs.RouteTo, Target: Supervisor}},
		OnFailure:  handoffs.Action{Do: handoffs.RouteTo, Target: Supervisor},
		Context:    handoffs.ContextPolicy{Mode: handoffs.ContextFields},
		Upper:      true,
		Texts: handoffs.Texts{
			handoffs.CodeNotFound:   "Target agent '{target}' not found",
			handoffs.CodeSelf:       "Cannot handoff to self",
			handoffs.CodeSystem:     "Cannot handoff to system agent '{target}'",
			handoffs.CodeLoop:       "Potential handoff loop detected",
			handoffs.CodeCapability: "Target agent '{target}' lacks required capability: {capability}",
			handoffs.CodeSelectable: "Agent '{target}' cannot be selected by users",
		},
	}
}

// userChecks are those for users: they have a text of their own for agents that
// there are not.
func userChecks() []handoffs.Check {
	checks := handoffs.UserChecks()
	for i := range checks {
		if run := checks[i].Run; checks[i].Name == "exists" {
			checks[i].Run = func(c *handoffs.Case) []handoffs.Failure {
				out := run(c)
				for j := range out {
					out[j].Message = "Unknown agent: " + c.Command.Target
				}
				return out
			}
		}
	}
	return checks
}
