package cli

import (
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// teamQuestion is what people read of a question that a team of agents asks:
// whether a handoff may go on, or for a signal. It is false for others.
func teamQuestion(q *graph.Question) (string, bool) {
	m, ok := q.Value.(map[string]any)
	if !ok || q.Node != handoffs.NodeProcess {
		return "", false
	}
	if text, ok := m["question"].(string); ok {
		return strings.ReplaceAll(text, "\n", "; ") + choicesText(m["choices"]), true
	}
	if _, ok := m["waiting"]; !ok {
		return "", false
	}
	text := fmt.Sprintf("%s waits for a signal: answer {\"type\": TYPE}, of the types %s", listText(m["waiting"]), listText(m["signals"]))
	if listText(m["signals"]) == "" {
		text = listText(m["waiting"]) + " waits"
	}
	if until, ok := m["until"].(string); ok {
		text += "; until " + until + ", behind which \"tick\" goes on"
	}
	return text, true
}

func choicesText(choices any) string {
	if text := listText(choices); text != "" {
		return " (" + text + ")"
	}
	return ""
}

// listText names the texts of a list.
func listText(list any) string {
	items, _ := list.([]any)
	var out []string
	for _, item := range items {
		if text, ok := item.(string); ok {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}
