package protocol_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/protocol"
	"github.com/graphrun/graphrun/state"
)

// desk is a state with nothing but handoffs.
type desk struct{ handoffs.State }

var (
	fields = handoffs.FieldsOf(func(d *desk) *handoffs.State { return &d.State })
	schema = state.MustSchema(fields)
)

// worker makes a node of a function from what was handed over to a command;
// the zero command ends the work.
func worker(team **handoffs.Team[desk], work func(handoffs.Turn, protocol.Update) (protocol.Command, error)) graph.Node[desk] {
	return func(ctx context.Context, s desk) (graph.Command[desk], error) {
		u, err := protocol.AcceptHandoff(&s.Turn)
		if err != nil {
			return graph.Command[desk]{}, err
		}
		c, err := work(s.Turn, u)
		if err != nil || c.Goto.Agent == "" && c.Goto.Sends == nil {
			return graph.Command[desk]{}, err
		}
		h, err := c.Handoff()
		if err != nil {
			return graph.Command[desk]{}, err
		}
		return (*team).HandOff(ctx, s, h)
	}
}

// A chain of three with a quality check that sends the work back once. Five
// handoffs would not suffice for that: the way back has a quota of its own.
func Example() {
	var team *handoffs.Team[desk]
	score := 72.0
	agents := map[string]func(handoffs.Turn, protocol.Update) (protocol.Command, error){
		"docs-researcher": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			if u.WorkflowState.Phase == "" {
				u.WorkflowState = protocol.NewWorkflow("research", "planning", "implementation")
			}
			c := u.HandoffToAgent("implementation-planner", protocol.Context{TaskDescription: "plan", Completed: u.WorkflowState.Phase == "research"})
			c.Update.Artifacts["ResearchPack"] = protocol.Path("pack.md")
			return c, nil
		},
		"implementation-planner": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			c := u.HandoffToAgent("brahma-analyzer", protocol.Context{TaskDescription: "check the plan"})
			c.Update.Artifacts["ImplementationPlan"] = protocol.Path("plan.md")
			return c, nil
		},
		"brahma-analyzer": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			fmt.Println("score", score, "retries", u.Metrics.RetryCount)
			if score < 80 {
				score = 85
				c := u.HandoffToAgent("docs-researcher", protocol.Context{TaskDescription: "research again", Reason: "the score is below 80"})
				c.Update.Metrics.RetryCount++
				return c, nil
			}
			return u.HandoffToAgent("code-implementer", protocol.Context{TaskDescription: "implement", Completed: true}), nil
		},
		"code-implementer": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			fmt.Println(u.Context.PreviousAgent, "hands over", *u.Artifacts["ImplementationPlan"], "behind", u.WorkflowState.CompletedSteps)
			return protocol.Command{}, nil
		},
	}
	cfg := handoffs.TeamConfig[desk]{Fields: fields, Policy: (&protocol.Config{
		EnableHandoffs: true, Loopbacks: []protocol.Loopback{{From: "brahma-analyzer", To: "docs-researcher", Quota: 2}},
	}).Policy()}
	for _, id := range []string{"docs-researcher", "implementation-planner", "brahma-analyzer", "code-implementer"} {
		cfg.Agents = append(cfg.Agents, handoffs.Agent[desk]{Profile: handoffs.Profile{ID: id}, Node: worker(&team, agents[id])})
	}
	team, err := handoffs.NewTeam(cfg)
	if err != nil {
		panic(err)
	}
	g, err := team.Compile(schema, nil)
	if err != nil {
		panic(err)
	}
	res, err := g.Invoke(context.Background(), nil, nil)
	fmt.Println(len(protocol.HandoffLog(handoffs.LogOf(res.State.HandoffLog))), "handoffs", err)
	// Output:
	// score 72 retries 0
	// score 85 retries 1
	// brahma-analyzer hands over plan.md behind [research planning]
	// 6 handoffs <nil>
}

func ExampleCheckEconomicViability() {
	err := protocol.CheckEconomicViability(protocol.ClassMedium, protocol.Used{Handoffs: 2, Tokens: 26_000, Agents: 2})
	fmt.Println(err)
	fmt.Println(errors.Is(err, protocol.EconomicLimitExceeded), errors.Is(err, handoffs.CodeEconomic))
	fmt.Println(protocol.CheckEconomicViability(protocol.ClassComplex, protocol.Used{Handoffs: 2, Tokens: 26_000, Agents: 2}))
	// Output:
	// handoff: The run has used what its class allows: 2 of 2 handoffs. (economic)
	// true true
	// <nil>
}
