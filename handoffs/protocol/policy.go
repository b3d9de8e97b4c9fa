package protocol

import "github.com/graphrun/graphrun/handoffs"

// MaxHandoffs is how many handoffs a workflow may make.
const MaxHandoffs = 5

// Policy returns the policy of the handoff protocol. Registry and Entry are
// left to the caller.
func Policy() *handoffs.Policy {
	fail := handoffs.Action{Do: handoffs.FailRun}
	return &handoffs.Policy{
		Name:    "protocol",
		Limits:  handoffs.Limits{Handoffs: MaxHandoffs},
		Classes: handoffs.EconomicClasses(),
		Loops:   []handoffs.LoopRule{{Name: "same handoff in three", Key: handoffs.LoopDuplicate, Window: 3, Threshold: 1}},
		Breaker: &handoffs.BreakerPolicy{Key: handoffs.BreakAll, Threshold: 3},
		OnReject: map[handoffs.Code]handoffs.Action{
			"":                    fail,
			handoffs.CodeApproval: {Do: handoffs.EndRun},
			handoffs.CodeExpired:  {Do: handoffs.EndRun},
			handoffs.CodeDisabled: {Do: handoffs.ToSource},
		},
		Context:  handoffs.ContextPolicy{Mode: handoffs.ContextArtifacts, Fields: []string{"artifacts"}},
		Volatile: handoffs.DefaultVolatile(),
		Degrade:  true,
		Texts: handoffs.Texts{
			handoffs.CodeBreaker: "handoffs temporarily disabled",
		},
	}
}
