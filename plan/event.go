package plan

import (
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// What an Event tells of.
const (
	EventPlanned  = "planned"  // a plan was taken up; Plan is it
	EventReplan   = "replan"   // a new version is asked for
	EventReviewed = "reviewed" // a person has decided about a plan
	EventStarted  = "started"  // an attempt of a step has begun
	EventDone     = "done"     // a step is done
	EventFailed   = "failed"   // an attempt has failed
	EventSkipped  = "skipped"
	EventDropped  = "superseded" // a step is not part of the plan any more
	EventStalled  = "stalled"    // no progress
	EventOver     = "over"       // the plan is done, has failed or was given up; Message is the phase
)

// Event is an entry of a plan's log. The log is part of the state and only
// grows.
type Event struct {
	Seq     int           `json:"seq"`
	At      time.Time     `json:"at"`
	Event   string        `json:"event"`
	Plan    *Plan         `json:"plan,omitempty"`
	Version int           `json:"version,omitempty"`
	Step    string        `json:"step,omitempty"`
	Agent   string        `json:"agent,omitempty"`
	Attempt int           `json:"attempt,omitempty"`
	Handoff string        `json:"handoff,omitempty"` // by which the step's work ended; "": by none
	Code    handoffs.Code `json:"code,omitempty"`
	Message string        `json:"message,omitempty"`
}

// StepLine tells whoever watches the run that a step has changed.
type StepLine struct {
	Plan    string        `json:"plan"`
	Version int           `json:"version"`
	Step    string        `json:"step"`
	Status  Status        `json:"status"`
	Place   int           `json:"place"` // of the step, from 1
	Of      int           `json:"of"`    // how many steps there are
	Agent   string        `json:"agent,omitempty"`
	Attempt int           `json:"attempt,omitempty"`
	Code    handoffs.Code `json:"code,omitempty"`
	Message string        `json:"message,omitempty"`
}

// LineType names the line in event lines.
func (*StepLine) LineType() string { return "plan_step" }

// PlanLine tells whoever watches the run that a plan was taken up, or is over.
type PlanLine struct {
	Plan    string `json:"plan"`
	Version int    `json:"version"`
	Phase   Phase  `json:"phase"`
	Goal    string `json:"goal,omitempty"`
	Steps   []Step `json:"steps,omitempty"` // of a plan that was taken up
	Message string `json:"message,omitempty"`
}

// LineType names the line in event lines.
func (*PlanLine) LineType() string { return "plan" }
