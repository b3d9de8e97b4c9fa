package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// lossy is the state of the graph that the table of docs/durability.md is
// about: START leads to a, a to b and c side by side, both to d.
type lossy struct {
	Log []string `json:"log"`
}

var (
	lossyLog    = state.NewList("log", func(s *lossy) *[]string { return &s.Log })
	lossySchema = state.MustSchema(lossyLog)
	lossyCmd    graph.Commands[lossy]
)

// stage is one run of the graph, with hooks in its nodes.
type stage struct {
	mu    sync.Mutex
	ran   []string // nodes, by name
	paid  int      // how often the effect within Once was done
	hooks map[string]func(ctx context.Context) error
}

func (s *stage) note(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran = append(s.ran, name)
}

// seen returns the nodes that ran, sorted, and forgets them.
func (s *stage) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.ran)
	defer func() { s.ran = nil }()
	return strings.Join(s.ran, " ")
}

func (s *stage) graph(t *testing.T, store checkpoint.Store) *graph.Graph[lossy] {
	b := graph.New(lossySchema)
	for _, name := range []string{"a", "b", "c", "d"} {
		b.AddNode(name, func(ctx context.Context, _ lossy) (graph.Command[lossy], error) {
			s.note(name)
			if hook := s.hooks[name]; hook != nil {
				if err := hook(ctx); err != nil {
					return lossyCmd.Update(), err
				}
			}
			return lossyCmd.Update(lossyLog.Append(name)), nil
		}, nil)
	}
	b.AddEdge(graph.Start, "a")
	b.AddEdge("a", "b")
	b.AddEdge("a", "c")
	b.AddJoin([]string{"b", "c"}, "d")
	g, err := b.Compile(&graph.Config{Store: store})
	require.NoError(t, err)
	return g
}

// pay does an effect once a task.
func (s *stage) pay(ctx context.Context) error {
	_, err := graph.Once(ctx, "pay", func(context.Context) (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.paid++
		return true, nil
	})
	return err
}

// stalling is a store whose writes, once it is told to stall, wait until it is
// told to go on: as a disk that is slow when the power fails.
type stalling struct {
	checkpoint.Store
	mu   sync.Mutex
	free sync.Cond
	hold bool
}

func newStalling() *stalling {
	s := &stalling{Store: checkpoint.NewMemory(nil)}
	s.free.L = &s.mu
	return s
}

func (s *stalling) set(hold bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = hold
	s.free.Broadcast()
}

func (s *stalling) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	w, err := s.Store.Claim(ctx, thread, busy)
	return &stallingWriter{w, s}, err
}

type stallingWriter struct {
	checkpoint.Writer
	s *stalling
}

func (w *stallingWriter) Append(ctx context.Context, parts []checkpoint.Part) error {
	w.s.mu.Lock()
	for w.s.hold {
		w.s.free.Wait()
	}
	w.s.mu.Unlock()
	return w.Writer.Append(ctx, parts)
}

// blackout is the moment at which a process dies: what the store has then is
// copied to the thread "after", and the run that goes on is not looked at any
// more. What a killed process leaves is just this; internal/crash kills real
// ones.
type blackout struct {
	*testing.T
	store *stalling
	first stage
	then  stage // the process that goes on
}

func (b *blackout) strike(context.Context) error {
	err := b.store.Copy(context.Background(), "t", "after")
	b.store.set(false)
	if errors.Is(err, checkpoint.ErrNotFound) {
		return nil
	}
	return err
}

