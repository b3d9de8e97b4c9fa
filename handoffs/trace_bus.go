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
// when the target's task has ended, or never began though it was offered. The
// task of the agent that began the session is among them. Each message comes
// once, and its ID, which is made of the handoff's, is always the same.
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
	if e.Event == EventTask {
		return taskMessages(session, log, i)
	}
	if len(e.Stages) == 0 || e.Handoff == "" {
		return nil
	}
	p := pastOf(log, i)
	if p.record == nil {
		return nil
	}
	for _, s := range e.Stages {
		switch {
		case p.ended:
		case (s == PendingAccept || s == Accepted) && !p.announced:
			out = append(out, p.handoffMessage(session, e.At))
		case s.ends() && p.announced && !p.told && p.record.Kind != Resume:
			out = append(out, p.taskMessage(session, taskEnd{e.At, p.to, string(s), "", e.Code, e.Message, e.Result}))
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

// taskEnd is how an agent's task ended.
type taskEnd struct {
	at      time.Time
	agent   string
	status  string
	task    string
	code    Code
	message string
	result  *Outcome
}

// taskMessages tells of a task whose end entry i notes. That of the agent that
// began the session is no handoff's.
func taskMessages(session string, log Log, i int) []bus.Message {
	e := log.At(i)
	end := taskEnd{at: e.At, agent: e.From, message: e.Message, result: resultBehind(log, i)}
	end.status, _ = e.Detail["status"].(string)
	end.task, _ = e.Detail["task"].(string)
	if end.result != nil {
		end.code = end.result.Code
	}
	if e.Handoff == "" {
		p := handoffPast{record: &Record{ID: session + "/" + strconv.Itoa(e.Seq)}}
		m := p.taskMessage(session, end)
		delete(m.Payload, "handoffId")
		return []bus.Message{m}
	}
	p := pastOf(log, i)
	if p.record == nil || p.told || p.ended {
		return nil
	}
	return []bus.Message{p.taskMessage(session, end)}
}

// resultBehind finds the result that an agent returned in the step that noted
// the end of its task at entry i.
func resultBehind(log Log, i int) *Outcome {
	task := log.At(i)
	for i++; i < log.Len(); i++ {
		e := log.At(i)
		if !e.At.Equal(task.At) {
			return nil
		}
		if e.Event == EventReturn && e.From == task.From {
			return e.Result
		}
	}
	return nil
}

// taskMessage tells who handed a task over that it has ended.
func (p *handoffPast) taskMessage(session string, end taskEnd) bus.Message {
	m := bus.Message{
		ID: p.record.ID + "/task", Type: bus.TaskFailed, Source: end.agent, Target: p.record.From, At: end.at,
		Payload: map[string]any{"handoffId": p.record.ID, "status": end.status}, Context: busContext(session, p.record),
	}
	switch Status(end.status) {
	case Completed, Returned, Partial:
		m.Type = bus.TaskCompleted
	}
	if end.task == "" {
		end.task = p.record.Task
	}
	for key, text := range map[string]string{"task": end.task, "code": string(end.code), "error": end.message} {
		if text != "" {
			m.Payload[key] = text
		}
	}
	if end.result != nil {
		m.Payload["result"] = end.result.fields()
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
