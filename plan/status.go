package plan

import (
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// Status says how a step stands.
type Status string

// The statuses. Pending, Running, Done, Failed, Skipped and Superseded are
// stored; Ready and the three ways of waiting are what Fields.View makes of them
// and of the handoffs.
const (
	Pending    Status = "pending" // it waits for other steps; also ""
	Ready      Status = "ready"   // it could begin
	Running    Status = "running"
	Input      Status = "waiting:input"    // its agent waits for the user or a signal
	Approval   Status = "waiting:approval" // a person must approve its handoff
	Detour     Status = "waiting:detour"   // its agent has called others
	Done       Status = "done"
	Failed     Status = "failed"
	Skipped    Status = "skipped"
	Superseded Status = "superseded" // a later version is without it, or the plan was given up
)

// Final reports whether a step will not change any more, within its version.
func (s Status) Final() bool {
	return s == Done || s == Failed || s == Skipped || s == Superseded
}

// Result is what a step has come to.
type Result struct {
	Text    string         `json:"text,omitempty"`
	Value   any            `json:"value,omitempty"` // as package state keeps any
	Outputs map[string]any `json:"outputs,omitempty"`
	Agent   string         `json:"agent,omitempty"` // who ended it
	Spent   handoffs.Usage `json:"spent,omitzero"`
}

// Progress is what a state keeps of a step beside its plan. A step without one
// is Pending.
type Progress struct {
	Status  Status        `json:"status,omitempty"`
	Version int           `json:"version,omitempty"` // of the plan that it was begun by
	Met     int           `json:"met,omitempty"`     // steps it depends on that are done or skipped
	Attempt int           `json:"attempt,omitempty"` // from 1
	Agent   string        `json:"agent,omitempty"`   // who has it, or had it last; "": the router chooses
	Tried   []string      `json:"tried,omitempty"`   // agents that failed at it
	Raised  bool          `json:"raised,omitempty"`  // it was escalated
	Code    handoffs.Code `json:"code,omitempty"`    // of its last failure
	Error   string        `json:"error,omitempty"`
	Result  *Result       `json:"result,omitempty"` // of a step that is Done
	Begun   time.Time     `json:"begun,omitzero"`
	Ended   time.Time     `json:"ended,omitzero"`
}

// Phase says how a plan stands.
type Phase string

// The phases. "" is a plan that nobody has taken up yet, one that waits for a
// review too, or none.
const (
	Working    Phase = "working"
	Replanning Phase = "replanning" // steps at work end, then the planner is asked
	Finished   Phase = "done"
	Broken     Phase = "failed"
	Abandoned  Phase = "abandoned" // the user wanted something else
)

// over reports whether a plan will not go on.
func (p Phase) over() bool { return p == Finished || p == Broken || p == Abandoned }

// Course is where a plan stands. It is small, for it is written at every step.
type Course struct {
	Phase   Phase    `json:"phase,omitempty"`
	Plan    string   `json:"plan,omitempty"`    // the id of the plan that was taken up
	Version int      `json:"version,omitempty"` // and its version
	Cursor  int      `json:"cursor"`            // of linear plans: the place of the step at work, or last at work
	Left    int      `json:"left,omitempty"`    // steps that are neither done, skipped nor superseded
	Open    []string `json:"open,omitempty"`    // steps at work
	Ready   []string `json:"ready,omitempty"`   // steps that could begin, if fewer were at work
	Root    int      `json:"root,omitempty"`    // of plans that are graphs: the steps that wait for none, up to here, have begun or are Ready
	Replans int      `json:"replans,omitempty"` // new versions that were made of this plan
	Stalls  int      `json:"stalls,omitempty"`  // rounds without progress, less those with
	Cause   *Cause   `json:"cause,omitempty"`   // why the planner is asked again, or the plan has failed
	Seq     int      `json:"seq,omitempty"`     // entries in the log
	Heard   int      `json:"heard,omitempty"`   // messages of the user when it was taken up
	Asked   int      `json:"asked,omitempty"`   // how often the planner was asked, for all plans
	Answer  string   `json:"answer,omitempty"`  // the planner's, to be said when the plan is done
	Ledger  *Ledger  `json:"ledger,omitempty"`  // what is known of the task
}

// Cause tells why a plan changes or fails.
type Cause struct {
	Step  string        `json:"step,omitempty"` // "": none of its own
	Agent string        `json:"agent,omitempty"`
	Code  handoffs.Code `json:"code,omitempty"`
	Text  string        `json:"text,omitempty"`
}
