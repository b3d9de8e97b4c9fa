package rules

import (
	"cmp"
	"context"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// Stats are figures about the handoffs of all requests.
type Stats struct {
	TotalHandoffs   int                   `json:"totalHandoffs"`   // that the bus was told of
	PendingHandoffs int                   `json:"pendingHandoffs"` // of these: not accepted yet
	HandoffsByAgent map[string]AgentStats `json:"handoffsByAgent"`
}

// AgentStats are figures about one agent.
type AgentStats struct {
	Sent     int `json:"sent"`
	Received int `json:"received"`
}

// GetStats counts the handoffs of all requests.
func (m *HandoffManager) GetStats(ctx context.Context) (Stats, error) {
	s := Stats{HandoffsByAgent: map[string]AgentStats{}}
	err := m.each(ctx, func(id string, at *request) {
		s.PendingHandoffs += len(pending(id, at, ""))
		for msg := range handoffs.BusMessages(id, handoffs.LogOf(at.HandoffLog)) {
			if msg.Type != bus.AgentHandoff {
				continue
			}
			s.TotalHandoffs++
			sent := s.HandoffsByAgent[msg.Source]
			sent.Sent++
			s.HandoffsByAgent[msg.Source] = sent
			received := s.HandoffsByAgent[msg.Target]
			received.Received++
			s.HandoffsByAgent[msg.Target] = received
		}
	})
	return s, err
}

// GetPendingHandoffs returns the tasks of all requests that wait for an agent to
// accept them, in the order in which it should: by the levels of their priorities,
// which get less as they wait (handoffs.QueuePolicy), and then by age. "" asks for
// those of all agents.
func (m *HandoffManager) GetPendingHandoffs(ctx context.Context, agentID string) (out []AgentTask, err error) {
	err = m.each(ctx, func(id string, at *request) { out = append(out, pending(id, at, agentID)...) })
	queue, now := m.book.Manager().Policy().Queue, m.book.Now()
	level := func(t *AgentTask) int {
		n := queue.Level(t.Priority)
		if queue.Ageing > 0 {
			n -= int(max(0, now.Sub(t.CreatedAt)) / queue.Ageing)
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b AgentTask) int {
		return cmp.Or(cmp.Compare(level(&a), level(&b)), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out, err
}

// pending are the tasks of a request that wait for an agent.
func pending(id string, at *request, agent string) (out []AgentTask) {
	for _, h := range handoffs.Pending(handoffs.LogOf(at.HandoffLog), &at.Handoffs, agent) {
		if h.Status == handoffs.PendingAccept {
			out = append(out, offered(id, &h.Record, h.Status))
		}
	}
	return out
}

// each looks at all requests.
func (m *HandoffManager) each(ctx context.Context, look func(id string, at *request)) error {
	for id, err := range m.book.Sessions(ctx) {
		if err != nil {
			return err
		}
		at, err := m.book.Load(ctx, id)
		if err != nil {
			return err
		}
		look(id, &at)
	}
	return nil
}
