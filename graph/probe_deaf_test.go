package graph_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// deaf is a node that does not look at its context: it ends when release is
// closed, and then tries to write.
func deaf(release <-chan struct{}) pageNode {
	return func(context.Context, Page) (pageCmd, error) {
		<-release
		return page.Update(pageX.Append("late")), nil
	}
}

func TestProbeDeafNodeUnderADeadline(t *testing.T) {
	for _, c := range company {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				release := make(chan struct{})
				g := pageGraph(t, &graph.Config{Grace: 2 * time.Second}, func(b *graph.Builder[Page]) {
					beside(b, c.nodes)
					beside(b, map[string]pageNode{"deaf": deaf(release)})
					b.AddChoice("deaf", func(Page) string { return graph.End }, graph.End)
				})
				ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
				defer cancel()
				began := time.Now()
				out, err := g.Invoke(ctx, graph.Input(pageX.Append("in")), nil)
				require.InDelta(t, 2100, time.Since(began).Milliseconds(), 5)
				require.ErrorIs(t, err, graph.ErrCancelled)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.ErrorIs(t, err, graph.ErrLeftBehind)
				require.Equal(t, "deaf", placed(t, err).Node)
				require.Equal(t, c.task, placed(t, err).Task)
				require.Contains(t, err.Error(), `node "deaf"`)
				require.Equal(t, graph.OutcomeCancelled, out.Outcome)
				require.Equal(t, []string{"deaf"}, out.Next)
				require.Equal(t, []string{"in"}, out.State.X)
				close(release)
				synctest.Wait()
				require.Equal(t, []string{"in"}, out.State.X, "what comes late has no effect")
				again, err := g.Invoke(context.Background(), nil, nil)
				require.NoError(t, err)
				require.Contains(t, again.State.X, "late", "the next run has nothing to do with it")
			})
		})
	}
}

func TestProbeDeafNodesAreAllNamed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"d1": deaf(release), "d2": deaf(release), "d3": deaf(release), "ok": appends("ok")})
		})
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		out, err := g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrLeftBehind)
		for _, name := range []string{"d1", "d2", "d3"} {
			require.Contains(t, err.Error(), `"`+name+`"`)
		}
		require.NotContains(t, err.Error(), `"ok"`)
		require.Empty(t, placed(t, err).Node)
		require.Equal(t, []string{"d1", "d2", "d3"}, out.Next)
		close(release)
	})
}

func TestProbeDeafRouterUnderADeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			chain(b, "a", "b")
			b.AddChoice("b", func(Page) string { <-release; return graph.End }, graph.End)
		})
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		out, err := g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrLeftBehind)
		require.Equal(t, "b", placed(t, err).Node)
		require.Equal(t, []string{"a"}, out.State.X, "a node and its routers count together")
		close(release)
	})
}

func TestProbeDeafSiblingOfAFailedTask(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"deaf": deaf(release), "bad": func(context.Context, Page) (pageCmd, error) {
				time.Sleep(time.Millisecond)
				return pageCmd{}, errBroken
			}})
		})
		began := time.Now()
		out, err := run(g)
		require.InDelta(t, 1001, time.Since(began).Milliseconds(), 5)
		require.ErrorIs(t, err, errBroken)
		require.ErrorIs(t, err, graph.ErrLeftBehind)
		require.NotErrorIs(t, err, graph.ErrCancelled)
		require.Contains(t, err.Error(), `node "deaf"`)
		require.Contains(t, err.Error(), `node "bad"`)
		require.Equal(t, graph.OutcomeFailed, out.Outcome)
		require.Equal(t, []string{"bad", "deaf"}, out.Next)
		close(release)
	})
}

func TestProbeDeafNodeInASubgraph(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		sub := pageGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "first"); beside(b, map[string]pageNode{"deaf": deaf(release)}) })
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			graph.AddSubgraph[Page, Page](b, "host", sub, nil)
			b.AddEdge(graph.Start, "host")
		})
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		out, err := g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrCancelled)
		require.ErrorIs(t, err, graph.ErrLeftBehind)
		require.Contains(t, err.Error(), `node "deaf"`, "the node itself is named, not only the one that hosts it")
		require.Equal(t, graph.OutcomeCancelled, out.Outcome)
		require.Empty(t, out.State.X)
		close(release)
	})
}

