package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// reviewDesk drafts, asks side by side for a review and for legal advice, and
// publishes behind the review only.
func reviewDesk(t *testing.T) *graph.Graph[desk] {
	g := deskGraph(t, onMemory(), deskNodes{
		"draft": says("draft"), "review": inquires("", "fine?"), "legal": inquires("", "legal?"), "style": says("style"), "publish": says("publish"),
	}, "START draft", "draft review", "draft legal", "draft style", "review publish")
	_, err := g.Invoke(t.Context(), nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Equal(t, []string{"legal", "review"}, deskState(t, g, "t", "").Next, "style is done")
	return g
}

func TestUpdateStandsInForANode(t *testing.T) {
	for name, c := range map[string]struct {
		node          string
		cfg           *graph.UpdateConfig
		next, dropped []string
		left          []string // without a result
		step          int
	}{
		"a node that is due":        {"review", nil, []string{"publish"}, []string{"legal", "style"}, []string{"publish"}, 2},
		"it keeps the others":       {"review", &graph.UpdateConfig{Keep: true}, []string{"legal", "publish", "style"}, nil, []string{"legal", "publish"}, 2},
		"a node that is not due":    {"publish", nil, nil, []string{"legal", "review", "style"}, nil, 2},
		"as a new input":            {graph.Start, nil, []string{"draft"}, []string{"legal", "review", "style"}, []string{"draft"}, 2},
		"of an older checkpoint":    {"draft", &graph.UpdateConfig{At: "1"}, []string{"legal", "review", "style"}, nil, []string{"legal", "review", "style"}, 2},
		"older, and keeping others": {"review", &graph.UpdateConfig{At: "2", Keep: true}, []string{"legal", "publish", "style"}, nil, []string{"legal", "publish", "style"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			g := reviewDesk(t)
			u, err := g.Update(t.Context(), "t", c.node, graph.Input(deskTopic.Set("tea")), c.cfg)
			require.NoError(t, err)
			require.Equal(t, c.next, u.Next)
			require.Equal(t, c.dropped, u.Dropped)
			require.Equal(t, c.step, u.Step)
			s := deskState(t, g, "t", "")
			require.Equal(t, u.Checkpoint, s.Checkpoint)
			require.Equal(t, "update", s.Source)
			require.Equal(t, c.left, s.Next)
			require.Equal(t, "tea", s.Values.Topic)
		})
	}
}

func TestARunGoesOnBehindAnUpdate(t *testing.T) {
	g := reviewDesk(t)
	_, err := g.UpdateJSON(t.Context(), "t", "review", []byte(`{"log": ["fine? of course"], "topic": "tea"}`), &graph.UpdateConfig{Keep: true})
	require.NoError(t, err)
	res, err := g.Resume(t.Context(), graph.Answers{}, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted, "legal begins anew, and asks")
	require.Equal(t, []string{"legal"}, res.Next)
	res, err = g.Resume(t.Context(), graph.Answer("yes"), on("t"))
	require.NoError(t, err)
	require.Equal(t, desk{[]string{"draft", "fine? of course", "legal? yes", "publish", "style"}, "tea"}, res.State)
}

func TestUpdatesThatAreRefused(t *testing.T) {
	ctx := t.Context()
	g := reviewDesk(t)
	twice := graph.Input(deskTopic.Set("a"), deskTopic.Set("b"))
	for name, c := range map[string]struct {
		do   func() error
		want error
	}{
		"no node":            {func() error { return updated(g.Update(ctx, "t", "", nil, nil)) }, graph.ErrUndeclared},
		"unknown node":       {func() error { return updated(g.Update(ctx, "t", "reviews", nil, nil)) }, graph.ErrUndeclared},
		"unknown thread":     {func() error { return updated(g.Update(ctx, "u", "review", nil, nil)) }, graph.ErrUnknown},
		"unknown checkpoint": {func() error { return updated(g.Update(ctx, "t", "review", nil, &graph.UpdateConfig{At: "9"})) }, graph.ErrUnknown},
		"no thread":          {func() error { return updated(g.Update(ctx, "", "review", nil, nil)) }, graph.ErrNoThread},
		"no store":           {func() error { return updated(g.On(nil, nil).Update(ctx, "t", "review", nil, nil)) }, graph.ErrNoStore},
		"a field twice":      {func() error { return updated(g.Update(ctx, "t", "review", twice, &graph.UpdateConfig{At: "1"})) }, graph.ErrInvalidUpdate},
		"unknown field":      {func() error { return updated(g.UpdateJSON(ctx, "t", "review", []byte(`{"logs": []}`), nil)) }, graph.ErrInvalidUpdate},
		"wrong type":         {func() error { return updated(g.UpdateJSON(ctx, "t", "review", []byte(`{"topic": 1}`), nil)) }, graph.ErrInvalidUpdate},
		"no JSON":            {func() error { return updated(g.UpdateJSON(ctx, "t", "review", []byte(`{`), nil)) }, graph.ErrInvalidUpdate},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, c.do(), c.want)
			require.Equal(t, "2", deskState(t, g, "t", "").Checkpoint, "nothing was written")
		})
	}
}

func updated(_ *graph.Updated, err error) error { return err }

func TestAnUpdateFollowsRouters(t *testing.T) {
	ctx := t.Context()
	b := graph.New(deskSchema)
	b.AddNode("sort", says("sort"), nil)
	b.AddNode("tea", says("tea"), nil)
	b.AddNode("milk", says("milk"), nil)
	b.AddEdge(graph.Start, "sort")
	b.AddConditional("sort", func(_ context.Context, d desk) (graph.Command[desk], error) { return deskCmd.Goto(d.Topic), nil }, "tea", "milk")
	g, err := b.Compile(onMemory())
	require.NoError(t, err)
	_, err = g.Invoke(ctx, graph.Input(deskTopic.Set("tea")), on("t"))
	require.NoError(t, err)
	u, err := g.Update(ctx, "t", "sort", graph.Input(deskTopic.Set("milk")), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"milk"}, u.Next, "the router sees what was written")
}
