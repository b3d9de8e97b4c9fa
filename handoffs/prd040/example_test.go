package prd040_test

import (
	"context"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/prd040"
)

// office are the agents of the examples and tests.
var office = []handoffs.Profile{
	{ID: prd040.Supervisor, System: true},
	{ID: "bc-agent", Name: "Business Central", Icon: "📊", Color: "#3B82F6", Selectable: true},
	{ID: "rag-agent", Name: "Knowledge", Icon: "🧠", Color: "#10B981", Selectable: true, Capabilities: []string{"rag_search"}},
	{ID: "audit-agent", System: true},
}

// noon is a clock that stands still.
func noon() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

func ExampleHandoffManager() {
	ctx := context.Background()
	m, err := prd040.NewHandoffManager(prd040.Config{Agents: office, Clock: noon})
	if err != nil {
		panic(err)
	}
	s := prd040.State{SessionID: "s1"}
	s.ActiveAgent = "bc-agent"

	res, err := m.ProcessHandoff(ctx, prd040.CapabilityHandoff("rag-agent", "rag_search", "find the contract"), &s)
	if err != nil {
		panic(err)
	}
	s = s.With(res.UpdatedState)
	fmt.Println(res.Accepted, res.Record.ID, s.ActiveAgent)

	res, err = m.ReturnControl(ctx, handoffs.Outcome{Text: "contract 7"}, &s)
	if err != nil {
		panic(err)
	}
	s = s.With(res.UpdatedState)
	fmt.Println(s.ActiveAgent, "has", res.Turn.Results[0].Outcome.Text)

	res, err = m.ProcessHandoff(ctx, prd040.CreateHandoffCommand("audit-agent", prd040.ReasonErrorRecovery, "odd figures", nil), &s)
	if err != nil {
		panic(err)
	}
	s = s.With(res.UpdatedState)
	fmt.Println(res.RejectionReason)
	fmt.Println(s.ActiveAgent, "takes over:", s.Messages[0].Text())
	// Output:
	// true 762816AE-B3A3-52FA-B17C-E25A7887A90D rag-agent
	// bc-agent has contract 7
	// Cannot handoff to system agent 'audit-agent'
	// supervisor takes over: Handoff to audit-agent rejected: Cannot handoff to system agent 'audit-agent'
}

func ExampleRouteHandoffs() {
	ctx := context.Background()
	m, err := prd040.NewHandoffManager(prd040.Config{Agents: office, Clock: noon})
	if err != nil {
		panic(err)
	}
	s := prd040.State{SessionID: "s1", Plan: prd040.Plan{Steps: []prd040.PlanStep{{StepID: "s1"}, {StepID: "s2"}}}}
	s.ActiveAgent = "bc-agent"
	x, err := prd040.NewToolExecution(prd040.CapabilityHandoff("rag-agent", "rag_search", "find the contract"), noon())
	if err != nil {
		panic(err)
	}
	s.ToolExecutions = append(s.ToolExecutions, x)

	fmt.Println(prd040.RouteHandoffs(&s))
	res, err := m.ProcessHandoffs(ctx, &s)
	if err != nil {
		panic(err)
	}
	s = s.With(res.UpdatedState)
	fmt.Println(prd040.RouteHandoffs(&s), res.Record.PlanStep)
	s.Plan.CurrentStepIndex++
	fmt.Println(prd040.RouteHandoffs(&s))
	_, err = m.ProcessHandoffs(ctx, &s)
	fmt.Println(err)
	// Output:
	// process_handoff
	// next_step s1
	// complete
	// No handoff command found
}
