package handoffs

import (
	"iter"
	"strconv"
	"time"

	"github.com/graphrun/graphrun/handoffs/bus"
)

// BusMessages yields what a session's log has to say to a bus, in the order
// of the log: bus.AgentHandoff for each handoff that was offered to its target
// or accepted, whichever came first, and bus.TaskCompleted or bus.TaskFailed
// when it has ended: that of a call when its result is there, whoever returned
// it, that of a transfer when its target is done or hands over itself. The task
// of the agent that began the session, which no handoff brought, is told of as
// well, and a resumed one no second time. Each message comes once, and its ID,
// which is made of the handoff's, is always the same.
//
// The payload of bus.AgentHandoff holds the whole record under "handoff", with
// the keys of its JSON form; that of the others "handoffId", "task", "status",
// "code", "error" and the "result" that was returned, where there are any. The
// context's request and user are the texts under "requestId" and "userId" in the
// handoff's payload.
func BusMessages(session string, log Log) iter.Seq[bus.Message] {
	return func(yield func(bus.Message) bool) {
		for i := range log.Len() {
			for _, m := range messagesAt(session, log, i) {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// messagesAt returns the messages that entry i makes.
func messagesAt(session string, log Log, i int) (out []bus.Message) {
	e := log.At(i)
	switch {
	case e.Handoff == "" && e.Event == EventTask:
		return append(out, firstTask(session, e))
	case e.Handoff == "" || len(e.Stages) == 0:
		return nil
	}
	p := pastOf(log, i)
	for _, s := range e.Stages {
		switch {
		case p.record == nil || p.ended:
		case (s == PendingAccept || s == Accepted) && !p.announced:
			out = append(out, p.handoffMessage(session, e.At))
		case s.ends() && p.announced && p.record.Kind != Resume:
			out = append(out, p.taskMessage(session, s, e))
		}
		p.pass(s)
	}
	return out
}

// handoffMessage tells a target that it was handed something.
func (p *handoffPast) handoffMessage(session string, at time.Time) bus.Message {
	r := *p.record
	r.To = p.to
	return bus.Message{
		ID: r.ID + "/handoff", Type: bus.AgentHandoff, Source: r.From, Target: r.To, At: at,
		Payload: map[string]any{"handoff": r.fields()}, Context: busContext(session, &r),
	}
}

// taskMessage tells who handed a task over how it has ended.
func (p *handoffPast) taskMessage(session string, s Status, e *Entry) bus.Message {
	m := bus.Message{
		ID: p.record.ID + "/task", Type: taskType(s), Source: p.to, Target: p.record.From, At: e.At,
		Payload: taskPayload(s, p.record.Task, e), Context: busContext(session, p.record),
	}
	m.Payload["handoffId"] = p.record.ID
	if e.Event == EventReturn {
		m.Source = e.From
	}
	return m
}

// firstTask tells how the task of the agent that began a session has ended.
func firstTask(session string, e *Entry) bus.Message {
	status, _ := e.Detail["status"].(string)
	task, _ := e.Detail["task"].(string)
	return bus.Message{
		ID: session + "/" + strconv.Itoa(e.Seq) + "/task", Type: taskType(Status(status)), Source: e.From, At: e.At,
		Payload: taskPayload(Status(status), task, e), Context: bus.Context{Session: session},
	}
}

// taskType is the type of a message that a task has ended.
func taskType(s Status) string {
	switch s {
	case Completed, Returned, Partial:
		return bus.TaskCompleted
	}
	return bus.TaskFailed
}

// taskPayload tells how a task ended, without what is empty.
func taskPayload(s Status, task string, e *Entry) map[string]any {
	m := map[string]any{"status": string(s)}
	for key, text := range map[string]string{"task": task, "code": string(e.Code), "error": e.Message} {
		if text != "" {
			m[key] = text
		}
	}
	if e.Result != nil {
		m["result"] = e.Result.fields()
	}
	return m
}

// busContext says what a handoff's messages belong to.
func busContext(session string, r *Record) bus.Context {
	c := bus.Context{Session: session}
	c.Request, _ = r.Payload["requestId"].(string)
	c.User, _ = r.Payload["userId"].(string)
	return c
}
