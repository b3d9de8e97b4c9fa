package specialist

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// Handler does what models ask for by the tool handoff_to_specialist.
type Handler struct{ Service *HandoffService }

// ToolContext says who calls a tool, and where.
type ToolContext struct {
	AgentID             string
	UserInput           string // what the user wants
	ConversationHistory []state.Message
	UserID              string
	ConversationID      string
	CorrelationID       string // RunInput.CorrelationID, of a specialist; "": ConversationID
}

// ToolResult is what a model is told.
type ToolResult struct {
	Success             bool   `json:"success"`
	Error               string `json:"error,omitempty"`
	SpecialistName      string `json:"specialist_name,omitempty"`
	SpecialistResponse  string `json:"specialist_response,omitempty"`
	HandoffSummary      string `json:"handoff_summary,omitempty"`
	ConversationSummary string `json:"conversation_summary,omitempty"`
	Iterations          int    `json:"iterations,omitempty"`
}

// Handle hands to a specialist. Arguments that are wrong, a specialist that there
// is not and one that fails are results that say what to do.
func (h Handler) Handle(ctx context.Context, arguments []byte, at ToolContext) ToolResult {
	a, problems := ParseArguments(arguments)
	if problems != nil {
		return ToolResult{Error: "The arguments are not valid: " + strings.Join(problems, "; ")}
	}
	r := HandoffRequest{
		FromAgentID: at.AgentID, SpecialistType: a.SpecialistType, Reason: a.Reason, Task: a.Task, ConversationID: at.ConversationID,
		Context: HandoffContext{
			OriginalRequest: at.UserInput, ConversationHistory: at.ConversationHistory, CompletedWork: a.Context,
			RequiredCapabilities: a.RequiredCapabilities, UserID: at.UserID, CorrelationID: at.CorrelationID,
		},
	}
	h.find(&r)
	out := h.Service.ExecuteHandoff(ctx, r)
	switch {
	case out.Success:
		return ToolResult{
			Success: true, SpecialistName: out.AgentName, SpecialistResponse: out.Result, Iterations: out.Iterations, ConversationSummary: out.ConversationSummary,
			HandoffSummary: fmt.Sprintf("%s did the task in %s: %s", out.AgentName, out.Duration.Round(time.Millisecond), a.Task),
		}
	case out.Code == handoffs.CodeNoProvider:
		return ToolResult{Error: out.Error}
	case out.AgentName == "":
		out.AgentName = a.SpecialistType
	}
	return ToolResult{Error: fmt.Sprintf("Handoff to %s failed: %s", out.AgentName, out.Error), SpecialistName: out.AgentName, Iterations: out.Iterations}
}

// find names the agent of a request whose type is an agent's name, and else says
// that the type is what is needed.
func (h Handler) find(r *HandoffRequest) {
	agents := h.Service.cfg.Router.Agents()
	if len(agents.ForCapability(r.SpecialistType, time.Time{})) == 0 {
		if p, _, ok := agents.Lookup(r.SpecialistType); ok {
			r.ToAgentID = p.ID
			return
		}
	}
	if r.Context.RequiredCapabilities == nil {
		r.Context.RequiredCapabilities = []string{r.SpecialistType}
	}
}
