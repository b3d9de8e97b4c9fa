package graph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// busy is a small graph with something of everything: siblings, a retry, an
// emitted value, a send, a subgraph.
func busy(t testing.TB) *graph.Graph[Page] {
	sub := pageGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "inner") })
	return pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("a", func(ctx context.Context, _ Page) (pageCmd, error) {
			return page.Send(page.To("w", pageItem.Set("1"))), graph.Emit(ctx, map[string]any{"half": 0.5})
		}, &graph.NodeConfig{Send: []string{"w"}})
		b.AddNode("b", func(ctx context.Context, _ Page) (pageCmd, error) {
			if info, err := graph.Task(ctx); err != nil || info.Attempt == 1 {
				return pageCmd{}, errors.Join(errBroken, err)
			}
			return page.Update(pageX.Append("b"), pageSum.Add(2), pageV.Set("v"), pageX.Append("b2")), nil
		}, &graph.NodeConfig{Retry: &graph.RetryPolicy{InitialInterval: -1}})
		nodes(b, "w")
		graph.AddSubgraph[Page, Page](b, "host", sub, nil)
		lead(b, "START>a", "START>b", "w>host")
	})
}

// collect runs a graph and returns its events, sorted by their places.
func collect(g *graph.Graph[Page], cfg *graph.RunConfig) (events []graph.Event, failed error) {
	for e, err := range g.Stream(context.Background(), graph.Input(pageX.Append("in")), cfg) {
		if err != nil {
			failed = err
			continue
		}
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b graph.Event) int { return graph.HeadOf(a).Pos.Compare(graph.HeadOf(b).Pos) })
	return events, failed
}

func TestStreamLog(t *testing.T) {
	g := busy(t)
	for i := range 20 {
		events, err := collect(g, &graph.RunConfig{Thread: "t"})
		require.NoError(t, err)
		var text, plain []byte
		for _, e := range events {
			text, err = graph.AppendDebugLines(text, e)
			require.NoError(t, err)
			plain, err = graph.AppendLines(plain, e)
			require.NoError(t, err)
		}
		if i > 0 && *update {
			break
		}
		golden(t, "busy_debug.jsonl", string(text))
		golden(t, "busy.jsonl", string(plain))
	}
}

func TestStreamLogOfAFailure(t *testing.T) {
	begun := make(chan struct{})
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		chain(b, "a")
		b.AddNode("bad", func(context.Context, Page) (pageCmd, error) {
			<-begun // so that both begin in every run
			return pageCmd{}, errBroken
		}, nil)
		b.AddNode("ok", func(ctx context.Context, s Page) (pageCmd, error) {
			close(begun)
			return waits()(ctx, s)
		}, nil)
		lead(b, "a>bad", "a>ok")
	})
	events, err := collect(g, nil)
	require.ErrorIs(t, err, errBroken)
	var text []byte
	for _, e := range events {
		var bad error
		text, bad = graph.AppendDebugLines(text, e)
		require.NoError(t, bad)
	}
	golden(t, "failed_debug.jsonl", string(text))
}

func TestStreamNumbersItsEvents(t *testing.T) {
	next := int64(1)
	for e, err := range busy(t).Stream(context.Background(), nil, nil) {
		require.NoError(t, err)
		require.Equal(t, next, graph.HeadOf(e).Seq)
		next++
	}
	require.Greater(t, next, int64(15))
}

func TestStreamTellsWhatInvokeReturns(t *testing.T) {
	for name, work := range map[string]pageNode{"done": appends("a"), "failed": fails(errBroken)} {
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, map[string]pageNode{"a": work}) })
		out, want := run(g)
		var end *graph.RunFinished
		var got error
		for e, err := range g.Stream(context.Background(), nil, nil) {
			if err != nil {
				require.Nil(t, e)
				got = err
				continue
			}
			require.Nil(t, got, "the error comes last")
			end, _ = e.(*graph.RunFinished)
		}
		require.NotNil(t, end, name)
		require.Equal(t, want, got)
		require.Equal(t, want, end.Err)
		require.Equal(t, out.Outcome, end.Outcome)
		require.Equal(t, out.Next, end.Next)
	}
}

