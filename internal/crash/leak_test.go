package crash_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

var runs = flag.Int("runs", 10_000, "how many runs are made before goroutines and memory are counted")

// errEnough is why runs are cancelled.
var errEnough = errors.New("enough")

// hazards compiles a graph whose node, beside others, does what the thread's
// name says: it asks, fails, waits for its end or is just done.
func hazards() (*sheetGraph, error) {
	inner := graph.New(sheets)
	inner.AddNode("risk", func(ctx context.Context, _ Sheet) (sheetCmd, error) {
		i, err := graph.Task(ctx)
		if err != nil {
			return sheetCmd{}, err
		}
		switch i.Thread[0] {
		case 'a':
			_, err = graph.Interrupt[string](ctx, "why", "question")
		case 'f':
			err = errFlaky
		case 'p':
			panic("for the test")
		case 'c':
			<-ctx.Done()
			err = context.Cause(ctx)
		}
		return sheet.Update(sheetLog.Append(i.Node)), err
	}, nil)
	edges(inner, "START>risk")
	sub, err := inner.Compile(nil)
	if err != nil {
		return nil, err
	}
	b := graph.New(sheets)
	for _, name := range []string{"left", "right"} {
		b.AddNode(name, func(context.Context, Sheet) (sheetCmd, error) {
			return sheet.Update(sheetLog.Append(name)), nil
		}, nil)
	}
	graph.AddSubgraph[Sheet, Sheet](b, "sub", sub, nil)
	edges(b, "START>left", "START>sub", "START>right")
	return b.Compile(nil)
}

// hazard makes one run, in a way that goes by its number, and says what is
// wrong with its end.
func hazard(g *sheetGraph, i int) error {
	kind := "dafpct"[i%6]
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	cfg := &graph.RunConfig{Thread: fmt.Sprintf("%c%d", kind, i), Durability: modes[i/6%3].mode}
	if kind == 'c' {
		time.AfterFunc(time.Duration(i%7)*100*time.Microsecond, func() { cancel(errEnough) })
	}
	want := map[byte]error{'d': nil, 'a': graph.ErrInterrupted, 'f': errFlaky, 'c': graph.ErrCancelled, 't': nil}[kind]
	_, err := g.Invoke(ctx, input(), cfg)
	var panicked *graph.PanicError
	if kind == 'p' && errors.As(err, &panicked) || kind != 'p' && errors.Is(err, want) {
		err = nil
	}
	if err == nil && kind == 'a' && i%4 == 1 {
		_, err = g.Resume(ctx, graph.Answer("because"), cfg)
	}
	if err == nil && kind == 't' {
		for range g.Stream(ctx, input(), cfg) {
			break // the stream is left
		}
	}
	return err
}

// TestNothingIsLeftBehind counts goroutines and memory before and after many
// runs that end in all ways there are.
func TestNothingIsLeftBehind(t *testing.T) {
	store := checkpoint.NewMemory(nil)
	g, err := hazards()
	require.NoError(t, err)
	g = g.On(store, nil)
	batch := func(from, to int) {
		var all sync.WaitGroup
		for k := range 4 {
			all.Go(func() {
				for i := from + k; i < to; i += 4 {
					if err := hazard(g, i); err != nil {
						t.Errorf("run %d: %v", i, err)
						return
					}
				}
			})
		}
		all.Wait()
		for info := range threadsOf(t, store) {
			require.NoError(t, store.Delete(t.Context(), info))
		}
	}
	before := runtime.NumGoroutine()
	batch(0, 600) // what is kept for later runs is there then
	start := heap()
	batch(600, 600+*runs)
	requireGoroutines(t, before)
	grown := int64(heap()) - int64(start)
	t.Logf("%d runs; the heap has grown by %d bytes from %d", *runs, grown, start)
	require.Less(t, grown, int64(1<<20))
}

// threadsOf returns the names of all threads of a store.
func threadsOf(t *testing.T, s checkpoint.Store) map[string]bool {
	out := map[string]bool{}
	for info, err := range graph.Threads(t.Context(), s) {
		require.NoError(t, err)
		out[info.Thread] = true
	}
	return out
}

// heap returns how many bytes are in use once the garbage is gone.
func heap() uint64 {
	var m runtime.MemStats
	for range 3 { // pools are emptied in two rounds
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// ending is a store in which a context ends while it is used.
type ending struct {
	checkpoint.Store
	claim, load func()
}

func (e *ending) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	e.claim()
	return e.Store.Claim(ctx, thread, busy)
}

func (e *ending) Load(ctx context.Context, log checkpoint.Log, at int64) (*checkpoint.Loaded, error) {
	e.load()
	return e.Store.Load(ctx, log, at)
}

// TestTheCauseOfTheEndIsTold also where the context ends within the store.
func TestTheCauseOfTheEndIsTold(t *testing.T) {
	t.Parallel()
	g, err := hazards()
	require.NoError(t, err)
	for _, where := range []string{"claim", "load"} {
		t.Run(where, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			end, none := func() { cancel(errEnough) }, func() {}
			s := &ending{checkpoint.NewMemory(nil), none, end}
			if where == "claim" {
				s.claim, s.load = end, none
			}
			_, err := g.On(s, nil).Invoke(ctx, input(), &graph.RunConfig{Thread: "done"})
			require.ErrorIs(t, err, graph.ErrCancelled)
			require.ErrorIs(t, err, errEnough)
			w, err := s.Store.Claim(t.Context(), "done", checkpoint.Reject)
			require.NoError(t, err)
			require.NoError(t, w.Release())
		})
	}
}
