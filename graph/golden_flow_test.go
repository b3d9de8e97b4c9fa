package graph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// nodes adds nodes that append their names, without edges.
func nodes(b *graph.Builder[Page], names ...string) {
	for _, n := range names {
		b.AddNode(n, appends(n), nil)
	}
}

// lead adds plain edges: "a>b" leads from a to b.
func lead(b *graph.Builder[Page], edges ...string) {
	for _, e := range edges {
		from, to, _ := strings.Cut(e, ">")
		b.AddEdge(from, to)
	}
}

// Every way in which one node can lead to another. Each node appends its name
// to x, so that x shows what ran, step by step and by name within a step.
func TestFlow(t *testing.T) {
	cases := []struct {
		name  string
		parts func(b *graph.Builder[Page])
		x     string
	}{
		{"a chain", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "c")
			lead(b, "START>a", "a>b", "b>c", "c>END")
		}, "a b c"},
		{"a node without a way on ends its branch", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "c")
			lead(b, "START>a", "START>b", "b>c")
		}, "a b c"},
		{"a node that several edges lead to runs once a step", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "c", "d")
			lead(b, "START>a", "START>b", "START>c", "a>d", "b>d", "c>d")
		}, "a b c d"},
		{"edges of different length run it each time", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "d")
			lead(b, "START>a", "START>b", "a>d", "b>a")
		}, "a b a d d"},
		{"a waiting edge", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "b2", "d")
			lead(b, "START>a", "START>b", "b>b2")
			b.AddJoin([]string{"a", "b2"}, "d")
		}, "a b b2 d"},
		{"a waiting edge fills again", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "d", "e")
			lead(b, "START>a", "START>b", "d>e")
			b.AddJoin([]string{"a", "b"}, "d")
			b.AddConditional("e", func(_ context.Context, s Page) (pageCmd, error) {
				if len(s.X) < 8 {
					return page.All(page.Goto("a"), page.Goto("b")), nil
				}
				return page.Goto(graph.End), nil
			}, "a", "b", graph.End)
		}, "a b d e a b d e"},
		{"a waiting edge counts a source once", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "b2", "b3", "d")
			lead(b, "START>a", "START>b", "b>a", "b>b2", "b2>b3")
			b.AddJoin([]string{"a", "b3"}, "d")
		}, "a b a b2 b3 d"},
		{"two waiting edges to one node", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "b2", "d")
			lead(b, "START>a", "START>b", "b>b2")
			b.AddJoin([]string{"a", "b"}, "d")
			b.AddJoin([]string{"a", "b2"}, "d")
		}, "a b b2 d d"},
		{"a wait for one source is an edge", func(b *graph.Builder[Page]) {
			nodes(b, "a", "d")
			lead(b, "START>a")
			b.AddJoin([]string{"a"}, "d")
		}, "a d"},
		{"a deferred node waits until nothing else is due", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "c")
			b.AddNode("last", appends("last"), &graph.NodeConfig{Defer: true})
			lead(b, "START>a", "a>last", "a>b", "b>c")
		}, "a b c last"},
		{"deferred nodes are let go together", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b")
			b.AddNode("y", appends("y"), &graph.NodeConfig{Defer: true})
			b.AddNode("x", appends("x"), &graph.NodeConfig{Defer: true})
			lead(b, "START>a", "a>y", "a>b", "b>x")
		}, "a b x y"},
		{"a deferred node behind another waits once more", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b")
			b.AddNode("x", appends("x"), &graph.NodeConfig{Defer: true})
			b.AddNode("y", appends("y"), &graph.NodeConfig{Defer: true})
			lead(b, "START>a", "a>x", "x>y", "x>b")
		}, "a x b y"},
		{"a deferred join", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "c", "c2")
			b.AddNode("d", appends("d"), &graph.NodeConfig{Defer: true})
			lead(b, "START>a", "START>b", "START>c", "c>c2")
			b.AddJoin([]string{"a", "b"}, "d")
		}, "a b c c2 d"},
		{"a deferred node that is sent to runs at once", func(b *graph.Builder[Page]) {
			b.AddNode("a", gives(page.Send(page.To("d"))), &graph.NodeConfig{Send: []string{"d"}})
			b.AddNode("d", appends("d"), &graph.NodeConfig{Defer: true})
			nodes(b, "b", "c")
			lead(b, "START>a", "a>b", "b>c")
		}, "b d c"},
		{"a goto adds to the edges", func(b *graph.Builder[Page]) {
			b.AddNode("a", gives(page.Goto("b")), &graph.NodeConfig{Goto: []string{"b"}})
			nodes(b, "b", "c")
			lead(b, "START>a", "a>c")
		}, "b c"},
		{"a goto and an edge to one node run it once", func(b *graph.Builder[Page]) {
			b.AddNode("a", gives(page.Goto("b")), &graph.NodeConfig{Goto: []string{"b"}})
			nodes(b, "b")
			lead(b, "START>a", "a>b")
		}, "b"},
		{"going to END leaves the edges as they are", func(b *graph.Builder[Page]) {
			b.AddNode("a", gives(page.Goto(graph.End)), nil)
			nodes(b, "b")
			lead(b, "START>a", "a>b")
		}, "b"},
		{"several gotos", func(b *graph.Builder[Page]) {
			b.AddNode("a", gives(page.All(page.Goto("c"), page.Goto("b"), page.Goto("c"), page.Update(pageX.Append("a")))),
				&graph.NodeConfig{Goto: []string{"b", "c"}})
			nodes(b, "b", "c")
			lead(b, "START>a")
		}, "a b c"},
		{"several nodes behind START", func(b *graph.Builder[Page]) {
			nodes(b, "b", "a")
			lead(b, "START>b", "START>a", "START>END")
		}, "a b"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, strings.Fields(c.x), done(t, pageGraph(t, nil, c.parts)).X)
		})
	}
}

