package graph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// fragile is a state whose reducer ends its goroutine.
type fragile struct{ N int }

func TestProbeGoexitElsewhereThanInANode(t *testing.T) {
	exit := func() { runtime.Goexit() }
	for name, parts := range map[string]func(b *graph.Builder[Page]){
		"router": func(b *graph.Builder[Page]) {
			b.AddChoice("a", func(Page) string { exit(); return graph.End }, graph.End)
		},
		"error handler": func(b *graph.Builder[Page]) {
			b.AddNode("b", fails(errBroken), nil)
			b.AddEdge("a", "b")
			b.AddErrorHandler("b", func(context.Context, Page, *graph.Error) (pageCmd, error) { exit(); return pageCmd{}, nil })
		},
		"subgraph": func(b *graph.Builder[Page]) {
			graph.AddSubgraph[Page, Page](b, "sub", pageGraph(t, nil, func(b *graph.Builder[Page]) {
				beside(b, map[string]pageNode{"x": exits(), "y": appends("y")})
			}), nil)
			b.AddEdge("a", "sub")
		},
	} {
		for _, c := range company {
			t.Run(name+" "+c.name, func(t *testing.T) {
				g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
					chain(b, "a")
					parts(b)
					for n := range c.nodes {
						b.AddNode("beside "+n, appends(n), nil)
						b.AddEdge(graph.Start, "beside "+n)
						b.AddEdge("a", "beside "+n)
					}
				})
				for range 5 {
					out, err := g.Invoke(t.Context(), nil, nil)
					require.ErrorIs(t, err, graph.ErrGoexit)
					require.Equal(t, graph.OutcomeFailed, out.Outcome)
				}
			})
		}
	}
}

func TestProbeGoexitInAReducer(t *testing.T) {
	n := state.NewReduced("n", state.Reducer[int]{Name: "exits", Combine: func(int, int) (int, error) {
		runtime.Goexit()
		return 0, nil
	}}, func(f *fragile) *int { return &f.N })
	b := graph.New(state.MustSchema(n))
	for _, name := range []string{"a", "b"} {
		b.AddNode(name, func(context.Context, fragile) (graph.Command[fragile], error) {
			return graph.Commands[fragile]{}.Update(n.Reduce(1)), nil
		}, nil)
	}
	b.AddConditional(graph.Start, func(context.Context, fragile) (graph.Command[fragile], error) {
		return graph.Commands[fragile]{}.All(graph.Commands[fragile]{}.Goto("a"), graph.Commands[fragile]{}.Goto("b")), nil
	}, "a", "b")
	g, err := b.Compile(nil)
	require.NoError(t, err)
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

// A task that is left behind is told of, once, in the place of its end.
func TestProbeLeftBehindTasksAreInTheLog(t *testing.T) {
	for _, c := range company {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				release := make(chan struct{})
				g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
					beside(b, c.nodes)
					beside(b, map[string]pageNode{"deaf": deaf(release)})
				})
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				ends := map[string]int{}
				for e, err := range graph.Tasks(g.Stream(ctx, nil, nil)) {
					if err != nil {
						require.ErrorIs(t, err, graph.ErrLeftBehind)
						continue
					}
					switch e := e.(type) {
					case *graph.TaskFailed:
						require.Equal(t, "deaf", e.Node)
						require.True(t, e.Cancelled)
						require.ErrorIs(t, e.Err, graph.ErrLeftBehind)
						ends[e.Node]++
					case *graph.TaskFinished:
						ends[e.Node]++
					}
				}
				require.Len(t, ends, len(c.nodes)+1)
				for node, n := range ends {
					require.Equal(t, 1, n, node)
				}
				close(release)
			})
		})
	}
}

func TestProbeDeafErrorHandler(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"a": fails(errBroken)})
			b.AddErrorHandler("a", func(context.Context, Page, *graph.Error) (pageCmd, error) {
				<-release
				return pageCmd{}, nil
			})
		})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrLeftBehind)
		require.Equal(t, "a", placed(t, err).Node)
		close(release)
	})
}

func TestProbeDeafNodeWithATimeoutTwoLevelsDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		inner := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("deaf", deaf(release), &graph.NodeConfig{Timeout: time.Hour})
			b.AddEdge(graph.Start, "deaf")
		})
		middle := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			graph.AddSubgraph[Page, Page](b, "inner", inner, nil)
			lead(b, "START>inner")
		})
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			graph.AddSubgraph(b, "middle", middle, &graph.Mount[Page, Page]{NodeConfig: graph.NodeConfig{Timeout: time.Hour}})
			lead(b, "START>middle")
			beside(b, map[string]pageNode{"z": waits()})
		})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		began := time.Now()
		out, err := g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrCancelled)
		require.ErrorIs(t, err, graph.ErrLeftBehind)
		require.ErrorContains(t, err, `subgraph "middle/inner"`)
		require.ErrorContains(t, err, `node "deaf"`)
		require.Equal(t, []string{"middle", "z"}, out.Next)
		require.Less(t, time.Since(began), 2*time.Second+500*time.Millisecond)
		close(release)
	})
}

