package handoffs

import (
	"encoding/json"
	"time"
)

// The names of the tool executions that this package reads.
const (
	ToolName   = "__handoff__" // Input is a Command
	SignalName = "__signal__"  // Input is a Signal
)

// Execution is a tool execution in the state. Handoffs travel as executions
// of the tool ToolName, so that an agent hands off as it calls any tool; others
// are kept and passed over.
type Execution struct {
	ID      string          `json:"toolUseId"`
	Tool    string          `json:"toolName"`
	Input   json.RawMessage `json:"toolInput,omitempty"`
	Output  string          `json:"toolOutput,omitempty"`
	Success bool            `json:"success"`
	At      time.Time       `json:"timestamp,omitzero"`

	// Who executed it. Without a frame it is the active agent.
	Agent string `json:"agentId,omitempty"`
	Frame string `json:"frameId,omitempty"`
	Epoch int    `json:"epoch,omitempty"`
	// Reply tells that the messages hold a tool call with this ID, which gets
	// a tool message as its answer.
	Reply bool `json:"reply,omitempty"`
}

// Signal is something that comes from outside: an external event, the answer
// of a target that accepts or refuses a handoff, a tick of the clock.
type Signal struct {
	ID      string         `json:"id,omitempty"`        // one that came before is dropped; "": never dropped
	Type    string         `json:"type"`                // "accept", "refuse", "tick", or what agents wait for
	Handoff string         `json:"handoffId,omitempty"` // of accept and refuse
	Agent   string         `json:"agentId,omitempty"`   // only for this agent; "": for whoever waits for it
	Reason  string         `json:"reason,omitempty"`
	Payload map[string]any `json:"payload,omitempty"`
}
