package handoffs_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// project is a state with a plan.
type project struct{ plan.State }

// A plan whose next_step is decided anew, since another thread changed the
// breakers, goes on from where it was, once.
func TestSharedBreakerUnderAPlan(t *testing.T) {
	calm := workedOff(t, &meddler{BreakerStore: memoryBreakers()})
	m := &meddler{BreakerStore: memoryBreakers()}
	m.before = func() {
		all, version, err := m.Load(t.Context())
		require.NoError(t, err)
		all["target:other"] = handoffs.Breaker{Failures: 1, Last: wardNoon}
		ok, err := m.BreakerStore.Swap(t.Context(), version, all)
		require.NoError(t, err)
		require.True(t, ok)
	}
	met := workedOff(t, m)
	require.Equal(t, int64(1), m.lost.Load())
	require.Equal(t, calm, met)
	all, _, err := m.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]handoffs.Breaker{"target:other": {Failures: 1, Last: wardNoon}}, all)
}

// workedOff returns the log of a plan of two steps, of which the first one is a
// probe.
func workedOff(t *testing.T, store handoffs.BreakerStore) []plan.Event {
	_, err := store.(*meddler).BreakerStore.Swap(t.Context(), "", map[string]handoffs.Breaker{
		"target:digger": {State: handoffs.BreakerOpen, Failures: 3, Last: wardNoon.Add(-time.Minute), Until: wardNoon, Delay: time.Minute}})
	require.NoError(t, err)
	of := plan.FieldsOf(func(p *project) *plan.State { return &p.State })
	agent := func(id string) handoffs.Agent[project] {
		return handoffs.Agent[project]{Profile: handoffs.Profile{ID: id}, Node: func(context.Context, project) (graph.Command[project], error) {
			return graph.Command[project]{}, nil
		}}
	}
	made, err := plan.NewTeam(plan.TeamConfig[project]{Plan: plan.Config[project]{Fields: of}, Team: handoffs.TeamConfig[project]{
		Agents: []handoffs.Agent[project]{agent("lead"), agent("digger")}, Breakers: store, Clock: func() time.Time { return wardNoon },
		Policy: &handoffs.Policy{Entry: "lead", Breaker: &handoffs.BreakerPolicy{Key: handoffs.BreakTarget}, Limits: handoffs.Limits{Handoffs: 9}},
	}})
	require.NoError(t, err)
	g, err := made.Compile(state.MustSchema(of), nil)
	require.NoError(t, err)
	res, err := g.Invoke(t.Context(), graph.Input(of.Plan.Set(plan.Plan{Goal: "a hole", Steps: []plan.Step{
		{ID: "dig", Agent: "digger", Task: "dig"}, {ID: "fill", Agent: "digger", Task: "fill"},
	}})), nil)
	require.NoError(t, err)
	require.Equal(t, plan.Finished, res.State.PlanCourse.Phase)
	return res.State.PlanLog
}
