package handoffs

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// FormatHistory writes messages as people read them, a line each: "user: …",
// "assistant: …" and "tool(name): …". Further lines of a text are indented, so
// that none can pass for another message. Tool calls are told by their names in
// brackets. Messages of other roles, and those that say nothing, are left out.
func FormatHistory(ms []state.Message) string { return formatHistory(ms, 0) }

// formatHistory writes the messages from one on. The names of tools may be told
// by those before.
func formatHistory(ms []state.Message, from int) string {
	var lines []string
	tools := map[string]string{} // by the ids of their calls
	for i := range ms {
		m := &ms[i]
		for _, c := range m.ToolCalls {
			tools[c.ID] = c.Name
		}
		role := historyRole(m)
		if i < from || role == "" {
			continue
		}
		if m.Role == state.RoleTool {
			role = "tool(" + briefLine(cmp.Or(m.Name, tools[m.ToolCallID], "unknown")) + ")"
		}
		lines = append(lines, role+": "+strings.ReplaceAll(saidText(m), "\n", "\n  "))
	}
	return strings.Join(lines, "\n")
}

// historyRole returns the name of a message's role; "" if it is not told.
func historyRole(m *state.Message) string {
	switch m.Role {
	case state.RoleHuman:
		return "user"
	case state.RoleTool:
		return "tool"
	case state.RoleAI:
		if saidText(m) != "" {
			return "assistant"
		}
	}
	return ""
}

// saidText returns a message's text and the names of its tool calls.
func saidText(m *state.Message) string {
	text := strings.ReplaceAll(m.Text(), "\r\n", "\n")
	if len(m.ToolCalls) == 0 {
		return text
	}
	var names []string
	for _, c := range m.ToolCalls {
		names = append(names, briefLine(c.Name))
	}
	calls := "[calls " + strings.Join(names, ", ") + "]"
	if text == "" {
		return calls
	}
	return text + " " + calls
}

func briefLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// SummarizeRun tells in a sentence how much an agent's work was: its turns, and
// the tools it called, in the order of their first calls.
func SummarizeRun(iterations int, calls []state.ToolCall) string {
	text := briefCount(iterations, "iteration")
	if len(calls) == 0 {
		return text + " without tool calls"
	}
	var names []string
	times := map[string]int{}
	for _, c := range calls {
		if times[c.Name]++; times[c.Name] == 1 {
			names = append(names, c.Name)
		}
	}
	for i, name := range names {
		if times[name] > 1 {
			names[i] = fmt.Sprintf("%s (%d times)", name, times[name])
		}
	}
	return text + " with " + briefCount(len(calls), "tool call") + ": " + strings.Join(names, ", ")
}

func briefCount(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
