package prd040

import (
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// The names of this preset for what package handoffs has: the same types, with
// the same JSON.
type (
	HandoffCommand = handoffs.Command   // asks for a handoff; it is data
	HandoffReason  = handoffs.Reason    // why, as a code
	HandoffRecord  = handoffs.Record    // a handoff that was decided; task and returnControl are in it
	ToolExecution  = handoffs.Execution // how a command travels in the state
)

// The reasons.
const (
	ReasonPlanStep        = handoffs.PlanStep
	ReasonCapabilityMatch = handoffs.CapabilityMatch
	ReasonUserRequest     = handoffs.UserRequest
	ReasonErrorRecovery   = handoffs.ErrorRecovery
	ReasonClarification   = handoffs.Clarification
)

// The names in a command's tool execution.
const (
	ToolUseID = "handoff-request"
	ToolName  = handoffs.ToolName
)

// CommandOptions are what a command may have beside. Nil means its zero value.
type CommandOptions struct {
	Payload       map[string]any // for the target, as package state keeps any
	Task          string         // what the target is to do
	ReturnControl bool           // the source goes on when the target is done
}

// CreateHandoffCommand makes a command that hands to an agent.
func CreateHandoffCommand(targetAgentID string, reason HandoffReason, explanation string, o *CommandOptions) HandoffCommand {
	c := handoffs.NewCommand(targetAgentID, reason, explanation)
	if o != nil {
		c.Payload, c.Task, c.ReturnControl = o.Payload, o.Task, o.ReturnControl
	}
	return c
}

// IsHandoffCommand reports whether a value is an object with the type "handoff"
// and a target that is a text.
func IsHandoffCommand(v any) bool { return handoffs.IsCommand(v) }

// CommandToRecord makes the record of a command. A manager makes records with
// ids of its own; whoever makes one by hand brings id and time, so that the same
// call gives the same record. The id is written in upper case. The plan's step
// may be "".
func CommandToRecord(c *HandoffCommand, fromAgentID, planStepID, id string, at time.Time) HandoffRecord {
	r := handoffs.CommandToRecord(c, strings.ToUpper(id), fromAgentID, "", at.UTC())
	if planStepID != "" {
		r.PlanStep = planStepID
	}
	return r
}

// NewToolExecution makes the tool execution that carries a command: what an
// agent's node appends to the state's tool executions. It counts as the active
// agent's.
func NewToolExecution(c HandoffCommand, at time.Time) (ToolExecution, error) {
	data, err := c.Encode()
	return ToolExecution{ID: ToolUseID, Tool: ToolName, Input: data, Output: string(data), Success: true, At: at.UTC()}, err
}
