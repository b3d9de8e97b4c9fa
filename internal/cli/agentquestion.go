package cli

import (
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graph"
)

// agentQuestion is what people read of a question that an agent asks: one of its
// model's, or whether tools may be called. It is false for others.
func agentQuestion(q *graph.Question) (string, bool) {
	m, _ := q.Value.(map[string]any)
	if text, ok := m["text"].(string); ok && m["type"] == "question" {
		return text + choicesText(choiceValues(m["choices"])), true
	}
	actions, _ := m["action_requests"].([]any)
	var calls []string
	for _, a := range actions {
		action, _ := a.(map[string]any)
		calls = append(calls, fmt.Sprintf("may %v be called with %s?", action["name"], valueText(action["args"])))
	}
	if calls == nil {
		return "", false
	}
	return strings.Join(calls, "; ") + " (approve, edit, reject)", true
}

// choiceValues are the values of choices.
func choiceValues(choices any) (values any) {
	list, _ := choices.([]any)
	out := []any{}
	for _, c := range list {
		if choice, ok := c.(map[string]any); ok {
			out = append(out, choice["value"])
		}
	}
	return out
}
