package prd040

import (
	"slices"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// State is the part of a graph's state that dynamic handoffs need: that of
// package handoffs, and a plan. Embed it in the state's struct and give the
// result of FieldsOf to the schema. The zero State is a session that has not
// begun.
type State struct {
	handoffs.State
	Plan Plan `json:"plan"`
	// SessionID names the session where a HandoffManager works on it, for the
	// ids of handoffs: sessions without one have the same ids. In a graph the
	// thread is the session.
	SessionID string `json:"sessionId"`
}

// Plan is a list of steps, and where it stands. The zero Plan has no steps.
type Plan struct {
	Steps            []PlanStep `json:"steps"`
	CurrentStepIndex int        `json:"currentStepIndex"`
}

// PlanStep is a step of a plan.
type PlanStep struct {
	StepID string `json:"stepId"`
	Agent  string `json:"agentId,omitempty"` // who does it; "": whoever is at work
	Task   string `json:"task,omitempty"`
}

// Current returns the step at work; nil: there is none.
func (p *Plan) Current() *PlanStep {
	if p.CurrentStepIndex < 0 || p.CurrentStepIndex >= len(p.Steps) {
		return nil
	}
	return &p.Steps[p.CurrentStepIndex]
}

// StepID returns the id of the step at work; "": there is none.
func (p *Plan) StepID() string {
	if s := p.Current(); s != nil {
		return s.StepID
	}
	return ""
}

// More reports whether steps are left behind the one at work.
func (p *Plan) More() bool { return p.CurrentStepIndex < len(p.Steps)-1 }

// ExtendedState is a state as front ends know it, in JSON: a view, and what a
// result says has changed.
type ExtendedState struct {
	ActiveAgent          string             `json:"activeAgent,omitempty"`
	CurrentAgentIdentity *handoffs.Identity `json:"currentAgentIdentity,omitempty"`
	HandoffHistory       []HandoffRecord    `json:"handoffHistory,omitempty"` // those that were accepted
	Plan                 *Plan              `json:"plan,omitempty"`
	ToolExecutions       []ToolExecution    `json:"toolExecutions,omitempty"`
	OperationMode        string             `json:"operationMode,omitempty"` // "directed" while a user's choice bypasses routing
	DirectedModeContext  *handoffs.Directed `json:"directedModeContext,omitempty"`
}

// Extended returns the view of a state.
func (s *State) Extended() ExtendedState {
	v := viewOf(&s.Handoffs, handoffs.LogOf(s.HandoffLog))
	v.Plan, v.ToolExecutions = &s.Plan, s.ToolExecutions
	if v.ActiveAgent == "" {
		v.ActiveAgent = s.ActiveAgent
	}
	return v
}

func viewOf(d *handoffs.Desk, log handoffs.Log) ExtendedState {
	v := ExtendedState{ActiveAgent: d.Active, CurrentAgentIdentity: d.Identity, OperationMode: d.Mode, DirectedModeContext: d.Directed}
	for h := range handoffs.History(log, handoffs.Filter{Accepted: true}) {
		r := h.Record
		r.To = h.To
		v.HandoffHistory = append(v.HandoffHistory, r)
	}
	return v
}

// StateUpdate is what a handoff changes: the keys of an ExtendedState that it
// sets, and what the next decision needs to know. State.With applies it.
type StateUpdate struct {
	ExtendedState
	Messages []state.Message `json:"messages,omitempty"` // why a handoff was rejected
	desk     *handoffs.Desk
	entries  []handoffs.Entry
}

// With returns the state behind an update. The state itself is not changed. A
// nil update changes nothing.
func (s *State) With(u *StateUpdate) State {
	next := *s
	if u == nil {
		return next
	}
	next.Handoffs, next.ActiveAgent = *u.desk, u.desk.Active
	next.HandoffLog = append(slices.Clip(s.HandoffLog), u.entries...)
	next.Messages = append(slices.Clip(s.Messages), u.Messages...)
	return next
}

// Fields holds the handles of a State. It is itself an argument of
// state.NewSchema. It is immutable and safe for concurrent use.
type Fields[S any] struct {
	state.Field[S]
	*handoffs.Fields[S]
	Plan    *state.Value[S, Plan]
	Session *state.Value[S, string]

	ref func(*S) *State
}

// FieldsOf makes the handles of the State that ref returns: those of
// handoffs.FieldsOf, "plan" and "sessionId".
func FieldsOf[S any](ref func(*S) *State) *Fields[S] {
	f := &Fields[S]{
		Fields:  handoffs.FieldsOf(func(s *S) *handoffs.State { return &ref(s).State }),
		Plan:    state.NewValue("plan", func(s *S) *Plan { return &ref(s).Plan }),
		Session: state.NewValue("sessionId", func(s *S) *string { return &ref(s).SessionID }),
		ref:     ref,
	}
	f.Field = state.Group[S](f.Fields, f.Plan, f.Session)
	return f
}
