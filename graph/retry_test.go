package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// retried runs a node that always fails and returns when its attempts began,
// counted from the first.
func retried(t *testing.T, p *graph.RetryPolicy, err error) (began []time.Duration, failed error) {
	t.Helper()
	start := time.Now()
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("a", func(ctx context.Context, _ Page) (pageCmd, error) {
			began = append(began, time.Since(start))
			info, err2 := graph.Task(ctx)
			require.NoError(t, err2)
			require.Equal(t, len(began), info.Attempt)
			require.Equal(t, "1.0", info.Task, "the same in every attempt")
			return page.Update(pageX.Append("not kept")), err
		}, &graph.NodeConfig{Retry: p})
		b.AddEdge(graph.Start, "a")
	})
	out, failed := run(g)
	require.Empty(t, out.State.X)
	return began, failed
}

func TestRetryIntervals(t *testing.T) {
	s := func(seconds ...float64) (out []time.Duration) {
		for _, x := range seconds {
			out = append(out, time.Duration(x*float64(time.Second)))
		}
		return out
	}
	cases := []struct {
		name   string
		policy graph.RetryPolicy
		want   []time.Duration
	}{
		{"the defaults", graph.RetryPolicy{}, s(0, 0.5, 1.5)},
		{"doubling", graph.RetryPolicy{MaxAttempts: 5, InitialInterval: time.Second}, s(0, 1, 3, 7, 15)},
		{"factor", graph.RetryPolicy{MaxAttempts: 4, InitialInterval: time.Second, Backoff: 3}, s(0, 1, 4, 13)},
		{"a factor below one", graph.RetryPolicy{MaxAttempts: 4, InitialInterval: time.Second, Backoff: 0.5}, s(0, 1, 2, 3)},
		{"most", graph.RetryPolicy{MaxAttempts: 5, InitialInterval: time.Second, MaxInterval: 2500 * time.Millisecond}, s(0, 1, 3, 5.5, 8)},
		{"most is 30 seconds", graph.RetryPolicy{MaxAttempts: 4, InitialInterval: 20 * time.Second}, s(0, 20, 50, 80)},
		{"most is less than the first", graph.RetryPolicy{InitialInterval: time.Minute, MaxInterval: time.Second}, s(0, 1, 2)},
		{"no most", graph.RetryPolicy{MaxAttempts: 4, InitialInterval: 20 * time.Second, MaxInterval: -1}, s(0, 20, 60, 140)},
		{"no interval", graph.RetryPolicy{MaxAttempts: 4, InitialInterval: -1}, s(0, 0, 0, 0)},
		{"one attempt", graph.RetryPolicy{MaxAttempts: 1}, s(0)},
		{"no attempt begins too late", graph.RetryPolicy{MaxAttempts: -1, InitialInterval: time.Second, MaxElapsed: 7 * time.Second}, s(0, 1, 3, 7)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c.policy.NoJitter = true
				began, err := retried(t, &c.policy, errBroken)
				require.Equal(t, c.want, began)
				require.ErrorIs(t, err, errBroken)
				n := len(c.want)
				require.Equal(t, n, placed(t, err).Attempt)
				if n > 1 {
					require.EqualError(t, err, fmt.Sprintf(`graph: step 1: node "a": after %d attempts: broken`, n))
				}
			})
		})
	}
}

func TestRetryIntervalsNeverOverflow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		began, _ := retried(t, &graph.RetryPolicy{MaxAttempts: 4, InitialInterval: time.Second, Backoff: math.MaxFloat64, NoJitter: true}, errBroken)
		require.Len(t, began, 4)
		require.Equal(t, 61*time.Second, began[3])
	})
}

func TestRetryJitterIsInTheUpperHalf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		seen := map[time.Duration]bool{}
		for range 50 {
			began, _ := retried(t, &graph.RetryPolicy{MaxAttempts: 2, InitialInterval: time.Second}, errBroken)
			require.GreaterOrEqual(t, began[1], 500*time.Millisecond)
			require.Less(t, began[1], time.Second)
			seen[began[1]] = true
		}
		require.Greater(t, len(seen), 40)
	})
}

// sayingError says itself whether another attempt may heal it.
type sayingError bool

func (sayingError) Error() string     { return "saying" }
func (e sayingError) Retryable() bool { return bool(e) }

