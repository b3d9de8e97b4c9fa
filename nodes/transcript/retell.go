package transcript

import (
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// retell makes human messages of what other agents said, called and got back.
func (w *work) retell() {
	for i := range w.msgs {
		m := &w.msgs[i]
		if m.Role != state.RoleAI || m.Name == "" || m.Name == w.view.Agent {
			continue
		}
		for _, r := range w.replies[i] {
			call := m.ToolCalls[w.result[r]]
			w.human(r, fmt.Sprintf("[%s] got from %s: ", m.Name, call.Name), "")
		}
		w.replies[i] = nil
		var calls strings.Builder
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&calls, "[%s] called %s with %s\n", m.Name, c.Name, arguments(c))
		}
		w.human(i, fmt.Sprintf("[%s] said: ", m.Name), strings.TrimSuffix(calls.String(), "\n"))
	}
}

// human makes message i a human's with its text behind intro; what is no text
// stays as it is. An AI message without text has only the tail; one without
// anything is left out.
func (w *work) human(i int, intro, tail string) {
	m := &w.msgs[i]
	var parts []state.Part
	text := m.Text()
	if blank(text) && m.Role == state.RoleAI {
		intro, text = "", ""
	}
	if intro += text; intro != "" {
		parts = append(parts, state.Part{Type: "text", Text: intro})
	}
	for _, p := range m.Content {
		switch p.Type {
		case "text":
		case TypeReasoning:
			w.tell(ReasoningDropped, i, "")
		default:
			parts = append(parts, p)
		}
	}
	if tail != "" {
		parts = append(parts, state.Part{Type: "text", Text: tail})
	}
	if len(parts) == 0 {
		w.gone[i] = true
		w.tell(EmptyDropped, i, "")
		return
	}
	*m = state.Message{ID: m.ID, Role: state.RoleHuman, Content: parts, Time: m.Time}
	w.retold[i] = true
	w.tell(AgentRetold, i, "")
}

// arguments returns a call's arguments as a text to read.
func arguments(c state.ToolCall) string {
	if len(c.Args) == 0 {
		return "{}"
	}
	return string(c.Args)
}