// What routers may choose. The router is behind a, which appends "a" and is
// declared to lead to b, c and END.
func TestRouters(t *testing.T) {
	chooses := func(c pageCmd) graph.Router[Page] {
		return func(context.Context, Page) (pageCmd, error) { return c, nil }
	}
	cases := []struct {
		name   string
		router graph.Router[Page]
		x      string
		err    string
	}{
		{"one target", chooses(page.Goto("b")), "a b", ""},
		{"END", chooses(page.Goto(graph.End)), "a", ""},
		{"several targets", chooses(page.All(page.Goto("c"), page.Goto("b"))), "a b c", ""},
		{"a target and END", chooses(page.All(page.Goto(graph.End), page.Goto("b"))), "a b", ""},
		{"one target twice", chooses(page.All(page.Goto("b"), page.Goto("b"))), "a b", ""},
		{"sends", chooses(page.Send(page.To("b"), page.To("c"), page.To("b"))), "a b c b", ""},
		{"a target and a send to it", chooses(page.All(page.Send(page.To("b")), page.Goto("b"))), "a b b", ""},
		{"it sees its node's writes", func(_ context.Context, s Page) (pageCmd, error) {
			if len(s.X) == 1 && s.X[0] == "a" {
				return page.Goto("c"), nil
			}
			return page.Goto("b"), nil
		}, "a c", ""},
		{"nothing", chooses(pageCmd{}), "", `router: it chose nothing; END says that there is no way on`},
		{"a target that was not declared", chooses(page.Goto("d")), "", `router: undeclared target: it may not go to "d" (declared: b, c)`},
		{"a send that was not declared", chooses(page.Send(page.To("d"))), "", `router: undeclared target: it may not send to "d" (declared: b, c)`},
		{"a write", chooses(page.Goto("b", pageV.Set("v"))), "", `router: a router chooses, it cannot write to the state`},
		{"leaving", chooses(graph.ToParent[Page](page.Goto("b"))), "", `router: only a node can leave for the parent graph`},
		{"an error", func(context.Context, Page) (pageCmd, error) { return pageCmd{}, errBroken }, "", `router: broken`},
	}
	for _, c := range cases {
		for _, where := range []struct {
			name   string
			beside []string
		}{{"alone", nil}, {"with a sibling", []string{"z"}}} {
			t.Run(c.name+" "+where.name, func(t *testing.T) {
				g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
					nodes(b, "a", "b", "c", "d")
					b.AddEdge(graph.Start, "a")
					b.AddConditional("a", c.router, "b", "c", graph.End)
					lead(b, "d>d")
					for _, n := range where.beside {
						b.AddNode(n, gives(pageCmd{}), nil)
						b.AddEdge(graph.Start, n)
					}
				})
				out, err := run(g)
				if c.err != "" {
					require.EqualError(t, err, `graph: step 1: node "a": `+c.err)
					require.Empty(t, out.State.X, "the node's update goes with its router's failure")
					return
				}
				require.NoError(t, err)
				require.Equal(t, strings.Fields(c.x), out.State.X)
			})
		}
	}
}

