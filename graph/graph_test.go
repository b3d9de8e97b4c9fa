package graph_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

type State struct {
	Log   []string `json:"log"`
	N     int      `json:"n"`
	Topic string   `json:"topic"`
	Item  string   `json:"item"`
}

var (
	Log    = state.NewList("log", func(s *State) *[]string { return &s.Log })
	N      = state.NewCounter("n", func(s *State) *int { return &s.N })
	Topic  = state.NewValue("topic", func(s *State) *string { return &s.Topic })
	Item   = state.NewLocal("item", func(s *State) *string { return &s.Item })
	schema = state.MustSchema(Log, N, Topic, Item)
	cmd    graph.Commands[State]
)

type Cmd = graph.Command[State]

// say makes a node that logs a text.
func say(text string) graph.Node[State] {
	return func(context.Context, State) (Cmd, error) { return cmd.Update(Log.Append(text), N.Add(1)), nil }
}

func TestChainRunsInOrder(t *testing.T) {
	b := graph.New(schema)
	b.AddNode("a", say("a"), nil)
	b.AddNode("b", say("b"), nil)
	b.AddEdge(graph.Start, "a")
	b.AddEdge("a", "b")
	b.AddEdge("b", graph.End)
	g, err := b.Compile(nil)
	require.NoError(t, err)
	out, err := g.Invoke(context.Background(), graph.Input(Log.Append("in")), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"in", "a", "b"}, out.State.Log)
	require.Equal(t, graph.OutcomeDone, out.Outcome)
	require.Equal(t, 2, out.Step)
}

func TestFanOutAppliesInOrderOfNames(t *testing.T) {
	b := graph.New(schema)
	for _, n := range []string{"z", "m", "a"} {
		b.AddNode(n, say(n), nil)
		b.AddEdge(graph.Start, n)
	}
	b.AddNode("join", say("join"), nil)
	b.AddJoin([]string{"z", "m", "a"}, "join")
	g, err := b.Compile(nil)
	require.NoError(t, err)
	out, err := g.Invoke(context.Background(), nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "m", "z", "join"}, out.State.Log)
}

func TestSendsSeeTheirOverlay(t *testing.T) {
	b := graph.New(schema)
	b.AddNode("split", func(context.Context, State) (Cmd, error) {
		return cmd.Send(cmd.To("work", Item.Set("x")), cmd.To("work", Item.Set("y"))), nil
	}, &graph.NodeConfig{Send: []string{"work"}})
	b.AddNode("work", func(_ context.Context, s State) (Cmd, error) { return cmd.Update(Log.Append("did " + s.Item)), nil }, nil)
	b.AddEdge(graph.Start, "split")
	g, err := b.Compile(nil)
	require.NoError(t, err)
	out, err := g.Invoke(context.Background(), nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"did x", "did y"}, out.State.Log)
	require.Empty(t, out.State.Item)
}

func TestLoopWithRouter(t *testing.T) {
	b := graph.New(schema)
	b.AddNode("a", say("a"), nil)
	b.AddEdge(graph.Start, "a")
	b.AddChoice("a", func(s State) string {
		if s.N < 5 {
			return "a"
		}
		return graph.End
	}, "a", graph.End)
	g, err := b.Compile(nil)
	require.NoError(t, err)
	out, err := g.Invoke(context.Background(), nil, nil)
	require.NoError(t, err)
	require.Equal(t, 5, out.State.N)

	g, err = b.Compile(&graph.Config{RecursionLimit: 3})
	require.NoError(t, err)
	out, err = g.Invoke(context.Background(), nil, nil)
	require.ErrorIs(t, err, graph.ErrRecursionLimit)
	require.Equal(t, graph.OutcomeLimit, out.Outcome)
	require.Equal(t, []string{"a"}, out.Next)
	require.Equal(t, 3, out.State.N)
}

func TestSubgraphHandsBackWhatItChanged(t *testing.T) {
	in := graph.New(schema)
	in.AddNode("i", say("i"), nil)
	in.AddEdge(graph.Start, "i")
	sub, err := in.Compile(nil)
	require.NoError(t, err)
	b := graph.New(schema)
	graph.AddSubgraph(b, "child", sub, &graph.Mount[State, State]{})
	b.AddEdge(graph.Start, "child")
	g, err := b.Compile(nil)
	require.NoError(t, err)
	out, err := g.Invoke(context.Background(), graph.Input(Log.Append("0"), N.Add(5)), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"0", "i"}, out.State.Log)
	require.Equal(t, 6, out.State.N)
}

func TestFailureKeepsTheStepsStart(t *testing.T) {
	boom := errors.New("boom")
	b := graph.New(schema)
	b.AddNode("bad", func(context.Context, State) (Cmd, error) { return Cmd{}, boom }, nil)
	b.AddNode("ok", say("ok"), nil)
	b.AddEdge(graph.Start, "bad")
	b.AddEdge(graph.Start, "ok")
	g, err := b.Compile(nil)
	require.NoError(t, err)
	out, err := g.Invoke(context.Background(), graph.Input(Log.Append("in")), nil)
	require.ErrorIs(t, err, boom)
	require.Equal(t, graph.OutcomeFailed, out.Outcome)
	require.Equal(t, []string{"in"}, out.State.Log)
	for e, err := range g.Stream(context.Background(), nil, nil) {
		t.Logf("%T %+v %v", e, e, err)
	}
}
