package rules_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
	"github.com/graphrun/graphrun/handoffs/rules"
)

func Example() {
	ctx := context.Background()
	m, err := rules.NewHandoffManager(rules.Config{})
	if err != nil {
		panic(err)
	}
	messages, err := m.Bus().Subscribe(ctx, bus.Filter{Types: []string{bus.AgentHandoff, bus.TaskFailed}})
	if err != nil {
		panic(err)
	}
	task, err := m.StartWorkflow(ctx, rules.AgentContext{RequestID: "rfp-1", SessionID: "s-1"},
		map[string]any{"clientName": "Ada", "rfpData": map[string]any{"route": "VIE-JFK"}})
	if err != nil {
		panic(err)
	}
	if _, err = m.CompleteTask(ctx, task.ID, rules.Orchestrator, rules.TaskResult{Trigger: rules.AnalyzingComplete}); err != nil {
		panic(err)
	}
	for msg := range messages {
		fmt.Println(msg.Type, msg.Source, "->", msg.Target, msg.Context.Session)
		if msg.Type == bus.TaskFailed {
			break
		}
		task, err := m.AcceptHandoff(ctx, rules.TaskID(&msg), msg.Target)
		if err != nil {
			panic(err)
		}
		state, err := m.StateMachine().GetState(ctx, "rfp-1")
		fmt.Println(state, task.Type, task.Payload["clientName"], err)
		if err := m.RejectHandoff(ctx, task.ID, msg.Target, "max concurrent tasks reached"); err != nil {
			panic(err)
		}
	}
	agent, task, err := m.AtWork(ctx, "rfp-1")
	fmt.Println(agent, task.Refused.Target, task.Refused.Code, err)

	_, err = m.Handoff(ctx, rules.AgentHandoff{
		FromAgent: agent, ToAgent: "PILOT", Task: rules.AgentTask{Type: "fly"}, Context: rules.AgentContext{RequestID: "rfp-1"}, Reason: "nobody else is left",
	})
	fmt.Println(err, errors.Is(err, handoffs.CodeNotFound))
	// Output:
	// AGENT_HANDOFF ORCHESTRATOR -> CLIENT_DATA s-1
	// FETCHING_CLIENT_DATA fetch_client_data Ada <nil>
	// TASK_FAILED CLIENT_DATA -> ORCHESTRATOR s-1
	// ERROR_MONITOR CLIENT_DATA refused <nil>
	// handoff ERROR_MONITOR->PILOT: Target agent not found: PILOT (not_found) true
}