// pending waits until so many entries are pending on the thread.
func (b *blackout) pending(n int) {
	for range 2000 {
		l, err := b.store.Load(context.Background(), checkpoint.Log{Thread: "t"}, 0)
		require.NoError(b, err)
		if len(l.Pending) >= n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	b.Fatalf("%d entries never came", n)
}

// resume goes on with what was left, in a new process, and tells what ran.
func (b *blackout) resume() string {
	g := b.then.graph(b.T, b.store)
	out, err := g.Resume(context.Background(), graph.Answers{}, &graph.RunConfig{Thread: "after"})
	if errors.Is(err, graph.ErrUnknown) {
		return "lost"
	}
	require.NoError(b, err)
	require.Equal(b, []string{"a", "b", "c", "d"}, out.State.Log, "whatever is lost, the state is right")
	return b.then.seen()
}

// TestDurabilityTable is the table of docs/durability.md: for each mode and
// moment what a process runs that goes on behind a killed one.
func TestDurabilityTable(t *testing.T) {
	t.Parallel()
	modes := map[string]graph.Durability{"sync": graph.DurabilitySync, "async": graph.DurabilityAsync, "exit": graph.DurabilityExit}
	for _, row := range []struct {
		moment string
		set    func(b *blackout, mode string)
		want   map[string]string // by mode: the nodes that run again or for the first time
	}{
		{"between two steps", func(b *blackout, mode string) {
			b.first.hooks = map[string]func(context.Context) error{"d": func(ctx context.Context) error {
				if mode == "async" {
					b.pendingCommit(1)
				}
				return b.strike(ctx)
			}}
		}, map[string]string{"sync": "d", "async": "d or more", "exit": "lost"}},
		{"in a task", func(b *blackout, mode string) {
			b.first.hooks = map[string]func(context.Context) error{"a": func(ctx context.Context) error {
				if mode == "async" {
					b.pendingCommit(1)
				}
				return b.strike(ctx)
			}}
		}, map[string]string{"sync": "a b c d", "async": "a b c d", "exit": "lost"}},
		{"in a task, its sibling done", func(b *blackout, mode string) {
			b.first.hooks = map[string]func(context.Context) error{"c": func(ctx context.Context) error {
				if mode != "exit" {
					b.pending(1)
				}
				return b.strike(ctx)
			}}
		}, map[string]string{"sync": "c d", "async": "c d", "exit": "lost"}},
		{"with steps that wait for the disk", func(b *blackout, mode string) {
			if mode == "async" {
				b.first.hooks = map[string]func(context.Context) error{
					"a": func(context.Context) error { b.pendingCommit(1); b.store.set(true); return nil },
					"d": b.strike,
				}
				return
			}
			b.first.hooks = map[string]func(context.Context) error{"d": b.strike}
		}, map[string]string{"sync": "d", "async": "a b c d", "exit": "lost"}},
	} {
		for mode, want := range row.want {
			t.Run(row.moment+"/"+mode, func(t *testing.T) {
				t.Parallel()
				b := &blackout{T: t, store: newStalling()}
				row.set(b, mode)
				g := b.first.graph(t, b.store)
				_, err := g.Invoke(context.Background(), nil, &graph.RunConfig{Thread: "t", Durability: modes[mode]})
				require.NoError(t, err)
				got := b.resume()
				if want == "d or more" {
					require.Contains(t, []string{"d", "b c d", "b d", "c d", "a b c d"}, got)
					return
				}
				require.Equal(t, want, got)
			})
		}
	}
}

// pendingCommit waits until the thread has a commit.
func (b *blackout) pendingCommit(n int64) {
	for range 2000 {
		l, err := b.store.Load(context.Background(), checkpoint.Log{Thread: "t"}, 0)
		require.NoError(b, err)
		if l.Head >= n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	b.Fatalf("commit %d never came", n)
}

// TestDurabilityOfOnce: what Once has kept when a process dies is not done
// again, but in exit mode.
func TestDurabilityOfOnce(t *testing.T) {
	t.Parallel()
	for mode, want := range map[graph.Durability]string{graph.DurabilitySync: "kept", graph.DurabilityAsync: "kept", graph.DurabilityExit: "lost"} {
		b := &blackout{T: t, store: newStalling()}
		b.first.hooks = map[string]func(context.Context) error{"a": func(ctx context.Context) error {
			if err := b.first.pay(ctx); err != nil {
				return err
			}
			return b.strike(ctx)
		}}
		b.then.hooks = map[string]func(context.Context) error{"a": b.then.pay}
		_, err := b.first.graph(t, b.store).Invoke(context.Background(), nil, &graph.RunConfig{Thread: "t", Durability: mode})
		require.NoError(t, err)
		if b.resume() == "lost" {
			require.Equal(t, want, "lost")
			continue
		}
		require.Equal(t, 1, b.first.paid)
		require.Zero(t, b.then.paid, "mode %d", mode)
	}
}

// TestDurabilityOfEnds: however a run ends in its process, all that was done is
// kept in every mode.
func TestDurabilityOfEnds(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, mode := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
		for _, end := range []struct {
			how  string
			hook func(ctx context.Context, cancel context.CancelFunc, drain chan struct{}) error
			want error
			left string
		}{
			{"a failure", func(context.Context, context.CancelFunc, chan struct{}) error { return broken }, broken, "c d"},
			{"a pause", func(ctx context.Context, _ context.CancelFunc, _ chan struct{}) error {
				_, err := graph.Interrupt[string](ctx, "", "go on?")
				return err
			}, graph.ErrInterrupted, "c d"},
			{"a cancelled context", func(ctx context.Context, cancel context.CancelFunc, _ chan struct{}) error {
				cancel()
				<-ctx.Done()
				return ctx.Err()
			}, graph.ErrCancelled, "c d"},
			{"a drain", func(_ context.Context, _ context.CancelFunc, drain chan struct{}) error {
				close(drain)
				return nil
			}, graph.ErrDrained, "d"},
		} {
			t.Run(fmt.Sprintf("%s/%d", end.how, mode), func(t *testing.T) {
				t.Parallel()
				store, s, drain := newStalling(), &stage{}, make(chan struct{})
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				done := make(chan struct{})
				s.hooks = map[string]func(context.Context) error{
					"b": func(context.Context) error { close(done); return nil },
					"c": func(ctx context.Context) error {
						<-done // the other one returns, within the grace period
						return end.hook(ctx, cancel, drain)
					},
				}
				_, err := s.graph(t, store).Invoke(ctx, nil, &graph.RunConfig{Thread: "t", Durability: mode, Drain: drain})
				require.ErrorIs(t, err, end.want)
				s.seen()
				s.hooks = nil
				var answer graph.Answers
				if end.want == graph.ErrInterrupted {
					answer = graph.Answer("yes")
				}
				out, err := s.graph(t, store).Resume(context.Background(), answer, &graph.RunConfig{Thread: "t", Durability: mode})
				require.NoError(t, err)
				require.Equal(t, []string{"a", "b", "c", "d"}, out.State.Log)
				require.Equal(t, end.left, s.seen())
			})
		}
	}
}
