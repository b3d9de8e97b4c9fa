// Plans is the program of docs/plans.md: three steps, of which two are done side
// by side, and one of them twice.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

type Desk struct{ plan.State }

func main() {
	fields := plan.FieldsOf(func(d *Desk) *plan.State { return &d.State })
	var cmd graph.Commands[Desk]
	agent := func(id string, do func(task string) (string, error)) handoffs.Agent[Desk] {
		return handoffs.Agent[Desk]{Profile: handoffs.Profile{ID: id}, Node: func(_ context.Context, d Desk) (graph.Command[Desk], error) {
			text, err := do(d.Turn.Task)
			m := state.Text(state.RoleAI, text)
			m.Name = id
			return cmd.Update(fields.Handoffs.Messages.Add(m)), err
		}}
	}
	calls := 0
	team, err := plan.NewTeam(plan.TeamConfig[Desk]{
		Team: handoffs.TeamConfig[Desk]{Agents: []handoffs.Agent[Desk]{
			agent("writer", func(task string) (string, error) { return "report: " + task, nil }),
			agent("sales", func(string) (string, error) { return "40 sold", nil }),
			agent("archive", func(string) (string, error) {
				if calls++; calls == 1 {
					return "", errors.New("the archive is closed")
				}
				return "contract 7", nil
			}),
		}},
		Plan: plan.Config[Desk]{Fields: fields},
	})
	if err != nil {
		panic(err)
	}
	g, err := team.Compile(state.MustSchema(fields), nil)
	if err != nil {
		panic(err)
	}
	out, err := g.Invoke(context.Background(), graph.Input(fields.Plan.Set(plan.Plan{Goal: "a report", Steps: []plan.Step{
		{ID: "figures", Agent: "sales", Task: "what was sold?"},
		{ID: "contract", Agent: "archive", Task: "find the contract", Retry: &plan.Retry{Max: 2}},
		{ID: "report", Agent: "writer", Task: "${steps.figures.text} under ${steps.contract.text}",
			DependsOn: []string{"figures", "contract"}, Accept: &plan.Accept{If: `result.text contains "report"`}},
	}})), nil)
	if err != nil {
		panic(err)
	}
	for _, e := range out.State.PlanLog {
		fmt.Println(e.Event, e.Step, e.Message)
	}
	last, _ := out.State.PlanSteps.Get("report")
	fmt.Println(last.Result.Text)
}