func TestProbeDeafNodeWithATimeoutOfItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("deaf", deaf(release), &graph.NodeConfig{Timeout: 100 * time.Millisecond})
			b.AddEdge(graph.Start, "deaf")
		})
		began := time.Now()
		out, err := run(g)
		require.InDelta(t, 1100, time.Since(began).Milliseconds(), 5)
		require.ErrorIs(t, err, graph.ErrTimeout)
		require.ErrorIs(t, err, graph.ErrLeftBehind)
		require.Equal(t, "deaf", placed(t, err).Node)
		require.Equal(t, graph.KindTimeout, placed(t, err).Kind())
		require.Equal(t, graph.OutcomeFailed, out.Outcome)

		// Cancelled while it is at work, the run says the same of it.
		g = pageGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("deaf", deaf(release), &graph.NodeConfig{Timeout: time.Hour})
			b.AddEdge(graph.Start, "deaf")
		})
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_, err = g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrCancelled)
		require.ErrorIs(t, err, graph.ErrLeftBehind)
		require.Contains(t, err.Error(), `node "deaf"`)
		close(release)
	})
}

// What a node does that was left behind must be seen by nobody, under the
// race detector as well: it writes, emits, fails, panics, ends its goroutine.
func TestProbeLeftBehindNodesAreFencedOff(t *testing.T) {
	boom := errors.New("too late")
	ends := map[string]func(ctx context.Context) (pageCmd, error){
		"writes":    func(context.Context) (pageCmd, error) { return page.Goto("next", pageX.Append("late")), nil },
		"fails":     func(context.Context) (pageCmd, error) { return pageCmd{}, boom },
		"panics":    func(context.Context) (pageCmd, error) { panic(boom) },
		"leaves":    func(context.Context) (pageCmd, error) { return exits()(nil, Page{}) },
		"emits":     func(ctx context.Context) (pageCmd, error) { return pageCmd{}, graph.Emit(ctx, "late") },
		"goes away": func(context.Context) (pageCmd, error) { return page.Goto("nowhere"), nil },
	}
	for name, end := range ends {
		for _, c := range company {
			t.Run(name+" "+c.name, func(t *testing.T) {
				release, begun := make(chan struct{}), make(chan struct{}, 1)
				var woken atomic.Int32
				g := pageGraph(t, &graph.Config{Grace: time.Millisecond}, func(b *graph.Builder[Page]) {
					beside(b, c.nodes)
					b.AddNode("deaf", func(ctx context.Context, _ Page) (pageCmd, error) {
						begun <- struct{}{}
						<-release
						defer woken.Add(1)
						return end(ctx)
					}, &graph.NodeConfig{Goto: []string{"next"}})
					b.AddEdge(graph.Start, "deaf")
					b.AddNode("next", appends("next"), nil)
					b.AddChoice("deaf", func(Page) string { return graph.End }, graph.End)
				})
				ctx, cancel := context.WithCancel(context.Background())
				go func() { <-begun; cancel() }()
				var last graph.Event
				var failed error
				for e, err := range g.Stream(ctx, graph.Input(pageX.Append("in")), nil) {
					if err != nil {
						failed = err
						continue
					}
					last = e
					if _, ok := e.(*graph.RunFinished); ok {
						close(release) // it wakes while the end is being told
					}
				}
				require.ErrorIs(t, failed, graph.ErrLeftBehind)
				require.IsType(t, &graph.RunFinished{}, last, "nothing is told behind the run's end")
				require.Eventually(t, func() bool { return woken.Load() == 1 }, 5*time.Second, time.Millisecond)
				for range 10 {
					out, err := g.Invoke(t.Context(), nil, nil)
					_ = err // it depends on how the node ends, which is at once now
					require.NotContains(t, out.State.X, "in")
					<-begun
				}
			})
		}
	}
}

// A node that emits and emits must not keep the run from ending.
func TestProbeDeafNodeThatFillsTheStream(t *testing.T) {
	release := make(chan struct{})
	g := pageGraph(t, &graph.Config{Grace: 10 * time.Millisecond}, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"flood": func(ctx context.Context, _ Page) (pageCmd, error) {
			for {
				select {
				case <-release:
					return pageCmd{}, nil
				default:
					_ = graph.Emit(ctx, "drop")
				}
			}
		}})
	})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		var last error
		for _, err := range g.Stream(ctx, nil, nil) {
			last = err
		}
		ended <- last
	}()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, graph.ErrLeftBehind)
	case <-time.After(20 * time.Second):
		t.Fatal("the stream does not end")
	}
	close(release)
}

// A slow reader of a stream is not the fault of the nodes that wait for it.
func TestProbeSlowReaderDoesNotMakeNodesDeaf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"chatty": func(ctx context.Context, _ Page) (pageCmd, error) {
				for range 1000 {
					if err := graph.Emit(ctx, "word"); err != nil {
						return pageCmd{}, err
					}
				}
				return pageCmd{}, nil
			}})
		})
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		var last error
		for _, err := range g.Stream(ctx, nil, nil) {
			time.Sleep(3 * time.Second)
			last = err
		}
		require.ErrorIs(t, last, context.DeadlineExceeded)
		require.NotErrorIs(t, last, graph.ErrLeftBehind)
	})
}
