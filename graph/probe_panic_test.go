package graph_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

func panics(value any) pageNode {
	return func(context.Context, Page) (pageCmd, error) { panic(value) }
}

func exits() pageNode {
	return func(context.Context, Page) (pageCmd, error) {
		runtime.Goexit()
		return pageCmd{}, nil
	}
}

// alone and with siblings: what a step with one task does differs inside.
var company = []struct {
	name  string
	nodes map[string]pageNode
	task  string
}{
	{"alone", nil, "1.0"},
	{"with siblings", map[string]pageNode{"a": appends("a"), "z": appends("z")}, "1.1"},
}

func TestProbeNodePanics(t *testing.T) {
	for _, c := range company {
		t.Run(c.name, func(t *testing.T) {
			g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
				beside(b, c.nodes)
				beside(b, map[string]pageNode{"bad": panics("oh")})
			})
			out, err := g.Invoke(context.Background(), graph.Input(pageX.Append("in")), &graph.RunConfig{Thread: "t1"})
			e := placed(t, err)
			require.Equal(t, "bad", e.Node)
			require.Equal(t, 1, e.Step)
			require.Equal(t, "t1/"+c.task, e.Task)
			require.Equal(t, graph.KindNode, e.Kind())
			var p *graph.PanicError
			require.ErrorAs(t, err, &p)
			require.Equal(t, "oh", p.Value)
			require.Contains(t, string(p.Stack), "probe_panic_test.go")
			require.Equal(t, graph.OutcomeFailed, out.Outcome)
			require.Equal(t, []string{"in"}, out.State.X)
			require.EqualError(t, err, `graph: thread "t1": step 1: node "bad": panic: oh`)
		})
	}
}

func TestProbePanicWithAnErrorIsThatError(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, map[string]pageNode{"bad": panics(errBroken)}) })
	_, err := run(g)
	require.ErrorIs(t, err, errBroken)
}

func TestProbeNilMapPanicOfTheRuntimeIsAnError(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"bad": func(_ context.Context, s Page) (pageCmd, error) {
			s.Meta["k"] = "v" // the map is nil
			return pageCmd{}, nil
		}})
	})
	_, err := run(g)
	var re runtime.Error
	require.ErrorAs(t, err, &re)
}

func TestProbePanicElsewhereThanInANode(t *testing.T) {
	cases := []struct {
		name  string
		parts func(b *graph.Builder[Page])
		node  string
		text  string
		kind  graph.Kind
	}{
		{
			name: "router",
			parts: func(b *graph.Builder[Page]) {
				chain(b, "a")
				b.AddConditional("a", func(context.Context, Page) (pageCmd, error) { panic("router") }, "a", graph.End)
			},
			node: "a", text: `graph: step 1: node "a": router: panic: router`, kind: graph.KindNode,
		},
		{
			name: "router behind START",
			parts: func(b *graph.Builder[Page]) {
				b.AddNode("a", appends("a"), nil)
				b.AddConditional(graph.Start, func(context.Context, Page) (pageCmd, error) { panic("router") }, "a")
			},
			node: graph.Start, text: `graph: step 0: node "START": router: panic: router`, kind: graph.KindNode,
		},
		{
			name: "reducer",
			parts: func(b *graph.Builder[Page]) {
				beside(b, map[string]pageNode{"a": gives(page.Update(pageTop.Reduce(666)))})
			},
			node: "a", kind: graph.KindInvalidUpdate,
			text: `graph: step 1: node "a": invalid update: state: field "top": reducer "top" panicked: the number of the beast`,
		},
		{
			name: "reducer, seen first by a router",
			parts: func(b *graph.Builder[Page]) {
				beside(b, map[string]pageNode{"a": gives(page.Update(pageTop.Reduce(666)))})
				b.AddChoice("a", func(Page) string { return graph.End }, graph.End)
			},
			node: "a", kind: graph.KindInvalidUpdate,
			text: `graph: step 1: node "a": invalid update: state: field "top": reducer "top" panicked: the number of the beast`,
		},
		{
			name: "error handler",
			parts: func(b *graph.Builder[Page]) {
				beside(b, map[string]pageNode{"a": fails(errBroken)})
				b.AddErrorHandler("a", func(context.Context, Page, *graph.Error) (pageCmd, error) { panic("handler") })
			},
			node: "a", kind: graph.KindNode,
			text: `graph: step 1: node "a": error handler: panic: handler (called for: broken)`,
		},
		{
			name: "retry condition",
			parts: func(b *graph.Builder[Page]) {
				b.AddNode("a", fails(errBroken), &graph.NodeConfig{Retry: &graph.RetryPolicy{RetryOn: func(error) bool { panic("condition") }}})
				b.AddEdge(graph.Start, "a")
			},
			node: "a", kind: graph.KindNode,
			text: `graph: step 1: node "a": retry condition: panic: condition (called for: broken)`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := run(pageGraph(t, nil, c.parts))
			require.EqualError(t, err, c.text)
			e := placed(t, err)
			require.Equal(t, c.node, e.Node)
			require.Equal(t, c.kind, e.Kind())
		})
	}
}

