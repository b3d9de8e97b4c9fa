package specialist

import (
	"context"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// HandoffRequest asks for a handoff. It must not be changed once the service
// has it.
type HandoffRequest struct {
	ID             string         `json:"id"` // the service sets it, whatever is there
	FromAgentID    string         `json:"fromAgentId"`
	ToAgentID      string         `json:"toAgentId"`
	Reason         string         `json:"reason"`
	Task           string         `json:"task"`
	Context        HandoffContext `json:"context"`
	Timestamp      time.Time      `json:"timestamp"` // zero: when the service gets it
	ConversationID string         `json:"conversationId"`
	MaxIterations  int            `json:"maxIterations,omitempty"` // of the specialist; 0 or less: MaxIterations
}

// HandoffContext is what a specialist is told beside its task.
type HandoffContext struct {
	OriginalRequest      string          `json:"originalRequest"` // what the user wants
	ConversationHistory  []state.Message `json:"conversationHistory"`
	CompletedWork        map[string]any  `json:"completedWork,omitempty"` // values as package state keeps them in any
	RequiredCapabilities []string        `json:"requiredCapabilities"`    // the specialist must have them all
	Metadata             map[string]any  `json:"metadata,omitempty"`      // kept in the history, and not looked at
	UserID               string          `json:"userId,omitempty"`
	CorrelationID        string          `json:"correlationId,omitempty"` // the trace of the handoff's record
}

// HandoffResult is what came of a handoff. A failure is a result too.
type HandoffResult struct {
	HandoffID           string        `json:"handoffId"` // "": it did not come to a decision
	AgentID             string        `json:"agentId"`   // who worked, or was to; "": nobody was found
	AgentName           string        `json:"agentName"`
	Success             bool          `json:"success"`
	Result              string        `json:"result"`
	Duration            time.Duration `json:"duration"`   // in nanoseconds
	Iterations          int           `json:"iterations"` // of a failure those that Run tells beside its error
	ConversationSummary string        `json:"conversationSummary,omitempty"`
	Error               string        `json:"error,omitempty"` // why it failed; "" if it did not
	// Code says what rule rejected it; handoffs.CodeFailed: its specialist
	// failed; "": it succeeded, or failed before a decision.
	Code handoffs.Code `json:"code,omitempty"`
}

// AgentRun is what a specialist is run with.
type AgentRun struct {
	Agent               AgentCapabilityProfile `json:"agent"`
	UserInput           string                 `json:"userInput"`      // made by BuildSpecialistInput
	ConversationID      string                 `json:"conversationId"` // "handoff-" and the handoff's id; it hands on under this one
	UserID              string                 `json:"userId,omitempty"`
	MaxIterations       int                    `json:"maxIterations"`
	ConversationHistory []state.Message        `json:"conversationHistory"` // empty: the conversation is new
}

// AgentResult is what came of a run.
type AgentResult struct {
	Response   string           `json:"response"`
	Iterations int              `json:"iterations"`
	ToolCalls  []state.ToolCall `json:"toolCalls"`
}

// RunAgent lets a specialist work and returns when it has. With an error the
// handoff has failed: running out of MaxIterations is one, and the Iterations
// beside it count. It must end when its context does, and may be called by
// several goroutines at once.
type RunAgent func(ctx context.Context, run AgentRun) (AgentResult, error)
