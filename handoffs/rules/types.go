package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// AgentContext says what a handoff belongs to.
type AgentContext struct {
	RequestID string `json:"requestId"` // the workflow
	SessionID string `json:"sessionId,omitempty"`
	UserID    string `json:"userId,omitempty"`
}

// AgentHandoff asks for a handoff. Of the task's fields Type, Payload and
// Priority count.
type AgentHandoff struct {
	FromAgent string       `json:"fromAgent"`
	ToAgent   string       `json:"toAgent"`
	Task      AgentTask    `json:"task"`
	Context   AgentContext `json:"context"`
	Reason    string       `json:"reason"`
}

// Validate returns all that is missing or wrong about a handoff, before there is
// a workflow to check it in; nil: nothing. The error is a *handoffs.Error, of
// handoffs.CodeMissing or, if only the priority is none, handoffs.CodeSyntax.
func (h *AgentHandoff) Validate() error {
	var problems []string
	var codes []handoffs.Code
	for _, f := range [...]struct{ name, value string }{
		{"fromAgent", h.FromAgent}, {"toAgent", h.ToAgent}, {"task", h.Task.Type}, {"context", h.Context.RequestID}, {"reason", h.Reason},
	} {
		if strings.TrimSpace(f.value) == "" {
			problems, codes = append(problems, "Missing required field: "+f.name), []handoffs.Code{handoffs.CodeMissing}
		}
	}
	if p := h.Task.Priority; p != "" && !slices.Contains([]handoffs.Priority{Urgent, High, Normal, Low}, p) {
		problems, codes = append(problems, fmt.Sprintf("Invalid priority: %s", p)), append(codes, handoffs.CodeSyntax)
	}
	if problems == nil {
		return nil
	}
	return &handoffs.Error{Code: codes[0], Codes: codes, From: h.FromAgent, To: h.ToAgent, Message: strings.Join(problems, "; ")}
}

// ClientPreferences are what is known of a client's wishes.
type ClientPreferences struct {
	PreferredAircraft   []string `json:"preferredAircraft,omitempty"`
	BudgetRange         *Range   `json:"budgetRange,omitempty"`
	VIPStatus           bool     `json:"vipStatus,omitempty"`
	SpecialRequirements []string `json:"specialRequirements,omitempty"`
}

// Range is a range of prices, both ends included.
type Range struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Proposal is an offer for a flight, scored.
type Proposal struct {
	Rank      int     `json:"rank"` // from 1
	QuoteID   string  `json:"quoteId"`
	Operator  string  `json:"operator"`
	Aircraft  string  `json:"aircraft"`
	Price     float64 `json:"price"`
	Scores    Scores  `json:"scores"`
	Reasoning string  `json:"reasoning,omitempty"`
}

// Scores say how good a proposal is.
type Scores struct {
	Price   float64 `json:"price"`
	Safety  float64 `json:"safety"`
	Speed   float64 `json:"speed"`
	Comfort float64 `json:"comfort"`
	Total   float64 `json:"total"`
}

// Value makes a value for payloads of preferences, proposals and the like: what
// their JSON says.
func Value(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return state.ParseAny(data)
}
