package bus

import (
	"fmt"
	"slices"
	"time"
)

// The types of messages that tell of handoffs. Users have types of their own,
// "security.alert" for example.
const (
	AgentHandoff  = "AGENT_HANDOFF"  // an agent hands work to another one
	TaskCompleted = "TASK_COMPLETED" // an agent has done what it was handed
	TaskFailed    = "TASK_FAILED"    // it has not, and will not
)

// Message is what goes over a bus. A bus shares it among all who get it, so
// what it refers to must not be changed once it is published.
type Message struct {
	ID      string         `json:"id,omitempty"` // one that came before is dropped; "": never dropped
	Type    string         `json:"type"`         // required
	Source  string         `json:"sourceAgent,omitempty"`
	Target  string         `json:"targetAgent,omitempty"` // "": for nobody in particular
	At      time.Time      `json:"timestamp,omitzero"`
	Payload map[string]any `json:"payload,omitempty"`
	Context Context        `json:"context,omitzero"`
}

// Context says what a message belongs to.
type Context struct {
	Request string `json:"requestId,omitempty"`
	Session string `json:"sessionId,omitempty"`
	User    string `json:"userId,omitempty"`
}

// check reports what keeps a message from being published.
func (m *Message) check() error {
	if m.Type == "" {
		return fmt.Errorf("bus: %w: message %q has no type", ErrInvalid, m.ID)
	}
	return nil
}

// Filter chooses messages. The zero Filter takes all of them.
type Filter struct {
	Types   []string // nil: any
	Target  string   // only messages to this agent, not those to nobody in particular; "": any
	Session string   // only messages of this session; "": any
}

// Match reports whether the filter takes a message.
func (f Filter) Match(m *Message) bool {
	return (f.Types == nil || slices.Contains(f.Types, m.Type)) &&
		(f.Target == "" || f.Target == m.Target) &&
		(f.Session == "" || f.Session == m.Context.Session)
}
