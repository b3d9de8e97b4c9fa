package rules

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// AgentTask is what an agent is to do.
type AgentTask struct {
	ID        string            `json:"id"` // of the request and the handoff: no other task's
	Type      string            `json:"type"`
	Payload   map[string]any    `json:"payload,omitempty"`  // values as package state keeps any
	Priority  handoffs.Priority `json:"priority,omitempty"` // "": normal
	Status    handoffs.Status   `json:"status,omitempty"`   // pending, running, …
	CreatedAt time.Time         `json:"createdAt,omitzero"`
	// Refused is the handoff that came to nothing, of an agent that has the work
	// for that: the error monitor, mostly. Nil: there is none.
	Refused *handoffs.Refusal `json:"refused,omitempty"`
}

// AtWork returns the agent that is at work on a request, and its task; "": nobody
// is. The error monitor finds there what was given to it by no handoff: a task of
// which Refused says what was rejected, by whom and why.
func (m *HandoffManager) AtWork(ctx context.Context, requestID string) (agentID string, task AgentTask, err error) {
	at, err := m.book.Load(ctx, requestID)
	agentID, task = atWork(&at, requestID)
	return agentID, task, err
}

// atWork is who is at work on what.
func atWork(at *request, requestID string) (agent string, task AgentTask) {
	for i := range at.Handoffs.Frames {
		f := &at.Handoffs.Frames[i]
		if f.State != handoffs.FrameRunning {
			continue
		}
		task := offered(requestID, &handoffs.Record{ID: f.Handoff, Task: f.Task, Payload: f.Payload, At: f.Begun}, handoffs.Running)
		log := handoffs.LogOf(at.HandoffLog)
		for _, h := range handoffs.Pending(log, &at.Handoffs, f.Agent) {
			if h.ID == f.Handoff {
				task.Priority, task.CreatedAt = cmp.Or(h.Priority, Normal), h.At
			}
		}
		task.Refused = refusal(log)
		return f.Agent, task
	}
	return "", AgentTask{}
}

// refusal is the handoff that came to nothing if that was the last one; nil: the
// last one was accepted.
func refusal(log handoffs.Log) (out *handoffs.Refusal) {
	ended := []handoffs.Status{handoffs.Rejected, handoffs.TimedOut}
	for i := log.Len() - 1; i >= 0; i-- {
		e := log.At(i)
		switch last := e.Status(); {
		case last == handoffs.Running:
			return nil
		case !slices.Contains(ended, last):
			continue
		}
		for h := range handoffs.History(log, handoffs.Filter{Status: ended}) {
			if h.ID == e.Handoff {
				out = &handoffs.Refusal{Handoff: h.ID, Target: h.To, Code: h.Code, Codes: h.Codes, Message: h.Message, Task: h.Task, Payload: h.Payload}
			}
		}
		return out
	}
	return nil
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
	return AgentTask{ID: taskID(requestID, r.ID), Type: r.Task, Payload: r.Payload, Priority: cmp.Or(r.Priority, Normal), Status: s, CreatedAt: r.At}
}

func taskID(requestID, handoff string) string { return requestID + "/" + handoff }

func split(taskID string) (requestID, handoff string) {
	if i := strings.LastIndexByte(taskID, '/'); i >= 0 {
		return taskID[:i], taskID[i+1:]
	}
	return taskID, ""
}
