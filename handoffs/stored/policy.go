package stored

import "github.com/graphrun/graphrun/handoffs"

// mostHandoffs bounds a run; chains there and back are what this preset is for.
const mostHandoffs = 20

// Policy returns the policy of the stored handoff system. Registry and Entry
// are left to the caller.
func Policy() *handoffs.Policy {
	return &handoffs.Policy{
		Name:         "stored",
		Limits:       handoffs.Limits{Handoffs: mostHandoffs},
		Need:         []string{"reason", "intent"},
		OnReject:     map[handoffs.Code]handoffs.Action{"": {Do: handoffs.ToSource}},
		Context:      handoffs.ContextPolicy{Mode: handoffs.ContextFull},
		Secrets:      handoffs.DefaultRedactor(),
		CountReturns: false,
		Texts: handoffs.Texts{
			handoffs.CodeNotFound:    "to_agent '{target}' is not registered",
			handoffs.CodeUnavailable: "to_agent '{target}' is not available",
			handoffs.CodeSelf:        "to_agent must differ from from_agent",
		},
	}
}
