package prd040

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// TeamConfig holds what NewTeam is given.
type TeamConfig[S any] struct {
	Fields *Fields[S]
	Agents []handoffs.Agent[S] // one of them is the supervisor
	Policy *handoffs.Policy    // nil: Policy()
	Clock  func() time.Time    // nil: time.Now
}

// NewTeam wires agents into a graph. Behind every agent its router leads as
// RouteHandoffs says, and to process_handoff also where somebody waits for the
// agent, so that control returns, and with what is no command, so that it is
// rejected and not lost. The node next_step moves the plan on, which nothing else
// does, and hands to the agent of the step.
func NewTeam[S any](cfg TeamConfig[S]) (*handoffs.Team[S], error) {
	if cfg.Fields == nil {
		return nil, errors.New("prd040: a team needs Fields, where its state keeps the handoffs")
	}
	p := cfg.Policy
	if p == nil {
		p = Policy()
	}
	f := cfg.Fields
	names := []string{handoffs.NodeProcess}
	for i := range cfg.Agents {
		names = append(names, cfg.Agents[i].ID)
	}
	return handoffs.NewTeam(handoffs.TeamConfig[S]{
		Fields: f.Fields, Agents: cfg.Agents, Policy: p, Clock: cfg.Clock,
		Plan: &handoffs.PlanSeam[S]{
			Step:   func(s *S) string { return f.ref(s).Plan.StepID() },
			More:   func(s *S) bool { return f.ref(s).Plan.More() },
			Next:   func(_ context.Context, s S) (graph.Command[S], error) { return nextStep(f, f.ref(&s), p) },
			Config: &graph.NodeConfig{Goto: names},
		},
	})
}

// nextStep is the node next_step.
func nextStep[S any](f *Fields[S], s *State, p *handoffs.Policy) (graph.Command[S], error) {
	var cmd graph.Commands[S]
	plan := s.Plan
	plan.CurrentStepIndex++
	step := plan.Current()
	if step == nil {
		return cmd.Update(), fmt.Errorf("prd040: the plan has no step behind %d", s.Plan.CurrentStepIndex)
	}
	moved := f.Plan.Set(plan)
	active := cmp.Or(s.Handoffs.Active, p.Entry, p.Supervisor) // nobody may have handed over yet
	if step.Agent == "" || step.Agent == active {
		return cmd.Goto(active, moved), nil
	}
	x, err := NewToolExecution(PlanStepHandoff(step), time.Time{})
	if err != nil {
		return cmd.Update(), err
	}
	x.Agent = active
	return cmd.Goto(handoffs.NodeProcess, moved, f.Executions.Append(x)), nil
}
