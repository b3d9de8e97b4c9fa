package protocol_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/protocol"
)

func TestS2_02_06_CommandInJSON(t *testing.T) {
	c := protocol.Command{Goto: protocol.Goto{Agent: "planner"}, Update: protocol.Update{
		Context:   protocol.Context{PreviousAgent: "docs-researcher", TaskDescription: "plan", Completed: true, ArtifactsCreated: []string{"ResearchPack"}},
		Artifacts: map[string]*string{"ResearchPack": protocol.Path("pack.md"), "ValidationReport": nil},
		WorkflowState: protocol.WorkflowState{
			Phase: "planning", NextPhase: "implementation", CompletedSteps: []string{"research"}, RemainingSteps: []string{"implementation"},
		},
		Metrics: protocol.Metrics{TokensUsed: 1200, TimeElapsed: 2.5, RetryCount: 1, DeepwikiUsed: true},
	}}
	data, err := json.Marshal(c)
	require.NoError(t, err)
	require.JSONEq(t, `{"goto":"planner","update":{
		"context":{"previous_agent":"docs-researcher","task_description":"plan","completed":true,"artifacts_created":["ResearchPack"]},
		"artifacts":{"ResearchPack":"pack.md","ValidationReport":null},
		"workflow_state":{"phase":"planning","next_phase":"implementation","completed_steps":["research"],"remaining_steps":["implementation"]},
		"metrics":{"tokens_used":1200,"time_elapsed":2.5,"retry_count":1,"deepwiki_used":true}}}`, string(data))
	var back protocol.Command
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, c, back)

	h, err := c.Handoff()
	require.NoError(t, err)
	require.Equal(t, handoffs.Transfer, h.Kind)
	require.Equal(t, handoffs.Usage{Tokens: 1200, Time: 2500 * time.Millisecond}, h.Usage)
	require.Equal(t, "plan", h.Task)
	_, err = h.Encode()
	require.NoError(t, err)
}

func TestS2_25_GotoIsANameOrSends(t *testing.T) {
	var g protocol.Goto
	require.NoError(t, json.Unmarshal([]byte(`[{"agent":"a","task":"x"},{"agent":"a","task":"y"}]`), &g))
	require.Equal(t, protocol.Goto{Sends: []protocol.Send{{Agent: "a", Task: "x"}, {Agent: "a", Task: "y"}}}, g)
	data, err := json.Marshal(g)
	require.NoError(t, err)
	require.JSONEq(t, `[{"agent":"a","task":"x"},{"agent":"a","task":"y"}]`, string(data))
	require.Error(t, json.Unmarshal([]byte(`3`), &g))
}

// S2-07, S2-08, S2-23, X-19: what is handed over is there, and phases move on
// when a context says so.
func TestS2_07_08_HandoffAndAccept(t *testing.T) {
	var got protocol.Update
	st := newStage(t, enabled(), map[string]work{
		"docs-researcher": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			u.WorkflowState = protocol.NewWorkflow("research", "planning", "implementation")
			u.Artifacts = map[string]*string{"ValidationReport": nil}
			c := u.HandoffToAgent("implementation-planner", protocol.Context{TaskDescription: "plan", Completed: true, ArtifactsCreated: []string{"ResearchPack"}})
			c.Update.Artifacts["ResearchPack"] = protocol.Path("pack.md")
			return c, nil
		},
		"implementation-planner": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			got = u
			return protocol.Command{}, nil
		},
	}, "docs-researcher", "implementation-planner").run()
	require.NoError(t, st.err)
	require.Equal(t, handoffs.ContextArtifacts, st.turns[1].Context.Policy)
	require.Equal(t, protocol.Update{
		Context:   protocol.Context{PreviousAgent: "docs-researcher", TaskDescription: "plan", Completed: true, ArtifactsCreated: []string{"ResearchPack"}},
		Artifacts: map[string]*string{"ResearchPack": protocol.Path("pack.md"), "ValidationReport": nil},
		WorkflowState: protocol.WorkflowState{
			Phase: "planning", NextPhase: "implementation", CompletedSteps: []string{"research"}, RemainingSteps: []string{"implementation"},
		},
	}, got)
	done := got.WorkflowState.Advance().Advance()
	require.Equal(t, protocol.WorkflowState{CompletedSteps: []string{"research", "planning", "implementation"}, RemainingSteps: []string{}}, done)
	require.Equal(t, []string{"research"}, got.WorkflowState.CompletedSteps)
	empty, err := protocol.AcceptHandoff(&handoffs.Turn{})
	require.NoError(t, err)
	require.Equal(t, protocol.Update{}, empty)
}

func TestS2_07_ToolsOfAModel(t *testing.T) {
	p := enabled()
	p.Registry = handoffs.MustRegistry(handoffs.Profile{ID: "a"}, handoffs.Profile{ID: "b"}, handoffs.Profile{ID: "gone", Unavailable: true})
	tools := protocol.Tools(p, nil, handoffs.Log{}, "a", time.Time{})
	require.Equal(t, "handoff_to_agent", tools[0].Name)
	require.Equal(t, []string{"b"}, tools[0].Targets)
	require.Equal(t, "accept_handoff", tools[1].Name)
	var schema struct {
		Properties map[string]struct{ Enum []string }
		Required   []string
	}
	require.NoError(t, json.Unmarshal(tools[0].Schema, &schema))
	require.Equal(t, []string{"b"}, schema.Properties["agent_name"].Enum)
	require.Equal(t, []string{"agent_name", "context"}, schema.Required)
	p.Disabled = true
	require.Len(t, protocol.Tools(p, nil, handoffs.Log{}, "a", time.Time{}), 1)

	var u protocol.Update
	c, err := u.ParseHandoff([]byte(`{"agent_name":"b","context":{"task_description":"plan","completed":true}}`))
	require.NoError(t, err)
	require.Equal(t, "b", c.Goto.Agent)
	require.True(t, c.Update.Context.Completed)
	for arguments, want := range map[string]string{
		`{}`: "agent_name: it is missing", `{"agent_name":"b"}`: "context.task_description: it is missing",
		`{"agent_name":"b","context":{"task_description":"x"},"more":1}`: "unknown field", `{"agent_name":3}`: "cannot unmarshal", `x`: "invalid character",
		`{"agent_name":"b","context":{"task_description":"x"}} {}`: "behind the arguments",
	} {
		_, err := u.ParseHandoff([]byte(arguments))
		var bad *handoffs.CommandError
		require.True(t, errors.As(err, &bad), arguments)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, handoffs.CodeSyntax)
	}
}
