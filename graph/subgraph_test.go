package graph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// Draft is the state of subgraphs that have one of their own. It shares x and
// v with Page by their names.
type Draft struct {
	X     []string
	V     string
	Words int
	Own   string
}

var (
	draftX      = state.NewList("x", func(d *Draft) *[]string { return &d.X })
	draftV      = state.NewValue("v", func(d *Draft) *string { return &d.V })
	draftWords  = state.NewCounter("words", func(d *Draft) *int { return &d.Words })
	draftOwn    = state.NewValue("own", func(d *Draft) *string { return &d.Own })
	draftSchema = state.MustSchema(draftX, draftV, draftWords, draftOwn)
	draft       graph.Commands[Draft]
)

func draftNode(c graph.Command[Draft]) graph.Node[Draft] {
	return func(context.Context, Draft) (graph.Command[Draft], error) { return c, nil }
}

// draftGraph compiles a subgraph whose only node does what work does.
func draftGraph(t testing.TB, work graph.Node[Draft], cfg *graph.NodeConfig) *graph.Graph[Draft] {
	t.Helper()
	b := graph.New(draftSchema)
	b.AddNode("inner", work, cfg)
	b.AddEdge(graph.Start, "inner")
	g, err := b.Compile(nil)
	require.NoError(t, err)
	return g
}

// host compiles a graph whose only node is the subgraph.
func host(t testing.TB, sub *graph.Graph[Draft], m *graph.Mount[Page, Draft]) *graph.Graph[Page] {
	t.Helper()
	return pageGraph(t, nil, func(b *graph.Builder[Page]) {
		graph.AddSubgraph(b, "host", sub, m)
		b.AddEdge(graph.Start, "host")
	})
}

func TestMountSharesFieldsByName(t *testing.T) {
	var seen Draft
	sub := draftGraph(t, func(_ context.Context, s Draft) (graph.Command[Draft], error) {
		seen = s
		return draft.Update(draftX.Append("inner"), draftV.Set("new"), draftWords.Add(3), draftOwn.Set("own")), nil
	}, nil)
	out := done(t, host(t, sub, nil), pageX.Append("in"), pageV.Set("old"), pageSum.Add(1))
	require.Equal(t, Draft{X: []string{"in"}, V: "old"}, seen)
	require.Equal(t, Page{X: []string{"in", "inner"}, V: "new", Sum: 1}, out)
}

func TestMountPairsFieldsOfOtherNames(t *testing.T) {
	pair, err := state.ShareField(pageSum, draftWords)
	require.NoError(t, err)
	sub := draftGraph(t, draftNode(draft.Update(draftWords.Add(3))), nil)
	out := done(t, host(t, sub, &graph.Mount[Page, Draft]{Share: []state.Shared{pair}}), pageSum.Add(2))
	require.Equal(t, 5, out.Sum, "what was added comes back, not the sum")
}

func TestMountApartMapsByFunctions(t *testing.T) {
	sub := draftGraph(t, func(_ context.Context, s Draft) (graph.Command[Draft], error) {
		return draft.Update(draftX.Append("inner"), draftOwn.Set(strings.ToUpper(s.Own))), nil
	}, nil)
	out := done(t, host(t, sub, &graph.Mount[Page, Draft]{
		Apart: true,
		In:    func(p Page) []state.Write[Draft] { return graph.Input(draftOwn.Set(p.V)) },
		Out:   func(d Draft) []state.Write[Page] { return graph.Input(pageW.Set(d.Own), pageX.Append(d.X...)) },
	}), pageV.Set("text"), pageX.Append("in"))
	require.Equal(t, Page{V: "text", W: "TEXT", X: []string{"in", "inner"}}, out)
}

func TestMountInAndOutBesideSharing(t *testing.T) {
	sub := draftGraph(t, draftNode(draft.Update(draftX.Append("inner"))), nil)
	out := done(t, host(t, sub, &graph.Mount[Page, Draft]{
		In:  func(Page) []state.Write[Draft] { return graph.Input(draftX.Append("made by In")) },
		Out: func(d Draft) []state.Write[Page] { return graph.Input(pageSum.Add(len(d.X))) },
	}), pageX.Append("in"))
	require.Equal(t, []string{"in", "inner"}, out.X, "what In writes is where the subgraph begins, not a change of it")
	require.Equal(t, 3, out.Sum)
}

