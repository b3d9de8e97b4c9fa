package graph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// busyGraph fans out, sends, runs subgraphs side by side, repeats attempts
// and emits events, all at once.
func busyGraph(t *testing.T) *graph.Graph[refState] {
	f := newRndFields("last")
	work := func(name string) graph.Node[refState] {
		return func(ctx context.Context, s refState) (c graph.Command[refState], err error) {
			info, err := graph.Task(ctx)
			if err != nil {
				return c, err
			}
			runtime.Gosched()
			if err := graph.Emit(ctx, map[string]any{"at": name, "attempt": info.Attempt, "item": s.Item}); err != nil {
				return c, err
			}
			if info.Attempt < 3 && (len(name)+len(s.Item))%3 == 0 {
				return c, fmt.Errorf("%s: %w", name, errFlaky)
			}
			return f.cmd.Update(f.list.Append(name+s.Item), f.count.Add(1), f.meta.Put(name, len(s.List))), nil
		}
	}
	again := &graph.RetryPolicy{NoJitter: true, InitialInterval: -1}
	cfg := &graph.NodeConfig{Retry: again}

	in := graph.New(f.schema)
	for _, name := range []string{"x", "yy", "zzz"} {
		in.AddNode(name, work(name), cfg)
	}
	in.AddEdge(graph.Start, "x")
	in.AddEdge(graph.Start, "zzz")
	in.AddJoin([]string{"x", "zzz"}, "yy")
	sub, err := in.Compile(nil)
	require.NoError(t, err)

	b := graph.New(f.schema)
	b.AddNode("split", func(context.Context, refState) (graph.Command[refState], error) {
		var ps []graph.Packet[refState]
		for i := range 6 {
			ps = append(ps, f.cmd.To([]string{"work", "child"}[i%2], f.item.Set(fmt.Sprint("#", i*i))))
		}
		return f.cmd.Send(ps...), nil
	}, &graph.NodeConfig{Send: []string{"work", "child"}})
	b.AddNode("work", work("work"), cfg)
	b.AddNode("last", work("last"), &graph.NodeConfig{Retry: again, Defer: true})
	for _, name := range []string{"a", "bb", "ccc", "dddd"} {
		b.AddNode(name, work(name), cfg)
		b.AddEdge("work", name)
		b.AddEdge(name, "last")
	}
	graph.AddSubgraph[refState, refState](b, "child", sub, nil)
	b.AddEdge(graph.Start, "split")
	b.AddEdge(graph.Start, "child")
	b.AddChoice("last", func(s refState) string {
		if s.Count < 60 {
			return "split"
		}
		return graph.End
	}, "split", graph.End)
	g, err := b.Compile(nil)
	require.NoError(t, err)
	return g
}

// TestLogsAreTheSameWhateverTheGoroutinesDid runs a graph 1,000 times for
// each of several numbers of processors: sorted by place, the lines of all
// runs are the same bytes.
func TestLogsAreTheSameWhateverTheGoroutinesDid(t *testing.T) {
	runs := 1000
	if testing.Short() {
		runs = 100
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	g := busyGraph(t)
	var first []byte
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		for i := range runs {
			lines, err := sortedLines(g)
			require.NoError(t, err)
			if first == nil {
				first = lines
				require.Greater(t, bytes.Count(first, []byte("\n")), 300)
				for _, kind := range []string{"custom", "retry", "debug_values", "updates", "done"} {
					require.Contains(t, string(first), `"type":"`+kind+`"`)
				}
			}
			if !bytes.Equal(first, lines) {
				t.Fatalf("run %d with %d processors differs:\n%s\nfrom the first:\n%s", i, procs, lines, first)
			}
		}
	}
	t.Logf("%d runs with 1, 2 and 8 processors each: the same %d lines", runs, bytes.Count(first, []byte("\n")))
}

// sortedLines runs a graph and returns its debug lines in the order of their
// places.
func sortedLines(g *graph.Graph[refState]) (lines []byte, err error) {
	var events []graph.Event
	for e, err := range g.Stream(context.Background(), nil, nil) {
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b graph.Event) int { return graph.HeadOf(a).Pos.Compare(graph.HeadOf(b).Pos) })
	for i, e := range events {
		if i > 0 && graph.HeadOf(e).Pos.Compare(graph.HeadOf(events[i-1]).Pos) == 0 {
			return nil, errors.New("two events have one place")
		}
		if lines, err = graph.AppendDebugLines(lines, e); err != nil {
			return nil, err
		}
	}
	return lines, nil
}