func TestRoutersBehindStart(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		nodes(b, "a", "b")
		b.AddChoice(graph.Start, func(s Page) string { return s.V }, "a", "b", graph.End)
	})
	require.Equal(t, []string{"b"}, done(t, g, pageV.Set("b")).X, "they see the input")
	require.Empty(t, done(t, g, pageV.Set(graph.End)).X)
	_, err := run(g)
	require.ErrorIs(t, err, graph.ErrUndeclared)
	require.EqualError(t, err, `graph: step 0: node "START": router: undeclared target: it may not go to "" (declared: a, b)`)
}

func TestRoutersDoNotSeeSiblings(t *testing.T) {
	var seen []string
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": appends("a"), "b": appends("b")})
		b.AddChoice("b", func(s Page) string { seen = s.X; return graph.End }, graph.End)
	})
	require.Equal(t, []string{"in", "a", "b"}, done(t, g, pageX.Append("in")).X)
	require.Equal(t, []string{"in", "b"}, seen)
}

func TestSeveralRoutersAndEdgesBehindOneNode(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		nodes(b, "a", "b", "c", "d", "e")
		lead(b, "START>a", "a>e")
		b.AddChoice("a", func(Page) string { return "c" }, "b", "c")
		b.AddBranch("a", func(context.Context, Page) (pageCmd, error) {
			return page.Send(page.To("d"), page.To("d")), nil
		}, graph.Way{Label: "twice", Send: []string{"d"}, Many: true})
	})
	require.Equal(t, strings.Fields("a c e d d"), done(t, g).X)
}

// Sends: what a sent task sees, by the verb of the handle that was laid over.
func TestSends(t *testing.T) {
	var seen Page
	look := func(_ context.Context, s Page) (pageCmd, error) { seen = s; return pageCmd{}, nil }
	in := graph.Input(pageX.Append("in"), pageV.Set("v"), pageSum.Add(1), pageMeta.Put("k", "v"), pageTop.Reduce(5))
	cases := []struct {
		name string
		over graph.Packet[Page]
		want Page
	}{
		{"nothing", page.To("work"), Page{X: []string{"in"}, V: "v", Sum: 1, Meta: map[string]string{"k": "v"}, Top: 5}},
		{"the usual verbs reduce onto the state", page.To("work", pageX.Append("more"), pageV.Set("w"), pageSum.Add(2), pageMeta.Put("l", "w"), pageTop.Reduce(3)),
			Page{X: []string{"in", "more"}, V: "w", Sum: 3, Meta: map[string]string{"k": "v", "l": "w"}, Top: 5}},
		{"replacing replaces", page.To("work", pageX.Replace([]string{"only"}), pageSum.Replace(9), pageMeta.Replace(nil), pageTop.Replace(3)),
			Page{X: []string{"only"}, V: "v", Sum: 9, Top: 3}},
		{"local fields", page.To("work", pageItem.Set("mine")), Page{X: []string{"in"}, V: "v", Sum: 1, Meta: map[string]string{"k": "v"}, Top: 5, Item: "mine"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
				b.AddNode("a", gives(page.Send(c.over)), &graph.NodeConfig{Send: []string{"work"}})
				b.AddNode("work", look, nil)
				b.AddEdge(graph.Start, "a")
			})
			out := done(t, g, in...)
			if len(seen.Meta) == 0 {
				seen.Meta = nil // empty and missing are one
			}
			require.Equal(t, c.want, seen)
			require.Equal(t, []string{"in"}, out.X, "what is laid over is not part of the state")
			require.Equal(t, "v", out.V)
		})
	}
}

func TestSendsKeepTheirOrder(t *testing.T) {
	sends := func(items ...string) pageCmd {
		var packets []graph.Packet[Page]
		for _, i := range items {
			packets = append(packets, page.To("work", pageItem.Set(i)))
		}
		return page.Send(packets...)
	}
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("b", gives(page.All(sends("b1"), page.Goto("zulu"), sends("b2"))), &graph.NodeConfig{Goto: []string{"zulu"}, Send: []string{"work"}})
		b.AddNode("a", gives(sends("a2", "a1")), &graph.NodeConfig{Send: []string{"work"}})
		b.AddNode("work", func(_ context.Context, s Page) (pageCmd, error) { return page.Update(pageX.Append(s.Item)), nil }, nil)
		nodes(b, "zulu")
		lead(b, "START>a", "START>b")
	})
	// By goto or edge first, then the sends: task by task, packet by packet.
	require.Equal(t, strings.Fields("zulu a2 a1 b1 b2"), done(t, g).X)
}

