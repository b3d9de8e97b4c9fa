package specialist_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/specialist"
	"github.com/graphrun/graphrun/state"
)

func TestS4_12_13_ToolDefinition(t *testing.T) {
	d := specialist.ToolDefinition()
	require.Equal(t, "handoff_to_specialist", d.Name)
	require.Equal(t, []string{"coordination", "handoff", "delegation"}, d.Tags)
	for _, part := range []string{"\n1. ", "\n2. ", "\n3. ", "\n4. ", "You must give context"} {
		require.Contains(t, d.Description, part)
	}
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	require.NoError(t, json.Unmarshal(d.Parameters, &schema))
	require.Len(t, schema.Properties, 5)
	require.Equal(t, []string{"specialist_type", "task", "reason"}, schema.Required)
}

func TestS4_13_14_ValidateArguments(t *testing.T) {
	a, problems := specialist.ValidateArguments([]byte(`{"specialist_type": "testing", "task": "t", "reason": "r", "context": {"n": 9007199254740993}, "required_capabilities": null}`))
	require.Nil(t, problems)
	require.Equal(t, specialist.Arguments{SpecialistType: "testing", Task: "t", Reason: "r", Context: map[string]any{"n": int64(9007199254740993)}}, a)
	for text, want := range map[string][]string{
		`{}`:   {"specialist_type: it is missing", "task: it is missing", "reason: it is missing"},
		`null`: {"the arguments must be a JSON object"},
		`[`:    {"the arguments must be a JSON object"},
		`{"specialist_type": 3, "task": " ", "reason": "r", "context": [], "required_capabilities": ["a", ""], "zeal": 1, "more": 2}`: {
			"specialist_type: it must be a text", "task: it must not be empty", "context: it must be an object",
			"required_capabilities[1]: it must not be empty", "more: there is no such argument", "zeal: there is no such argument",
		},
		`{"specialist_type": "a", "task": "b", "reason": "c", "required_capabilities": "git"}`: {"required_capabilities: it must be a list of texts"},
	} {
		_, problems := specialist.ValidateArguments([]byte(text))
		require.Equal(t, want, problems, text)
	}
}

var here = specialist.ToolContext{
	AgentID: "generalist", UserInput: "ship it", UserID: "ann", ConversationID: "c1",
	ConversationHistory: []state.Message{state.Text(state.RoleHuman, "ship it")},
}

// call is a call of the tool.
func call(kind, more string) []byte {
	return []byte(`{"specialist_type": "` + kind + `", "task": "do it", "reason": "it is theirs"` + more + `}`)
}

func TestS4_16_17_Success(t *testing.T) {
	f := newFloor(t, specialist.Config{})
	got := f.HandleTool(t.Context(), call("testing", `, "context": {"read": "a.go"}`), here)
	data, err := json.Marshal(got)
	require.NoError(t, err)
	require.JSONEq(t, `{"success": true, "result": {"specialist_name": "Test Specialist", "specialist_response": "done",
		"handoff_summary": "Handed to Test Specialist: it is theirs", "conversation_summary": "3 iterations without tool calls", "iterations": 3}}`, string(data))
	require.Equal(t, specialist.HandoffContext{
		OriginalRequest: "ship it", ConversationHistory: here.ConversationHistory, CompletedWork: map[string]any{"read": "a.go"},
		RequiredCapabilities: []string{"testing"}, UserID: "ann", CorrelationID: "c1",
	}, f.GetHandoffHistory("c1")[0].Context)
	for _, part := range []string{"ship it", "it is theirs", "do it", "- testing", `"read": "a.go"`, "user: ship it"} {
		require.Contains(t, f.runs[0].UserInput, part)
	}
}