func TestRetryOnlyWhatMayHeal(t *testing.T) {
	permanent := errors.New("permanent")
	custom := func(err error) bool { return !errors.Is(err, permanent) }
	cases := []struct {
		name    string
		err     error
		retryOn func(error) bool
		again   bool
	}{
		{"an error", errBroken, nil, true},
		{"a timeout", graph.ErrTimeout, nil, true},
		{"a deadline of the node's own", context.DeadlineExceeded, nil, true},
		{"cancellation", context.Canceled, nil, false},
		{"a panic's error", &graph.PanicError{Value: 1}, nil, false},
		{"a budget", fmt.Errorf("tokens: %w", graph.ErrLimit), nil, false},
		{"a recursion limit", graph.ErrRecursionLimit, nil, false},
		{"a wrong update", graph.ErrInvalidUpdate, nil, false},
		{"an undeclared target", graph.ErrUndeclared, nil, false},
		{"a changed view", graph.ErrMutated, nil, false},
		{"a type of line", graph.ErrLineType, nil, false},
		{"a missing store", graph.ErrNoStore, nil, false},
		{"an error that says it may heal", fmt.Errorf("call: %w", sayingError(true)), nil, true},
		{"an error that says it does not", fmt.Errorf("call: %w", sayingError(false)), nil, false},
		{"by a condition of the node's own: yes", errBroken, custom, true},
		{"by a condition of the node's own: no", permanent, custom, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.retryOn == nil {
				require.Equal(t, c.again, graph.Retryable(c.err))
			}
			began, err := retried(t, &graph.RetryPolicy{InitialInterval: -1, RetryOn: c.retryOn}, c.err)
			require.Equal(t, c.again, len(began) == 3)
			require.ErrorIs(t, err, c.err)
		})
	}
}

func TestRetryThatSucceeds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls := 0
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("a", func(_ context.Context, s Page) (pageCmd, error) {
				if calls++; calls < 3 {
					return page.Update(pageX.Append("not kept")), errBroken
				}
				return page.Goto("b", pageX.Append("a")), nil
			}, &graph.NodeConfig{Retry: &graph.RetryPolicy{}, Goto: []string{"b"}})
			b.AddEdge(graph.Start, "a")
			nodes(b, "b")
		})
		var attempts []int
		for e, err := range graph.Tasks(g.Stream(context.Background(), nil, nil)) {
			require.NoError(t, err)
			if r, ok := e.(*graph.TaskRetried); ok {
				require.ErrorIs(t, r.Err, errBroken)
				attempts = append(attempts, r.Attempt)
			}
		}
		require.Equal(t, []int{1, 2}, attempts)
	})
}

func TestRetryEndsWithTheRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("a", fails(errBroken), &graph.NodeConfig{Retry: &graph.RetryPolicy{MaxAttempts: -1}})
			b.AddEdge(graph.Start, "a")
			b.AddErrorHandler("a", func(context.Context, Page, *graph.Error) (pageCmd, error) {
				t.Error("a cancelled task is not handled")
				return pageCmd{}, nil
			})
		})
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		began := time.Now()
		out, err := g.Invoke(ctx, nil, nil)
		require.Equal(t, time.Hour, time.Since(began))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, graph.OutcomeCancelled, out.Outcome)
	})
}

func TestTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var cause error
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("a", func(ctx context.Context, _ Page) (pageCmd, error) {
				deadline, ok := ctx.Deadline()
				require.True(t, ok)
				require.Equal(t, time.Second, time.Until(deadline))
				<-ctx.Done()
				cause = context.Cause(ctx)
				return page.Update(pageX.Append("too late")), nil
			}, &graph.NodeConfig{Timeout: time.Second})
			b.AddEdge(graph.Start, "a")
		})
		out, err := run(g)
		require.EqualError(t, err, `graph: step 1: node "a": timeout of 1s`)
		require.ErrorIs(t, err, graph.ErrTimeout)
		require.Equal(t, graph.KindTimeout, placed(t, err).Kind())
		require.ErrorIs(t, cause, graph.ErrTimeout)
		require.Empty(t, out.State.X, "what an attempt returns after its timeout does not count")
	})
}

