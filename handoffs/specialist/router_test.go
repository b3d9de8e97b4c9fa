package specialist_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/specialist"
	"github.com/graphrun/graphrun/state"
)

func TestS4_07_08_RegisterAgent(t *testing.T) {
	r := newRouter()
	again := shop[0]
	again.AgentName = "Tester"
	require.NoError(t, r.RegisterAgent(again))
	require.Equal(t, []specialist.AgentCapabilityProfile{again, shop[1]}, r.ListAvailableAgents())
	require.ErrorIs(t, r.RegisterAgent(specialist.AgentCapabilityProfile{AgentName: "X"}), handoffs.ErrRegistry)
	require.NoError(t, r.RegisterAgent(specialist.AgentCapabilityProfile{AgentID: "x", AcceptsHandoffs: true}))
	require.Len(t, r.ListAvailableAgents(), 3) // S4-11
}

func TestS4_09_FindAgentForCapability(t *testing.T) {
	r := newRouter()
	for capability, want := range map[string]string{
		"testing": "test-specialist", "shell": "test-specialist", "git": "deploy-specialist", "history": "", "quantum": "", "": "",
	} {
		a, ok := r.FindAgentForCapability(capability)
		require.Equal(t, want, a.AgentID, capability)
		require.Equal(t, want != "", ok)
	}
	_, ok := new(specialist.Router).FindAgentForCapability("testing")
	require.False(t, ok)
}

func TestS4_10_FindAgentForTask(t *testing.T) {
	r := newRouter()
	_, ok, err := r.FindAgentForTask(t.Context(), "ship")
	require.NoError(t, err)
	require.False(t, ok)
	for answer, want := range map[string]string{
		"Deploy Specialist": "deploy-specialist", "DEPLOY SPECIALIST": "deploy-specialist", "test-specialist": "test-specialist",
		"NONE": "", "none": "", "Painter": "", "archivist": "", "": "",
	} {
		r.Ask = func(_ context.Context, prompt string) (string, error) {
			require.Contains(t, prompt, "- Test Specialist (testing): Runs and writes tests., run the tests, find out why a test fails\n")
			require.Contains(t, prompt, "ship")
			require.NotContains(t, prompt, "archivist")
			return answer, nil
		}
		a, ok, err := r.FindAgentForTask(t.Context(), "ship")
		require.NoError(t, err)
		require.Equal(t, want, a.AgentID, answer)
		require.Equal(t, want != "", ok)
	}
	away := errors.New("the model is away")
	r.Ask = func(context.Context, string) (string, error) { return "", away }
	_, ok, err = r.FindAgentForTask(t.Context(), "ship")
	require.ErrorIs(t, err, away)
	require.False(t, ok)
}

func TestS4_28_PromptGuidance(t *testing.T) {
	text := newRouter().PromptGuidance()
	require.Contains(t, text, specialist.ToolName)
	require.True(t, strings.HasSuffix(text, `Specialists:
- Test Specialist (specialist_type testing): Runs and writes tests.; capabilities: shell, files; examples: run the tests; find out why a test fails
- Deploy Specialist (specialist_type deployment): Deploys.; capabilities: shell, git, files; examples: deploy to production
`), text)
	require.Empty(t, new(specialist.Router).PromptGuidance())
}

// S4-21, S4-22, S4-23, S4-27.
func TestS4_21_22_23_Texts(t *testing.T) {
	var talk []state.Message
	for _, x := range []string{"one", "two", "three", "four", "five", "six"} {
		talk = append(talk, state.Text(state.RoleHuman, x))
	}
	brief := specialist.BuildSpecialistInput(&specialist.HandoffRequest{Reason: "why", Task: "what", Context: specialist.HandoffContext{
		OriginalRequest: "ship it", RequiredCapabilities: []string{"git"}, ConversationHistory: talk,
		CompletedWork: map[string]any{"files": []any{"a.go"}, "observations": "slow", "concerns": "races", "patterns": "tables"},
	}})
	require.Equal(t, 6, strings.Count(brief, "## "))
	require.NotContains(t, brief, "user: one")
	require.Contains(t, brief, "user: two\nuser: three\nuser: four\nuser: five\nuser: six")
	for _, part := range []string{"ship it", "why", "what", "- git", `"concerns": "races"`} {
		require.Contains(t, brief, part)
	}
	tool := state.Text(state.RoleTool, "ok")
	tool.Name = "shell"
	require.Equal(t, "user: hi\nassistant: yes\ntool(shell): ok", specialist.FormatConversationHistory([]state.Message{
		state.Text(state.RoleSystem, "secret"), state.Text(state.RoleHuman, "hi"), state.Text(state.RoleAI, "yes"), tool,
	}))
	require.Equal(t, "1 iteration with 2 tool calls: shell (2 times)",
		specialist.SummarizeConversation(&specialist.AgentResult{Iterations: 1, ToolCalls: []state.ToolCall{{Name: "shell"}, {Name: "shell"}}}))
}