// S4-15, X-41.
func TestS4_15_NoSpecialist(t *testing.T) {
	f := newFloor(t, specialist.Config{})
	want := specialist.ToolResult{Error: "No suitable specialist for 'quantum'. Do the task yourself or ask the user."}
	for range 5 { // however often it is tried
		require.Equal(t, want, f.HandleTool(t.Context(), call("quantum", ""), here))
	}
	require.Equal(t, want.Error, strings.Replace(f.HandleTool(t.Context(), call("testing", `, "required_capabilities": ["git"]`), here).Error, "testing", "quantum", 1))
	require.Empty(t, f.GetHandoffHistory("c1"))
	require.Equal(t, "generalist> rejected no_provider", f.log("c1")[0])
	require.True(t, f.HandleTool(t.Context(), call("testing", ""), here).Success)
}

// A specialist may be refused as often as a generalist, and still gives its
// result.
func TestS4_15_NoSpecialistForASpecialist(t *testing.T) {
	var f *floor
	f = newFloor(t, specialist.Config{Run: func(ctx context.Context, r specialist.AgentRun) (specialist.AgentResult, error) {
		for range 5 {
			got := f.HandleTool(ctx, call("quantum", ""), specialist.ToolContext{AgentID: r.Agent.AgentID, ConversationID: r.ConversationID})
			require.Contains(t, got.Error, "No suitable specialist for 'quantum'")
		}
		return specialist.AgentResult{Response: "alone"}, nil
	}})
	got := f.HandleTool(t.Context(), call("testing", ""), here)
	require.True(t, got.Success, got.Error)
	require.Equal(t, "alone", got.Result.SpecialistResponse)
}

// S4-17, S4-39, X-40.
func TestS4_17_39_Failure(t *testing.T) {
	f := newFloor(t, specialist.Config{Limits: handoffs.Limits{Handoffs: 1}, Run: func(context.Context, specialist.AgentRun) (specialist.AgentResult, error) {
		return specialist.AgentResult{}, errors.New("2 of 42 tests fail")
	}})
	got := f.HandleTool(t.Context(), call("testing", ""), here)
	require.Equal(t, specialist.ToolResult{Error: "Handoff to Test Specialist failed: 2 of 42 tests fail"}, got)
	got = f.HandleTool(t.Context(), call("testing", ""), here)
	require.Equal(t, "Handoff to testing failed: The run may make 1 handoffs, and has made 1.", got.Error) // nobody was chosen yet
	require.Len(t, f.runs, 1)
	require.Contains(t, f.HandleTool(t.Context(), []byte(`{}`), here).Error, "task: it is missing; reason: it is missing")
}

// S4-10, S4-38: who has not the type is found for the task.
func TestS4_10_15_HandlerAsksForTheTask(t *testing.T) {
	r := newRouter()
	answer, fail := "deploy specialist", error(nil)
	var prompts []string
	r.Ask = func(_ context.Context, prompt string) (string, error) {
		prompts = append(prompts, prompt)
		return answer, fail
	}
	f := newFloor(t, specialist.Config{Router: r})
	got := f.HandleTool(t.Context(), call("rollout", ""), here)
	require.True(t, got.Success, got.Error)
	require.Equal(t, "Deploy Specialist", got.Result.SpecialistName)
	require.True(t, f.HandleTool(t.Context(), call("testing", ""), here).Success)
	require.Len(t, prompts, 1)
	answer = "NONE"
	require.Contains(t, f.HandleTool(t.Context(), call("rollout", ""), here).Error, "yourself or ask the user")
	fail = errors.New("the model is away")
	got = f.HandleTool(t.Context(), call("rollout", ""), here)
	require.Regexp(t, "^Handoff to rollout failed: .*the model is away$", got.Error)
}

// a policy's router chooses among those that have the type.
func TestS4_35_Choose(t *testing.T) {
	r := newRouter()
	require.NoError(t, r.RegisterAgent(specialist.AgentCapabilityProfile{AgentID: "tester-2", Specialization: "testing", AcceptsHandoffs: true}))
	for want, choose := range map[string]handoffs.Router{"test-specialist": nil, "tester-2": handoffs.Weighted{}} {
		f := newFloor(t, specialist.Config{Router: r, Choose: choose})
		f.HandleTool(t.Context(), call("testing", ""), here)
		f.HandleTool(t.Context(), call("testing", ""), here)
		require.Equal(t, want, f.runs[1].Agent.AgentID)
	}
}
