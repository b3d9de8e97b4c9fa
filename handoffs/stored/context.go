package stored

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// Message is one message of a conversation.
type Message struct {
	Role      string    `json:"role"`
	Content   string    `json:"content"`
	AgentID   string    `json:"agent_id,omitempty"` // who said it; "": the user
	Timestamp time.Time `json:"timestamp,omitzero"`
}

// HandoffContext is what an agent hands over.
type HandoffContext struct {
	FromAgent           string    `json:"from_agent"`           // registered
	ToAgent             string    `json:"to_agent"`             // registered, available, another one
	Reason              string    `json:"reason"`               // needed
	ConversationHistory []Message `json:"conversation_history"` // nil is an error, an empty one is not
	UserIntent          string    `json:"user_intent"`          // needed
	SessionID           string    `json:"session_id"`           // needed
	HarnessTraceID      string    `json:"harness_trace_id,omitempty"`
}

// AgentInvocationContext is what an agent is invoked with.
type AgentInvocationContext struct {
	HandoffID           string    `json:"handoff_id"`
	SessionID           string    `json:"session_id"`
	FromAgent           string    `json:"from_agent"`
	Reason              string    `json:"reason"`
	UserIntent          string    `json:"user_intent"`
	ConversationHistory []Message `json:"conversation_history"`
	HarnessTraceID      string    `json:"harness_trace_id,omitempty"`
	Attempt             int       `json:"attempt"` // from 1
}

// InvokeAgent lets an agent work on what it was handed, and returns when it has.
// With an error the handoff has failed. It may be called by several goroutines
// at once.
type InvokeAgent func(ctx context.Context, agentID string, in AgentInvocationContext) error

// ErrorCode is the code of every HandoffError.
const ErrorCode = "HANDOFF_ERROR"

// HandoffError is a handoff that came to nothing. It wraps the cause: errors.Is
// finds the handoffs.Code of a handoff that was rejected, or the error that the
// target was invoked with.
type HandoffError struct {
	Message string
	Code    string // ErrorCode
	Agents  string // "from->to"
	Err     error  // the cause
}

// Error tells the code, from whom to whom, and why.
func (e *HandoffError) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Code, e.Agents, e.Message)
}

// Unwrap returns the cause.
func (e *HandoffError) Unwrap() error { return e.Err }

// failed makes the error of a handoff; nil stays nil.
func (c *HandoffContext) failed(err error) error {
	if err == nil {
		return nil
	}
	message := err.Error()
	if e, ok := err.(*handoffs.Error); ok {
		message = e.Message
	}
	return &HandoffError{Message: message, Code: ErrorCode, Agents: c.FromAgent + "->" + c.ToAgent, Err: err}
}

// incomplete returns what is wrong with a context before there is a session to
// check it in; nil: nothing. The rest is the manager's to check.
func (c *HandoffContext) incomplete(agents *handoffs.Registry) *handoffs.Error {
	code := handoffs.CodeMissing
	var problems []string
	for _, f := range [...]struct{ name, value string }{{"session_id", c.SessionID}, {"from_agent", c.FromAgent}, {"to_agent", c.ToAgent}} {
		if strings.TrimSpace(f.value) == "" {
			problems = append(problems, f.name+" is required")
		}
	}
	if c.ConversationHistory == nil {
		problems = append(problems, "conversation_history must be a list")
	}
	if _, known := agents.Get(c.FromAgent); !known && problems == nil {
		code, problems = handoffs.CodeNotFound, []string{"from_agent '" + c.FromAgent + "' is not registered"}
	}
	if problems == nil {
		return nil
	}
	return &handoffs.Error{Code: code, Codes: []handoffs.Code{code}, From: c.FromAgent, To: c.ToAgent, Message: strings.Join(problems, "; ")}
}

// command is the handoff that a context asks for, as it is stored.
func (c *HandoffContext) command(m *handoffs.Manager) *handoffs.Command {
	h := handoffs.NewCommand(c.ToAgent, "", c.Reason)
	h.Kind, h.Intent, h.Trace = handoffs.Transfer, c.UserIntent, c.HarnessTraceID
	safe := m.Redacted(h)
	safe.Reason = handoffs.Reason(safe.Explanation)
	return safe
}

// invocation is what the target of a handoff is given.
func (c *HandoffContext) invocation(turn *handoffs.Turn) AgentInvocationContext {
	return AgentInvocationContext{
		HandoffID: turn.Handoff, SessionID: c.SessionID, FromAgent: c.FromAgent, Reason: c.Reason, UserIntent: c.UserIntent,
		ConversationHistory: c.ConversationHistory, HarnessTraceID: c.HarnessTraceID, Attempt: max(turn.Attempt, 1),
	}
}
