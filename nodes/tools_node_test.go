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
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// byHand is a loop of a model's node and a Tools node that edges make.
func byHand(t testing.TB, m model.Model, c *graph.Config, tools ...nodes.Tool) *graph.Graph[chat] {
	t.Helper()
	run, err := nodes.NewTools(nodes.ToolsConfig[chat]{Messages: chatTalk, Tools: tools, Clock: labClock})
	require.NoError(t, err)
	b := graph.New(chatSchema)
	b.AddNode("model", func(ctx context.Context, s chat) (graph.Command[chat], error) {
		sent, _ := transcript.Project(s.Messages, nil)
		got, err := graph.Once(ctx, "model", func(ctx context.Context) (model.Response, error) {
			got, err := model.Collect(m.Stream(ctx, &model.Request{Messages: sent, Tools: run.Offered()}), nil)
			if err != nil {
				return model.Response{}, err
			}
			return *got, nil
		})
		got.Message.ID, got.Message.Name = fmt.Sprint("m", len(s.Messages)), "ada"
		return graph.Commands[chat]{}.Update(chatFields.Messages.Add(got.Message)), err
	}, nil)
	b.AddNode("tools", run.Node, nil)
	b.AddEdge(graph.Start, "model")
	b.AddChoice("model", func(s chat) string {
		if nodes.CallsTools(s.Messages) {
			return "tools"
		}
		return graph.End
	}, "tools", graph.End)
	b.AddEdge("tools", "model")
	g, err := b.Compile(c)
	require.NoError(t, err)
	return g
}

func TestToolsNode(t *testing.T) {
	t.Parallel()
	m := labScript(t, labCalls(labCall("1", "look", `{}`), labCall("2", "nobody", `{}`), labCall("3", "look", `{}`)), labSay("done"))
	g := byHand(t, m, nil, labFixed("look", "seen"))
	res, err := g.Invoke(t.Context(), graph.Input(chatFields.Messages.Add(state.Text(state.RoleHuman, "Go."))), nil)
	require.NoError(t, err)
	labPaired(t, res.State.Messages)
	require.Equal(t, []string{"seen", `Error: there is no tool "nobody"; there are: look`, "seen"}, labResults(res.State.Messages))
	require.Equal(t, "done", res.State.Messages[len(res.State.Messages)-1].Text())
}

// What a person has edited stands in the message with the call, and what was done
// is not done again when the answer comes.
func TestToolsNodeIsReviewed(t *testing.T) {
	t.Parallel()
	looked := 0
	pay := nodes.Tool{Name: "pay", Approve: true, Run: func(_ context.Context, args json.RawMessage) (string, error) { return "paid " + string(args), nil }}
	look := labTool("look", func(context.Context) (string, error) { looked++; return "seen", nil })
	ask := askTool("why?")
	m := labScript(t, labCalls(labCall("1", "pay", `{"n":1}`), labCall("2", "look", `{}`), labCall("3", "ask", `{}`)), labSay("done"))
	g := byHand(t, m, &graph.Config{Store: labStore()}, pay, look, ask)
	cfg := &graph.RunConfig{Thread: "t"}
	_, err := g.Invoke(t.Context(), graph.Input(chatFields.Messages.Add(state.Text(state.RoleHuman, "Go."))), cfg)
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Zero(t, looked)
	_, err = g.Resume(t.Context(), graph.Answer(nodes.ReviewAnswer{Decisions: []nodes.Decision{{Kind: nodes.Edit, Edited: &nodes.Action{Args: json.RawMessage(`{"n":2}`)}}}}), cfg)
	require.ErrorIs(t, err, graph.ErrInterrupted)
	res, err := g.Resume(t.Context(), graph.Answer("because"), cfg)
	require.NoError(t, err)
	require.Equal(t, 1, looked)
	require.Equal(t, []string{`paid {"n":2}`, "seen", "because"}, labResults(res.State.Messages))
	require.JSONEq(t, `{"n":2}`, string(res.State.Messages[1].ToolCalls[0].Args))
	require.Len(t, res.State.Messages, 6)
}

func TestCallsTools(t *testing.T) {
	t.Parallel()
	ai := state.Message{Role: state.RoleAI, ToolCalls: []state.ToolCall{{ID: "1", Name: "a"}, {ID: "2", Name: "b"}}}
	one, two := state.Message{Role: state.RoleTool, ToolCallID: "1"}, state.Message{Role: state.RoleTool, ToolCallID: "2"}
	for _, tt := range []struct {
		talk []state.Message
		want bool
	}{
		{nil, false},
		{[]state.Message{state.Text(state.RoleAI, "hi")}, false},
		{[]state.Message{ai}, true},
		{[]state.Message{ai, one}, true},
		{[]state.Message{ai, one, two}, false},
		{[]state.Message{ai, state.Text(state.RoleAI, "hi")}, false},
	} {
		require.Equal(t, tt.want, nodes.CallsTools(tt.talk))
	}
}

func TestToolsNodeIsRefused(t *testing.T) {
	t.Parallel()
	_, err := nodes.NewTools(nodes.ToolsConfig[chat]{Tools: []nodes.Tool{{Name: "a b"}}})
	require.EqualError(t, err, "nodes: tools: it needs Messages\na tool has the name \"a b\"; it must be letters, digits, \"_\" and \"-\", at most 64")
	_, err = nodes.NewTools(nodes.ToolsConfig[chat]{Messages: chatTalk})
	require.EqualError(t, err, "nodes: tools: it needs Tools")
}

func ExampleNewTools() {
	look := nodes.MustTool("look", "Looks something up.", func(_ context.Context, in struct{ What string }) (string, error) {
		return in.What + " is blue", nil
	})
	run, err := nodes.NewTools(nodes.ToolsConfig[chat]{Messages: chatTalk, Tools: []nodes.Tool{look}})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := graph.New(chatSchema)
	b.AddNode("tools", run.Node, nil)
	b.AddEdge(graph.Start, "tools")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	asks := state.Message{Role: state.RoleAI, ToolCalls: []state.ToolCall{{ID: "1", Name: "look", Args: json.RawMessage(`{"What":"the sky"}`)}}}
	res, err := g.Invoke(context.Background(), graph.Input(chatFields.Messages.Add(asks)), nil)
	fmt.Println(res.State.Messages[1].Text(), nodes.CallsTools(res.State.Messages), err)
	// Output: the sky is blue false <nil>
}
