package prd040

import (
	"fmt"

	"github.com/graphrun/graphrun/handoffs"
)

// PlanStepHandoff hands to the agent of a plan's step. Package handoffs takes
// the plan for the one who asks.
func PlanStepHandoff(step *PlanStep) HandoffCommand {
	c := CreateHandoffCommand(step.Agent, ReasonPlanStep, "the plan's next step is "+step.StepID, &CommandOptions{Task: step.Task})
	c.Actor, c.PlanStep = handoffs.ByPlan, step.StepID
	return c
}

// CapabilityHandoff asks an agent that has a capability that the source lacks
// for something, and gets the result back. With the target "" a router chooses
// among those that have it.
func CapabilityHandoff(targetAgentID, capability, query string) HandoffCommand {
	c := CreateHandoffCommand(targetAgentID, ReasonCapabilityMatch, fmt.Sprintf("the request needs the capability %q", capability), &CommandOptions{
		Payload: map[string]any{"query": query, "requiredCapability": capability}, Task: query, ReturnControl: true,
	})
	if targetAgentID == "" {
		c.Capability = capability
	}
	return c
}

// ErrorRecoveryHandoff hands what an agent cannot do to the supervisor.
func ErrorRecoveryHandoff(agentID string, err error) HandoffCommand {
	return CreateHandoffCommand(Supervisor, ReasonErrorRecovery, agentID+" failed: "+err.Error(), &CommandOptions{
		Payload: map[string]any{"error": err.Error(), "failedAgentId": agentID},
	})
}

// ClarificationHandoff asks an agent a question, and gets the answer back.
func ClarificationHandoff(targetAgentID, question string) HandoffCommand {
	return CreateHandoffCommand(targetAgentID, ReasonClarification, question, &CommandOptions{
		Payload: map[string]any{"question": question}, Task: question, ReturnControl: true,
	})
}

// userHandoff is a user's choice of an agent.
func userHandoff(targetAgentID string) HandoffCommand {
	c := CreateHandoffCommand(targetAgentID, ReasonUserRequest, UserSelected, nil)
	c.Actor = handoffs.ByUser
	return c
}
