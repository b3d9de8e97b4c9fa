package stored

import (
	"context"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// HandoffEvent is a handoff as it is stored.
type HandoffEvent struct {
	ID             string          `json:"id"`
	SessionID      string          `json:"session_id"`
	FromAgent      string          `json:"from_agent"`
	ToAgent        string          `json:"to_agent"`
	Reason         string          `json:"reason"`
	UserIntent     string          `json:"user_intent"`
	HarnessTraceID string          `json:"harness_trace_id,omitempty"`
	CreatedAt      time.Time       `json:"created_at"`
	Status         handoffs.Status `json:"status"`             // running, completed, failed, cancelled
	Error          string          `json:"error,omitempty"`    // why it failed
	Snapshot       string          `json:"snapshot,omitempty"` // of the conversation, see System.Conversation; "": it was empty
}

// GetHandoffHistory returns a session's handoffs, oldest first. Those that were
// rejected are not among them. A session that has none is no error.
func (s *System) GetHandoffHistory(ctx context.Context, sessionID string) ([]HandoffEvent, error) {
	at, err := s.book.Load(ctx, sessionID)
	var out []HandoffEvent
	for h := range handoffs.History(handoffs.LogOf(at.HandoffLog), filter("", "")) {
		out = append(out, eventOf(sessionID, &h))
	}
	return out, err
}

// GetLastHandoff returns a session's newest handoff; nil: there is none.
func (s *System) GetLastHandoff(ctx context.Context, sessionID string) (*HandoffEvent, error) {
	at, err := s.book.Load(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	h, ok := handoffs.Last(handoffs.LogOf(at.HandoffLog), filter("", ""))
	if !ok {
		return nil, nil
	}
	e := eventOf(sessionID, &h)
	return &e, nil
}

// GetHandoffCount returns how many handoffs a session has from one agent to
// another; "" is any agent.
func (s *System) GetHandoffCount(ctx context.Context, sessionID, fromAgent, toAgent string) (int, error) {
	at, err := s.book.Load(ctx, sessionID)
	return handoffs.Count(handoffs.LogOf(at.HandoffLog), filter(fromAgent, toAgent)), err
}

// filter takes what counts as stored: handoffs that were accepted, and returns
// of calls, which agents on this policy in a graph may make.
func filter(from, to string) handoffs.Filter {
	return handoffs.Filter{From: from, To: to, Accepted: true, IncludeReturns: true}
}

func eventOf(session string, h *handoffs.Handoff) HandoffEvent {
	e := HandoffEvent{
		ID: h.ID, SessionID: session, FromAgent: h.From, ToAgent: h.To, Reason: h.Explanation, UserIntent: h.Intent,
		HarnessTraceID: h.Trace, CreatedAt: h.At, Status: h.Status, Error: h.Message,
	}
	if h.Context != nil {
		e.Snapshot = h.Context.Hash
	}
	return e
}
