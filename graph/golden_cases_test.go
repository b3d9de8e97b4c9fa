package graph_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// The golden cases were observed on LangGraph. Where this engine chooses
// differently the test asserts its own behaviour and says so.

// G1: three nodes begin together; updates are applied by name, whatever the
// order of declaration.
func TestG01UpdatesAreAppliedByName(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		for _, n := range []string{"z", "m", "a"} {
			b.AddNode(n, appends(n), nil)
			b.AddEdge(graph.Start, n)
		}
	})
	require.Equal(t, []string{"a", "m", "z"}, done(t, g).X)
}

// G2: one command sends to t, goes to t and sends to t again; its node has a
// static edge to z. Every t says what it found last in x. Tasks by edge and
// goto come first, by name, then the sends in their order.
func TestG02GotosSendsAndEdgesTogether(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("r", gives(page.All(
			page.Update(pageX.Append("r")),
			page.Send(page.To("t", pageX.Append("S1"))), // laid over the view, where LangGraph's payload replaces it
			page.Goto("t"),
			page.Send(page.To("t", pageX.Append("S2"))),
		)), &graph.NodeConfig{Goto: []string{"t"}, Send: []string{"t"}})
		b.AddNode("t", func(_ context.Context, s Page) (pageCmd, error) {
			return page.Update(pageX.Append("t(" + s.X[len(s.X)-1] + ")")), nil
		}, nil)
		b.AddNode("z", appends("z"), nil)
		b.AddEdge(graph.Start, "r")
		b.AddEdge("r", "z")
	})
	require.Equal(t, []string{"r", "t(r)", "z", "t(S1)", "t(S2)"}, done(t, g).X)
}

// G3: two nodes write a plain value. The run fails as on LangGraph, but what
// is left is the state of the step's start, which can be read and gone on
// with; there the thread is poisoned.
func TestG03AConflictLeavesTheStepsStart(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		chain(b, "first")
		b.AddNode("a", gives(page.Update(pageV.Set("a"), pageX.Append("a"))), nil)
		b.AddNode("b", gives(page.Update(pageV.Set("b"))), nil)
		b.AddEdge("first", "a")
		b.AddEdge("first", "b")
	})
	out, err := run(g)
	require.ErrorIs(t, err, state.ErrConflict)
	require.Equal(t, Page{X: []string{"first"}}, out.State)
	require.Equal(t, 1, out.Step)
	require.Equal(t, []string{"a", "b"}, out.Next)
}

// G4: one node writes a plain value twice.
func TestG04OneNodeWritesAValueTwice(t *testing.T) {
	for name, c := range map[string]pageCmd{
		"one update": page.Update(pageV.Set("1"), pageV.Set("2")),
		"joined":     page.All(page.Update(pageV.Set("1")), page.Goto(graph.End, pageV.Set("2"))),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(pageGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, map[string]pageNode{"a": gives(c)}) }))
			require.ErrorIs(t, err, state.ErrConflict)
			require.ErrorContains(t, err, `node "a": invalid update: it writes "v" twice`)
		})
	}
}

// G5: one of three nodes replaces the list: only its value counts. Two that
// replace are a conflict.
func TestG05ReplaceOverrulesTheStep(t *testing.T) {
	replaces := func(s string) pageNode { return gives(page.Update(pageX.Replace([]string{s}))) }
	nodes := map[string]pageNode{"a": appends("a"), "b": replaces("B"), "c": appends("c")}
	require.Equal(t, []string{"B"}, done(t, pageGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, nodes) }), pageX.Append("in")).X)
	nodes["c"] = replaces("C")
	_, err := run(pageGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, nodes) }))
	require.ErrorIs(t, err, state.ErrConflict)
}

