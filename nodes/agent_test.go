package nodes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

type chat struct {
	state.Conversation
}

var (
	chatFields = state.ConversationFields(func(c *chat) *state.Conversation { return &c.Conversation })
	chatSchema = state.MustSchema[chat](chatFields)
	chatTalk   = nodes.Talk(chatFields.Messages, func(c *chat) *[]state.Message { return &c.Messages })
)

// says is a model that gives answers one after another.
func says(answers ...model.Response) model.Func {
	n := 0
	return func(context.Context, *model.Request) (*model.Response, error) {
		if n == len(answers) {
			return nil, fmt.Errorf("the model has no answer %d", n+1)
		}
		n++
		return &answers[n-1], nil
	}
}

func TestAgentRunsToolsAndAnswers(t *testing.T) {
	t.Parallel()
	add := nodes.MustTool("add", "Adds.", func(_ context.Context, in struct{ A, B int }) (int, error) { return in.A + in.B, nil })
	a, err := nodes.NewAgent(nodes.AgentConfig[chat]{
		Instructions: "Calculate.", Messages: chatTalk, Tools: []nodes.Tool{add},
		Model: says(
			model.Response{Message: state.Message{ToolCalls: []state.ToolCall{{ID: "c1", Name: "add", Args: json.RawMessage(`{"A":1,"B":2}`)}}}},
			model.Response{Message: state.Text(state.RoleAI, "3")}),
	})
	require.NoError(t, err)
	b := graph.New(chatSchema)
	b.AddNode("agent", a.Node, nil)
	b.AddEdge(graph.Start, "agent")
	g, err := b.Compile(nil)
	require.NoError(t, err)
	res, err := g.Invoke(t.Context(), graph.Input(chatFields.Messages.Add(state.Text(state.RoleHuman, "1+2?"))), nil)
	require.NoError(t, err)
	for _, m := range res.State.Messages {
		t.Log(m.Role, m.Text(), m.ToolCalls, m.ToolCallID)
	}
	require.Len(t, res.State.Messages, 4)
}
