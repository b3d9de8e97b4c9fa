package rules

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
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

// AtWork returns the agent that is at work on a request, and its task; "": nobody
// is. The error monitor finds there what was given to it by no handoff.
func (m *HandoffManager) AtWork(ctx context.Context, requestID string) (agentID string, task AgentTask, err error) {
	at, err := m.book.Load(ctx, requestID)
	agentID, task = atWork(&at, requestID)
	return agentID, task, err
}

// TaskID returns the id of the task that a message of the bus is about.
func TaskID(msg *bus.Message) string {
	handoff, _ := msg.Payload["handoffId"].(string)
	if record, ok := msg.Payload["handoff"].(map[string]any); ok {
		handoff, _ = record["handoffId"].(string)
	}
	return msg.Context.Request + "/" + handoff
}

func split(taskID string) (requestID, handoff string) {
	if i := strings.LastIndexByte(taskID, '/'); i >= 0 {
		return taskID[:i], taskID[i+1:]
	}
	return taskID, ""
}

// atWork is who is at work on what.
func atWork(at *request, requestID string) (agent string, task AgentTask) {
	for i := range at.Handoffs.Frames {
		if f := &at.Handoffs.Frames[i]; f.State == handoffs.FrameRunning {
			return f.Agent, AgentTask{ID: requestID + "/" + f.Handoff, Type: f.Task, Payload: f.Payload, Status: handoffs.Running, CreatedAt: f.Begun}
		}
	}
	return "", AgentTask{}
}

// next is the task that was handed over last and waits; the zero task: none does.
func next(at *request, requestID string) AgentTask {
	if n := len(at.Handoffs.Queue); n > 0 {
		o := &at.Handoffs.Queue[n-1]
		return offered(requestID, o.Record, o.Status)
	}
	return AgentTask{}
}

// offered is the task of a handoff. One that failed and waits for another attempt
// has the status failed.
func offered(requestID string, r *handoffs.Record, s handoffs.Status) AgentTask {
	return AgentTask{ID: requestID + "/" + r.ID, Type: r.Task, Payload: r.Payload, Priority: cmp.Or(r.Priority, Normal), Status: s, CreatedAt: r.At}
}
