package specialist

import (
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// AgentCapabilityProfile says what an agent is for.
type AgentCapabilityProfile struct {
	AgentID         string   `json:"agentId"`
	AgentName       string   `json:"agentName"`
	Specialization  string   `json:"specialization"`
	Capabilities    []string `json:"capabilities"`
	Description     string   `json:"description"`
	Examples        []string `json:"examples,omitempty"`
	AcceptsHandoffs bool     `json:"acceptsHandoffs"`
}

// Profile is the profile of package handoffs, for teams in graphs too: its
// frames have at most MaxIterations turns.
func (a *AgentCapabilityProfile) Profile() handoffs.Profile {
	return handoffs.Profile{
		ID: a.AgentID, Name: a.AgentName, Specialization: a.Specialization, Capabilities: a.Capabilities,
		Description: a.Description, Examples: a.Examples, Refuses: !a.AcceptsHandoffs, Turns: MaxIterations,
	}
}

// profileOf is the way back.
func profileOf(p *handoffs.Profile) AgentCapabilityProfile {
	return AgentCapabilityProfile{
		AgentID: p.ID, AgentName: p.Title(), Specialization: p.Specialization, Capabilities: p.Capabilities,
		Description: p.Description, Examples: p.Examples, AcceptsHandoffs: !p.Refuses,
	}
}

// HandoffRequest asks a specialist to do something. It is not changed.
type HandoffRequest struct {
	FromAgentID string `json:"fromAgentId"`
	ToAgentID   string `json:"toAgentId,omitempty"` // "": whoever has the SpecialistType
	// SpecialistType is a capability or specialization, which a router finds
	// somebody for.
	SpecialistType string            `json:"specialistType,omitempty"`
	Reason         string            `json:"reason"`
	Task           string            `json:"task"`
	Priority       handoffs.Priority `json:"priority,omitempty"` // "": normal
	Context        HandoffContext    `json:"context"`
	ConversationID string            `json:"conversationId"`
	MaxIterations  int               `json:"maxIterations,omitempty"` // 0: MaxIterations
}

// HandoffContext is what a specialist needs to know.
type HandoffContext struct {
	OriginalRequest      string          `json:"originalRequest"` // what the user wants
	ConversationHistory  []state.Message `json:"conversationHistory"`
	CompletedWork        map[string]any  `json:"completedWork,omitempty"` // values as package state keeps any
	RequiredCapabilities []string        `json:"requiredCapabilities"`    // all of them are needed
	Metadata             map[string]any  `json:"metadata,omitempty"`      // passed on to the specialist's run
	UserID               string          `json:"userId,omitempty"`
	// CorrelationID is the user's conversation: a specialist that hands on itself
	// works in one of its own, but for the same one. "": ConversationID.
	CorrelationID string `json:"correlationId,omitempty"`
}

// HandoffResult is what came of a handoff. A failure is a result, not an error.
type HandoffResult struct {
	HandoffID           string        `json:"handoffId,omitempty"`
	AgentID             string        `json:"agentId,omitempty"` // "": there was none
	AgentName           string        `json:"agentName,omitempty"`
	Success             bool          `json:"success"`
	Result              string        `json:"result,omitempty"`
	Duration            time.Duration `json:"duration"`
	Iterations          int           `json:"iterations"` // 0 if it was not begun
	ConversationSummary string        `json:"conversationSummary,omitempty"`
	Error               string        `json:"error,omitempty"`
	Code                handoffs.Code `json:"code,omitempty"` // of the failure
}

// PastHandoff is a handoff of a conversation.
type PastHandoff struct {
	ID             string          `json:"id"`
	FromAgentID    string          `json:"fromAgentId"`
	ToAgentID      string          `json:"toAgentId"`
	Reason         string          `json:"reason"`
	Task           string          `json:"task"`
	ConversationID string          `json:"conversationId"` // that it was made in: a specialist's own, if it handed on
	Timestamp      time.Time       `json:"timestamp"`
	Status         handoffs.Status `json:"status"` // running, returned, failed, rejected
	Error          string          `json:"error,omitempty"`
}
