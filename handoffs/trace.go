package handoffs

import (
	"iter"
	"time"
)

// The types of trace events.
const (
	TraceHandoff = "AGENT_HANDOFF"   // a handoff was accepted
	TraceFailure = "HANDOFF_FAILURE" // one was rejected, superseded, not taken in time, or failed; every attempt that failed has its own
)

// TraceEvent is what a trace is told of a handoff. It has no payload and no
// messages: what agents say stays in the log.
type TraceEvent struct {
	ID       string       `json:"event_id"` // made of the handoff's id: the same whenever it is told again
	Type     string       `json:"event_type"`
	At       time.Time    `json:"timestamp"`
	Session  string       `json:"session_id"`
	Trace    string       `json:"harness_trace_id,omitempty"`
	Handoff  string       `json:"handoff_id"`
	From     string       `json:"from_agent"`
	To       string       `json:"to_agent"`
	Kind     Kind         `json:"kind"`
	Actor    Actor        `json:"actor,omitempty"`
	Reason   Reason       `json:"reason,omitempty"`
	Intent   string       `json:"user_intent,omitempty"`
	PlanStep string       `json:"plan_step,omitempty"`
	Status   Status       `json:"status"`
	Attempt  int          `json:"attempt"`           // from 1; 0: its target has not begun
	Context  *Sent        `json:"context,omitempty"` // what the target was given of the conversation, of TraceHandoff
	Decision RoutingTrace `json:"routing_decision,omitzero"`
}

// RoutingTrace says how a handoff came about and was decided.
type RoutingTrace struct {
	Explanation string   `json:"explanation,omitempty"`
	Capability  string   `json:"capability,omitempty"` // by which a router chose
	Rule        string   `json:"rule,omitempty"`
	Trigger     string   `json:"trigger,omitempty"`
	Code        Code     `json:"code,omitempty"` // of a failure
	Codes       []Code   `json:"codes,omitempty"`
	Message     string   `json:"message,omitempty"`
	Why         []string `json:"why,omitempty"`
}

// TraceEvents yields what a trace is told of a session's handoffs, in the
// order of the log, each event once.
func TraceEvents(session string, log Log) iter.Seq[TraceEvent] {
	return func(yield func(TraceEvent) bool) {
		for i := range log.Len() {
			for _, e := range traceAt(session, log, i) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// traceAt returns the events that entry i makes.
func traceAt(session string, log Log, i int) (out []TraceEvent) {
	e := log.At(i)
	if e.Event == EventRetry && e.Attempt > 1 { // else the first attempt begins later
		if p := pastOf(log, i); p.record != nil && !p.ended {
			return append(out, p.trace(session, e, TraceFailure, Failed, max(e.Attempt-1, 1)))
		}
	}
	var p handoffPast
	if len(e.Stages) > 0 {
		p = pastOf(log, i)
	}
	for _, s := range e.Stages {
		switch {
		case p.record == nil || p.ended:
		case s == Accepted && !p.accepted:
			out = append(out, p.trace(session, e, TraceHandoff, s, max(e.Attempt, 1)))
		case s == Failed || s == Rejected || s == TimedOut || s == Superseded:
			out = append(out, p.trace(session, e, TraceFailure, s, max(e.Attempt, p.attempts)))
		}
		p.pass(s)
	}
	return out
}

// trace makes an event of an entry.
func (p *handoffPast) trace(session string, e *Entry, kind string, s Status, attempt int) TraceEvent {
	r := p.record
	id := r.ID + "/" + kind
	if kind == TraceFailure && s == Failed {
		id = attemptID(id, attempt)
	}
	return TraceEvent{
		ID: id, Type: kind, At: e.At, Session: session, Trace: r.Trace, Handoff: r.ID, From: r.From, To: p.to,
		Kind: r.Kind, Actor: r.Actor, Reason: r.Reason, Intent: r.Intent, PlanStep: r.PlanStep, Status: s, Attempt: attempt, Context: e.Context,
		Decision: RoutingTrace{
			Explanation: r.Explanation, Capability: r.Capability, Rule: r.Rule, Trigger: r.Trigger,
			Code: e.Code, Codes: e.Codes, Message: e.Message, Why: p.why,
		},
	}
}