func TestMountFunctionsThatPanicOrWriteWrongly(t *testing.T) {
	sub := draftGraph(t, draftNode(graph.Command[Draft]{}), nil)
	for name, m := range map[string]*graph.Mount[Page, Draft]{
		"In":  {In: func(Page) []state.Write[Draft] { panic("in") }},
		"Out": {Out: func(Draft) []state.Write[Page] { panic("out") }},
	} {
		_, err := run(host(t, sub, m))
		require.EqualError(t, err, `graph: step 1: node "host": panic: `+strings.ToLower(name))
	}
	_, err := run(host(t, sub, &graph.Mount[Page, Draft]{In: func(Page) []state.Write[Draft] {
		return graph.Input(draftOwn.Set("1"), draftOwn.Set("2"))
	}}))
	require.ErrorIs(t, err, state.ErrConflict)
	require.Equal(t, []string{"host"}, placed(t, err).NS)
}

func TestSubgraphsSideBySideDoNotMeetInFieldsTheyLeaveAlone(t *testing.T) {
	sub := func(c graph.Command[Draft]) *graph.Graph[Draft] { return draftGraph(t, draftNode(c), nil) }
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		graph.AddSubgraph[Page, Draft](b, "one", sub(draft.Update(draftX.Append("one"))), nil)
		graph.AddSubgraph[Page, Draft](b, "two", sub(draft.Update(draftX.Append("two"), draftV.Set("two"))), nil)
		lead(b, "START>one", "START>two")
	})
	require.Equal(t, Page{X: []string{"in", "one", "two"}, V: "two"}, done(t, g, pageX.Append("in"), pageV.Set("v")))
}

func TestSubgraphWithItsOwnLimit(t *testing.T) {
	b := graph.New(draftSchema)
	b.AddNode("inner", draftNode(draft.Goto("inner", draftX.Append("i"))), &graph.NodeConfig{Goto: []string{"inner"}})
	b.AddEdge(graph.Start, "inner")
	sub, err := b.Compile(&graph.Config{RecursionLimit: 4})
	require.NoError(t, err)
	out, err := run(host(t, sub, nil), pageX.Append("in"))
	require.ErrorIs(t, err, graph.ErrRecursionLimit)
	require.EqualError(t, err, `graph: subgraph "host": step 4: recursion limit of 4 supersteps: work is left for inner`)
	require.Equal(t, graph.OutcomeLimit, out.Outcome)
	require.Equal(t, []string{"host"}, out.Next)
	require.Equal(t, []string{"in"}, out.State.X)
}

func TestSubgraphErrorsTellTheirPath(t *testing.T) {
	for name, work := range map[string]graph.Node[Draft]{
		"broken":           func(context.Context, Draft) (graph.Command[Draft], error) { return graph.Command[Draft]{}, errBroken },
		"panic: oh":        func(context.Context, Draft) (graph.Command[Draft], error) { panic("oh") },
		"invalid update: ": draftNode(draft.Update(draftV.Set("1"), draftV.Set("2"))),
	} {
		middle := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			nodes(b, "first")
			graph.AddSubgraph[Page, Draft](b, "deep", draftGraph(t, work, nil), nil)
			lead(b, "START>first", "first>deep")
		})
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			graph.AddSubgraph[Page, Page](b, "mid", middle, nil)
			lead(b, "START>mid")
		})
		out, err := g.Invoke(context.Background(), nil, &graph.RunConfig{Thread: "t"})
		require.ErrorContains(t, err, `graph: thread "t": subgraph "mid/deep": step 1: node "inner": `+name)
		e := placed(t, err)
		require.Equal(t, []string{"mid", "deep"}, e.NS)
		require.Equal(t, "inner", e.Node)
		require.Equal(t, "t/1.0/2.0/1.0", e.Task, "the id tells the way down: step and place of every host")
		require.Equal(t, []string{"mid"}, out.Next)
	}
}

func TestErrorHandlerOfASubgraph(t *testing.T) {
	sub := draftGraph(t, func(context.Context, Draft) (graph.Command[Draft], error) { return graph.Command[Draft]{}, errBroken }, nil)
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		graph.AddSubgraph[Page, Draft](b, "host", sub, nil)
		lead(b, "START>host")
		b.AddErrorHandler("host", func(_ context.Context, _ Page, failed *graph.Error) (pageCmd, error) {
			return page.Update(pageV.Set(failed.Error())), nil
		})
	})
	require.Equal(t, `graph: step 1: node "host": graph: subgraph "host": step 1: node "inner": broken`, done(t, g).V)
}

func TestSubgraphIsRetried(t *testing.T) {
	calls := 0
	sub := draftGraph(t, func(ctx context.Context, _ Draft) (graph.Command[Draft], error) {
		if calls++; calls < 3 {
			return graph.Command[Draft]{}, errBroken
		}
		task, err := graph.Task(ctx)
		return draft.Update(draftX.Append(task.Task)), err
	}, nil)
	g := host(t, sub, &graph.Mount[Page, Draft]{NodeConfig: graph.NodeConfig{Retry: &graph.RetryPolicy{InitialInterval: -1}}})
	require.Equal(t, []string{"1.0/1.0"}, done(t, g).X, "a task keeps its id through the attempts of its host")
	require.Equal(t, 3, calls)
}

