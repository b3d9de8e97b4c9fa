package graph_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

func TestProbeTwoParallelWritersOfAValue(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{
			"left":  gives(page.Update(pageV.Set("l"), pageX.Append("left"))),
			"right": gives(page.Update(pageV.Set("r"))),
			"other": appends("other"),
		})
	})
	for range 50 {
		out, err := run(g, pageX.Append("in"))
		require.ErrorIs(t, err, state.ErrConflict)
		require.ErrorIs(t, err, graph.ErrInvalidUpdate)
		require.Equal(t, graph.KindInvalidUpdate, placed(t, err).Kind())
		for _, part := range []string{`node "left" (task 1.0)`, `node "right" (task 1.2)`, `"v"`} {
			require.ErrorContains(t, err, part)
		}
		require.Equal(t, []string{"in"}, out.State.X, "the state is that of the step's start")
		require.Empty(t, out.State.V)
		require.Equal(t, []string{"left", "other", "right"}, out.Next)
	}
}

func TestProbeTheInputWritesAValueTwice(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "a") })
	_, err := run(g, pageV.Set("1"), pageV.Set("2"))
	require.ErrorIs(t, err, state.ErrConflict)
	require.ErrorContains(t, err, `step 0: node "START": invalid update: it writes "v" twice, which takes one write a step`)
}

func TestProbeReplacingOverrulesTheOthers(t *testing.T) {
	replace := func(name string) pageNode { return gives(page.Update(pageX.Replace([]string{name}))) }
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": appends("a"), "b": replace("b"), "c": appends("c")})
	})
	require.Equal(t, []string{"b"}, done(t, g, pageX.Append("in")).X)
	g = pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": replace("a"), "b": replace("b")})
	})
	_, err := run(g)
	require.ErrorIs(t, err, state.ErrConflict)
}

func TestProbeOrderOfAppendedItems(t *testing.T) {
	names := []string{"e", "d", "c", "b", "a"}
	nodes := map[string]pageNode{}
	for _, n := range names {
		nodes[n] = func(context.Context, Page) (pageCmd, error) {
			if pause := rand.N(200); pause > 100 {
				time.Sleep(time.Duration(pause) * time.Microsecond)
			}
			return page.Update(pageX.Append(n)), nil
		}
	}
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, nodes) })
	for range 300 {
		require.Equal(t, []string{"a", "b", "c", "d", "e"}, done(t, g).X)
	}
}

// diamond is uneven: one way from src to last has one node more.
func diamond(b *graph.Builder[Page]) {
	chain(b, "src")
	for _, n := range []string{"a", "b1", "b2", "last"} {
		b.AddNode(n, appends(n), &graph.NodeConfig{})
	}
	b.AddEdge("src", "a")
	b.AddEdge("src", "b1")
	b.AddEdge("b1", "b2")
}

func TestProbeUnevenDiamond(t *testing.T) {
	joined := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		diamond(b)
		b.AddJoin([]string{"a", "b2"}, "last")
	})
	require.Equal(t, []string{"src", "a", "b1", "b2", "last"}, done(t, joined).X, "a waiting edge runs it once")
	plain := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		diamond(b)
		b.AddEdge("a", "last")
		b.AddEdge("b2", "last")
	})
	require.Equal(t, []string{"src", "a", "b1", "b2", "last", "last"}, done(t, plain).X, "plain edges run it at each arrival")
}

