package rules

import (
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// The figures of the workflow.
const (
	AcceptTimeout = 30 * time.Second
	RetryLimit    = 3 // attempts beside the first one
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

// Agents returns the profiles of the workflow's agents.
func Agents() []handoffs.Profile {
	return []handoffs.Profile{
		{ID: Orchestrator, Description: "reads a request and decides what comes first"},
		{ID: ClientData, Description: "looks clients up", Capabilities: []string{TaskFetchClientData}},
		{ID: FlightSearch, Description: "asks operators for quotes and waits for them", Capabilities: []string{TaskSearchFlights}},
		{ID: ProposalAnalysis, Description: "scores quotes and chooses the best", Capabilities: []string{TaskAnalyzeProposals}},
		{ID: Communication, Description: "writes and sends mails", Capabilities: []string{TaskSendProposal}},
		{ID: ErrorMonitor, Description: "tries again what may get better, and gives up what does not"},
	}
}

// Workflow returns the policy of the whole workflow: its agents, rules and
// states.
func Workflow() *handoffs.Policy {
	p := Policy(ErrorMonitor)
	p.Registry, p.Entry = handoffs.MustRegistry(Agents()...), Orchestrator
	p.Rules, p.Machine = Rules(), Machine()
	return p
}
