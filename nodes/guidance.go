package nodes

import (
	"slices"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// system is the system message of a turn, with what the agent was handed if the
// conversation that it is given does not tell it.
func (t *turn) system() string {
	parts := []string{strings.TrimSpace(t.instructions), t.task()}
	if t.ways.open && !t.handoffs.NoGuidance {
		parts = append(parts, t.guidance())
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}

// task tells a model what it was handed.
func (t *turn) task() string {
	if t.seat == nil || t.seat.Turn.Task == "" && len(t.seat.Turn.Payload) == 0 || t.told() {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Your task\n")
	turn := &t.seat.Turn
	if turn.From != "" {
		b.WriteString("\nHanded to you by " + turn.From + ".")
	}
	for _, line := range []struct{ title, text string }{{"", turn.Task}, {"Why: ", turn.Why}, {"What the user wants: ", turn.Intent}} {
		if line.text != "" {
			b.WriteString("\n" + line.title + line.text)
		}
	}
	if len(turn.Payload) > 0 {
		if data, err := state.AppendAny(nil, turn.Payload); err == nil { // it is of the state, so it has a form
			b.WriteString("\nWhat you were given for it: " + string(data))
		}
	}
	return b.String()
}

// told reports whether the conversation tells the task already, as a brief does.
func (t *turn) told() bool {
	task := t.seat.Turn.Task
	return task != "" && slices.ContainsFunc(t.given, func(m state.Message) bool {
		return m.Role == state.RoleHuman && strings.Contains(m.Text(), task)
	})
}

// guidance tells a model when and how to hand over.
func (t *turn) guidance() string {
	tools := t.ways.spec.Name
	if t.ways.targets != nil {
		var names []string
		for _, tool := range t.ways.tools {
			if t.ways.targets[tool.Name] != "" {
				names = append(names, tool.Name)
			}
		}
		tools = strings.Join(names, ", ")
	}
	return `## Working with other agents

You work with other agents. When a part of the work is outside of what you know
or may do, hand it over: call ` + tools + `. Saying that you hand
over does nothing; only the call does. Before it, gather what the other agent
needs, and put it into the call. Do not hand over what you can do well yourself.
Agents that you can hand to now: ` + strings.Join(t.ways.spec.Targets, ", ") + `.`
}
