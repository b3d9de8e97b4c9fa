package rules

import (
	"context"
	"errors"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/internal/sessions"
	"github.com/graphrun/graphrun/state"
)

// Signal tells a request of something from outside, a quote for example. It
// returns the task that goes on with it, or the zero task if it still waits.
func (m *HandoffManager) Signal(ctx context.Context, requestID string, s handoffs.Signal) (AgentTask, error) {
	after, res, err := m.step(ctx, requestID, func(at *request, in *handoffs.Batch) ([]state.Write[request], error) {
		if busy(&at.Handoffs) {
			return nil, errors.New("rules: nobody waits for the signal " + s.Type)
		}
		in.Signals = []handoffs.Signal{s}
		return nil, nil
	})
	if err != nil {
		return AgentTask{}, err
	}
	if e := sessions.Refusal(res); e.Code == handoffs.CodeStale {
		return AgentTask{}, e
	}
	_, task := atWork(&after, requestID)
	return task, nil
}

// HandleTimeouts does what is due in all requests: tasks that nobody accepted in
// time go to the error monitor, waits that are over end, and what waits for
// another attempt is handed over. Call it every second or so; what is due is
// stored, and is found behind a restart. It returns the tasks that go on.
func (m *HandoffManager) HandleTimeouts(ctx context.Context) (out []AgentTask, err error) {
	var late []string
	err = m.each(ctx, func(id string, at *request) {
		if !busy(&at.Handoffs) && at.Handoffs.Due(m.book.Now()) {
			late = append(late, id)
		}
	})
	for _, id := range late {
		after, res, err := m.step(ctx, id, func(at *request, _ *handoffs.Batch) ([]state.Write[request], error) {
			if busy(&at.Handoffs) {
				return nil, sessions.ErrNothing
			}
			return nil, nil
		})
		if err != nil {
			return out, err
		}
		if _, task := atWork(&after, id); res != nil && task.ID != "" {
			out = append(out, task)
		}
	}
	return out, err
}
