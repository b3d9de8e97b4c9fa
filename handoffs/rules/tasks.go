package rules

import (
	"context"
	"errors"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/internal/sessions"
	"github.com/graphrun/graphrun/state"
)

// TaskResult is what an agent says at the end of its turn.
type TaskResult struct {
	// States are those that the workflow has gone through in the turn, in their
	// order.
	States []string
	// Trigger is what has happened, which a rule answers; "": the work ends here.
	Trigger string
	Payload map[string]any // of the trigger; its keys are facts from here on
	// Until ends the turn without ending the task: it goes on with a signal, or
	// behind a time. There is no Trigger then.
	Until *handoffs.Until
}

// AcceptHandoff begins a task that waits for an agent. One that waits no more, as
// it has timed out for example, is a handoffs.CodeStale.
func (m *HandoffManager) AcceptHandoff(ctx context.Context, taskID, agentID string) (AgentTask, error) {
	requestID, res, after, err := m.answer(ctx, taskID, agentID, "accept", "")
	if err != nil {
		return AgentTask{}, err
	}
	if sessions.Begun(res) == nil {
		return AgentTask{}, sessions.Refusal(res)
	}
	_, task := atWork(after, requestID)
	return task, nil
}

// RejectHandoff gives a task back that waits for an agent, or that it has
// accepted and not begun: TASK_FAILED is published, and the error monitor has
// the work.
func (m *HandoffManager) RejectHandoff(ctx context.Context, taskID, agentID, reason string) error {
	requestID, handoff := split(taskID)
	at, err := m.book.Load(ctx, requestID)
	if err != nil {
		return err
	}
	if turnOf(&at.Handoffs, agentID, handoff) != nil {
		c := handoffs.NewCommand("", "", reason)
		c.Kind, c.Result = handoffs.Refuse, &handoffs.Outcome{Status: handoffs.Rejected, Error: reason}
		_, err = m.hand(ctx, requestID, handoff, agentID, nil, nil, c)
		if errors.Is(err, handoffs.CodeRefused) {
			err = nil
		}
		return err
	}
	_, res, _, err := m.answer(ctx, taskID, agentID, "refuse", reason)
	if err == nil {
		if e := sessions.Refusal(res); e.Code == handoffs.CodeStale {
			return e
		}
	}
	return err
}

// answer is an agent's word on a task that waits for it.
func (m *HandoffManager) answer(ctx context.Context, taskID, agentID, word, reason string) (string, *handoffs.Result, *request, error) {
	requestID, handoff := split(taskID)
	after, res, err := m.step(ctx, requestID, func(at *request, in *handoffs.Batch) ([]state.Write[request], error) {
		waits := slices.ContainsFunc(at.Handoffs.Queue, func(o handoffs.Offer) bool { return o.Record.ID == handoff && o.To == agentID })
		if !waits || busy(&at.Handoffs) {
			return nil, stale(handoff, agentID)
		}
		in.Signals = []handoffs.Signal{{Type: word, Handoff: handoff, Agent: agentID, Reason: reason}}
		return nil, nil
	})
	return requestID, res, &after, err
}

// busy reports whether an agent is at work: then no step may pass, for it would
// end the agent's turn.
func busy(d *handoffs.Desk) bool {
	return slices.ContainsFunc(d.Frames, func(f handoffs.Frame) bool { return f.State == handoffs.FrameRunning })
}

// CompleteTask ends an agent's turn on a task that it has accepted. It returns
// the task that a rule hands on, or the zero task if there is none. What a rule
// cannot hand over, or the workflow's states do not allow, is a *handoffs.Error.
func (m *HandoffManager) CompleteTask(ctx context.Context, taskID, agentID string, r TaskResult) (AgentTask, error) {
	requestID, handoff := split(taskID)
	var cs []handoffs.Command
	report := func(edit func(*handoffs.Command)) {
		c := handoffs.NewCommand("", "", "")
		c.Kind = handoffs.Report
		edit(&c)
		cs = append(cs, c)
	}
	for _, s := range r.States {
		report(func(c *handoffs.Command) { c.State = s })
	}
	switch {
	case r.Until != nil:
		report(func(c *handoffs.Command) { c.Kind, c.Until = handoffs.Wait, r.Until })
	case r.Trigger != "":
		report(func(c *handoffs.Command) { c.Trigger, c.Payload = r.Trigger, r.Payload })
	}
	return m.hand(ctx, requestID, handoff, agentID, r.States, r.Payload, cs...)
}

// FailTask ends an agent's turn because it cannot do its task at all: TASK_FAILED
// is published, and the error monitor is handed the work; if it was the monitor's
// own, the request has failed, with a *handoffs.Error. Failures that rules know
// are triggers of CompleteTask.
func (m *HandoffManager) FailTask(ctx context.Context, taskID, agentID string, why error) error {
	requestID, handoff := split(taskID)
	_, res, err := m.step(ctx, requestID, func(at *request, in *handoffs.Batch) ([]state.Write[request], error) {
		turn := turnOf(&at.Handoffs, agentID, handoff)
		if turn == nil {
			return nil, stale(handoff, agentID)
		}
		x, err := sessions.Failure(in, turn, why)
		in.Executions = append(in.Executions, x)
		return nil, err
	})
	if err == nil && res.Fault != nil {
		return res.Fault
	}
	return err
}
