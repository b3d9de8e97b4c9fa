package specialist

import (
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// BuildSpecialistInput writes what a specialist is told: the original request,
// why it was asked, its task, the capabilities that are needed, the work that
// was done as JSON, the last QuotedMost messages, and how to end. What is empty
// has no section.
func BuildSpecialistInput(r *HandoffRequest) string {
	return handoffs.Brief(handoffs.BriefInput{
		Request: r.Context.OriginalRequest, Why: r.Reason, Task: r.Task, Capabilities: r.Context.RequiredCapabilities,
		Completed: r.Context.CompletedWork, History: r.Context.ConversationHistory, Last: QuotedMost,
	})
}

// FormatConversationHistory writes a conversation, a line for each message:
// "user: …", "assistant: …", "tool(name): …". Other roles are left out.
func FormatConversationHistory(ms []state.Message) string { return handoffs.FormatHistory(ms) }

// SummarizeConversation tells in a sentence how much work a run was.
func SummarizeConversation(r *AgentResult) string {
	return handoffs.SummarizeRun(r.Iterations, r.ToolCalls)
}