func TestProbeViewMutationIsFound(t *testing.T) {
	start := func() []state.Write[Page] {
		return graph.Input(pageX.Append("one"), pageMeta.Put("k", "v"), pageMark.Set(&Mark{Text: "m"}))
	}
	cases := map[string]struct {
		touch   func(s Page)
		mutates bool
	}{
		"an element":             {func(s Page) { s.X[0] = "other" }, true},
		"a key":                  {func(s Page) { s.Meta["k"] = "other" }, true},
		"a new key":              {func(s Page) { s.Meta["new"] = "other" }, true},
		"a key taken out":        {func(s Page) { delete(s.Meta, "k") }, true},
		"behind a pointer":       {func(s Page) { s.Mark.Text = "other" }, true},
		"appending":              {func(s Page) { s.X = append(s.X, "more"); s.X[0] = "its own copy" }, false},
		"its own copy of a text": {func(s Page) { s.V = "mine" }, false},
		"reading":                {func(s Page) { _ = slices.Index(s.X, s.Meta["k"]) }, false},
	}
	places := map[string]func(b *graph.Builder[Page], touch func(Page)){
		"node": func(b *graph.Builder[Page], touch func(Page)) {
			beside(b, map[string]pageNode{"a": func(_ context.Context, s Page) (pageCmd, error) { touch(s); return pageCmd{}, nil }})
		},
		"node beside another": func(b *graph.Builder[Page], touch func(Page)) {
			beside(b, map[string]pageNode{
				"a": func(_ context.Context, s Page) (pageCmd, error) { touch(s); return pageCmd{}, nil },
				"b": appends("b"),
			})
		},
		"router": func(b *graph.Builder[Page], touch func(Page)) {
			b.AddNode("a", appends("a"), nil)
			b.AddEdge(graph.Start, "a")
			b.AddChoice("a", func(s Page) string { touch(s); return graph.End }, graph.End)
		},
		"error handler": func(b *graph.Builder[Page], touch func(Page)) {
			beside(b, map[string]pageNode{"a": fails(errBroken)})
			b.AddErrorHandler("a", func(_ context.Context, s Page, _ *graph.Error) (pageCmd, error) { touch(s); return pageCmd{}, nil })
		},
	}
	for name, c := range cases {
		for place, parts := range places {
			t.Run(name+" in a "+place, func(t *testing.T) {
				g := pageGraph(t, nil, func(b *graph.Builder[Page]) { parts(b, c.touch) })
				_, err := g.Invoke(context.Background(), start(), &graph.RunConfig{CheckViews: true})
				if !c.mutates {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, graph.ErrMutated)
				require.Equal(t, "a", placed(t, err).Node)
			})
		}
	}
}

func TestProbeOneGraphWithManyRunsAtOnce(t *testing.T) {
	sub := pageGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "in1", "in2") })
	g := pageGraph(t, &graph.Config{RecursionLimit: -1}, func(b *graph.Builder[Page]) {
		b.AddNode("split", func(_ context.Context, s Page) (pageCmd, error) {
			return page.Send(page.To("work", pageItem.Set(s.V+"-1")), page.To("work", pageItem.Set(s.V+"-2"))), nil
		}, &graph.NodeConfig{Send: []string{"work"}})
		b.AddEdge(graph.Start, "split")
		b.AddNode("work", func(_ context.Context, s Page) (pageCmd, error) { return page.Update(pageX.Append(s.Item)), nil }, nil)
		b.AddEdge("split", "host")
		graph.AddSubgraph[Page, Page](b, "host", sub, nil)
	})
	results, errs := make([]Page, 40), make([]error, 40)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			out, err := g.Invoke(ctx, graph.Input(pageV.Set(fmt.Sprint("run", i))), nil)
			results[i], errs[i] = out.State, err
		})
	}
	wg.Wait()
	for i, got := range results { // looked at when all are over: pooled memory would show
		id := fmt.Sprint("run", i)
		require.NoError(t, errs[i])
		require.Equal(t, Page{V: id, X: []string{"in1", "in2", id + "-1", id + "-2"}}, got)
	}
}

func TestProbeMutationByTheCallerAfterTheRun(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "a", "b") })
	first := done(t, g)
	second := done(t, g)
	first.X[0] = "mine"
	_ = append(first.X, "more")
	require.Equal(t, []string{"a", "b"}, second.X)
	require.Equal(t, []string{"a", "b"}, done(t, g).X)
}
