package plan_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// readyStage makes a stage of a ready-made team.
func readyStage(t *testing.T, p plan.Planner, scripts map[string][]act, make func(plan.ReadyConfig[crew]) (*plan.Team[crew], error)) *stage {
	st := &stage{T: t}
	cfg := plan.ReadyConfig[crew]{Fields: fields, Planner: p}
	for _, id := range []string{"bc", "rag"} {
		cfg.Agents = append(cfg.Agents, handoffs.Agent[crew]{Profile: handoffs.Profile{ID: id}, Node: st.node(id, scripts[id])})
	}
	var err error
	st.team, err = make(cfg)
	require.NoError(t, err)
	st.graph, err = st.team.Compile(schema, &graph.Config{Store: checkpoint.NewMemory(nil)})
	require.NoError(t, err)
	return st
}

func TestNewPlanAndExecute(t *testing.T) {
	t.Parallel()
	p := plan.PlannerFunc(func(_ context.Context, r *plan.Request) (*plan.Proposal, error) {
		switch {
		case r.Plan == nil:
			return &plan.Proposal{Steps: []plan.Step{{ID: "a", Agent: "bc", Task: "look"}, {ID: "b", Agent: "rag", Task: "find"}}}, nil
		case r.Cause.Step == "b":
			return &plan.Proposal{Steps: []plan.Step{{ID: "c", Agent: "bc", Task: "instead"}}}, nil
		case r.Plan.Steps[len(r.Plan.Steps)-1].Status == plan.Done:
			return &plan.Proposal{Answer: "done with " + r.Plan.Steps[len(r.Plan.Steps)-1].ID}, nil
		}
		return &plan.Proposal{Steps: []plan.Step{r.Plan.Steps[0], {ID: "b", Agent: "rag", Task: "find again"}}}, nil
	})
	st := readyStage(t, p, map[string][]act{"rag": {dies("gone")}}, plan.NewPlanAndExecute[crew])
	require.NoError(t, st.input(hello("what?")))
	require.Equal(t, "bc rag bc", st.went())
	require.Equal(t, "done with c", st.end.Messages[len(st.end.Messages)-1].Text())
	require.Equal(t, 3, st.end.Plan.Version)
}

func TestNewCompiler(t *testing.T) {
	t.Parallel()
	steps := []plan.Step{{ID: "a", Agent: "bc"}, {ID: "b", Agent: "rag"}, {ID: "c", Agent: "bc", Task: "${steps.a.text} ${steps.b.text}", DependsOn: []string{"a", "b"}}}
	p := plan.PlannerFunc(func(_ context.Context, r *plan.Request) (*plan.Proposal, error) {
		n := 0
		if r.Plan != nil {
			n = len(r.Plan.Steps)
		}
		if n == len(steps) {
			return &plan.Proposal{Answer: r.Plan.Steps[2].Result.Text}, nil
		}
		return &plan.Proposal{Steps: steps[n : n+1], More: n+1 < len(steps)}, nil
	})
	st := readyStage(t, p, nil, plan.NewCompiler[crew])
	require.NoError(t, st.input(hello("what?")))
	require.Equal(t, "a done, b done, c done", st.statuses())
	require.Equal(t, "bc did: bc did:  rag did: ", st.end.Messages[len(st.end.Messages)-1].Text())
}

func TestReadyTeamsNeedTheirParts(t *testing.T) {
	t.Parallel()
	_, err := plan.NewCompiler(plan.ReadyConfig[crew]{})
	require.ErrorContains(t, err, "needs Fields")
}
