package specialist

import (
	"cmp"
	"context"
	"errors"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// Runner lets an agent work until it has an answer. It returns what it has also
// beside an error, ErrMaxIterations for example. It may be called by several
// goroutines at once.
type Runner func(ctx context.Context, in RunInput) (RunOutput, error)

// ErrMaxIterations is what a Runner returns if an agent has no answer after
// RunInput.MaxIterations turns.
var ErrMaxIterations = errors.New("the maximum of iterations was reached without an answer")

// RunInput is what an agent works on.
type RunInput struct {
	Agent          Agent  // who works
	UserInput      string // what it is asked
	ConversationID string // "handoff-" and the handoff's id
	UserID         string
	MaxIterations  int
	// ConversationHistory is what came before: nothing, for a specialist begins
	// anew.
	ConversationHistory []state.Message
	Metadata            map[string]any
	// CorrelationID is the user's conversation. Whoever works puts it into the
	// ToolContext of its tools.
	CorrelationID string
}

// RunOutput is what came of an agent's work.
type RunOutput struct {
	Response   string
	Iterations int // turns of the agent
	ToolCalls  []state.ToolCall
}

// input is what a specialist works on.
func (s *HandoffService) input(r *HandoffRequest, turn *handoffs.Turn, session string) RunInput {
	agent := Agent{ID: turn.Agent}
	if s.cfg.Agents != nil {
		if known, ok := s.cfg.Agents.GetAgent(turn.Agent); ok {
			agent = known
		}
	}
	return RunInput{
		Agent: agent, UserInput: BuildSpecialistInput(r), ConversationID: "handoff-" + turn.Handoff, UserID: r.Context.UserID,
		MaxIterations: cmp.Or(r.MaxIterations, MaxIterations), Metadata: r.Context.Metadata, CorrelationID: session,
	}
}

// BuildSpecialistInput writes what a specialist is told: the original request,
// why it was asked, its task, the capabilities that are needed, the work that was
// done as JSON, the last five messages, and how to end.
func BuildSpecialistInput(r *HandoffRequest) string {
	return handoffs.Brief(handoffs.BriefInput{
		Request: r.Context.OriginalRequest, Why: r.Reason, Task: r.Task, Capabilities: r.Context.RequiredCapabilities,
		Completed: r.Context.CompletedWork, History: r.Context.ConversationHistory, Last: QuotedMost,
	})
}

// FormatConversationHistory writes messages as "user: …", "assistant: …" and
// "tool(name): …", a line each. Messages of other roles are left out.
func FormatConversationHistory(ms []state.Message) string { return handoffs.FormatHistory(ms) }

// SummarizeConversation tells in a sentence how much an agent's work was.
func SummarizeConversation(iterations int, calls []state.ToolCall) string {
	return handoffs.SummarizeRun(iterations, calls)
}

// AsTool makes an agent a tool: it is asked something, answers, and knows nothing
// of who asks. Nobody decides about that and nothing is kept.
func AsTool(agent Agent, run Runner) func(ctx context.Context, input string) (string, error) {
	return func(ctx context.Context, input string) (string, error) {
		out, err := run(ctx, RunInput{Agent: agent, UserInput: input, MaxIterations: MaxIterations})
		return out.Response, err
	}
}
