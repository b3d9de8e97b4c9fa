// Handoffs is the team that the guide to handoffs begins with.
package main

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

type Desk struct{ handoffs.State }

func main() {
	fields := handoffs.FieldsOf(func(d *Desk) *handoffs.State { return &d.State })
	var team *handoffs.Team[Desk]
	front := func(ctx context.Context, d Desk) (graph.Command[Desk], error) {
		if len(d.Turn.Results) > 0 {
			fmt.Println("front has", d.Turn.Results[0].Outcome.Text)
			return graph.Command[Desk]{}, nil
		}
		c := handoffs.NewCommand("", handoffs.CapabilityMatch, "it is about money")
		c.Kind, c.Capability, c.Task = handoffs.Call, "refund", "give 40 back"
		return team.HandOff(ctx, d, c)
	}
	billing := func(ctx context.Context, d Desk) (graph.Command[Desk], error) {
		fmt.Println("billing is to", d.Turn.Task)
		done := handoffs.Command{Kind: handoffs.Return, Result: &handoffs.Outcome{Text: "a receipt"}}
		return team.HandOff(ctx, d, done)
	}
	team, err := handoffs.NewTeam(handoffs.TeamConfig[Desk]{Fields: fields, Agents: []handoffs.Agent[Desk]{
		{Profile: handoffs.Profile{ID: "front"}, Node: front},
		{Profile: handoffs.Profile{ID: "billing", Capabilities: []string{"refund"}}, Node: billing},
	}})
	if err != nil {
		panic(err)
	}
	g, err := team.Compile(state.MustSchema(fields), nil)
	if err != nil {
		panic(err)
	}
	out, err := g.Invoke(context.Background(), nil, nil)
	for h := range handoffs.History(handoffs.LogOf(out.State.HandoffLog), handoffs.Filter{}) {
		fmt.Println(h.From, "called", h.To+":", h.Status, err)
	}
}
