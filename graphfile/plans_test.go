package graphfile_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/plan"
)

// TestPlansInsideOneAnother shows that a team in a node of another one keeps its
// plan for itself.
func TestPlansInsideOneAnother(t *testing.T) {
	t.Parallel()
	out, fields := runTeam(t, `
nodes:
  inner:
    graph:
      plan: {id: within, steps: [{id: s1, agent: x, task: inner one}, {id: s2, agent: y, task: "after ${steps.s1.text}"}]}
      agents: {x: {turns: [{say: "${turn.task}"}]}, y: {turns: [{say: "${turn.task}"}]}}
plan: {id: around, steps: [{id: s1, agent: a, task: outer one}]}
agents: {a: {turns: [{say: "${turn.task}"}]}}
edges: [START -> inner -> agents]`)
	assert.Contains(t, out, "  done\n")
	assert.Len(t, fields["messages"], 3)
	assert.Equal(t, "around", fields["plan"].(map[string]any)["id"])
	assert.Equal(t, "done", fields["plan_course"].(map[string]any)["phase"])
	assert.Len(t, fields["plan_steps"], 1)
}

// TestPlanBesideNodes shows a team with a plan between two nodes.
func TestPlanBesideNodes(t *testing.T) {
	t.Parallel()
	_, fields := runTeam(t, `
state: {n: {type: int}, said: {reduce: append}}
nodes: {before: {update: {n: 3}}, after: {update: {said: "${plan_course.phase} ${plan_steps.s1.result.text}"}}}
plan: {steps: [{id: s1, agent: a, task: "n is ${n}"}]}
agents: {a: {turns: [{say: "${turn.task}"}]}}
edges: [START -> before -> agents, agents -> after]`)
	assert.Equal(t, []any{"done n is 3"}, fields["said"])
}

func TestFieldsOfPlansAreNotWritten(t *testing.T) {
	t.Parallel()
	_, err := graphfile.Parse("x.yaml", []byte("agents: {a: {turns: [{update: {plan: {}}}]}}\nplan: {}"), nil)
	require.ErrorContains(t, err, "plan")
	_, err = graphfile.Parse("x.yaml", []byte("state: {plan: {type: string}}\nagents: {a: {turns: [{update: {plan: mine}}]}}"), nil)
	require.NoError(t, err, "without the section the names are free")
}

func TestInputChecksThePlan(t *testing.T) {
	t.Parallel()
	f := parse(t, "agents: {a: }\nplan: {steps: [{id: s1, agent: a}]}", nil)
	for input, want := range map[string]string{
		`{"plan": null}`: "",
		`{"plan": {"steps": [{"id": "x", "agent": 3}]}}`: `"steps.agent" cannot be a number`,
		`{"plan": []}`: "it is no plan: it cannot be an array",
		`{"plan": {"steps": [{"id": "x", "agent": "a", "status": "done"}]}}`: `status and result are not the plan's to say`,
		`{"plan": {"steps": []}}`: "the plan has no steps",
	} {
		_, err := f.Input([]byte(input))
		if want == "" {
			assert.NoError(t, err, input)
			continue
		}
		assert.ErrorContains(t, err, want, input)
	}
}

// TestNodesOfPlans shows that runs can pause before the nodes of a plan, and that
// no edge leads there.
func TestNodesOfPlans(t *testing.T) {
	t.Parallel()
	const file = "agents: {a: }\nplan: {review: first, steps: [{id: s1, agent: a}]}\n"
	parse(t, file+"interrupt_before: [planner, next_step]", nil)
	_, err := graphfile.Parse("x.yaml", []byte(file+"edges: [START -> planner]"), nil)
	require.ErrorContains(t, err, `"planner" is a node of the agents`)
	_, err = graphfile.Parse("x.yaml", []byte("agents: {a: }\ninterrupt_before: next_step"), nil)
	require.ErrorContains(t, err, `unknown node "next_step"`)
}

// TestPlanByGo shows a planner, a judge and a check that a program gives a file.
func TestPlanByGo(t *testing.T) {
	t.Parallel()
	const desk = `
plan: {every_round: true}
agents: {a: {turns: [{say: "${turn.task}"}]}}
`
	judged := 0
	opt := &graphfile.Options{
		Planner: plan.PlannerFunc(func(_ context.Context, r *plan.Request) (*plan.Proposal, error) {
			if r.Plan != nil {
				return &plan.Proposal{Answer: "that is " + r.Plan.Steps[0].Result.Text}, nil
			}
			return &plan.Proposal{Steps: []plan.Step{{ID: "s1", Agent: "a", Task: r.Goal, Accept: &plan.Accept{Check: "good"}}, {ID: "s2", Agent: "a"}}}, nil
		}),
		Judge: func(context.Context, *plan.Request) (*plan.Assessment, error) {
			judged++
			return &plan.Assessment{Progressing: true}, nil
		},
		Checks: map[string]plan.Check{"good": func(_ context.Context, _ *plan.Plan, _ *plan.Step, r *plan.Result) error {
			if r.Text != "forty" {
				return errors.New("it is not forty")
			}
			return nil
		}},
	}
	f, err := graphfile.Parse("desk.yaml", []byte(desk), opt)
	require.NoError(t, err)
	in, err := f.Input([]byte(`{"messages": [{"role": "user", "content": "forty"}]}`))
	require.NoError(t, err)
	res, err := f.Graph().Invoke(t.Context(), in, nil)
	require.NoError(t, err)
	said, _ := res.State.Get("messages")
	all := said.([]any)
	require.Equal(t, "that is forty", all[len(all)-1].(map[string]any)["content"])
	require.Equal(t, 1, judged)

	_, err = graphfile.Parse("desk.yaml", []byte(`{plan: {planner: [{answer: x}]}, agents: {a: {turns: [{say: x}]}}}`), opt)
	require.ErrorContains(t, err, "a planner in the file and one in Go")
	_, err = graphfile.Parse("desk.yaml", []byte(`{agents: {a: {turns: [{say: x}]}}}`), opt)
	require.ErrorContains(t, err, `no section "plan"`)
}