// Leaving the loop at any event cancels the run and leaves no goroutine.
func TestStreamLeftAtEveryEvent(t *testing.T) {
	total := 0
	for range busy(t).Stream(context.Background(), nil, nil) {
		total++
	}
	before := runtime.NumGoroutine()
	g := busy(t)
	for n := 1; n <= total; n++ {
		seen := 0
		for _, err := range g.Stream(context.Background(), nil, nil) {
			require.NoError(t, err)
			if seen++; seen == n {
				break
			}
		}
		require.Equal(t, n, seen)
	}
	settled(t, before)
}

func TestStreamLeftCancelsTheRun(t *testing.T) {
	var cause error
	ended := false
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("a", func(ctx context.Context, _ Page) (pageCmd, error) {
			<-ctx.Done()
			cause, ended = context.Cause(ctx), true
			return pageCmd{}, ctx.Err()
		}, nil)
		b.AddEdge(graph.Start, "a")
	})
	for range g.Stream(context.Background(), nil, nil) {
		break
	}
	require.True(t, ended, "the loop is left when the run has ended")
	require.ErrorIs(t, cause, graph.ErrStreamClosed)
}

// A node that emits waits for the reader: memory stays bounded.
func TestStreamSlowReader(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var emitted atomic.Int32
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"chatty": func(ctx context.Context, _ Page) (pageCmd, error) {
				for i := range 10_000 {
					if err := graph.Emit(ctx, i); err != nil {
						return pageCmd{}, err
					}
					emitted.Add(1)
				}
				return pageCmd{}, nil
			}})
		})
		read := 0
		for e, err := range g.Stream(context.Background(), nil, nil) {
			require.NoError(t, err)
			c, ok := e.(*graph.Custom)
			if !ok {
				continue
			}
			require.Equal(t, read, c.Value, "in order, none is lost")
			if read++; read%1000 == 1 {
				synctest.Wait() // the node is as far ahead as it can be
				require.LessOrEqual(t, int(emitted.Load()), read+100)
			}
		}
		require.Equal(t, 10_000, read)
	})
}

// A node that waits for the reader of a stream hears of its context's end.
func TestEmitEndsWithTheContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got error
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"chatty": func(ctx context.Context, _ Page) (pageCmd, error) {
				for got == nil {
					got = graph.Emit(ctx, "word")
				}
				return pageCmd{}, got
			}})
		})
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		for e := range g.Stream(ctx, nil, nil) {
			if _, ok := e.(*graph.Custom); ok && ctx.Err() == nil {
				synctest.Wait()
				cancel(why)
				time.Sleep(time.Minute)
			}
		}
		require.ErrorIs(t, got, why)
	})
}

func TestEmitFromManyGoroutines(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": func(ctx context.Context, _ Page) (pageCmd, error) {
			errs := make(chan error)
			for i := range 8 {
				go func() { errs <- graph.Emit(ctx, i) }()
			}
			var all error
			for range 8 {
				all = errors.Join(all, <-errs)
			}
			return pageCmd{}, all
		}})
	})
	var got []any
	places := map[string]bool{}
	for c, err := range graph.Customs(g.Stream(context.Background(), nil, nil)) {
		require.NoError(t, err)
		got = append(got, c.Value)
		places[fmt.Sprint(c.Pos)] = true
	}
	require.ElementsMatch(t, []any{0, 1, 2, 3, 4, 5, 6, 7}, got)
	require.Len(t, places, 8)
	require.Empty(t, done(t, g).X, "without a stream emitting does nothing")
}

