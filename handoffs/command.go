package handoffs

import (
	"time"
)

// Kind says what becomes of the agent that hands off.
type Kind string

// The kinds of handoffs.
const (
	// Transfer: the target takes over, the source is done. Inside a call the
	// target inherits the source's return address.
	Transfer Kind = "transfer"
	// Call: the target works for the source, which goes on with its result.
	Call Kind = "call"
	// Escalate is a transfer to the next rung of the escalation ladder that
	// has not been tried yet.
	Escalate Kind = "escalate"
	// Spawn: several targets work side by side, and the source goes on behind
	// their join.
	Spawn Kind = "spawn"
	// Resume goes on with agents that were suspended, by their token.
	Resume Kind = "resume"
	// Return ends the work that an agent was called for. An agent that ends
	// its turn without a handoff returns by itself, unless it is Conversational.
	Return Kind = "return"
	// Refuse gives a handoff back that the agent was given: it is rejected
	// by its target.
	Refuse Kind = "refuse"
	// Wait ends a turn until a signal comes or a time has passed.
	Wait Kind = "wait"
	// Report hands nothing off: it tells what the turn cost, moves the
	// workflow to another state, or names a trigger of the handoff rules.
	Report Kind = "report"
)

// Reason is the coded reason of a handoff. Users may have reasons of their
// own; the text for people is Command.Explanation.
type Reason string

// The reasons that the engine knows.
const (
	PlanStep        Reason = "plan_step"
	CapabilityMatch Reason = "capability_match"
	UserRequest     Reason = "user_request"
	ErrorRecovery   Reason = "error_recovery"
	Clarification   Reason = "clarification"
	Delegation      Reason = "delegation"
)

// Actor says who asked for a handoff.
type Actor string

// The actors. The zero Actor is an agent.
const (
	ByAgent  Actor = "agent"
	ByUser   Actor = "user"
	BySystem Actor = "system" // the engine: error recovery, timeouts, escalations
	ByPlan   Actor = "plan"
	ByRule   Actor = "rule"
	ByEvent  Actor = "event" // a message of the bus
)

// Priority orders handoffs that wait. The zero Priority is Normal.
type Priority string

// The priorities, most urgent first.
const (
	Urgent Priority = "urgent"
	High   Priority = "high"
	Normal Priority = "normal"
	Low    Priority = "low"
)

// Command asks for a handoff. It is data: making one does nothing. Its JSON
// form is what an agent emits as the input of a __handoff__ tool execution.
type Command struct {
	Type string `json:"type"`           // always CommandType
	Kind Kind   `json:"kind,omitempty"` // "": Call if ReturnControl, else Transfer

	Target     string   `json:"targetAgentId"`                  // an agent's id; may be empty if there is a capability, branches or a token
	Capability string   `json:"capability,omitempty"`           // a router chooses among the agents that have it, if there is no target
	Needs      []string `json:"requiredCapabilities,omitempty"` // all of them are needed of the target

	Reason        Reason         `json:"reason,omitempty"`
	Explanation   string         `json:"explanation,omitempty"` // for people
	Intent        string         `json:"userIntent,omitempty"`  // what the user wants
	Payload       map[string]any `json:"payload,omitempty"`     // values as package state keeps them in any
	Task          string         `json:"task,omitempty"`        // what the target is to do
	ReturnControl bool           `json:"returnControl,omitempty"`

	Priority Priority `json:"priority,omitempty"`
	Actor    Actor    `json:"actor,omitempty"` // "": ByAgent
	PlanStep string   `json:"planStepId,omitempty"`
	Class    string   `json:"class,omitempty"`   // economic class of the run from here on, if it has none; "": as it is
	Trigger  string   `json:"trigger,omitempty"` // the trigger of handoff rules that this is about
	Trace    string   `json:"traceId,omitempty"`
	State    string   `json:"workflowState,omitempty"` // the workflow's state to move to with it; "": it stays, or as its edge or rule says

	Branches []Branch `json:"branches,omitempty"` // of a Spawn
	Join     Join     `json:"join,omitzero"`      // of a Spawn
	Token    string   `json:"token,omitempty"`    // of a Resume
	Result   *Outcome `json:"result,omitempty"`   // of a Return or Refuse
	Until    *Until   `json:"until,omitempty"`    // of a Wait
	Usage    Usage    `json:"usage,omitzero"`     // what the source's turn cost, beside what was told before
	Budget   Limits   `json:"budget,omitzero"`    // what the target may use of the source's; zero: no bound of its own
}

// CommandType is the discriminator that every command carries as "type".
const CommandType = "handoff"

// Branch is one of the agents that a Spawn starts. One agent may be there
// several times.
type Branch struct {
	Name       string         `json:"name,omitempty"` // names its result; "": its agent's id, with a number if it is there again
	Target     string         `json:"targetAgentId,omitempty"`
	Capability string         `json:"capability,omitempty"`
	Task       string         `json:"task,omitempty"`
	Payload    map[string]any `json:"payload,omitempty"`
	Budget     Limits         `json:"budget,omitzero"`
}

// Join says when the agent that spawned others goes on.
type Join struct {
	// Need is how many branches must succeed; 0: all of them.
	Need int `json:"need,omitempty"`
	// Partial lets the agent go on when Need cannot be reached any more: the
	// branches that failed are told by name. Otherwise the join fails, and
	// with it the agent's call.
	Partial bool `json:"partial,omitempty"`
	// Resolve says what becomes of a key that several branches wrote with
	// different values: "fail" (also if empty), "first", "last" in the order
	// of the branches, or "agent:ID" to hand all of them to an agent.
	Resolve string `json:"resolve,omitempty"`
	// Timeout bounds the wait; 0 or less: no bound. Branches that are late
	// count as failed and are cancelled.
	Timeout time.Duration `json:"timeout,omitempty"`
}

// Outcome is what came of the work an agent was given.
type Outcome struct {
	Status  Status         `json:"status"` // Completed, Failed, Partial
	Text    string         `json:"text,omitempty"`
	Value   any            `json:"value,omitempty"`   // as package state keeps any
	Outputs map[string]any `json:"outputs,omitempty"` // by key; branches that write one key with different values are in conflict
	Error   string         `json:"error,omitempty"`
	Code    Code           `json:"code,omitempty"`      // of a failure the engine knows
	Retry   bool           `json:"retryable,omitempty"` // another attempt may help
	Missing []string       `json:"missing,omitempty"`   // the branches that gave nothing
	Turns   int            `json:"iterations,omitempty"`
}

// Until says what a waiting agent waits for: whichever comes first.
type Until struct {
	Signals []string      `json:"signals,omitempty"` // types of signals
	Count   int           `json:"count,omitempty"`   // so many of them; 0: one
	For     time.Duration `json:"for,omitempty"`     // 0 or less: no bound
}

// Usage is what turns of agents cost.
type Usage struct {
	Tokens int           `json:"tokens,omitempty"`
	Calls  int           `json:"calls,omitempty"`   // of models
	Time   time.Duration `json:"elapsed,omitempty"` // as the agent tells it; it moves a virtual clock
}
