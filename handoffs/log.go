package handoffs

import (
	"iter"
	"time"
)

// Status is where a handoff stands in its life.
type Status string

// The lifecycle. Requested to Running follow one another; a handoff that need
// not be approved or accepted passes them in one step. From Completed on a
// status is final.
const (
	Requested        Status = "requested"
	Validated        Status = "validated"
	AwaitingApproval Status = "awaiting_approval"
	PendingAccept    Status = "pending"
	Accepted         Status = "accepted"
	Running          Status = "running"

	Completed  Status = "completed" // a transfer's agent ended its work
	Returned   Status = "returned"  // a call's agent gave its result back
	Partial    Status = "partial"   // the same, with gaps
	Failed     Status = "failed"
	Rejected   Status = "rejected"  // by a rule, a person or the target
	TimedOut   Status = "timed_out" // not accepted or not done in time
	Cancelled  Status = "cancelled"
	Superseded Status = "superseded" // another handoff of the same turn went first
	Suspended  Status = "suspended"  // by a switch; it may be resumed: not final
)

// Record is what a handoff is: it does not change. In the log it is as it was
// asked for; views show the task and the payload that it went out with, where a
// person has edited them.
type Record struct {
	ID          string         `json:"handoffId"`
	From        string         `json:"fromAgentId"`
	To          string         `json:"toAgentId"` // as it was asked for; a router's choice is in Entry.To
	Kind        Kind           `json:"kind"`
	Actor       Actor          `json:"actor,omitempty"`
	Reason      Reason         `json:"reason,omitempty"`
	Explanation string         `json:"explanation,omitempty"`
	Intent      string         `json:"userIntent,omitempty"`
	Task        string         `json:"task,omitempty"`
	Payload     map[string]any `json:"payload,omitempty"`
	Return      bool           `json:"returnControl,omitempty"`
	PlanStep    string         `json:"planStepId,omitempty"`
	Priority    Priority       `json:"priority,omitempty"`
	Capability  string         `json:"capability,omitempty"`
	Trigger     string         `json:"trigger,omitempty"`
	Rule        string         `json:"rule,omitempty"` // the handoff rule that made it
	Caller      string         `json:"callerFrame,omitempty"`
	Group       string         `json:"group,omitempty"`  // the spawn that it is a branch of
	Branch      string         `json:"branch,omitempty"` // its name there
	Trace       string         `json:"traceId,omitempty"`
	Session     string         `json:"sessionId,omitempty"`
	Hash        string         `json:"contextHash,omitempty"` // of the command's canonical context, without volatile fields
	At          time.Time      `json:"timestamp"`
}

// Entry is one line of the log: what one step did to one handoff, or what
// happened beside (Event). The log is append-only; everything else about past
// handoffs is a view of it.
type Entry struct {
	Seq     int       `json:"seq"` // from 1
	At      time.Time `json:"at"`
	Handoff string    `json:"handoffId,omitempty"`
	Record  *Record   `json:"record,omitempty"` // in the handoff's first entry
	Stages  []Status  `json:"stages,omitempty"` // the statuses it passed through, the last one is where it is now

	From    string         `json:"from,omitempty"` // repeated in every entry, so that views need not search
	To      string         `json:"to,omitempty"`   // whom it went to in the end
	Kind    Kind           `json:"kind,omitempty"`
	Attempt int            `json:"attempt,omitempty"` // of a retried handoff, from 2
	Code    Code           `json:"code,omitempty"`    // why it was rejected or failed
	Codes   []Code         `json:"codes,omitempty"`   // all codes that spoke against it
	Message string         `json:"message,omitempty"`
	Why     []string       `json:"why,omitempty"` // how rules came to it
	Context *Sent          `json:"context,omitempty"`
	Result  *Outcome       `json:"result,omitempty"`
	Usage   Usage          `json:"usage,omitzero"`
	State   string         `json:"state,omitempty"` // of the workflow's state machine behind it
	Event   string         `json:"event,omitempty"` // of entries that are about no handoff, or more than its lifecycle: EventBreaker, …
	Detail  map[string]any `json:"detail,omitempty"`
}

// Status returns where the entry's handoff stands behind it; "" if the entry
// changes nothing about that.
func (e *Entry) Status() Status {
	if len(e.Stages) == 0 {
		return ""
	}
	return e.Stages[len(e.Stages)-1]
}

// The events of entries.
const (
	EventBreaker  = "breaker"       // a breaker changed its state
	EventMachine  = "state"         // the workflow's state changed without a handoff
	EventSwitch   = "agent_changed" // another agent is the active one
	EventReturn   = "return"        // an agent gave back what it was called for
	EventSignal   = "signal"        // a signal came
	EventTimer    = "timer"         // a time has passed
	EventStale    = "stale"         // something came too late and had no effect
	EventJoin     = "join"          // a spawn's branches were joined
	EventConflict = "conflict"      // branches wrote one key differently
	EventSuspend  = "suspend"       // agents were set aside under a token
	EventDegraded = "degraded"      // handoffs are out of order, agents go on alone
	EventTask     = "task"          // an agent's task was completed or failed
	EventRule     = "rule"          // no handoff rule answered a trigger
	EventRetry    = "retry"         // a retry was scheduled
)

// detailEdit is the key of Entry.Detail under which an approval's entry has the
// task and the keys of the payload that the person has set.
const detailEdit = "edit"

// detail notes something beside.
func (e *Entry) detail(key string, v any) {
	if e.Detail == nil {
		e.Detail = map[string]any{}
	}
	e.Detail[key] = v
}

// edits returns what a person has changed of the entry's handoff; nil: nothing.
func (e *Entry) edits() map[string]any {
	changes, _ := e.Detail[detailEdit].(map[string]any)
	return changes
}

// edited returns the record as it went out behind a person's changes.
func (r *Record) edited(changes map[string]any) *Record {
	if changes == nil {
		return r
	}
	c := *r
	if task, ok := changes["task"].(string); ok {
		c.Task = task
	}
	if set, ok := changes["payload"].(map[string]any); ok {
		c.Payload = copyPayload(r.Payload, set)
	}
	return &c
}

// Log is a log for reading: it may be decoded as it is read. The zero Log is
// empty.
type Log struct {
	n       int
	at      func(i int) *Entry // nil: entries has them
	entries []Entry
}

// LogOf returns the log of entries.
func LogOf(entries []Entry) Log { return Log{n: len(entries), entries: entries} }

// Len returns the number of entries.
func (l Log) Len() int { return l.n }

// At returns entry i, from 0. It must not be changed.
func (l Log) At(i int) *Entry {
	if l.at == nil {
		return &l.entries[i]
	}
	return l.at(i)
}

// All yields the entries, oldest first.
func (l Log) All() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for i := range l.n {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// Backward yields the entries, newest first.
func (l Log) Backward() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for i := l.n - 1; i >= 0; i-- {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}