func TestProbeGoexit(t *testing.T) {
	for _, c := range company {
		t.Run(c.name, func(t *testing.T) {
			g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
				beside(b, c.nodes)
				beside(b, map[string]pageNode{"bad": exits()})
			})
			for range 20 { // the run behind such a one begins as ever
				_, err := g.Invoke(t.Context(), nil, nil)
				require.ErrorIs(t, err, graph.ErrGoexit)
				require.Equal(t, "bad", placed(t, err).Node)
				require.Equal(t, c.task, placed(t, err).Task)
			}
		})
	}
}

// A run whose context cannot end has nobody to watch it while it has one task:
// that runs on the caller's goroutine, which Goexit then ends as it would in
// any function that is called.
func TestProbeGoexitOfACallerThatCannotCancel(t *testing.T) {
	calls := 0
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": func(ctx context.Context, s Page) (pageCmd, error) {
			if calls++; calls == 1 {
				return exits()(ctx, s)
			}
			return page.Update(pageX.Append("a")), nil
		}})
	})
	returned := false
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = run(g)
		returned = true
	}()
	<-ended
	require.False(t, returned)
	require.Equal(t, []string{"a"}, done(t, g).X)
}

func TestProbeGoexitIsNeitherRetriedNorHandled(t *testing.T) {
	for _, timeout := range []time.Duration{0, time.Minute} {
		calls := 0
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("bad", exits(), &graph.NodeConfig{
				Timeout: timeout,
				Retry:   &graph.RetryPolicy{InitialInterval: -1, RetryOn: func(error) bool { return true }},
			})
			b.AddEdge(graph.Start, "bad")
			b.AddErrorHandler("bad", func(context.Context, Page, *graph.Error) (pageCmd, error) {
				calls++
				return pageCmd{}, nil
			})
		})
		_, err := g.Invoke(t.Context(), nil, nil)
		require.ErrorIs(t, err, graph.ErrGoexit)
		require.Zero(t, calls)
	}
}

func TestProbeGoexitOfManySiblings(t *testing.T) {
	g := pageGraph(t, &graph.Config{FinishSiblings: true, MaxConcurrency: 2}, func(b *graph.Builder[Page]) {
		b.AddNode("split", func(context.Context, Page) (pageCmd, error) {
			packets := make([]graph.Packet[Page], 30)
			for i := range packets {
				packets[i] = page.To("bad")
			}
			return page.Send(packets...), nil
		}, &graph.NodeConfig{Send: []string{"bad"}})
		b.AddEdge(graph.Start, "split")
		b.AddNode("bad", exits(), &graph.NodeConfig{MaxConcurrency: 1})
	})
	for range 20 {
		out, err := g.Invoke(t.Context(), nil, nil)
		require.ErrorIs(t, err, graph.ErrGoexit)
		require.Len(t, out.Next, 30)
	}
}

func TestProbeGoexitOfAWorkerIsReplaced(t *testing.T) {
	// "quick" frees the run's goroutine while the worker that it invited is in
	// the first "bad": the others must not wait for a worker for ever.
	g := pageGraph(t, &graph.Config{FinishSiblings: true, MaxConcurrency: 2}, func(b *graph.Builder[Page]) {
		b.AddNode("split", gives(page.All(page.Goto("a"), page.Send(page.To("bad"), page.To("bad"), page.To("bad")))),
			&graph.NodeConfig{Goto: []string{"a"}, Send: []string{"bad"}})
		b.AddEdge(graph.Start, "split")
		b.AddNode("a", sleeps(time.Millisecond, pageCmd{}), nil)
		b.AddNode("bad", func(context.Context, Page) (pageCmd, error) {
			time.Sleep(3 * time.Millisecond)
			runtime.Goexit()
			return pageCmd{}, nil
		}, &graph.NodeConfig{MaxConcurrency: 1})
	})
	ended := make(chan error, 1)
	go func() {
		_, err := g.Invoke(t.Context(), nil, nil)
		ended <- err
	}()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, graph.ErrGoexit)
	case <-time.After(10 * time.Second):
		t.Fatal("the run does not end")
	}
}