// G6: a chain of three needs a limit of three; LangGraph asks for four, for
// it tests the limit before it sees that nothing is left.
func TestG06TheLimitCountsSupersteps(t *testing.T) {
	parts := func(b *graph.Builder[Page]) { chain(b, "a", "b", "c") }
	require.Equal(t, []string{"a", "b", "c"}, done(t, pageGraph(t, &graph.Config{RecursionLimit: 3}, parts)).X)
	out, err := run(pageGraph(t, &graph.Config{RecursionLimit: 2}, parts))
	require.ErrorIs(t, err, graph.ErrRecursionLimit)
	require.Equal(t, []string{"a", "b"}, out.State.X)
	require.Equal(t, []string{"c"}, out.Next)
}

// G7, first run: a loop until there are six items, with a limit of three.
func TestG07ALoopThatHitsItsLimit(t *testing.T) {
	g := pageGraph(t, &graph.Config{RecursionLimit: 3}, func(b *graph.Builder[Page]) {
		b.AddNode("a", appends("a"), nil)
		b.AddEdge(graph.Start, "a")
		b.AddChoice("a", func(s Page) string {
			if len(s.X) < 6 {
				return "a"
			}
			return graph.End
		}, "a", graph.End)
	})
	out, err := run(g)
	require.ErrorIs(t, err, graph.ErrRecursionLimit)
	require.EqualError(t, err, `graph: step 3: recursion limit of 3 supersteps: work is left for a`)
	require.Equal(t, graph.OutcomeLimit, out.Outcome)
	require.Len(t, out.State.X, 3)
	require.Equal(t, []string{"a"}, out.Next)
}

// G8: two ways of different length to d, by plain edges: d runs for each. A
// deferred d runs once, when nothing else is due.
func TestG08UnevenWays(t *testing.T) {
	parts := func(d *graph.NodeConfig) func(b *graph.Builder[Page]) {
		return func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"a": appends("a"), "b": appends("b")})
			b.AddNode("b2", appends("b2"), nil)
			b.AddNode("d", appends("d"), d)
			b.AddEdge("a", "d")
			b.AddEdge("b", "b2")
			b.AddEdge("b2", "d")
		}
	}
	require.Equal(t, []string{"a", "b", "b2", "d", "d"}, done(t, pageGraph(t, nil, parts(nil))).X)
	require.Equal(t, []string{"a", "b", "b2", "d"}, done(t, pageGraph(t, nil, parts(&graph.NodeConfig{Defer: true}))).X)
}

// G9: c waits for a and b, and b is not chosen: c never runs, and the run
// ends well.
func TestG09AWaitThatNeverFills(t *testing.T) {
	g := pageGraph(t, nil, waitsForBoth)
	require.Equal(t, []string{"a"}, done(t, g).X)
	require.Equal(t, []string{"a", "b", "c"}, done(t, g, pageV.Set("b")).X)
}

// waitsForBoth has a node c that waits for a and b; v says whether b runs.
func waitsForBoth(b *graph.Builder[Page]) {
	for _, n := range []string{"a", "b", "c"} {
		b.AddNode(n, appends(n), nil)
	}
	b.AddChoice(graph.Start, func(s Page) string {
		if s.W == "no a" {
			return graph.End
		}
		return "a"
	}, "a", graph.End)
	b.AddChoice(graph.Start, func(s Page) string {
		if s.V == "b" {
			return "b"
		}
		return graph.End
	}, "b", graph.End)
	b.AddJoin([]string{"a", "b"}, "c")
}

// G10: run 1 reaches only a, run 2 only b. On LangGraph c then runs in run 2,
// for waits outlive runs of a thread; here a half-filled wait ends with its
// run.
func TestG10HalfFilledWaitsEndWithTheRun(t *testing.T) {
	g := pageGraph(t, nil, waitsForBoth)
	require.Equal(t, []string{"a"}, done(t, g).X)
	require.Equal(t, []string{"b"}, done(t, g, pageV.Set("b"), pageW.Set("no a")).X)
}

