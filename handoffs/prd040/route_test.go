package prd040_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/prd040"
)

// emits puts a command among the state's tool executions.
func (d *desk) emits(c prd040.HandoffCommand) {
	d.Helper()
	x, err := prd040.NewToolExecution(c, noon())
	require.NoError(d, err)
	d.ToolExecutions = append(d.ToolExecutions, x)
}

func TestS0_47_49_RouteHandoffs(t *testing.T) {
	command := prd040.ToolExecution{Tool: prd040.ToolName, Input: json.RawMessage(`{"type":"handoff","targetAgentId":"rag-agent"}`)}
	noCommand := prd040.ToolExecution{Tool: prd040.ToolName, Input: json.RawMessage(`{"type":"other"}`)}
	other := prd040.ToolExecution{Tool: "search", Input: command.Input}
	steps := func(n, at int) prd040.Plan {
		return prd040.Plan{Steps: make([]prd040.PlanStep, n), CurrentStepIndex: at}
	}
	tests := []struct {
		name string
		xs   []prd040.ToolExecution
		plan prd040.Plan
		want string
	}{
		{"a command", []prd040.ToolExecution{other, command}, steps(0, 0), "process_handoff"},
		{"a command goes before the plan", []prd040.ToolExecution{command}, steps(3, 0), "process_handoff"},
		{"no command, steps left", []prd040.ToolExecution{noCommand, other}, steps(3, 1), "next_step"},
		{"the last step", nil, steps(3, 2), "complete"},
		{"one step", nil, steps(1, 0), "complete"},
		{"no plan", nil, steps(0, 0), "complete"},
		{"no command, no plan", []prd040.ToolExecution{noCommand, other}, steps(0, 0), "complete"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := prd040.State{Plan: tt.plan}
			s.ToolExecutions = tt.xs
			require.Equal(t, tt.want, prd040.RouteHandoffs(&s))
		})
	}
}

func TestS0_50_60_CommandsAreProcessedOnce(t *testing.T) {
	d := newDesk(t, "bc-agent")
	d.emits(prd040.CreateHandoffCommand("rag-agent", prd040.ReasonClarification, "?", nil))
	require.Equal(t, "process_handoff", prd040.RouteHandoffs(&d.State))
	require.True(t, d.does(d.m.ProcessHandoffs(t.Context(), &d.State)).Accepted)
	require.Equal(t, "rag-agent", d.ActiveAgent)
	require.Equal(t, "complete", prd040.RouteHandoffs(&d.State))
	_, err := d.m.ProcessHandoffs(t.Context(), &d.State)
	require.ErrorIs(t, err, prd040.ErrNoCommand)

	d.hand("bc-agent") // a command beside the executions does not bring them back
	require.Equal(t, "complete", prd040.RouteHandoffs(&d.State))
	d.emits(prd040.CreateHandoffCommand("rag-agent", prd040.ReasonClarification, "?", nil))
	require.True(t, d.does(d.m.ProcessHandoffs(t.Context(), &d.State)).Accepted)
	require.Len(t, d.Extended().HandoffHistory, 3)
}

func TestS0_51_NodeWithoutACommand(t *testing.T) {
	d := newDesk(t, "bc-agent")
	_, err := d.m.ProcessHandoffs(t.Context(), &d.State)
	require.EqualError(t, err, "No handoff command found")
}

func TestS0_61_SeveralCommandsOfOneTurn(t *testing.T) {
	d := newDesk(t, "bc-agent")
	d.emits(prd040.CreateHandoffCommand("rag-agent", prd040.ReasonCapabilityMatch, "first", nil))
	d.emits(prd040.CreateHandoffCommand(prd040.Supervisor, prd040.ReasonErrorRecovery, "second", nil))
	r := d.does(d.m.ProcessHandoffs(t.Context(), &d.State))
	require.True(t, r.Accepted)
	require.Equal(t, "first", r.Record.Explanation)
	require.Equal(t, "rag-agent", d.ActiveAgent)
	require.Equal(t, "complete", prd040.RouteHandoffs(&d.State))
	status := map[string]handoffs.Status{}
	for h := range handoffs.History(handoffs.LogOf(d.HandoffLog), handoffs.Filter{}) {
		status[h.Explanation] = h.Status
	}
	require.Equal(t, map[string]handoffs.Status{"first": handoffs.Running, "second": handoffs.Superseded}, status)
}
