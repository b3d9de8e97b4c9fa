package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

func TestAConversation(t *testing.T) {
	t.Parallel()
	srv := serve(t,
		llmstub.Reply{Reasoning: "Both at once.", Text: "I look.", Calls: []llmstub.Call{{Name: "look", Args: `{"q":"Oslo"}`}, {Name: "look", Args: `{"q":"Rome"}`}}},
		llmstub.Reply{When: llmstub.Match{Last: "sun"}, Text: "Rain and sun."},
		llmstub.Reply{When: llmstub.Match{Last: "Thanks"}, Text: "Yes."},
	)
	m := at(t, srv, nil)
	history := []state.Message{state.Text(state.RoleSystem, "Be brief."), state.Text(state.RoleHuman, "Weather?")}
	ask := func() *model.Response {
		messages, _ := transcript.Project(history, m.Info().Profile)
		answer, _, err := collect(t.Context(), m, &model.Request{Messages: messages, Tools: []model.Tool{{Name: "look"}}})
		require.NoError(t, err)
		history = append(history, answer.Message)
		return answer
	}
	first := ask()
	require.Equal(t, model.StopCalls, first.Stop)
	for i, text := range []string{"rain", "sun"} {
		history = append(history, state.Message{Role: state.RoleTool, Name: "look", ToolCallID: first.Message.ToolCalls[i].ID, Content: []state.Part{{Type: "text", Text: text}}})
	}
	require.Equal(t, "Rain and sun.", ask().Message.Text())
	history = append(history, state.Text(state.RoleHuman, "Thanks"))
	require.Equal(t, "Yes.", ask().Message.Text())
	require.Empty(t, srv.Unused())

	last := srv.Requests()[2]
	require.Equal(t, "Be brief.", last.System)
	require.Equal(t, []llmstub.Message{
		{Role: "user", Text: "Weather?"},
		{Role: "assistant", Text: "I look.", Calls: []llmstub.Call{{ID: "call_1_0", Name: "look", Args: `{"q":"Oslo"}`}, {ID: "call_1_1", Name: "look", Args: `{"q":"Rome"}`}}},
		{Role: "tool", Text: "rain", CallID: "call_1_0"},
		{Role: "tool", Text: "sun", CallID: "call_1_1"},
		{Role: "assistant", Text: "Rain and sun."},
		{Role: "user", Text: "Thanks"},
	}, last.Messages)
}
