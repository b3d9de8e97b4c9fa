package specialist

import "strings"

// guidance is the part of PromptGuidance that is always the same.
const guidance = `## Working with specialists

You are the one the user talks to, and stay it. When a part of the work is
outside of what you know or may do, call ` + ToolName + ` and go on with its
result. Before you call it, gather what the specialist needs and put it into the
context: it sees the last messages, and nothing else of this conversation. What
it answers goes to you, not to the user: check it, put it together with what you
have, and say it in your own words. If a handoff fails, do the task yourself or
ask the user. Do not hand over what you can do well yourself.

Specialists:
`

// PromptGuidance returns what belongs into a generalist's system prompt: when
// and how to hand over, and who is there, a line each. It is made anew when
// agents are registered; without specialists it is "".
func (r *Router) PromptGuidance() string {
	var b strings.Builder
	for _, a := range r.ListAvailableAgents() {
		b.WriteString("- " + a.line() + "\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return guidance + b.String()
}

// line tells of the agent on one line.
func (a *AgentCapabilityProfile) line() string {
	text := a.AgentName
	if a.Specialization != "" {
		text += " (specialist_type " + a.Specialization + ")"
	}
	if a.Description != "" {
		text += ": " + a.Description
	}
	if len(a.Capabilities) > 0 {
		text += "; capabilities: " + strings.Join(a.Capabilities, ", ")
	}
	if len(a.Examples) > 0 {
		text += "; examples: " + strings.Join(a.Examples, "; ")
	}
	return strings.Join(strings.Fields(text), " ")
}
