package specialist

import (
	"context"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// ToolContext is where a tool is called.
type ToolContext struct {
	AgentID             string          `json:"agentId"`   // who calls it
	UserInput           string          `json:"userInput"` // what the user wants
	ConversationHistory []state.Message `json:"conversationHistory"`
	UserID              string          `json:"userId,omitempty"`
	ConversationID      string          `json:"conversationId"`
}

// ToolResult is what a model is told of its call.
type ToolResult struct {
	Success bool    `json:"success"`
	Result  *Report `json:"result"`          // nil: it failed
	Error   string  `json:"error,omitempty"` // for the model: why it failed, and what to do
}

// Report is the result of a handoff that succeeded.
type Report struct {
	SpecialistName      string `json:"specialist_name"`
	SpecialistResponse  string `json:"specialist_response"`
	HandoffSummary      string `json:"handoff_summary"`
	ConversationSummary string `json:"conversation_summary"`
	Iterations          int    `json:"iterations"`
}

// HandleTool is the tool handoff_to_specialist: it finds a specialist, hands
// the task to it, and returns when it has ended. One that has the type as a
// capability comes first, else the router's Ask is asked for the task. Whatever
// goes wrong is a result with Success false, which the model can go on with.
func (s *HandoffService) HandleTool(ctx context.Context, arguments []byte, tc ToolContext) ToolResult {
	a, problems := ValidateArguments(arguments)
	if problems != nil {
		return ToolResult{Error: "The arguments are not valid: " + strings.Join(problems, "; ")}
	}
	s.cfg.Logger.InfoContext(ctx, "handoff to specialist", "agentId", tc.AgentID, "specialistType", a.SpecialistType, "reason", a.Reason)
	r := a.request(&tc)
	capability := a.SpecialistType
	if _, ok := s.cfg.Router.FindAgentForCapability(capability); !ok {
		p, found, err := s.cfg.Router.forTask(ctx, a.Task, tc.AgentID, a.RequiredCapabilities)
		if err != nil {
			s.cfg.Logger.ErrorContext(ctx, "no specialist could be chosen", "agentId", tc.AgentID, "error", err.Error())
			return failure(capability, err.Error())
		}
		if found {
			r.ToAgentID, capability = p.AgentID, ""
		}
	}
	return a.told(s.execute(ctx, r, capability, a.RequiredCapabilities))
}

// request is what the arguments ask for.
func (a *Arguments) request(tc *ToolContext) *HandoffRequest {
	needs := a.RequiredCapabilities
	if needs == nil {
		needs = []string{a.SpecialistType}
	}
	return &HandoffRequest{
		FromAgentID: tc.AgentID, Reason: a.Reason, Task: a.Task, ConversationID: tc.ConversationID,
		Context: HandoffContext{
			OriginalRequest: tc.UserInput, ConversationHistory: tc.ConversationHistory, CompletedWork: a.Context,
			RequiredCapabilities: needs, UserID: tc.UserID, CorrelationID: tc.ConversationID,
		},
	}
}

// told is what the model is told of a result.
func (a *Arguments) told(r HandoffResult) ToolResult {
	switch {
	case r.Success:
		return ToolResult{Success: true, Result: &Report{
			SpecialistName: r.AgentName, SpecialistResponse: r.Result, ConversationSummary: r.ConversationSummary, Iterations: r.Iterations,
			HandoffSummary: fmt.Sprintf("Handed to %s: %s", r.AgentName, a.Reason),
		}}
	case r.Code == handoffs.CodeNoProvider:
		return ToolResult{Error: r.Error}
	case r.AgentName == "":
		return failure(a.SpecialistType, r.Error)
	}
	return failure(r.AgentName, r.Error)
}

func failure(to, why string) ToolResult {
	return ToolResult{Error: fmt.Sprintf("Handoff to %s failed: %s", to, why)}
}
