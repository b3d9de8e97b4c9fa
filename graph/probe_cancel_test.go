package graph_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

func TestProbeCancelledBetweenSteps(t *testing.T) {
	why := errors.New("the user went away")
	ctx, cancel := context.WithCancelCause(context.Background())
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("a", func(context.Context, Page) (pageCmd, error) {
			cancel(why)
			return page.Update(pageX.Append("a")), nil
		}, nil)
		b.AddNode("b", appends("b"), nil)
		b.AddEdge(graph.Start, "a")
		b.AddEdge("a", "b")
	})
	out, err := g.Invoke(ctx, nil, nil)
	require.ErrorIs(t, err, graph.ErrCancelled)
	require.ErrorIs(t, err, why)
	require.NotErrorIs(t, err, graph.ErrLeftBehind)
	require.Equal(t, graph.KindCancelled, placed(t, err).Kind())
	require.Equal(t, graph.OutcomeCancelled, out.Outcome)
	require.Equal(t, []string{"a"}, out.State.X, "what is done is kept")
	require.Equal(t, 1, out.Step)
	require.Equal(t, []string{"b"}, out.Next)
}

func TestProbeCancelledWhenNothingIsLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": func(context.Context, Page) (pageCmd, error) {
			cancel()
			return page.Update(pageX.Append("a")), nil
		}})
	})
	out, err := g.Invoke(ctx, nil, nil)
	require.NoError(t, err)
	require.Equal(t, graph.OutcomeDone, out.Outcome)
}

func TestProbeCancelledBeforeItBegins(t *testing.T) {
	why := errors.New("too late")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "a") })
	out, err := g.Invoke(ctx, graph.Input(pageX.Append("in")), &graph.RunConfig{Thread: "t"})
	require.ErrorIs(t, err, graph.ErrCancelled)
	require.ErrorIs(t, err, why)
	require.Equal(t, "t", placed(t, err).Thread)
	require.Equal(t, graph.OutcomeCancelled, out.Outcome)
	require.Empty(t, out.State.X)

	var events []graph.Event
	var last error
	for e, err := range g.Stream(ctx, nil, nil) {
		if e != nil {
			events = append(events, e)
		}
		last = err
	}
	require.ErrorIs(t, last, why)
	require.Len(t, events, 1, "a stream always tells the run's end")
	require.Equal(t, graph.OutcomeCancelled, events[0].(*graph.RunFinished).Outcome)
}

func TestProbeCancelledNodeThatHonoursItsContext(t *testing.T) {
	for _, c := range company {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				why := errors.New("enough")
				g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
					beside(b, c.nodes)
					beside(b, map[string]pageNode{"slow": waits()})
				})
				ctx, cancel := context.WithCancelCause(context.Background())
				time.AfterFunc(time.Minute, func() { cancel(why) })
				began := time.Now()
				out, err := g.Invoke(ctx, graph.Input(pageX.Append("in")), nil)
				require.Equal(t, time.Minute, time.Since(began), "no grace is needed")
				require.ErrorIs(t, err, why)
				require.NotErrorIs(t, err, graph.ErrLeftBehind)
				require.Equal(t, []string{"slow"}, out.Next)
				require.Equal(t, []string{"in"}, out.State.X)
			})
		})
	}
}

func TestProbeFailureCancelsSiblings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var cause error
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{
				"bad": func(context.Context, Page) (pageCmd, error) {
					time.Sleep(time.Second)
					return pageCmd{}, errBroken
				},
				"polite": func(ctx context.Context, _ Page) (pageCmd, error) {
					<-ctx.Done()
					cause = context.Cause(ctx)
					return pageCmd{}, ctx.Err()
				},
			})
		})
		began := time.Now()
		out, err := run(g)
		require.Equal(t, time.Second, time.Since(began))
		require.ErrorIs(t, err, errBroken)
		require.NotErrorIs(t, err, graph.ErrCancelled)
		require.Equal(t, "bad", placed(t, err).Node)
		require.Equal(t, graph.OutcomeFailed, out.Outcome)
		require.Equal(t, []string{"bad", "polite"}, out.Next)
		require.ErrorIs(t, cause, errBroken)
		require.Equal(t, "bad", placed(t, cause).Node, "the sibling is told who failed")
	})
}

func TestProbeFinishSiblings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		finished := false
		g := pageGraph(t, &graph.Config{FinishSiblings: true}, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{
				"bad": fails(errBroken),
				"slow": func(ctx context.Context, _ Page) (pageCmd, error) {
					time.Sleep(time.Hour)
					finished = ctx.Err() == nil
					return pageCmd{}, nil
				},
			})
		})
		began := time.Now()
		out, err := run(g)
		require.Equal(t, time.Hour, time.Since(began))
		require.True(t, finished)
		require.ErrorIs(t, err, errBroken)
		require.Equal(t, []string{"bad"}, out.Next)
	})
}

func TestProbeFailureInASubgraphCancelsItsSiblings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var cause error
		sub := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"inner": func(ctx context.Context, _ Page) (pageCmd, error) {
				<-ctx.Done()
				cause = context.Cause(ctx)
				return pageCmd{}, ctx.Err()
			}})
		})
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			graph.AddSubgraph[Page, Page](b, "host", sub, nil)
			b.AddEdge(graph.Start, "host")
			beside(b, map[string]pageNode{"bad": func(context.Context, Page) (pageCmd, error) {
				time.Sleep(time.Second)
				return pageCmd{}, errBroken
			}})
		})
		_, err := run(g)
		require.ErrorIs(t, err, errBroken)
		require.ErrorIs(t, cause, errBroken)
		require.Equal(t, "bad", placed(t, err).Node)
	})
}

func TestProbeEndlessLoopUnderADeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := pageGraph(t, &graph.Config{RecursionLimit: -1}, func(b *graph.Builder[Page]) {
			b.AddNode("a", sleeps(time.Second, page.Update(pageSum.Add(1))), nil)
			b.AddEdge(graph.Start, "a")
			b.AddEdge("a", "a")
		})
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second+time.Millisecond)
		defer cancel()
		out, err := g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, graph.OutcomeCancelled, out.Outcome)
		require.Equal(t, 100, out.State.Sum)
	})
}

func TestProbeEndlessLoopOfTrivialNodesUnderADeadline(t *testing.T) {
	g := pageGraph(t, &graph.Config{RecursionLimit: -1}, func(b *graph.Builder[Page]) {
		b.AddNode("a", gives(page.Update(pageSum.Add(1))), nil)
		b.AddEdge(graph.Start, "a")
		b.AddEdge("a", "a")
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	out, err := g.Invoke(ctx, nil, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, graph.ErrLeftBehind)
	require.Positive(t, out.State.Sum)
}

// Goroutines that are left over show in the bubble's own check as well.
func TestProbeNoGoroutinesAreLeftAfterCancelling(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": waits(), "b": waits(), "c": appends("c")})
	})
	before := runtime.NumGoroutine()
	for range 20 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		_, err := g.Invoke(ctx, nil, nil)
		cancel()
		require.ErrorIs(t, err, graph.ErrCancelled)
	}
	settled(t, before)
}

func TestProbeNoGoroutinesAreLeftAfterAbandonedStreams(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": waits(), "b": waits(), "c": appends("c")})
	})
	before := runtime.NumGoroutine()
	for range 20 {
		for range g.Stream(context.Background(), nil, nil) {
			break
		}
	}
	settled(t, before)
}

func TestProbeOutcomesCannotBeTakenForOneAnother(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cases := []struct {
		outcome graph.Outcome
		node    pageNode
		ctx     context.Context
		cfg     *graph.Config
		kind    graph.Kind
	}{
		{graph.OutcomeDone, appends("a"), context.Background(), nil, ""},
		{graph.OutcomeFailed, fails(errBroken), context.Background(), nil, graph.KindNode},
		{graph.OutcomeFailed, gives(page.Update(pageV.Set("1"), pageV.Set("2"))), context.Background(), nil, graph.KindInvalidUpdate},
		{graph.OutcomeLimit, gives(page.Goto("a")), context.Background(), &graph.Config{RecursionLimit: 3}, graph.KindRecursionLimit},
		{graph.OutcomeLimit, fails(errors.Join(graph.ErrLimit, errBroken)), context.Background(), nil, graph.KindLimit},
		{graph.OutcomeFailed, asks(), context.Background(), nil, graph.KindStore},
		{graph.OutcomeCancelled, func(context.Context, Page) (pageCmd, error) { cancel(); return page.Goto("a"), nil }, cancelled, nil, graph.KindCancelled},
	}
	for _, c := range cases {
		t.Run(string(c.outcome)+" "+string(c.kind), func(t *testing.T) {
			g := pageGraph(t, c.cfg, func(b *graph.Builder[Page]) {
				b.AddNode("a", c.node, &graph.NodeConfig{Goto: []string{"a"}})
				b.AddEdge(graph.Start, "a")
			})
			out, err := g.Invoke(c.ctx, nil, nil)
			require.Equal(t, c.outcome, out.Outcome)
			if c.outcome == graph.OutcomeDone {
				require.NoError(t, err)
				return
			}
			require.Equal(t, c.kind, placed(t, err).Kind())
			require.NotEmpty(t, out.Next)
		})
	}
}

// asks is a node that wants an answer.
func asks() pageNode {
	return func(ctx context.Context, _ Page) (pageCmd, error) {
		answer, err := graph.Interrupt[string](ctx, "name", "What is your name?")
		return page.Update(pageX.Append(answer)), err
	}
}

// A goroutine that a node leaves behind may emit when the run is long over,
// and when its memory serves another run.
func TestProbeEmitAfterTheEnd(t *testing.T) {
	stop, emitted := make(chan struct{}), make(chan struct{})
	var leaked atomic.Int32
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": func(ctx context.Context, _ Page) (pageCmd, error) {
			if leaked.Add(1) == 1 {
				go func() {
					defer close(emitted)
					for {
						select {
						case <-stop:
							return
						default:
							_ = graph.Emit(ctx, "ghost")
							_, _ = graph.Task(ctx)
						}
					}
				}()
			}
			return page.Update(pageX.Append("a")), nil
		}})
	})
	runOnce := func() (last graph.Event, ghosts int) {
		for e, err := range g.Stream(context.Background(), nil, nil) {
			require.NoError(t, err)
			if _, ok := e.(*graph.Custom); ok {
				ghosts++
			}
			last = e
		}
		return last, ghosts
	}
	last, _ := runOnce()
	require.IsType(t, &graph.RunFinished{}, last)
	for range 50 {
		last, ghosts := runOnce()
		require.IsType(t, &graph.RunFinished{}, last)
		require.Zero(t, ghosts)
		require.Equal(t, []string{"a"}, done(t, g).X)
	}
	close(stop)
	<-emitted
}

func TestProbeLeavingALoopByPanicEndsTheRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ended := false
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"slow": func(ctx context.Context, _ Page) (pageCmd, error) {
				<-ctx.Done()
				ended = true
				return pageCmd{}, ctx.Err()
			}})
		})
		require.PanicsWithValue(t, "the reader", func() {
			for range g.Stream(context.Background(), nil, nil) {
				panic("the reader")
			}
		})
		synctest.Wait()
		require.True(t, ended)
	})
}
