package rules

import (
	"cmp"
	"context"
	"maps"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// MessageBus is what handoffs are told by: AGENT_HANDOFF, TASK_COMPLETED and
// TASK_FAILED. The payload of the first one has the AgentHandoff under "handoff",
// and what the log says of it under "record"; those of the others are as
// handoffs.BusMessages makes them.
type MessageBus = bus.Bus

// publish tells the bus what a request's log says from an entry on.
func (m *HandoffManager) publish(ctx context.Context, requestID string, at *request, from int) error {
	c := AgentContext{RequestID: requestID}
	c.SessionID, _ = at.Facts["sessionId"].(string)
	c.UserID, _ = at.Facts["userId"].(string)
	box := handoffs.Outbox{Bus: stamped{m.bus, c}}
	_, err := box.Publish(ctx, requestID, handoffs.LogOf(at.HandoffLog), from)
	return err
}

// stamped puts what a message belongs to on it, and hands handoffs over in the
// form that agents know.
type stamped struct {
	bus.Bus
	context AgentContext
}

// Publish publishes a message.
func (s stamped) Publish(ctx context.Context, m bus.Message) error {
	m.Context = bus.Context{Request: s.context.RequestID, Session: s.context.SessionID, User: s.context.UserID}
	if record, ok := m.Payload["handoff"].(map[string]any); ok && m.Type == bus.AgentHandoff {
		h, err := Value(s.handoff(&m, record))
		if err != nil {
			return err
		}
		m.Payload = maps.Clone(m.Payload)
		m.Payload["handoff"], m.Payload["record"] = h, record
	}
	return s.Bus.Publish(ctx, m)
}

// handoff is what a record asks for.
func (s stamped) handoff(m *bus.Message, record map[string]any) AgentHandoff {
	text := func(key string) string { v, _ := record[key].(string); return v }
	payload, _ := record["payload"].(map[string]any)
	at, _ := time.Parse(time.RFC3339Nano, text("timestamp"))
	return AgentHandoff{
		FromAgent: m.Source, ToAgent: m.Target, Context: s.context, Reason: text("explanation"),
		Task: AgentTask{
			ID: taskID(s.context.RequestID, text("handoffId")), Type: text("task"), Payload: payload,
			Priority: cmp.Or(handoffs.Priority(text("priority")), Normal), Status: handoffs.PendingAccept, CreatedAt: at,
		},
	}
}

// TaskID returns the id of the task that a message of the bus is about.
func TaskID(msg *bus.Message) string {
	if h, ok := msg.Payload["handoff"].(map[string]any); ok {
		task, _ := h["task"].(map[string]any)
		id, _ := task["id"].(string)
		return id
	}
	handoff, _ := msg.Payload["handoffId"].(string)
	return taskID(msg.Context.Request, handoff)
}
