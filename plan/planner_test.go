package plan_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// proposes is a planner that has its answers ready. It keeps what it was asked.
type proposes struct {
	list  []*plan.Proposal
	asked []plan.Request
}

func (p *proposes) Plan(_ context.Context, r *plan.Request) (*plan.Proposal, error) {
	p.asked = append(p.asked, *r)
	if n := len(p.asked); n <= len(p.list) {
		return p.list[n-1], nil
	}
	return nil, errors.New("it has no more plans")
}

func hello(text string) state.Write[crew] {
	return fields.Handoffs.Messages.Add(state.Text(state.RoleHuman, text))
}

func withPlanner(p plan.Planner, more func(*plan.Config[crew])) func(*plan.TeamConfig[crew]) {
	return func(c *plan.TeamConfig[crew]) {
		c.Plan.Planner = p
		if more != nil {
			more(&c.Plan)
		}
	}
}

func TestPlannerMakesThePlan(t *testing.T) {
	p := &proposes{list: []*plan.Proposal{{Goal: "figures", Steps: figures().Steps}}}
	st := play(t, "bc rag", nil, withPlanner(p, nil))
	require.NoError(t, st.input(hello("what did we sell?")))
	require.Equal(t, "bc rag bc", st.went())
	require.Equal(t, "what did we sell?", p.asked[0].Goal)
	require.Nil(t, p.asked[0].Plan)
	require.Equal(t, "s1 done, s2 done, s3 done", st.statuses())
}

func TestAPlanForEveryRequest(t *testing.T) {
	p := &proposes{list: []*plan.Proposal{
		{Steps: []plan.Step{{ID: "s1", Agent: "bc", Task: "one"}}},
		{Steps: []plan.Step{{ID: "s1", Agent: "rag", Task: "two"}}},
	}}
	st := play(t, "bc rag", nil, withPlanner(p, nil))
	require.NoError(t, st.input(hello("first")))
	require.NoError(t, st.input(hello("second")))
	require.Equal(t, "bc rag", st.went())
	require.Equal(t, "plan-2", st.end.Plan.ID)
}

func TestWrongPlanIsProposedOnceMore(t *testing.T) {
	wrong := &plan.Proposal{Steps: []plan.Step{{ID: "s1", Agent: "bd"}, {ID: "s1", Agent: "bc"}}}
	p := &proposes{list: []*plan.Proposal{wrong, {Steps: figures().Steps}}}
	st := play(t, "bc rag", nil, withPlanner(p, nil))
	require.NoError(t, st.input(hello("go")))
	require.Same(t, wrong, p.asked[1].Rejected)
	require.Equal(t, []string{`step "s1" stands twice, as step 1 and step 2`, `step "s1": there is no agent "bd"; did you mean bc?`}, p.asked[1].Problems)

	p = &proposes{list: []*plan.Proposal{wrong, wrong}}
	st = play(t, "bc rag", nil, withPlanner(p, nil))
	require.ErrorIs(t, st.input(hello("go")), plan.ErrPlan)
}

func TestNewVersionKeepsWhatIsDone(t *testing.T) {
	p := &proposes{list: []*plan.Proposal{{Steps: []plan.Step{{ID: "s2b", Agent: "bc", Task: "guess"}, {ID: "s3", Agent: "bc", Task: "from ${steps.s1.text}"}}}}}
	st := play(t, "bc rag", map[string][]act{"rag": {dies("no such contract")}}, withPlanner(p, func(c *plan.Config[crew]) {
		c.OnFailure = plan.Failure{Do: plan.Replan}
	}))
	require.NoError(t, st.run(figures()))
	require.Equal(t, "bc rag bc bc", st.went())
	require.Equal(t, "s1 done, s2b done, s3 done", st.statuses())
	require.Equal(t, 2, st.end.Plan.Version)
	require.Equal(t, "s2", p.asked[0].Cause.Step)
	require.Equal(t, "no such contract", p.asked[0].Cause.Text)
	require.Equal(t, plan.Done, p.asked[0].Plan.Steps[0].Status)
	q, _ := st.end.PlanSteps.Get("s2")
	require.Equal(t, plan.Superseded, q.Status)
}

func TestDoneStepsCannotChange(t *testing.T) {
	changed := &plan.Proposal{Steps: []plan.Step{{ID: "s1", Agent: "rag"}}}
	p := &proposes{list: []*plan.Proposal{changed, changed}}
	st := play(t, "bc rag", map[string][]act{"rag": {dies("no")}}, withPlanner(p, func(c *plan.Config[crew]) {
		c.OnFailure = plan.Failure{Do: plan.Replan}
	}))
	require.ErrorContains(t, st.run(figures()), `step "s1" is part of the plan already`)
}

