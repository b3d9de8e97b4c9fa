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

// sentGraph sends several tasks to one node, of which some may run at once.
func sentGraph(t *testing.T, tasks int, node graph.Node[refState], nodeCfg *graph.NodeConfig, cfg *graph.Config) (*graph.Graph[refState], *rndFields) {
	f := newRndFields("last")
	b := graph.New(f.schema)
	b.AddNode("split", func(context.Context, refState) (graph.Command[refState], error) {
		var ps []graph.Packet[refState]
		for range tasks {
			ps = append(ps, f.cmd.To("work"))
		}
		return f.cmd.Send(ps...), nil
	}, &graph.NodeConfig{Send: []string{"work"}})
	b.AddNode("work", node, nodeCfg)
	b.AddEdge(graph.Start, "split")
	g, err := b.Compile(cfg)
	require.NoError(t, err)
	return g, f
}

var errBoom = errors.New("boom")

func TestAFailureDoesNotWaitForTasksThatHaveNotBegun(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error":  func() error { return errBoom },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, _ := sentGraph(t, 5, func(context.Context, refState) (c graph.Command[refState], err error) { return c, fail() },
					&graph.NodeConfig{MaxConcurrency: 1}, &graph.Config{Grace: time.Hour})
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				began := time.Now()
				res, err := g.Invoke(ctx, nil, nil)
				require.Error(t, err)
				require.Equal(t, graph.OutcomeFailed, res.Outcome)
				require.Zero(t, time.Since(began))
			})
		})
	}
}

func TestAllSiblingsAreFinishedThoughOneEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := make(chan int, 9)
		g, _ := sentGraph(t, 5, func(context.Context, refState) (c graph.Command[refState], err error) {
			calls <- 1
			time.Sleep(time.Millisecond)
			runtime.Goexit()
			return c, nil
		}, &graph.NodeConfig{MaxConcurrency: 2}, &graph.Config{FinishSiblings: true, MaxConcurrency: 3})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		res, err := g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrGoexit)
		require.Equal(t, graph.OutcomeFailed, res.Outcome)
		require.Len(t, calls, 5)
	})
}

func TestAFailureIsToldThoughThereIsNoGrace(t *testing.T) {
	for range 300 {
		g, _ := sentGraph(t, 4, func(context.Context, refState) (c graph.Command[refState], err error) { return c, errBoom },
			nil, &graph.Config{Grace: -1, Lenient: true})
		res, err := g.Invoke(context.Background(), nil, nil)
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, graph.OutcomeFailed, res.Outcome)
	}
}

// TestATimeoutCountsThoughTheRunEndsBehindIt: what outlived its own timeout
// has failed, also if the run was cancelled before it ended.
func TestATimeoutCountsThoughTheRunEndsBehindIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newRndFields("last")
		b := graph.New(f.schema)
		b.AddNode("slow", func(context.Context, refState) (graph.Command[refState], error) {
			time.Sleep(30 * time.Millisecond)
			return f.cmd.Update(f.list.Append("late")), nil
		}, &graph.NodeConfig{Timeout: 5 * time.Millisecond})
		b.AddEdge(graph.Start, "slow")
		g, err := b.Compile(nil)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Millisecond)
		defer cancel()
		res, err := g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrTimeout)
		require.Equal(t, graph.OutcomeCancelled, res.Outcome)
		require.Empty(t, res.State.List)
	})
}

func TestNoMoreTasksAtOnceThanMayBe(t *testing.T) {
	for limit := 1; limit <= 3; limit++ {
		var now, over atomic.Int32
		g, _ := sentGraph(t, 64, func(context.Context, refState) (c graph.Command[refState], err error) {
			if int(now.Add(1)) > limit {
				over.Add(1)
			}
			runtime.Gosched()
			now.Add(-1)
			return c, nil
		}, nil, &graph.Config{MaxConcurrency: limit})
		for range 300 {
			_, err := g.Invoke(context.Background(), nil, nil)
			require.NoError(t, err)
		}
		require.Zero(t, over.Load(), "tasks that began above the limit of %d", limit)
	}
}