// G14, first run: one node of two fails. The step is not applied; what failed
// is left to do.
func TestG14AFailedTaskIsLeftToDo(t *testing.T) {
	g := pageGraph(t, &graph.Config{FinishSiblings: true}, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"ok": appends("ok"), "bad": fails(errBroken)})
	})
	out, err := run(g)
	require.ErrorIs(t, err, errBroken)
	require.Equal(t, []string{"bad"}, out.Next)
	require.Empty(t, out.State.X)
}

// G20: the node succeeds and its router fails. On LangGraph the node's update
// stays and the routing is lost; here both are one unit and are left to do.
func TestG20NodeAndRouterAreOneUnit(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		chain(b, "a")
		b.AddConditional("a", func(context.Context, Page) (pageCmd, error) { return pageCmd{}, errBroken }, "a")
	})
	out, err := run(g)
	require.ErrorIs(t, err, errBroken)
	require.EqualError(t, err, `graph: step 1: node "a": router: broken`)
	require.Empty(t, out.State.X)
	require.Equal(t, []string{"a"}, out.Next)
}

// G21: a reducer fails. On LangGraph every later call fails as well; here the
// step is dropped.
func TestG21AReducerThatFails(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		chain(b, "first")
		b.AddNode("a", gives(page.Update(pageX.Append("a"), pageTop.Reduce(-1))), nil)
		b.AddEdge("first", "a")
	})
	out, err := run(g)
	require.ErrorIs(t, err, errNegative)
	require.ErrorIs(t, err, graph.ErrInvalidUpdate)
	require.Equal(t, "a", placed(t, err).Node)
	require.Equal(t, []string{"first"}, out.State.X)
}

// G22: a subgraph shares the list x. LangGraph's hands back all it holds, so
// that x becomes 0, 0, i; here it hands back what it changed.
func TestG22ASubgraphHandsBackWhatItChanged(t *testing.T) {
	sub := pageGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "i") })
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		graph.AddSubgraph[Page, Page](b, "child", sub, nil)
		b.AddEdge(graph.Start, "child")
	})
	require.Equal(t, []string{"0", "i"}, done(t, g, pageX.Append("0")).X)
}

// G24: a node of a subgraph leaves for "other"; the node that hosts it has a
// static edge to "stat". Both run; what the subgraph changed before is lost.
func TestG24LeavingASubgraph(t *testing.T) {
	sub := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		chain(b, "before")
		b.AddNode("leave", gives(graph.ToParent[Page](page.Goto("other", pageX.Append("by leaving")))),
			&graph.NodeConfig{Exit: graph.ExitTo[Page]("other")})
		b.AddEdge("before", "leave")
		b.AddNode("beside", appends("beside"), nil)
		b.AddEdge("before", "beside")
	})
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		graph.AddSubgraph[Page, Page](b, "host", sub, nil)
		b.AddEdge(graph.Start, "host")
		for _, n := range []string{"other", "stat"} {
			b.AddNode(n, appends(n), nil)
		}
		b.AddEdge("host", "stat")
	})
	require.Equal(t, []string{"by leaving", "other", "stat"}, done(t, g).X)
}

// G28: the run is cancelled while one node works and another one is done. The
// working one is left to do.
func TestG28CancelledWhileOneNodeWorks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"fast": appends("fast"), "slow": waits()})
		})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		out, err := g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrCancelled)
		require.Equal(t, []string{"slow"}, out.Next)
	})
}

// G29: a node fails at 50 ms while its sibling needs 300 ms. LangGraph's
// threads wait for the sibling; here its context ends at once, and only
// FinishSiblings waits.
func TestG29AFailureDoesNotWaitForSiblings(t *testing.T) {
	for cfg, want := range map[*graph.Config]time.Duration{
		nil:                    50 * time.Millisecond,
		{FinishSiblings: true}: 300 * time.Millisecond,
	} {
		bubble(t, func(t *testing.T) {
			g := pageGraph(t, cfg, func(b *graph.Builder[Page]) {
				beside(b, map[string]pageNode{
					"bad": func(context.Context, Page) (pageCmd, error) {
						time.Sleep(50 * time.Millisecond)
						return pageCmd{}, errBroken
					},
					"slow": sleeps(300*time.Millisecond, pageCmd{}),
				})
			})
			began := time.Now()
			_, err := run(g)
			require.ErrorIs(t, err, errBroken)
			require.Equal(t, want, time.Since(began))
		})
	}
}