// leaver compiles a graph between Page and a subgraph node that leaves.
func leaver(t testing.TB, c graph.Command[Page], exit ...string) *graph.Graph[Draft] {
	return draftGraph(t, draftNode(graph.ToParent[Draft](c)), &graph.NodeConfig{Exit: graph.ExitTo[Page](exit...)})
}

func TestToParent(t *testing.T) {
	cases := []struct {
		name string
		cmd  pageCmd
		x    string
	}{
		{"a goto", page.Goto("b"), "b"},
		{"with writes", page.Goto("b", pageX.Append("w")), "w b"},
		{"an update alone", page.Update(pageX.Append("w")), "w"},
		{"END", page.Goto(graph.End), ""},
		{"several targets", page.All(page.Goto("c"), page.Goto("b")), "b c"},
		{"sends", page.Send(page.To("b", pageItem.Set("1")), page.To("b")), "b b"},
		{"gotos and sends", page.All(page.Send(page.To("b")), page.Goto("c"), page.Update(pageX.Append("w"))), "w c b"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
				graph.AddSubgraph[Page, Draft](b, "host", leaver(t, c.cmd, "b", "c"), nil)
				nodes(b, "b", "c")
				lead(b, "START>host")
			})
			require.Equal(t, strings.Fields(c.x), append([]string{}, done(t, g).X...))
		})
	}
}

func TestToParentThroughTwoLevels(t *testing.T) {
	inner := draftGraph(t, draftNode(graph.ToParent[Draft](graph.ToParent[Page](page.Goto("far", pageX.Append("w"))))),
		&graph.NodeConfig{Exit: graph.ExitTo[Page]()})
	middle := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		graph.AddSubgraph(b, "deep", inner, &graph.Mount[Page, Draft]{NodeConfig: graph.NodeConfig{Exit: graph.ExitTo[Page]("far")}})
		nodes(b, "before", "near")
		lead(b, "START>before", "before>deep", "deep>near")
	})
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		graph.AddSubgraph[Page, Page](b, "mid", middle, nil)
		nodes(b, "far", "next")
		lead(b, "START>mid", "mid>next")
	})
	require.Equal(t, strings.Fields("w far next"), done(t, g).X)
}

func TestSeveralTasksLeaveAtOnce(t *testing.T) {
	sub := func(w1, w2 graph.Command[Page]) *graph.Graph[Draft] {
		b := graph.New(draftSchema)
		cfg := &graph.NodeConfig{Exit: graph.ExitTo[Page]("b", "c")}
		b.AddNode("one", draftNode(graph.ToParent[Draft](w1)), cfg)
		b.AddNode("two", draftNode(graph.ToParent[Draft](w2)), cfg)
		b.AddNode("stays", draftNode(draft.Update(draftX.Append("lost"))), nil)
		for _, n := range []string{"one", "two", "stays"} {
			b.AddEdge(graph.Start, n)
		}
		g, err := b.Compile(nil)
		require.NoError(t, err)
		return g
	}
	mount := func(s *graph.Graph[Draft]) *graph.Graph[Page] {
		return pageGraph(t, nil, func(b *graph.Builder[Page]) {
			graph.AddSubgraph[Page, Draft](b, "host", s, nil)
			nodes(b, "b", "c")
			lead(b, "START>host")
		})
	}
	g := mount(sub(page.Goto("c", pageX.Append("1")), page.Goto("b", pageX.Append("2"))))
	require.Equal(t, strings.Fields("1 2 b c"), done(t, g).X, "their commands count together, in task order")
	_, err := run(mount(sub(page.Update(pageV.Set("1")), page.Update(pageV.Set("2")))))
	require.ErrorIs(t, err, state.ErrConflict)
	require.Equal(t, "host", placed(t, err).Node)
}