// Of several failures that of the first task in task order is told. A task that
// wraps its context's error was only cancelled, and is not taken for one.
func TestProbeWhichFailureIsTold(t *testing.T) {
	closed := errors.New("connection closed")
	for name, c := range map[string]struct {
		says func(ctx context.Context) error
		node string
	}{
		"a task that was cancelled":     {func(ctx context.Context) error { return fmt.Errorf("%w: %w", closed, ctx.Err()) }, "culprit"},
		"a task that tells the cause":   {func(ctx context.Context) error { return context.Cause(ctx) }, "culprit"},
		"a task with a failure its own": {func(context.Context) error { return closed }, "a follower"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
					beside(b, map[string]pageNode{
						"a follower": func(ctx context.Context, _ Page) (pageCmd, error) {
							<-ctx.Done()
							return pageCmd{}, c.says(ctx)
						},
						"culprit": func(context.Context, Page) (pageCmd, error) {
							time.Sleep(time.Second)
							return pageCmd{}, errBroken
						},
					})
				})
				_, err := run(g)
				require.Equal(t, c.node, placed(t, err).Node)
			})
		})
	}
}

// A graph may be run within a node, itself included: such a run is one of its
// own, with its caller's context.
func TestProbeRunsWithinNodes(t *testing.T) {
	var g *graph.Graph[Page]
	g = pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": func(ctx context.Context, s Page) (pageCmd, error) {
			if s.Sum == 0 {
				return page.Update(pageX.Append("bottom")), nil
			}
			out, err := g.Invoke(ctx, graph.Input(pageSum.Add(s.Sum-1)), &graph.RunConfig{Thread: "inner"})
			if err != nil {
				return pageCmd{}, err
			}
			info, err := graph.Task(ctx)
			return page.Update(pageX.Append(out.State.X...), pageX.Append(info.Thread)), err
		}, "b": appends("b")})
	})
	out, err := g.Invoke(t.Context(), graph.Input(pageSum.Add(2)), &graph.RunConfig{Thread: "outer"})
	require.NoError(t, err)
	require.Equal(t, []string{"bottom", "b", "inner", "b", "outer", "b"}, out.State.X)
}

func TestProbeContextsMadeOfATasks(t *testing.T) {
	type key struct{}
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": func(ctx context.Context, _ Page) (pageCmd, error) {
			made, cancel := context.WithTimeout(context.WithValue(ctx, key{}, 1), time.Minute)
			defer cancel()
			for _, c := range []context.Context{made, context.WithoutCancel(made)} {
				info, err := graph.Task(c)
				if err != nil || info.Node != "a" || c.Value(key{}) != 1 || c.Value("of the caller") != nil {
					return pageCmd{}, errors.New("not the task's context")
				}
				if err := graph.Emit(c, "word"); err != nil {
					return pageCmd{}, err
				}
			}
			return pageCmd{}, nil
		}})
	})
	words := 0
	for _, err := range graph.Customs(g.Stream(t.Context(), nil, nil)) {
		require.NoError(t, err)
		words++
	}
	require.Equal(t, 2, words)
}

// Nodes see the values of the caller's context.
func TestProbeValuesOfTheCallersContext(t *testing.T) {
	type key struct{}
	sub := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("inner", func(ctx context.Context, _ Page) (pageCmd, error) {
			return page.Update(pageX.Append(ctx.Value(key{}).(string))), nil
		}, &graph.NodeConfig{Timeout: time.Minute})
		lead(b, "START>inner")
	})
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		graph.AddSubgraph[Page, Page](b, "host", sub, nil)
		lead(b, "START>host")
	})
	out, err := g.Invoke(context.WithValue(context.Background(), key{}, "tenant 7"), nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"tenant 7"}, out.State.X)
}

func TestProbeLeavingALoopByGoexitEndsTheRun(t *testing.T) {
	ended := make(chan struct{})
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"slow": func(ctx context.Context, _ Page) (pageCmd, error) {
			<-ctx.Done()
			close(ended)
			return pageCmd{}, ctx.Err()
		}})
	})
	go func() {
		for e := range g.Stream(context.Background(), nil, nil) {
			if _, ok := e.(*graph.TaskStarted); ok {
				runtime.Goexit()
			}
		}
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the run goes on")
	}
}