// G30: a node changes an element of the list that it was given. LangGraph's
// siblings see it; that is a mistake here as well, and CheckViews finds it.
func TestG30AssigningToAnElementOfTheView(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": func(_ context.Context, s Page) (pageCmd, error) {
			s.X[0] = "changed"
			return pageCmd{}, nil
		}})
	})
	_, err := g.Invoke(context.Background(), graph.Input(pageX.Append("in")), &graph.RunConfig{CheckViews: true})
	require.ErrorIs(t, err, graph.ErrMutated)
	require.ErrorContains(t, err, `node "a"`)
}

// G34: targets that are unknown or not declared. LangGraph passes them over;
// here they are errors that name the node, the target and what is declared.
func TestG34UnknownTargetsAreErrors(t *testing.T) {
	cases := map[string]struct {
		cmd  pageCmd
		text string
	}{
		"goto":                                 {page.Goto("nowhere"), `undeclared target: node "a" cannot go to "nowhere": the graph has no such node`},
		"send":                                 {page.Send(page.To("nowhere")), `undeclared target: node "a" cannot send to "nowhere": the graph has no such node`},
		"goto to a node that was not declared": {page.Goto("b"), `undeclared target: node "a" did not declare that it may go to "b" (declared: c)`},
		"send to a node that was not declared": {page.Send(page.To("c")), `undeclared target: node "a" did not declare that it may send to "c" (declared: none)`},
		"goto without a name":                  {page.Goto(""), `undeclared target: node "a" cannot go to "": the graph has no such node`},
		"goto START":                           {page.Goto(graph.Start), `undeclared target: node "a" cannot go to "START": the graph has no such node`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
				b.AddNode("a", gives(c.cmd), &graph.NodeConfig{Goto: []string{"c"}})
				for _, n := range []string{"b", "c"} {
					b.AddNode(n, appends(n), nil)
				}
				b.AddEdge(graph.Start, "a")
				b.AddEdge("a", "b")
			})
			_, err := run(g)
			require.ErrorIs(t, err, graph.ErrUndeclared)
			require.EqualError(t, err, `graph: step 1: node "a": `+c.text)
		})
	}
}

// G34: an unknown field of an update cannot be written in Go; read from JSON
// it is an error.
func TestG34UnknownFieldsAreErrors(t *testing.T) {
	_, err := pageSchema.DecodeUpdate([]byte(`{"x": ["a"], "nothing": 1}`))
	require.ErrorIs(t, err, state.ErrUnknownField)
}

// G35: LangGraph's ephemeral keys live for the next step. Local fields live
// for the one task that they are sent to.
func TestG35LocalFieldsLiveForOneTask(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("split", gives(page.Send(page.To("work", pageItem.Set("1")), page.To("work"))), &graph.NodeConfig{Send: []string{"work"}})
		says := func(_ context.Context, s Page) (pageCmd, error) {
			return page.Update(pageX.Append("item:" + s.Item)), nil
		}
		b.AddNode("work", says, nil)
		b.AddNode("after", says, nil)
		b.AddEdge(graph.Start, "split")
		b.AddEdge("work", "after")
	})
	out := done(t, g)
	require.Equal(t, []string{"item:1", "item:", "item:"}, out.X)
	require.Empty(t, out.Item)

	g = pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": gives(page.Update(pageItem.Set("kept?")))})
	})
	_, err := run(g)
	require.ErrorIs(t, err, graph.ErrInvalidUpdate)
	require.ErrorContains(t, err, `"item"`)
}
