package plan

import (
	"github.com/graphrun/graphrun/handoffs"
)

// ReadyConfig holds what the ready-made teams are given.
type ReadyConfig[S any] struct {
	Fields  *Fields[S]
	Agents  []handoffs.Agent[S]
	Planner Planner
	Policy  *handoffs.Policy // nil: that of handoffs.NewTeam
	Review  Review
	Replans int // how often the planner is asked again; 0: 10; less: never
	// Parallel is how many steps are at work at once; 0 or less: all that can.
	Parallel int
	Checks   map[string]Check
}

// NewPlanAndExecute makes a team that plans, does what comes first, and plans
// anew with what came of it, until the planner answers the user. It is for
// tasks where each result may change what is to be done next.
func NewPlanAndExecute[S any](cfg ReadyConfig[S]) (*Team[S], error) {
	c := cfg.config()
	c.EveryRound = true
	return NewTeam(TeamConfig[S]{Team: cfg.team(), Plan: c})
}

// NewCompiler makes a team whose planner names steps one after the other while
// the first ones are at work: each begins as soon as what it needs is there,
// side by side. When all are done the planner answers the user, or adds steps.
// A planner for it sets Proposal.More until it has named the last step, as
// ModelPlanner does with Stream.
func NewCompiler[S any](cfg ReadyConfig[S]) (*Team[S], error) {
	c := cfg.config()
	c.AtEnd = true
	return NewTeam(TeamConfig[S]{Team: cfg.team(), Plan: c})
}

func (c *ReadyConfig[S]) team() handoffs.TeamConfig[S] {
	return handoffs.TeamConfig[S]{Agents: c.Agents, Policy: c.Policy}
}

// config is what both have in common: what fails is the planner's to see to.
func (c *ReadyConfig[S]) config() Config[S] {
	most := c.Replans
	if most == 0 {
		most = 10
	}
	cfg := Config[S]{
		Planner: c.Planner, Review: c.Review, Replans: most, Parallel: c.Parallel, Checks: c.Checks,
		OnFailure: Failure{Do: Replan},
	}
	if c.Fields != nil {
		cfg.Fields = c.Fields
	}
	return cfg
}
