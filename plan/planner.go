package plan

import (
	"context"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// Planner makes plans. It may be called by any number of runs at once. What it
// returns is stored before it is used, so that a crash does not ask again.
type Planner interface {
	Plan(ctx context.Context, r *Request) (*Proposal, error)
}

// PlannerFunc is a Planner that is a function.
type PlannerFunc func(ctx context.Context, r *Request) (*Proposal, error)

// Plan calls the function.
func (f PlannerFunc) Plan(ctx context.Context, r *Request) (*Proposal, error) { return f(ctx, r) }

// Request is what a planner is asked.
type Request struct {
	Goal     string // the user's, or the plan's
	Messages []state.Message
	Agents   []handoffs.Profile // those that steps may name
	// Plan is the plan as it stands, with statuses and results; nil: there is
	// none yet. Its steps that are done stay.
	Plan  *Plan
	Cause *Cause // why it is asked again; nil: for the first plan, or for more steps
	// Problems are what was wrong with the last proposal, which is Rejected; it
	// is asked once more.
	Problems []string
	Rejected *Proposal // nil: it could not be read
	Answered string    // the text that it was, as JSON
	Replans  int       // new versions so far
	Most     int       // of them, at most
	Asked    int       // how often it was asked before, in this session
	Ledger   *Ledger
}

// Proposal is a planner's answer: steps, or an answer for the user that makes
// further steps needless.
type Proposal struct {
	Goal  string `json:"goal,omitempty"` // "": as before
	Order Order  `json:"order,omitempty"`
	// Steps are those that are not done: done ones are kept whether or not they
	// are among them. While the plan is More, they are added to those there are.
	Steps []Step `json:"steps,omitempty"`
	// More asks the planner again, for further steps, beside these.
	More bool `json:"more,omitempty"`
	// Answer is said to the user once all steps there are are done, and the plan is
	// over: at once, if none is at work and Steps is empty.
	Answer string `json:"answer,omitempty"`
	// Ledger replaces what is known of the task; nil: as before.
	Ledger *Ledger `json:"ledger,omitempty"`
}

// Ledger is what is known of a task, for planners that keep it.
type Ledger struct {
	Facts   []string `json:"facts,omitempty"`   // given, or verified
	Lookup  []string `json:"lookup,omitempty"`  // to be looked up
	Derive  []string `json:"derive,omitempty"`  // to be worked out
	Guesses []string `json:"guesses,omitempty"` // educated
}

// Assessment is a progress ledger: a judge's word on a round of steps.
type Assessment struct {
	Satisfied   bool   `json:"satisfied,omitempty"` // the goal is reached: steps that are left are not needed
	InLoop      bool   `json:"in_loop,omitempty"`   // the same is done again and again
	Progressing bool   `json:"progressing,omitempty"`
	Reason      string `json:"reason,omitempty"`
	// Ledger replaces what is known of the task; nil: as before.
	Ledger *Ledger `json:"ledger,omitempty"`
}

// Judge looks at the plan behind every round of steps that ended: whether there
// is progress. It may be called more than once for one round.
type Judge func(ctx context.Context, r *Request) (*Assessment, error)
