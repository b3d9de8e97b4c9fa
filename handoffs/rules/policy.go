package rules

import (
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// The figures of the workflow.
const (
	AcceptTimeout = 30 * time.Second
	RetryLimit    = 3
	QuoteTimeout  = 24 * time.Hour
	MinimumQuotes = 3
	TopProposals  = 3
)

// mostHandoffs bounds a workflow: its longest way with all retries is shorter.
const mostHandoffs = 50

// Policy returns the policy of handoff rules. Registry, Entry, Rules and
// Machine are left to the caller; monitor is the agent that gets what fails or
// is rejected, "" if there is none.
func Policy(monitor string) *handoffs.Policy {
	to := handoffs.Action{Do: handoffs.ToSource}
	if monitor != "" {
		to = handoffs.Action{Do: handoffs.RouteTo, Target: monitor}
	}
	return &handoffs.Policy{
		Name:      "rules",
		Limits:    handoffs.Limits{Handoffs: mostHandoffs},
		Edges:     []handoffs.Edge{},
		Accept:    AcceptTimeout,
		Queue:     handoffs.QueuePolicy{Ageing: time.Minute},
		OnReject:  map[handoffs.Code]handoffs.Action{"": to},
		OnFailure: to,
		Context:   handoffs.ContextPolicy{Mode: handoffs.ContextFields},
		Texts: handoffs.Texts{
			handoffs.CodeNotFound:   "Target agent not found: {target}",
			handoffs.CodeTransition: "Invalid state transition: {value}",
		},
	}
}