func TestASendThatCannotBeLaidOver(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("a", gives(page.Send(page.To("work", pageTop.Reduce(-1)))), &graph.NodeConfig{Send: []string{"work"}})
		nodes(b, "work")
		lead(b, "START>a")
	})
	_, err := run(g)
	require.ErrorIs(t, err, errNegative)
	require.ErrorIs(t, err, graph.ErrInvalidUpdate)
	require.Equal(t, "work", placed(t, err).Node)
}

func TestOneCommandForManyTasks(t *testing.T) {
	shared := page.All(page.Update(pageX.Append("shared")), page.Goto("b"))
	_ = page.All(shared, page.Update(pageX.Append("never"))) // does not touch it
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		for _, n := range []string{"a1", "a2"} {
			b.AddNode(n, gives(shared), &graph.NodeConfig{Goto: []string{"b"}})
			b.AddEdge(graph.Start, n)
		}
		nodes(b, "b")
	})
	for range 3 {
		require.Equal(t, strings.Fields("shared shared b"), done(t, g).X)
	}
}

// A result slot of the engine serves task after task: nothing of an earlier
// command may be left in it.
func TestNothingIsLeftOfEarlierCommands(t *testing.T) {
	sub := pageGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "inner") })
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("a", gives(page.All(page.Goto("host"), page.Send(page.To("work")), page.Update(pageX.Append("a"), pageV.Set("v")))),
			&graph.NodeConfig{Goto: []string{"host"}, Send: []string{"work"}})
		b.AddEdge(graph.Start, "a")
		graph.AddSubgraph(b, "host", sub, &graph.Mount[Page, Page]{})
		b.AddNode("work", gives(pageCmd{}), nil)
		b.AddNode("handled", fails(errBroken), nil)
		b.AddErrorHandler("handled", func(context.Context, Page, *graph.Error) (pageCmd, error) { return pageCmd{}, nil })
		b.AddEdge("host", "handled")
	})
	for range 3 {
		require.Equal(t, Page{X: strings.Fields("a inner"), V: "v"}, done(t, g))
	}
}

// Limits: exactly enough supersteps are enough.
func TestRecursionLimits(t *testing.T) {
	loop := func(b *graph.Builder[Page]) {
		b.AddNode("a", appends("a"), &graph.NodeConfig{})
		b.AddEdge(graph.Start, "a")
		b.AddChoice("a", func(s Page) string {
			if len(s.X) < 26 {
				return "a"
			}
			return graph.End
		}, "a", graph.End)
	}
	cases := []struct {
		name  string
		limit int
		parts func(b *graph.Builder[Page])
		left  string // "" if the limit is enough
		ran   int
	}{
		{"exactly enough", 3, func(b *graph.Builder[Page]) { chain(b, "a", "b", "c") }, "", 3},
		{"one too few", 2, func(b *graph.Builder[Page]) { chain(b, "a", "b", "c") }, "c", 2},
		{"one", 1, func(b *graph.Builder[Page]) { chain(b, "a") }, "", 1},
		{"a deferred node counts as work", 1, func(b *graph.Builder[Page]) {
			chain(b, "a")
			b.AddNode("late", appends("late"), &graph.NodeConfig{Defer: true})
			b.AddEdge("a", "late")
		}, "late", 1},
		{"a half-filled wait is no work", 1, func(b *graph.Builder[Page]) {
			chain(b, "a")
			nodes(b, "b", "c")
			b.AddJoin([]string{"a", "b"}, "c")
			lead(b, "b>b")
		}, "", 1},
		{"sends count together", 2, func(b *graph.Builder[Page]) {
			b.AddNode("a", gives(page.Send(page.To("w"), page.To("w"), page.To("w"))), &graph.NodeConfig{Send: []string{"w"}})
			nodes(b, "w")
			lead(b, "START>a")
		}, "", 3},
		{"25 without a limit of its own", 0, loop, "a", 25},
		{"none", -1, loop, "", 26},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, err := run(pageGraph(t, &graph.Config{RecursionLimit: c.limit}, c.parts))
			require.Len(t, out.State.X, c.ran)
			if c.left == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, graph.ErrRecursionLimit)
			require.Equal(t, graph.OutcomeLimit, out.Outcome)
			require.Equal(t, []string{c.left}, out.Next)
		})
	}
}
