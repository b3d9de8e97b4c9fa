package nodes

import (
	"slices"
	"strings"
)

// system is the system message of a turn.
func (t *turn) system() string {
	parts := []string{strings.TrimSpace(t.instructions)}
	if t.ways.open && !t.handoffs.NoGuidance {
		parts = append(parts, t.guidance())
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
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