func TestNewVersionsAreBounded(t *testing.T) {
	again := &plan.Proposal{Steps: []plan.Step{{ID: "s2", Agent: "rag"}}}
	p := &proposes{list: []*plan.Proposal{again, again, again, again}}
	st := play(t, "bc rag", map[string][]act{"rag": {dies("no"), dies("no"), dies("no"), dies("no"), dies("no")}}, withPlanner(p, func(c *plan.Config[crew]) {
		c.OnFailure, c.Replans = plan.Failure{Do: plan.Replan}, 2
	}))
	require.ErrorContains(t, st.run(figures()), "no new version is left")
	require.Len(t, p.asked, 2)
	require.Equal(t, plan.CodeReplans, st.end.PlanCourse.Cause.Code)
}

func TestPlanAndExecute(t *testing.T) {
	p := &proposes{list: []*plan.Proposal{
		{Steps: []plan.Step{{ID: "a", Agent: "bc", Task: "look"}, {ID: "b", Agent: "rag"}}},
		{Steps: []plan.Step{{ID: "c", Agent: "rag", Task: "use ${steps.a.text}"}}},
		{Answer: "42"},
	}}
	st := play(t, "bc rag", nil, withPlanner(p, func(c *plan.Config[crew]) { c.EveryRound = true }))
	require.NoError(t, st.input(hello("what is it?")))
	require.Equal(t, "bc rag", st.went())
	require.Equal(t, "42", st.end.Messages[len(st.end.Messages)-1].Text())
	require.Equal(t, "a done, c done", st.statuses())
}

func TestStepsStreamIn(t *testing.T) {
	p := &proposes{list: []*plan.Proposal{
		{Steps: []plan.Step{{ID: "a", Agent: "bc"}}, More: true},
		{Steps: []plan.Step{{ID: "b", Agent: "rag", DependsOn: []string{"a"}}}, More: true},
		{Steps: []plan.Step{{ID: "c", Agent: "rag", DependsOn: []string{"b"}}}},
	}}
	st := play(t, "bc rag", nil, withPlanner(p, nil))
	require.NoError(t, st.input(hello("go")))
	require.Equal(t, "bc rag rag", st.went())
	require.Equal(t, "a done, b done, c done", st.statuses())
	require.Equal(t, plan.Running, p.asked[1].Plan.Steps[0].Status, "the planner is asked beside the first step")
}

func TestPlanIsReviewed(t *testing.T) {
	first := &plan.Proposal{Steps: []plan.Step{{ID: "a", Agent: "bc"}}}
	second := &plan.Proposal{Steps: []plan.Step{{ID: "b", Agent: "rag"}}}
	reviewed := func(c *plan.Config[crew]) { c.Review.First = true }
	answer := func(st *stage, r plan.Ruling) error {
		res, err := st.graph.Resume(st.Context(), graph.Answer(r), &graph.RunConfig{Thread: "t"})
		st.end = res.State
		return err
	}
	t.Run("approved", func(t *testing.T) {
		st := play(t, "bc rag", nil, withPlanner(&proposes{list: []*plan.Proposal{first}}, reviewed))
		require.ErrorIs(t, st.input(hello("go")), graph.ErrInterrupted)
		require.Empty(t, st.went())
		require.NoError(t, answer(st, plan.Ruling{Decision: plan.Approve}))
		require.Equal(t, "bc", st.went())
	})
	t.Run("edited", func(t *testing.T) {
		st := play(t, "bc rag", nil, withPlanner(&proposes{list: []*plan.Proposal{first}}, reviewed))
		require.ErrorIs(t, st.input(hello("go")), graph.ErrInterrupted)
		require.ErrorIs(t, answer(st, plan.Ruling{Decision: plan.Edit, Plan: &plan.Plan{Steps: []plan.Step{{ID: "x", Agent: "nobody"}}}}), graph.ErrInterrupted)
		require.NoError(t, answer(st, plan.Ruling{Decision: plan.Edit, Plan: &plan.Plan{Steps: []plan.Step{{ID: "x", Agent: "rag"}}}}))
		require.Equal(t, "rag", st.went())
	})
	t.Run("rejected", func(t *testing.T) {
		p := &proposes{list: []*plan.Proposal{first, second}}
		st := play(t, "bc rag", nil, withPlanner(p, reviewed))
		require.ErrorIs(t, st.input(hello("go")), graph.ErrInterrupted)
		require.ErrorIs(t, answer(st, plan.Ruling{Decision: plan.Reject, Reason: "ask rag"}), graph.ErrInterrupted)
		require.NoError(t, answer(st, plan.Ruling{Decision: plan.Approve}))
		require.Equal(t, "rag", st.went())
		require.Len(t, p.asked, 2)
		require.Contains(t, p.asked[1].Cause.Text, "ask rag")
	})
	t.Run("rejected without a planner", func(t *testing.T) {
		st := play(t, "bc rag", nil, func(c *plan.TeamConfig[crew]) { c.Plan.Review.First = true })
		require.ErrorIs(t, st.run(figures()), graph.ErrInterrupted)
		require.NoError(t, answer(st, plan.Ruling{Decision: plan.Reject}))
		require.Empty(t, st.went())
		require.Equal(t, plan.Abandoned, st.end.PlanCourse.Phase)
	})
}

