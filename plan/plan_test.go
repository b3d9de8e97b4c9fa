package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

func figures() plan.Plan {
	return plan.Plan{ID: "p", Goal: "a summary", Steps: []plan.Step{
		{ID: "s1", Agent: "bc", Task: "sales figures"}, {ID: "s2", Agent: "rag", Task: "find the contract"}, {ID: "s3", Agent: "bc", Task: "summary"},
	}}
}

func TestLinearPlan(t *testing.T) {
	st := play(t, "bc rag", nil, nil)
	require.NoError(t, st.run(figures()))
	require.Equal(t, "bc rag bc", st.went())
	require.Equal(t, []string{"bc>rag plan_step s2", "rag>bc plan_step s3"}, st.history())
	require.Equal(t, "s1 done, s2 done, s3 done", st.statuses())
	require.Equal(t, 2, st.end.PlanCourse.Cursor)
	require.Equal(t, plan.Finished, st.end.PlanCourse.Phase)
}

func TestDetourIsPartOfItsStep(t *testing.T) {
	st := play(t, "bc rag:search", map[string][]act{
		"bc": {hands(handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Call, Capability: "search", Explanation: "x", Task: "find"})},
	}, nil)
	require.NoError(t, st.run(figures()))
	require.Equal(t, "bc rag bc rag bc", st.went())
	require.Equal(t, []string{"bc>rag  s1", "bc>rag plan_step s2", "rag>bc plan_step s3"}, st.history())
	require.Equal(t, "s1 done, s2 done, s3 done", st.statuses())
}

func TestGraphOfSteps(t *testing.T) {
	st := play(t, "boss a b c d", nil, nil)
	require.NoError(t, st.run(plan.Plan{Steps: []plan.Step{
		{ID: "s1", Agent: "a"}, {ID: "s2", Agent: "b", DependsOn: []string{"s1"}}, {ID: "s3", Agent: "c", DependsOn: []string{"s1"}},
		{ID: "s4", Agent: "d", Task: "${steps.s2.text} and ${steps.s3.text}", DependsOn: []string{"s2", "s3"}},
	}}))
	require.Equal(t, "s1 done, s2 done, s3 done, s4 done", st.statuses())
	require.Len(t, st.route, 4)
	require.Equal(t, "d did: b did:  and c did: ", st.end.Messages[len(st.end.Messages)-1].Text())
}

func TestCrashGoesToTheSupervisorWhoReRoutes(t *testing.T) {
	st := play(t, "boss bc rag rag2", map[string][]act{
		"rag":  {dies("out of memory")},
		"boss": {hands(handoffs.Command{Type: handoffs.CommandType, Target: "rag2", Explanation: "instead", Task: "find the contract"})},
	}, func(c *plan.TeamConfig[crew]) {
		c.Team.Policy = &handoffs.Policy{Supervisor: "boss", Entry: "bc"}
	})
	require.NoError(t, st.run(figures()))
	require.Equal(t, "bc rag boss rag2 bc", st.went())
	require.Equal(t, []string{"bc>rag plan_step s2", "rag>boss error_recovery s2", "boss>rag2  s2", "rag2>bc plan_step s3"}, st.history())
}

func TestOrphanGoesToTheSupervisor(t *testing.T) {
	st := play(t, "boss bc rag", map[string][]act{
		"bc": {hands(handoffs.Command{Type: handoffs.CommandType, Target: "rag", Explanation: "x", Task: "find"})},
	}, func(c *plan.TeamConfig[crew]) {
		c.Team.Policy = &handoffs.Policy{Supervisor: "boss", Entry: "bc"}
	})
	require.NoError(t, st.run(figures()))
	require.Equal(t, "bc rag boss rag bc", st.went())
	require.Equal(t, "s1 done, s2 done, s3 done", st.statuses())
}

func TestPlanThatFailsFailsTheRun(t *testing.T) {
	st := play(t, "bc rag", map[string][]act{"rag": {dies("no"), dies("no"), dies("no")}}, nil)
	p := figures()
	p.Steps[1].Retry = &plan.Retry{Max: 2}
	err := st.run(p)
	require.ErrorContains(t, err, `plan "p", version 1: step "s2" failed in attempt 3`)
	require.Equal(t, "bc rag rag rag", st.went())
}
