package protocol

import (
	"github.com/graphrun/graphrun/handoffs"
)

// The errors of handoffs, which errors.Is finds in the error of a run.
const (
	HandoffLimitExceeded  = handoffs.CodeLimit    // the workflow has made as many as it may
	CircuitBreakerOpen    = handoffs.CodeBreaker  // handoffs are temporarily disabled
	DeadlockDetected      = handoffs.CodeDeadlock // the same handoff was made before with the same context
	EconomicLimitExceeded = handoffs.CodeEconomic // the class has used what it may
)

// HandoffError is a handoff that failed for good: errors.As finds it in the
// error of a run. To is the agent that was not reached.
type HandoffError = handoffs.Error

// The economic classes.
const (
	ClassSimple  = "simple"  // no handoffs, one agent, 10,000 tokens
	ClassMedium  = "medium"  // 2 handoffs, 3 agents, 25,000 tokens
	ClassComplex = "complex" // 5 handoffs, 5 agents, 150,000 tokens
)

// Used is what a workflow has used.
type Used struct {
	Handoffs int
	Tokens   int
	Agents   int // different ones, the next one left out
}

// CheckEconomicViability says whether a workflow of a class may make one more
// handoff, to an agent that had no part in it yet; nil: it may. The error is a
// *HandoffError that is EconomicLimitExceeded.
func CheckEconomicViability(class string, used Used) error {
	limits, err := handoffs.ChecksNamed("limits")
	if err != nil {
		return err
	}
	source, target := &handoffs.Profile{ID: "source"}, &handoffs.Profile{ID: "target"}
	c := handoffs.NewCommand(target.ID, handoffs.Delegation, "")
	failures := limits[0].Run(&handoffs.Case{
		Policy: &handoffs.Policy{Registry: handoffs.MustRegistry(*source, *target), Classes: handoffs.EconomicClasses(), Class: class},
		Desk: &handoffs.Desk{
			Spent:  handoffs.Usage{Tokens: used.Tokens},
			Counts: map[string]int{"handoffs": used.Handoffs, "agents": used.Agents, "from:" + source.ID: 1},
		},
		Command: &c, From: source.ID, Source: source, Target: target,
	})
	if len(failures) == 0 {
		return nil
	}
	e := &HandoffError{Code: failures[0].Code, Message: failures[0].Message}
	for _, f := range failures {
		e.Codes = append(e.Codes, f.Code)
	}
	return e
}