func TestPlanThatStalls(t *testing.T) {
	p := &proposes{list: []*plan.Proposal{{Steps: []plan.Step{{ID: "s4", Agent: "bc"}}}}}
	fails := []act{dies("no"), dies("no"), dies("no"), dies("no")}
	st := play(t, "bc rag", map[string][]act{"rag": fails}, withPlanner(p, func(c *plan.Config[crew]) { c.Stalls = 2 }))
	steps := figures()
	steps.Steps[1].Retry = &plan.Retry{Max: 10}
	require.NoError(t, st.run(steps))
	require.Equal(t, plan.CodeStalled, p.asked[0].Cause.Code)
	require.Equal(t, "bc rag rag bc", st.went())
}

func TestJudgeEndsThePlan(t *testing.T) {
	st := play(t, "bc rag", nil, func(c *plan.TeamConfig[crew]) {
		c.Plan.Judge = func(_ context.Context, r *plan.Request) (*plan.Assessment, error) {
			return &plan.Assessment{Satisfied: r.Plan.Steps[1].Status == plan.Done, Progressing: true}, nil
		}
	})
	require.NoError(t, st.run(figures()))
	require.Equal(t, "bc rag", st.went())
	require.Equal(t, "s1 done, s2 done, s3 superseded", st.statuses())
	require.Equal(t, plan.Finished, st.end.PlanCourse.Phase)
}

func TestUserSwitchesAndComesBack(t *testing.T) {
	question := hands(handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Wait, Until: &handoffs.Until{Signals: []string{"files"}}})
	for _, how := range []handoffs.Switch{handoffs.SuspendWork, handoffs.AbandonWork} {
		st := play(t, "bc rag report", map[string][]act{"rag": {question}}, func(c *plan.TeamConfig[crew]) {
			c.Team.Policy = &handoffs.Policy{OnSwitch: how}
			for i := range c.Team.Agents {
				c.Team.Agents[i].Selectable = true
			}
		})
		require.ErrorIs(t, st.run(figures()), graph.ErrInterrupted)
		require.Equal(t, "s1 done, s2 waiting:input, s3 pending", st.statuses())
		ws, err := st.team.Select("report")
		require.NoError(t, err)
		require.NoError(t, st.input(append(ws, hello("a report please"))...))
		if how == handoffs.AbandonWork {
			require.Equal(t, "s1 done, s2 superseded, s3 superseded", st.statuses())
			require.Equal(t, plan.Abandoned, st.end.PlanCourse.Phase)
			continue
		}
		require.Equal(t, handoffs.PlanSuspended, st.end.Handoffs.Plan)
		require.NoError(t, st.input(hello("thanks")))
		require.Equal(t, "bc rag report report", st.went())
		resume := handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Resume, Actor: handoffs.ByUser}
		ws, err = st.team.Input(resume)
		require.NoError(t, err)
		require.ErrorIs(t, st.input(ws...), graph.ErrInterrupted)
		signal, err := st.team.Signal(handoffs.Signal{Type: "files"})
		require.NoError(t, err)
		require.NoError(t, st.input(signal...))
		require.Equal(t, "bc rag report report rag bc", st.went())
		require.Equal(t, "s1 done, s2 done, s3 done", st.statuses())
	}
}

// The planner's answer and a handoff come in one superstep.
func TestStepsStreamInBesideADetour(t *testing.T) {
	p := &proposes{list: []*plan.Proposal{
		{Steps: []plan.Step{{ID: "a", Agent: "bc"}}, More: true},
		{Steps: []plan.Step{{ID: "b", Agent: "rag"}}, More: true},
		{Steps: []plan.Step{{ID: "c", Agent: "boss", DependsOn: []string{"a", "b"}}}},
	}}
	detour := hands(handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Call, Target: "rag", Explanation: "x", Task: "find"})
	st := play(t, "boss bc rag", map[string][]act{"bc": {detour}}, withPlanner(p, nil))
	require.NoError(t, st.input(hello("go")))
	require.Equal(t, "a done, b done, c done", st.statuses())
	require.Equal(t, "boss", st.route[len(st.route)-1])
}

// Who has chosen an agent talks to it, and nothing is planned.
func TestDirectedModeBypassesThePlanner(t *testing.T) {
	p := &proposes{list: []*plan.Proposal{{Steps: []plan.Step{{ID: "a", Agent: "bc"}}}}}
	st := play(t, "bc report", nil, func(c *plan.TeamConfig[crew]) {
		c.Plan.Planner = p
		for i := range c.Team.Agents {
			c.Team.Agents[i].Selectable = true
		}
	})
	ws, err := st.team.Select("report")
	require.NoError(t, err)
	require.NoError(t, st.input(append(ws, hello("a report"))...))
	require.Equal(t, handoffs.ModeDirected, st.end.Handoffs.Mode)
	require.NoError(t, st.input(hello("and another")))
	require.Equal(t, "report report", st.went())
	require.Empty(t, p.asked)
	require.Empty(t, st.end.Handoffs.Plan, "there was no plan to be set aside")
	ws, err = st.team.Select("bc")
	require.NoError(t, err)
	require.NoError(t, st.input(ws...))
	require.Equal(t, "report report bc", st.went())
}
