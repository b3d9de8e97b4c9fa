package prd040_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/prd040"
)

func TestS0_13_20_Command(t *testing.T) {
	c := prd040.CreateHandoffCommand("rag-agent", prd040.ReasonCapabilityMatch, "needs documents", &prd040.CommandOptions{
		Payload: map[string]any{"query": "q"}, Task: "search", ReturnControl: true,
	})
	require.Equal(t, map[string]any{
		"type": "handoff", "targetAgentId": "rag-agent", "reason": "capability_match", "explanation": "needs documents",
		"payload": map[string]any{"query": "q"}, "task": "search", "returnControl": true,
	}, asJSON(t, c))
	plain := prd040.CreateHandoffCommand("rag-agent", prd040.ReasonUserRequest, "", nil)
	require.False(t, plain.ReturnControl) // S0-19
	require.NotContains(t, asJSON(t, plain), "payload")
}

func TestS0_21_IsHandoffCommand(t *testing.T) {
	for text, want := range map[string]bool{
		`null`: false, `{}`: false, `{"type":"other","targetAgentId":"a"}`: false, `{"type":"handoff"}`: false,
		`{"type":"handoff","targetAgentId":3}`: false, `{"type":"handoff","targetAgentId":null}`: false, `"handoff"`: false,
		`{"type":"handoff","targetAgentId":"a"}`: true,
	} {
		var v any
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		require.Equal(t, want, prd040.IsHandoffCommand(v), text)
		require.Equal(t, want, prd040.IsHandoffCommand(json.RawMessage(text)), text)
	}
	require.False(t, prd040.IsHandoffCommand(nil))
	require.True(t, prd040.IsHandoffCommand(prd040.CreateHandoffCommand("a", "", "", nil)))
}

func TestS0_22_23_CommandToRecord(t *testing.T) {
	c := prd040.CapabilityHandoff("rag-agent", "rag_search", "q")
	r := prd040.CommandToRecord(&c, "bc-agent", "s1", "0b9f0c1e-6d5a-5d3b-9f40-1c2a3b4d5e6f", noon())
	require.Equal(t, "0B9F0C1E-6D5A-5D3B-9F40-1C2A3B4D5E6F", r.ID)
	require.Equal(t, "bc-agent", r.From)
	require.Equal(t, "rag-agent", r.To)
	require.Equal(t, "s1", r.PlanStep)
	data, err := json.Marshal(r)
	require.NoError(t, err)
	var back prd040.HandoffRecord
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, r, back)
	require.NotContains(t, asJSON(t, prd040.CommandToRecord(&c, "a", "", "x", noon())), "planStepId")
}

func TestS0_05_09_Strategies(t *testing.T) {
	step := prd040.PlanStep{StepID: "s2", Agent: "rag-agent", Task: "find the contract"}
	broken := handoffs.CodeFailed
	tests := []struct {
		c       prd040.HandoffCommand
		reason  prd040.HandoffReason
		target  string
		returns bool
	}{
		{prd040.PlanStepHandoff(&step), "plan_step", "rag-agent", false},
		{prd040.CapabilityHandoff("rag-agent", "rag_search", "q"), "capability_match", "rag-agent", true},
		{prd040.ErrorRecoveryHandoff("bc-agent", broken), "error_recovery", "supervisor", false},
		{prd040.ClarificationHandoff("rag-agent", "which customer?"), "clarification", "rag-agent", true},
	}
	for _, tt := range tests {
		require.Equal(t, tt.reason, tt.c.Reason)
		require.Equal(t, tt.target, tt.c.Target)
		require.Equal(t, tt.returns, tt.c.ReturnControl)
		require.NotEmpty(t, tt.c.Explanation)
		_, err := tt.c.Encode()
		require.NoError(t, err)
	}
	require.Equal(t, "rag_search", prd040.CapabilityHandoff("", "rag_search", "q").Capability)
}

func TestS0_46_ToolExecution(t *testing.T) {
	c := prd040.CapabilityHandoff("rag-agent", "rag_search", "q")
	x, err := prd040.NewToolExecution(c, noon())
	require.NoError(t, err)
	got := asJSON(t, x)
	require.Equal(t, "handoff-request", got["toolUseId"])
	require.Equal(t, "__handoff__", got["toolName"])
	require.Equal(t, asJSON(t, c), got["toolInput"])
	require.JSONEq(t, string(x.Input), got["toolOutput"].(string))
	require.Equal(t, true, got["success"])
	require.Equal(t, "2026-05-04T12:00:00Z", got["timestamp"])
}