// Each attempt has a timeout of its own; when the last one is over the error
// handler stands in, with the node's own view and the error of that attempt.
func TestTimeoutRetryAndHandlerTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls := 0
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("a", func(ctx context.Context, s Page) (pageCmd, error) {
				calls++
				<-ctx.Done()
				return pageCmd{}, ctx.Err()
			}, &graph.NodeConfig{Timeout: time.Second, Retry: &graph.RetryPolicy{InitialInterval: time.Second, NoJitter: true}, Goto: []string{"rescue"}})
			b.AddErrorHandler("a", func(_ context.Context, s Page, failed *graph.Error) (pageCmd, error) {
				require.ErrorIs(t, failed, graph.ErrTimeout)
				require.Equal(t, "a", failed.Node)
				require.Equal(t, 3, failed.Attempt)
				return page.Goto("rescue", pageX.Append("handled "+s.X[0])), nil
			})
			nodes(b, "rescue", "next")
			lead(b, "START>a", "a>next")
		})
		began := time.Now()
		require.Equal(t, []string{"in", "handled in", "next", "rescue"}, done(t, g, pageX.Append("in")).X)
		require.Equal(t, 3, calls)
		require.Equal(t, 6*time.Second, time.Since(began), "three attempts, one and two seconds between them")
	})
}

func TestRetryWhileAnEarlierAttemptIsDeaf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls atomic.Int32
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("a", func(ctx context.Context, s Page) (pageCmd, error) {
				if calls.Add(1) == 1 {
					<-release
					return page.Update(pageX.Append("late")), graph.Emit(ctx, "late")
				}
				return page.Update(pageX.Append("in time")), nil
			}, &graph.NodeConfig{Timeout: time.Second, Retry: &graph.RetryPolicy{InitialInterval: -1}})
			b.AddNode("b", func(context.Context, Page) (pageCmd, error) {
				close(release)
				time.Sleep(time.Second)
				return pageCmd{}, nil
			}, nil)
			lead(b, "START>a", "a>b")
		})
		require.Equal(t, []string{"in time"}, done(t, g).X)
	})
}

func TestErrorHandler(t *testing.T) {
	handled := func(h graph.ErrorHandler[Page]) *graph.Graph[Page] {
		return pageGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("a", fails(errBroken), &graph.NodeConfig{Goto: []string{"b"}, Send: []string{"b"}})
			b.AddErrorHandler("a", h)
			nodes(b, "b", "next")
			b.AddNode("z", appends("z"), nil)
			lead(b, "START>a", "START>z", "a>next")
		})
	}
	t.Run("its command counts as the node's", func(t *testing.T) {
		g := handled(func(context.Context, Page, *graph.Error) (pageCmd, error) {
			return page.All(page.Goto("b", pageX.Append("h")), page.Send(page.To("b"))), nil
		})
		require.Equal(t, []string{"h", "z", "b", "next", "b"}, done(t, g).X)
	})
	t.Run("its error fails the run and tells of both", func(t *testing.T) {
		worse := errors.New("worse")
		_, err := run(handled(func(context.Context, Page, *graph.Error) (pageCmd, error) { return pageCmd{}, worse }))
		require.ErrorIs(t, err, worse)
		require.ErrorIs(t, err, errBroken)
		require.EqualError(t, err, `graph: step 1: node "a": error handler: worse (called for: broken)`)
	})
	t.Run("its targets are those of the node", func(t *testing.T) {
		_, err := run(handled(func(context.Context, Page, *graph.Error) (pageCmd, error) { return page.Goto("z"), nil }))
		require.ErrorIs(t, err, graph.ErrUndeclared)
	})
	t.Run("it is called for panics", func(t *testing.T) {
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"a": panics("oh")})
			b.AddErrorHandler("a", func(_ context.Context, _ Page, failed *graph.Error) (pageCmd, error) {
				return page.Update(pageV.Set(failed.Error())), nil
			})
		})
		require.Equal(t, `graph: step 1: node "a": panic: oh`, done(t, g).V)
	})
	t.Run("it is not called for a conflict, which comes later", func(t *testing.T) {
		g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"a": gives(page.Update(pageV.Set("a"))), "b": gives(page.Update(pageV.Set("b")))})
			b.AddErrorHandler("a", func(context.Context, Page, *graph.Error) (pageCmd, error) { return pageCmd{}, nil })
		})
		_, err := run(g)
		require.ErrorIs(t, err, state.ErrConflict)
	})
	t.Run("its siblings go on", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
				beside(b, map[string]pageNode{"a": fails(errBroken), "slow": sleeps(time.Hour, page.Update(pageX.Append("slow")))})
				b.AddErrorHandler("a", func(context.Context, Page, *graph.Error) (pageCmd, error) { return pageCmd{}, nil })
			})
			require.Equal(t, []string{"slow"}, done(t, g).X)
		})
	})
}
