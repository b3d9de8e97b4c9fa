package plan

import (
	"encoding/json"
	"time"
)

// Plan is a list of steps towards a goal. In a state it holds the steps as they
// were planned; what became of them is beside it, see Fields.View. It must not
// be changed once it is part of a state.
type Plan struct {
	ID      string `json:"id,omitempty"`      // "": "plan" when it is taken up
	Version int    `json:"version,omitempty"` // from 1 on, set when it is taken up
	Goal    string `json:"goal,omitempty"`
	Order   Order  `json:"order,omitempty"`
	Steps   []Step `json:"steps,omitempty"`
	// More tells that the planner has not named all steps yet: it is asked for
	// the next ones while these are at work.
	More bool `json:"more,omitempty"`
}

// Order says which steps a step waits for.
type Order string

// The orders. "" is Graph if a step has DependsOn, else Linear.
const (
	Linear Order = "linear" // each waits for the one before it; one is at work
	Graph  Order = "graph"  // each waits for those of its DependsOn; all that can are at work
)

// Step is one step of a plan: who does what, with what, when it counts as done,
// and what becomes of it if it fails.
type Step struct {
	ID         string `json:"id"`
	Agent      string `json:"agent,omitempty"`      // who does it
	Capability string `json:"capability,omitempty"` // or what is needed for it: the router chooses
	// Task is what the agent is told. Parts in ${…} are expressions over goal,
	// steps and the state's fields: ${steps.s1.text}.
	Task string `json:"task,omitempty"`
	// Input becomes the payload. Its texts may have ${…}; one that is nothing
	// else keeps the type of its value.
	Input     map[string]any `json:"input,omitempty"`
	DependsOn []string       `json:"depends_on,omitempty"`
	Accept    *Accept        `json:"accept,omitempty"`  // nil: what the agent says is done
	Retry     *Retry         `json:"retry,omitempty"`   // nil: one attempt
	Timeout   Span           `json:"timeout,omitempty"` // of one attempt; 0 or less: none
	OnFailure *Failure       `json:"on_failure,omitempty"`

	// Status and Result are how the step stands, in plans that Fields.View
	// returns. Plans that come from outside must not have them.
	Status Status  `json:"status,omitempty"`
	Result *Result `json:"result,omitempty"`
}

// Accept says when the result of a step is accepted. All that it names must
// hold.
type Accept struct {
	// If is a condition over result (text, value, outputs, agent), goal, steps
	// and the state's fields: result.value.score >= 80.
	If string `json:"if,omitempty"`
	// Schema is a JSON Schema of the result's value. A text that is JSON counts
	// as the value if there is none.
	Schema json.RawMessage `json:"schema,omitempty"`
	// Check is the name of a function of Config.Checks.
	Check string `json:"check,omitempty"`
}

// Retry says how often a failed step is tried again by the same agent.
type Retry struct {
	Max     int     `json:"max,omitempty"`     // retries beside the first attempt; 0: 3; less: none
	Initial Span    `json:"initial,omitempty"` // before the first retry; 0 or less: none
	Factor  float64 `json:"factor,omitempty"`  // by which it grows; 0: 2; below 1: 1
	Most    Span    `json:"most,omitempty"`    // 0 or less: no bound
}

// Failure says what becomes of a step that failed and is not tried again.
type Failure struct {
	Do Do `json:"do,omitempty"`
	// To are the agents for Reassign, in their order, or the one for Escalate;
	// nil: whoever has the step's capability, and the supervisor.
	To []string `json:"to,omitempty"`
}

// Do is what becomes of a failed step.
type Do string

// What can become of a failed step. "" is as the Config says.
const (
	Reassign   Do = "reassign"    // another agent tries; behind the last one it is escalated
	Skip       Do = "skip"        // the plan goes on without its result
	SkipBranch Do = "skip_branch" // and without all steps that depend on it
	Replan     Do = "replan"      // the planner makes a new version
	Escalate   Do = "escalate"    // the supervisor sees to it; what it or those it hands to come to is the step's result
	Stop       Do = "stop"        // the plan fails, and the run with it
)

// Span is a time.Duration whose JSON is a text as "1m30s".
type Span time.Duration

// MarshalText returns the span as a text.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// UnmarshalText reads a span of a text as time.ParseDuration does.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*s = Span(d)
	return err
}

// linear reports whether the steps are done one behind the other.
func (p *Plan) linear() bool {
	if p.Order != "" {
		return p.Order == Linear
	}
	for i := range p.Steps {
		if len(p.Steps[i].DependsOn) > 0 {
			return false
		}
	}
	return !p.More
}