func TestProjections(t *testing.T) {
	g := busy(t)
	ctx, in := context.Background(), graph.Input(pageX.Append("in"))
	t.Run("Values", func(t *testing.T) {
		var got []string
		for s, err := range graph.Values[Page](g.Stream(ctx, in, nil)) {
			require.NoError(t, err)
			got = append(got, strings.Join(s.X, " "))
		}
		require.Equal(t, []string{"in", "in b b2", "in b b2 w", "in b b2 w inner"}, got)
	})
	t.Run("Values of another type", func(t *testing.T) {
		for _, err := range graph.Values[Draft](g.Stream(ctx, in, nil)) {
			require.EqualError(t, err, "graph: Values: the graph's state is a graph_test.Page, not a graph_test.Draft")
			return
		}
		t.Fatal("no error")
	})
	t.Run("Updates", func(t *testing.T) {
		got := map[string]string{}
		for u, err := range graph.Updates(g.Stream(ctx, in, nil)) {
			require.NoError(t, err)
			text, err := u.Update.MarshalJSON()
			require.NoError(t, err)
			got[strings.Join(append(u.NS, u.Node), "/")] = string(text) + " " + strings.Join(u.Update.Fields(), ",")
		}
		require.Equal(t, map[string]string{
			"a": "{} ", "b": `{"x":["b","b2"],"sum":2,"v":"v"} x,sum,v`, "w": `{"x":["w"]} x`,
			"host/inner": `{"x":["inner"]} x`, "host": `{"x":["inner"]} x`,
		}, got)
	})
	t.Run("Customs", func(t *testing.T) {
		n := 0
		for c, err := range graph.Customs(g.Stream(ctx, in, nil)) {
			require.NoError(t, err)
			require.Equal(t, "a", c.Node)
			require.Equal(t, map[string]any{"half": 0.5}, c.Value)
			n++
		}
		require.Equal(t, 1, n)
	})
	t.Run("Tasks", func(t *testing.T) {
		got := map[string]int{}
		for e, err := range graph.Tasks(g.Stream(ctx, in, nil)) {
			require.NoError(t, err)
			got[strings.TrimPrefix(fmt.Sprintf("%T", e), "*graph.")]++
		}
		require.Equal(t, map[string]int{"TaskStarted": 5, "TaskRetried": 1, "TaskFinished": 5}, got)
	})
	t.Run("Debug", func(t *testing.T) {
		lines := 0
		for text, err := range graph.Debug(g.Stream(ctx, in, nil)) {
			require.NoError(t, err)
			require.Equal(t, byte('\n'), text[len(text)-1])
			lines++
		}
		require.Greater(t, lines, 15)
	})
	t.Run("errors pass through", func(t *testing.T) {
		bad := pageGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, map[string]pageNode{"a": fails(errBroken)}) })
		stream := bad.Stream(ctx, nil, nil)
		var errs []error
		for _, err := range graph.Customs(stream) {
			errs = append(errs, err)
		}
		for _, err := range graph.Debug(stream) {
			if err != nil {
				errs = append(errs, err)
			}
		}
		require.Len(t, errs, 2)
		require.ErrorIs(t, errs[0], errBroken)
		require.ErrorIs(t, errs[1], errBroken)
	})
	t.Run("a projection that is left ends the run", func(t *testing.T) {
		before := runtime.NumGoroutine()
		for range graph.Tasks(g.Stream(ctx, in, nil)) {
			break
		}
		for range graph.Debug(g.Stream(ctx, in, nil)) {
			break
		}
		for range graph.Values[Page](g.Stream(ctx, in, nil)) {
			break
		}
		settled(t, before)
	})
}

func TestEmittedValuesThatAreNoJSON(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{"a": func(ctx context.Context, _ Page) (pageCmd, error) {
			return pageCmd{}, graph.Emit(ctx, func() {})
		}})
	})
	var failed error
	for _, err := range graph.Debug(g.Stream(context.Background(), nil, nil)) {
		failed = errors.Join(failed, err)
	}
	require.ErrorContains(t, failed, `graph: event "custom" of node "a" cannot be written as JSON`)
}

// The states and updates of events stay as they are when the run goes on.
func TestEventsAreNotTouchedLater(t *testing.T) {
	events, err := collect(busy(t), nil)
	require.NoError(t, err)
	var before []string
	read := func() (out []string) {
		for _, e := range events {
			line, err := graph.AppendDebugLines(nil, e)
			require.NoError(t, err)
			out = append(out, string(line))
		}
		return out
	}
	before = read()
	for range 5 {
		_, err = collect(busy(t), nil)
		require.NoError(t, err)
	}
	require.Equal(t, before, read())
}