func TestLeavingIsChecked(t *testing.T) {
	b := func(sub *graph.Graph[Draft], targets ...string) (*graph.Graph[Page], error) {
		b := graph.New(pageSchema)
		graph.AddSubgraph[Page, Draft](b, "host", sub, nil)
		b.AddEdge(graph.Start, "host")
		for _, n := range targets {
			b.AddNode(n, appends(n), nil)
		}
		return b.Compile(nil)
	}
	t.Run("where it is mounted", func(t *testing.T) {
		_, err := b(leaver(t, page.Goto("b"), "b"))
		require.ErrorIs(t, err, graph.ErrInvalidGraph)
		require.ErrorContains(t, err, `node "host": there is no node "b"`)

		other := draftGraph(t, draftNode(graph.Command[Draft]{}), &graph.NodeConfig{Exit: graph.ExitTo[Draft]("b")})
		_, err = b(other, "b")
		require.ErrorContains(t, err, `subgraph "host": its node "inner" leaves to a graph with state graph_test.Draft, not graph_test.Page`)
	})
	t.Run("when it leaves", func(t *testing.T) {
		for text, sub := range map[string]*graph.Graph[Draft]{
			`the node did not declare that it may leave to "c" (declared: b)`: leaver(t, page.Goto("c"), "b"),
			`the node did not declare that it may leave to "a" (declared: b)`: leaver(t, page.Send(page.To("a")), "b"),
			`the node did not declare by Exit that it leaves its graph`:       draftGraph(t, draftNode(graph.ToParent[Draft](page.Goto("b"))), nil),
			`the node leaves to a graph with state graph_test.Draft but declared graph_test.Page`: draftGraph(t,
				draftNode(graph.ToParent[Draft](draft.Goto("b"))), &graph.NodeConfig{Exit: graph.ExitTo[Page]("b")}),
		} {
			g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
				graph.AddSubgraph[Page, Draft](b, "host", sub, nil)
				nodes(b, "b")
				lead(b, "START>host", "host>b")
			})
			_, err := run(g)
			require.ErrorIs(t, err, graph.ErrUndeclared)
			require.EqualError(t, err, `graph: subgraph "host": step 1: node "inner": undeclared target: `+text)
		}
	})
	t.Run("without a parent", func(t *testing.T) {
		out, err := leaver(t, page.Goto("b"), "b").Invoke(context.Background(), nil, nil)
		require.ErrorIs(t, err, graph.ErrUndeclared)
		require.EqualError(t, err, `graph: step 1: node "inner": undeclared target: it leaves for a parent graph, but this graph was started by itself`)
		require.Equal(t, graph.OutcomeFailed, out.Outcome)
		require.Equal(t, []string{"inner"}, out.Next)
	})
}

func TestTaskTellsWhereItRuns(t *testing.T) {
	tell := func(ctx context.Context) string {
		i, err := graph.Task(ctx)
		require.NoError(t, err)
		return strings.Join(append(append([]string{i.Thread}, i.NS...), i.Node, i.Task), " ")
	}
	sub := draftGraph(t, func(ctx context.Context, _ Draft) (graph.Command[Draft], error) {
		return draft.Update(draftX.Append(tell(ctx))), nil
	}, nil)
	var inRouter, inHandler, inStart string
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddConditional(graph.Start, func(ctx context.Context, _ Page) (pageCmd, error) {
			inStart = tell(ctx)
			return page.Goto("a"), nil
		}, "a")
		b.AddNode("a", func(ctx context.Context, _ Page) (pageCmd, error) {
			return page.Update(pageX.Append(tell(ctx))), errBroken
		}, nil)
		b.AddErrorHandler("a", func(ctx context.Context, _ Page, failed *graph.Error) (pageCmd, error) {
			inHandler = tell(ctx)
			require.Equal(t, 1, failed.Attempt)
			return pageCmd{}, nil
		})
		graph.AddSubgraph[Page, Draft](b, "host", sub, nil)
		b.AddConditional("a", func(ctx context.Context, _ Page) (pageCmd, error) {
			inRouter = tell(ctx)
			return page.Goto("host"), nil
		}, "host")
	})
	out, err := g.Invoke(context.Background(), nil, &graph.RunConfig{Thread: "t"})
	require.NoError(t, err)
	require.Equal(t, []string{"t host inner t/2.0/1.0"}, out.State.X)
	require.Equal(t, "t a t/1.0", inRouter)
	require.Equal(t, "t a t/1.0", inHandler)
	require.Equal(t, "t START t/0.0", inStart)

	_, err = graph.Task(context.Background())
	require.ErrorIs(t, err, graph.ErrNotInTask)
	require.ErrorIs(t, graph.Emit(context.Background(), 1), graph.ErrNotInTask)
	_, err = graph.Interrupt[int](context.Background(), "k", 1)
	require.ErrorIs(t, err, graph.ErrNotInTask)
}

func TestInterruptNeedsAStore(t *testing.T) {
	_, err := run(pageGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, map[string]pageNode{"a": asks()}) }))
	require.ErrorIs(t, err, graph.ErrNoStore)
	require.Equal(t, "a", placed(t, err).Node)
	require.ErrorContains(t, err, `interrupt "name"`)

	_, err = run(pageGraph(t, &graph.Config{InterruptBefore: []string{"a"}}, func(b *graph.Builder[Page]) { chain(b, "a") }))
	require.ErrorIs(t, err, graph.ErrNoStore)
	require.Equal(t, graph.KindStore, placed(t, err).Kind())
}
