package cli

import (
	"fmt"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
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
	case nodes.MessageEvent:
		return calledText(&n), true
	case nodes.ToolEvent:
		return toolNotice(&n), true
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

// calledText is a call of a tool that a model asks for; "" for other pieces.
func calledText(e *nodes.MessageEvent) string {
	if e.Call == nil {
		return ""
	}
	return fmt.Sprintf("%s calls %s %s", e.Agent, e.Call.Name, e.Call.Args)
}

// toolNotice is what came of a tool, or how far it is; "" where it begins, as its
// call was told.
func toolNotice(e *nodes.ToolEvent) string {
	switch e.Phase {
	case nodes.ToolBegins:
		return ""
	case nodes.ToolFails:
		return e.Tool + " failed: " + e.Text
	case nodes.ToolProgress:
		return e.Tool + ": " + valueText(e.Value)
	}
	return e.Tool + " gave " + e.Text
}

func orNobody(agent string) string {
	if agent == "" {
		return "nobody"
	}
	return agent
}
