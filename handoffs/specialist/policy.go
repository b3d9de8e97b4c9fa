package specialist

import "github.com/graphrun/graphrun/handoffs"

// The figures of the pattern.
const (
	MaxIterations = 15 // turns of a specialist, where its profile says nothing else
	QuotedMost    = 5  // messages of the conversation in a brief
)

// mostHandoffs bounds a run, mostDepth the calls within calls.
const (
	mostHandoffs = 20
	mostDepth    = 3
)

// Policy returns the policy of generalists and specialists: a handoff is a
// call, the generalist keeps the conversation. Registry and Entry are left to
// the caller.
func Policy() *handoffs.Policy {
	return &handoffs.Policy{
		Name:       "specialist",
		Limits:     handoffs.Limits{Handoffs: mostHandoffs},
		Depth:      mostDepth,
		KeepActive: true,
		OnReject:   map[handoffs.Code]handoffs.Action{"": {Do: handoffs.ToSource}},
		Context:    handoffs.ContextPolicy{Mode: handoffs.ContextBrief, Last: QuotedMost},
		Texts: handoffs.Texts{
			handoffs.CodeNoProvider: "No suitable specialist for '{capability}'. Do the task yourself or ask the user.",
			handoffs.CodeNotFound:   "No specialist named '{target}'. Do the task yourself or ask the user.",
		},
	}
}
