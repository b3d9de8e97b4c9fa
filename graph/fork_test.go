package graph_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// abDesk has run a and b: its checkpoints are the input, a and b.
func abDesk(t *testing.T) *graph.Graph[desk] {
	g := deskGraph(t, onMemory(), deskNodes{"a": says("a"), "b": says("b")}, "START a", "a b")
	_, err := g.Invoke(t.Context(), graph.Input(deskTopic.Set("tea")), on("t"))
	require.NoError(t, err)
	return g
}

// deskRows shows the checkpoints of a thread, newest first.
func deskRows(t *testing.T, g *graph.Graph[desk], thread string, cfg *graph.HistoryConfig) (out []string) {
	t.Helper()
	for s, err := range g.History(t.Context(), thread, cfg) {
		require.NoError(t, err)
		line, err := json.Marshal(s)
		require.NoError(t, err)
		out = append(out, string(line))
	}
	return out
}

func TestHistory(t *testing.T) {
	g := abDesk(t)
	all := []string{
		`{"values":{"log":["a","b"],"topic":"tea"},"next":[],"interrupts":[],"checkpoint":"3","parent":"2","step":2,"source":"loop"}`,
		`{"values":{"log":["a"],"topic":"tea"},"next":["b"],"interrupts":[],"checkpoint":"2","parent":"1","step":1,"source":"loop"}`,
		`{"values":{"log":[],"topic":"tea"},"next":["a"],"interrupts":[],"checkpoint":"1","step":0,"source":"input"}`,
	}
	for name, c := range map[string]struct {
		cfg  *graph.HistoryConfig
		want []string
	}{
		"all":        {nil, all},
		"the newest": {&graph.HistoryConfig{Limit: 1}, all[:1]},
		"before":     {&graph.HistoryConfig{Before: "3"}, all[1:]},
		"one before": {&graph.HistoryConfig{Before: "3", Limit: 1}, all[1:2]},
		"none":       {&graph.HistoryConfig{Before: "1"}, nil},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, deskRows(t, g, "t", c.cfg)) })
	}
	for s := range g.History(t.Context(), "t", nil) {
		require.False(t, s.At.IsZero())
		break // leaving the loop is fine
	}
}

func TestForkGoesBack(t *testing.T) {
	g := abDesk(t)
	name, err := g.Fork(t.Context(), "t", "2", nil)
	require.NoError(t, err)
	require.Equal(t, "4", name)
	s := deskState(t, g, "t", "")
	require.Equal(t, []any{"fork", "2", 2, []string{"b"}}, []any{s.Source, s.Parent, s.Step, s.Next})
	_, err = g.Update(t.Context(), "t", graph.Start, graph.Input(deskTopic.Set("milk")), &graph.UpdateConfig{At: name})
	require.NoError(t, err)
	res, err := g.Resume(t.Context(), graph.Answers{}, &graph.RunConfig{Thread: "t", At: "2"})
	require.NoError(t, err)
	require.Equal(t, desk{[]string{"a", "b"}, "tea"}, res.State)
	require.Equal(t, []string{"input", "loop", "loop", "fork", "fork", "update", "fork", "loop"}, sources(t, g, "t"), "nothing is lost")
}

func TestForkToAnotherThread(t *testing.T) {
	g := abDesk(t)
	_, err := g.Fork(t.Context(), "t", "1", &graph.ForkConfig{To: "u"})
	require.NoError(t, err)
	res, err := g.Resume(t.Context(), graph.Answers{}, on("u"))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, res.State.Log)
	require.Len(t, sources(t, g, "u"), 6, "it has the whole past")
	require.Len(t, sources(t, g, "t"), 3, "the old one stays as it was")
	_, err = g.Fork(t.Context(), "t", "1", &graph.ForkConfig{To: "u"})
	require.ErrorContains(t, err, "exists")
}

func TestDiff(t *testing.T) {
	g := abDesk(t)
	diff, err := g.Diff(t.Context(), "t", "1", "")
	require.NoError(t, err)
	require.Equal(t, []graph.FieldDiff{{Field: "log", From: json.RawMessage(`[]`), To: json.RawMessage(`["a","b"]`)}}, diff)
	diff, err = g.Diff(t.Context(), "t", "3", "")
	require.NoError(t, err)
	require.Empty(t, diff)
}

func TestPruneForgetsTheOldest(t *testing.T) {
	g := abDesk(t)
	gone, err := g.Prune(t.Context(), "t", 2, graph.BusyReject)
	require.NoError(t, err)
	require.Equal(t, 1, gone)
	_, err = g.State(t.Context(), "t", "1")
	require.ErrorIs(t, err, graph.ErrUnknown)
	require.Equal(t, desk{[]string{"a"}, "tea"}, deskState(t, g, "t", "2").Values)
	gone, err = g.Prune(t.Context(), "t", 0, graph.BusyReject)
	require.NoError(t, err)
	require.Equal(t, 1, gone, "one is always left")
	res, err := g.Invoke(t.Context(), nil, on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "a", "b"}, res.State.Log)
}

func TestThePastThatIsNot(t *testing.T) {
	ctx := t.Context()
	g := abDesk(t)
	bare := g.On(nil, nil)
	history := func(g *graph.Graph[desk], thread, before string) (last error) {
		for _, err := range g.History(ctx, thread, &graph.HistoryConfig{Before: before}) {
			last = err
		}
		return last
	}
	type ask struct {
		do   func(g *graph.Graph[desk], thread, at string) error
		name string
	}
	for _, a := range []ask{
		{func(g *graph.Graph[desk], thread, at string) error { _, err := g.State(ctx, thread, at); return err }, "state"},
		{func(g *graph.Graph[desk], thread, at string) error {
			_, err := g.Fork(ctx, thread, at, nil)
			return err
		}, "fork"},
		{func(g *graph.Graph[desk], thread, at string) error { _, err := g.Diff(ctx, thread, "", at); return err }, "diff to"},
		{func(g *graph.Graph[desk], thread, at string) error { _, err := g.Diff(ctx, thread, at, ""); return err }, "diff from"},
	} {
		t.Run(a.name, func(t *testing.T) {
			require.ErrorIs(t, a.do(g, "u", ""), graph.ErrUnknown)
			require.ErrorIs(t, a.do(g, "t", "9"), graph.ErrUnknown)
			require.ErrorIs(t, a.do(g, "t", "newest"), graph.ErrUnknown)
			require.ErrorIs(t, a.do(g, "", ""), graph.ErrNoThread)
			require.ErrorIs(t, a.do(bare, "t", ""), graph.ErrNoStore)
		})
	}
	require.ErrorIs(t, history(g, "u", ""), graph.ErrUnknown)
	require.ErrorIs(t, history(g, "t", "newest"), graph.ErrUnknown)
	require.ErrorIs(t, history(g, "", ""), graph.ErrNoThread)
	require.ErrorIs(t, history(bare, "t", ""), graph.ErrNoStore)
	for name, c := range map[string]struct {
		g      *graph.Graph[desk]
		thread string
		want   error
	}{"unknown thread": {g, "u", graph.ErrUnknown}, "no thread": {g, "", graph.ErrNoThread}, "no store": {bare, "t", graph.ErrNoStore}} {
		_, err := c.g.Prune(ctx, c.thread, 1, graph.BusyReject)
		require.ErrorIs(t, err, c.want, name)
	}
}
