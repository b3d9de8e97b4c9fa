package plan

import (
	"errors"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// TeamConfig holds what NewTeam is given.
type TeamConfig[S any] struct {
	// Team are the agents and their policy. Its Fields may be left out for
	// states of FieldsOf; Plan must be nil.
	Team handoffs.TeamConfig[S]
	// Plan is how plans are worked on. Registry and Supervisor may be left out:
	// those of the team's policy.
	Plan Config[S]
}

// Team is a team of agents that works on plans: its graph has the nodes of
// handoffs.Team, next_step and the planner.
type Team[S any] struct {
	*handoffs.Team[S]
	Executor *Executor[S]
}

// NewTeam couples agents with a plan.
func NewTeam[S any](cfg TeamConfig[S]) (*Team[S], error) {
	if cfg.Team.Plan != nil {
		return nil, errors.New("plan: TeamConfig.Team.Plan is what NewTeam fills in")
	}
	p := handoffs.Policy{}
	if cfg.Team.Policy != nil {
		p = *cfg.Team.Policy
	}
	if p.Registry == nil {
		var profiles []handoffs.Profile
		for i := range cfg.Team.Agents {
			profiles = append(profiles, cfg.Team.Agents[i].Profile)
		}
		var err error
		if p.Registry, err = handoffs.NewRegistry(nil, profiles...); err != nil {
			return nil, err
		}
	}
	cfg.Team.Policy = &p
	if f, ok := cfg.Plan.Fields.(*Fields[S]); ok && cfg.Team.Fields == nil {
		cfg.Team.Fields = f.Handoffs
	}
	if cfg.Plan.Registry == nil {
		cfg.Plan.Registry = p.Registry
	}
	if cfg.Plan.Supervisor == "" {
		cfg.Plan.Supervisor = p.Supervisor
	}
	if cfg.Plan.Clock == nil {
		cfg.Plan.Clock = cfg.Team.Clock
	}
	cfg.Plan.Virtual = p.Virtual
	x, err := New(cfg.Plan)
	if err != nil {
		return nil, err
	}
	cfg.Team.Plan = x.Seam()
	t, err := handoffs.NewTeam(cfg.Team)
	if err != nil {
		return nil, err
	}
	return &Team[S]{Team: t, Executor: x}, nil
}

// AddTo adds the team to a graph that is being built.
func (t *Team[S]) AddTo(b *graph.Builder[S]) {
	t.Team.AddTo(b)
	t.Executor.AddTo(b, t.Team)
}

// Compile makes the team's graph.
func (t *Team[S]) Compile(schema *state.Schema[S], cfg *graph.Config) (*graph.Graph[S], error) {
	b := graph.New(schema)
	t.AddTo(b)
	return b.Compile(cfg)
}
