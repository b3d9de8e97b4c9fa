package cli

import (
	"fmt"

	"github.com/graphrun/graphrun/handoffs"
)

// noticeText is what people read of what a team of agents tells; false for
// other values.
func noticeText(value any) (string, bool) {
	switch n := value.(type) {
	case *handoffs.HandoffNotice:
		return handedText(n), true
	case *handoffs.RejectedNotice:
		return fmt.Sprintf("%s ⇏ %s: %s (%s)", n.From, orNobody(n.To), n.Message, n.Code), true
	case *handoffs.AgentChanged:
		return n.To + " is the active agent", true
	}
	return "", false
}

// handedText is a handoff on one line: an agent takes over, or works for
// another one.
func handedText(n *handoffs.HandoffNotice) string {
	arrow := "⇒"
	if n.Kind == handoffs.Call || n.Kind == handoffs.Spawn {
		arrow = "→"
	}
	text := fmt.Sprintf("%s %s %s", n.From, arrow, orNobody(n.To))
	if n.Task != "" {
		text += ": " + n.Task
	}
	text += " (" + string(n.Kind)
	if n.Rule != "" {
		text += ", rule " + n.Rule
	}
	return text + ")"
}

func orNobody(agent string) string {
	if agent == "" {
		return "nobody"
	}
	return agent
}
