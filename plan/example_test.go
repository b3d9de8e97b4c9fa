package plan_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// Office is the state of the examples.
type Office struct{ plan.State }

var (
	office       = plan.FieldsOf(func(o *Office) *plan.State { return &o.State })
	officeSchema = state.MustSchema(office)
)

// worker is an agent that does what a function says.
func worker(id string, do func(t handoffs.Turn) (string, error)) handoffs.Agent[Office] {
	var cmd graph.Commands[Office]
	return handoffs.Agent[Office]{Profile: handoffs.Profile{ID: id}, Node: func(_ context.Context, o Office) (graph.Command[Office], error) {
		text, err := do(o.Turn)
		m := state.Text(state.RoleAI, text)
		m.Name = id
		return cmd.Update(office.Handoffs.Messages.Add(m)), err
	}}
}

// echo is an agent that says what it was told.
func echo(id string) handoffs.Agent[Office] {
	return worker(id, func(t handoffs.Turn) (string, error) { return id + ": " + t.Task, nil })
}

// printSteps shows how the steps of a state stand.
func printSteps(o Office) {
	p, err := plan.View(office, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range p.Steps {
		fmt.Print(s.ID, " ", s.Status)
		if s.Result != nil {
			fmt.Print(" (", s.Result.Text, ")")
		}
		fmt.Println()
	}
}

func Example() {
	team, err := plan.NewTeam(plan.TeamConfig[Office]{
		Team: handoffs.TeamConfig[Office]{Agents: []handoffs.Agent[Office]{echo("sales"), echo("archive")}},
		Plan: plan.Config[Office]{Fields: office},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := team.Compile(officeSchema, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := plan.Plan{Goal: "a summary", Steps: []plan.Step{
		{ID: "figures", Agent: "sales", Task: "40 sold"},
		{ID: "contract", Agent: "archive", Task: "find the contract of ${steps.figures.text}"},
	}}
	out, err := g.Invoke(context.Background(), graph.Input(office.Plan.Set(p)), nil)
	fmt.Println(out.Outcome, err)
	printSteps(out.State)
	// Output:
	// done <nil>
	// figures done (sales: 40 sold)
	// contract done (archive: find the contract of sales: 40 sold)
}

// A wrong plan is told with all that is wrong, before anything is done.
func ExampleExecutor_Check() {
	x, err := plan.New(plan.Config[Office]{Fields: office, Registry: handoffs.MustRegistry(handoffs.Profile{ID: "sales"}, handoffs.Profile{ID: "archive"})})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = x.Check(&plan.Plan{Steps: []plan.Step{
		{ID: "a", Agent: "sails", DependsOn: []string{"b"}},
		{ID: "b", Agent: "archive", DependsOn: []string{"a"}},
		{ID: "b", Capability: "law", OnFailure: &plan.Failure{Do: plan.Replan}},
	}})
	fmt.Println(err)
	fmt.Println(errors.Is(err, plan.ErrPlan))
	// Output:
	// plan: 5 problems:
	//   step "b" stands twice, as step 2 and step 3
	//   step "a": there is no agent "sails"; did you mean sales?
	//   step "b": no agent has the capability "law"
	//   step "b": on_failure: replan: there is no planner
	//   steps wait for each other: a needs b needs a
	// true
}

// A result that does not satisfy is a failure: here the next agent tries.
func ExampleAccept() {
	team, err := plan.NewTeam(plan.TeamConfig[Office]{
		Team: handoffs.TeamConfig[Office]{Agents: []handoffs.Agent[Office]{
			worker("junior", func(handoffs.Turn) (string, error) { return `{"score": 60}`, nil }),
			worker("senior", func(handoffs.Turn) (string, error) { return `{"score": 90}`, nil }),
		}},
		Plan: plan.Config[Office]{Fields: office},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := team.Compile(officeSchema, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(context.Background(), graph.Input(office.Plan.Set(plan.Plan{Steps: []plan.Step{{
		ID: "review", Agent: "junior",
		Accept:    &plan.Accept{Schema: []byte(`{"required": ["score"]}`), If: "result.value.score >= 80"},
		OnFailure: &plan.Failure{Do: plan.Reassign, To: []string{"senior"}},
	}}})), nil)
	for _, e := range out.State.PlanLog {
		if e.Step != "" {
			fmt.Println(e.Event, e.Agent)
		}
		if e.Code != "" {
			fmt.Println(" ", e.Code+":", e.Message)
		}
	}
	fmt.Println(err)
	// Output:
	// started junior
	// failed junior
	//   not_accepted: result.value.score >= 80 does not hold: result.value.score = 60
	// started senior
	// done senior
	// <nil>
}

// A planner is asked again when a step fails. What is done stays.
func ExamplePlanner() {
	planner := plan.PlannerFunc(func(_ context.Context, r *plan.Request) (*plan.Proposal, error) {
		if r.Cause == nil {
			return &plan.Proposal{Steps: []plan.Step{{ID: "look", Agent: "sales", Task: "look"}, {ID: "find", Agent: "archive", Task: "find"}}}, nil
		}
		fmt.Println("because", r.Cause.Step, "failed:", r.Cause.Text)
		return &plan.Proposal{Steps: []plan.Step{{ID: "guess", Agent: "sales", Task: "guess from ${steps.look.text}"}}}, nil
	})
	team, err := plan.NewTeam(plan.TeamConfig[Office]{
		Team: handoffs.TeamConfig[Office]{Agents: []handoffs.Agent[Office]{
			echo("sales"), worker("archive", func(handoffs.Turn) (string, error) { return "", errors.New("it is closed") }),
		}},
		Plan: plan.Config[Office]{Fields: office, Planner: planner, OnFailure: plan.Failure{Do: plan.Replan}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := team.Compile(officeSchema, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(context.Background(), graph.Input(office.Handoffs.Messages.Add(state.Text(state.RoleHuman, "what was sold?"))), nil)
	fmt.Println("version", out.State.Plan.Version, err)
	printSteps(out.State)
	// Output:
	// because find failed: it is closed
	// version 2 <nil>
	// look done (sales: look)
	// guess done (sales: guess from sales: look)
}

// A person looks at the plan before anything is done.
func ExampleReview() {
	team, err := plan.NewTeam(plan.TeamConfig[Office]{
		Team: handoffs.TeamConfig[Office]{Agents: []handoffs.Agent[Office]{echo("sales"), echo("archive")}},
		Plan: plan.Config[Office]{Fields: office, Review: plan.Review{First: true}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := team.Compile(officeSchema, &graph.Config{Store: checkpoint.NewMemory(nil)})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, thread := context.Background(), &graph.RunConfig{Thread: "t"}
	out, err := g.Invoke(ctx, graph.Input(office.Plan.Set(plan.Plan{Steps: []plan.Step{{ID: "a", Agent: "sales", Task: "sell"}}})), thread)
	fmt.Println(out.Outcome, errors.Is(err, graph.ErrInterrupted))
	other := &plan.Plan{Steps: []plan.Step{{ID: "b", Agent: "archive", Task: "keep"}}}
	out, err = g.Resume(ctx, graph.Answer(plan.Ruling{Decision: plan.Edit, Plan: other}), thread)
	fmt.Println(out.Outcome, err)
	printSteps(out.State)
	// Output:
	// interrupted true
	// done <nil>
	// b done (archive: keep)
}

// A model is a function from a prompt to a text.
func ExampleModelPlanner() {
	ask := func(_ context.Context, p plan.Prompt) (string, error) {
		return `{"steps": [{"id": "a", "agent": "sales", "task": "sell"}]}`, nil
	}
	team, err := plan.NewTeam(plan.TeamConfig[Office]{
		Team: handoffs.TeamConfig[Office]{Agents: []handoffs.Agent[Office]{echo("sales")}},
		Plan: plan.Config[Office]{Fields: office, Planner: &plan.ModelPlanner{Ask: ask}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := team.Compile(officeSchema, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(context.Background(), graph.Input(office.Handoffs.Messages.Add(state.Text(state.RoleHuman, "sell it"))), nil)
	fmt.Println(out.State.Plan.Goal, err)
	printSteps(out.State)
	// Output:
	// sell it <nil>
	// a done (sales: sell)
}
