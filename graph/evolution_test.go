package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// TestAChangedGraph begins a thread with START a, a b, a c, b+c d, which waits
// for an answer to b, and goes on with another graph.
func TestAChangedGraph(t *testing.T) {
	old := deskNodes{"a": says("a"), "b": inquires("", "b?"), "c": says("c"), "d": says("d")}
	edges := []string{"START a", "a b", "a c", "b+c d"}
	renamed := deskNodes{"a": says("a"), "b2": inquires("", "b?"), "c": says("c"), "d": says("d")}
	renamedEdges := []string{"START a", "a b2", "a c", "b2+c d"}
	more := deskNodes{"a": says("a"), "b": inquires("", "b?"), "c": says("c"), "d": says("d"), "e": says("e")}
	without := deskNodes{"a": says("a"), "c": says("c"), "d": says("d")}
	for name, c := range map[string]struct {
		nodes  deskNodes
		edges  []string
		fine   graph.Evolution
		told   []string // what has changed; nil: it goes on
		reads  []string // the log at the end
		stands []string // next
	}{
		"the same": {nodes: old, edges: edges, reads: []string{"a", "b? yes", "c", "d"}},
		"renamed": {nodes: renamed, edges: renamedEdges,
			told: []string{`node "b" is gone`, `node "b2" is new`, `node "a" had`, `waiting edge "b+c -> d" is gone`}},
		"renamed, declared": {nodes: renamed, edges: renamedEdges, fine: graph.Evolution{Renamed: map[string]string{"b": "b2"}},
			reads: []string{"a", "b? yes", "c", "d"}},
		"one more":           {nodes: more, edges: append([]string{"d e"}, edges...), told: []string{`node "e" is new`, `node "d" had`}},
		"one more, declared": {nodes: more, edges: append([]string{"d e"}, edges...), fine: graph.Evolution{Added: []string{"e"}}, reads: []string{"a", "b? yes", "c", "d", "e"}},
		"another edge":       {nodes: old, edges: append([]string{"d c"}, edges...), told: []string{`node "d" had`}},
		"another edge, fine": {nodes: old, edges: append([]string{"START d"}, edges...), fine: graph.Evolution{Any: true}, reads: []string{"a", "b? yes", "c", "d"}},
		"what is due is gone": {nodes: without, edges: []string{"START a", "a c", "c d"}, fine: graph.Evolution{Any: true},
			told: []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, store := t.Context(), checkpoint.NewMemory(nil)
			_, err := deskGraph(t, &graph.Config{Store: store}, old, edges...).Invoke(ctx, nil, on("t"))
			require.ErrorIs(t, err, graph.ErrInterrupted)
			g := deskGraph(t, &graph.Config{Store: store, Evolution: c.fine}, c.nodes, c.edges...)
			if c.told == nil {
				res, err := g.Resume(ctx, graph.Answer("yes"), on("t"))
				require.NoError(t, err)
				require.Equal(t, c.reads, res.State.Log)
				return
			}
			res, err := g.Resume(ctx, graph.Answers{}, on("t"))
			require.ErrorIs(t, err, graph.ErrChanged)
			require.Equal(t, graph.OutcomeFailed, res.Outcome)
			for _, text := range c.told {
				require.ErrorContains(t, err, text)
			}
			res, err = g.Invoke(ctx, nil, on("t"))
			require.NotErrorIs(t, err, graph.ErrChanged, "new input is always taken")
			require.Equal(t, []string{"b", "c"}, res.Dropped)
		})
	}
}

func TestAThreadWithoutWorkTakesAnyGraph(t *testing.T) {
	store := checkpoint.NewMemory(nil)
	_, err := deskGraph(t, &graph.Config{Store: store}, deskNodes{"a": says("a")}, "START a").Invoke(t.Context(), nil, on("t"))
	require.NoError(t, err)
	g := deskGraph(t, &graph.Config{Store: store}, deskNodes{"z": says("z")}, "START z")
	res, err := g.Resume(t.Context(), graph.Answers{}, on("t"))
	require.NoError(t, err)
	require.Equal(t, graph.OutcomeDone, res.Outcome)
	res, err = g.Invoke(t.Context(), nil, on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "z"}, res.State.Log)
}

func TestEvolved(t *testing.T) {
	store := checkpoint.NewMemory(nil)
	_, err := deskGraph(t, &graph.Config{Store: store}, deskNodes{"a": inquires("", "a?")}, "START a").Invoke(t.Context(), nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	g := deskGraph(t, &graph.Config{Store: store}, deskNodes{"z": inquires("", "z?")}, "START z")
	_, err = g.Resume(t.Context(), graph.Answer("yes"), on("t"))
	require.ErrorIs(t, err, graph.ErrChanged)
	res, err := g.Evolved(graph.Evolution{Renamed: map[string]string{"a": "z"}}).Resume(t.Context(), graph.Answer("yes"), on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"z? yes"}, res.State.Log)
}
