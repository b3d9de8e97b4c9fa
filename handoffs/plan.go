package handoffs

import (
	"context"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// PlanSeam is what a team must know of a plan. Package plan fills it in; a
// plan of one's own needs More and either Advance or Next.
type PlanSeam[S any] struct {
	// More reports whether the router behind agents that ask for no handoff
	// leads to next_step.
	More func(s *S) bool
	// Step returns the id of the step at work, which records are given; "" or a
	// nil Step: frames know their steps.
	Step func(s *S) string
	// Open reports whether a plan is at work: it is neither done nor given up, and is
	// set aside when the user switches. Nil: as More.
	Open func(s *S) bool
	// Begin reports whether a run begins with next_step: a plan is at work, or one
	// is to be made for what the user says; nil: as Open.
	Begin func(s *S) bool
	// Beside reports whether a node of Ways may be at work beside agents; nil: none
	// ever is.
	Beside func(s *S) bool
	// Advance says what becomes of steps that ended and which begin. With it the
	// node next_step is Team.NextStep, and Next must be nil.
	Advance func(ctx context.Context, s *S) (PlanRound[S], error)
	// Next is the node next_step of a plan that moves by itself.
	Next graph.Node[S]
	// Config is that of the node, or nil.
	Config *graph.NodeConfig
	// Ways are further nodes that a PlanMove may lead to.
	Ways []string
}

// PlanRound is a plan's part in one run of next_step. It belongs to that run
// alone.
type PlanRound[S any] interface {
	// Steps is given the steps that have ended and returns those that begin. It
	// is called anew with the steps that could not begin, until there are none.
	Steps(v *PlanView) (PlanSteps, error)
	// Move returns what the plan's state becomes, once all steps have begun.
	Move() (PlanMove[S], error)
}

// PlanView is how the steps at work stand.
type PlanView struct {
	Ends      []StepEnd
	Now       time.Time
	Session   string
	Abandoned bool // the user has chosen something else, and the plan is to be given up
}

// PlanSteps is what a plan wants of the handoffs.
type PlanSteps struct {
	Begin []StepStart
	// Hold lets nothing fall due before the plan goes on by PlanMove.Goto.
	Hold bool
	// Fault ends the run with an error, once everything is stored.
	Fault *Refusal
}

// PlanMove is how the plan's state changes, and where the run goes.
type PlanMove[S any] struct {
	Writes []state.Write[S]
	Lines  []graph.Typed // for whoever watches the run
	// Goto is a node of PlanSeam.Ways. Agents whose turns begin work beside it.
	// "": as the handoffs say.
	Goto string
}

// StepStart is a plan's step that begins.
type StepStart struct {
	Step    string
	Attempt int // from 1
	// Command says to whom and with what: Target or Capability, Task, Payload,
	// Explanation, Budget; Reason is PlanStep if it has none.
	Command Command
	// Beside begins the step beside others, called by the agent that the user
	// talks to. Else that agent hands the conversation over; if the step is its
	// own it goes on, and there is no handoff.
	Beside bool
	// After is how long it waits before it begins.
	After time.Duration
	// Free lets any agent end the step, not only the one that it was given to.
	Free bool
}

// StepRoot marks the frame whose end is the end of a plan's step. Who takes
// the frame over by a transfer takes it along.
type StepRoot struct {
	Step    string `json:"step"`
	Agent   string `json:"agentId,omitempty"` // that the step was given to; "": whoever ends it
	Attempt int    `json:"attempt,omitempty"`
	Free    bool   `json:"free,omitempty"` // anyone may end it
	Done    bool   `json:"done,omitempty"` // an edge by which it was handed over completes the step
}

// StepEnd tells how a step's work has ended.
type StepEnd struct {
	Step    string  `json:"step"`
	Agent   string  `json:"agentId"`         // that had it at the end
	Given   string  `json:"given,omitempty"` // the agent that it was given to; "": whoever ends it
	Attempt int     `json:"attempt,omitempty"`
	Handoff string  `json:"handoffId,omitempty"` // that brought this agent; "": it was there already
	Outcome Outcome `json:"outcome"`
	Spent   Usage   `json:"spent,omitzero"`
	// Orphan tells that the agent which the step was given to has handed it over
	// for good, and no edge says that this completes it.
	Orphan bool `json:"orphan,omitempty"`
}

// PlanHold says why a plan stands still.
type PlanHold string

// The holds of Desk.Plan. "" is none.
const (
	PlanSuspended PlanHold = "suspended" // the user talks to another agent: it goes on with what was set aside
	PlanAbandoned PlanHold = "abandoned" // next_step will close it
)
