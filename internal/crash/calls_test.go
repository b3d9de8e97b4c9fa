package crash_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/graph"
)

var stride = flag.Int("stride", 0, "with SQLite, let only every N-th call of the store fail, kill sessions only at every N-th moment; 0: as is fit for every day")

// everyNth is the stride that the flag gives, else one for every day.
func everyNth(day int) int {
	if *stride > 0 {
		return *stride
	}
	return day
}

var errInjected = errors.New("injected failure")

// grip is a store whose writers can be taken from whoever has them, as when a
// process dies.
type grip struct {
	checkpoint.Store

	mu      sync.Mutex
	writers []checkpoint.Writer
}

func (g *grip) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	w, err := g.Store.Claim(ctx, thread, busy)
	if err == nil {
		g.mu.Lock()
		g.writers = append(g.writers, w)
		g.mu.Unlock()
	}
	return w, err
}

func (g *grip) release() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var err error
	for _, w := range g.writers {
		err = errors.Join(err, w.Release())
	}
	g.writers = nil
	return err
}

// strike is one disturbance: the n-th call of the store fails.
type strike struct {
	graph string
	mode  graph.Durability
	n     int
	after bool // once it was carried out
	ref   *reference
	store checkpoint.Store

	call string // the name of the call that failed; "": there were fewer
	seen bool   // the thread was looked at behind it
}

// play runs the graph with the failure, then to its end without.
func (s *strike) play(ctx context.Context) error {
	w := &world{ledger: &ledger{}}
	d, err := newDrive(s.graph, w, s.mode)
	if err != nil {
		return err
	}
	d.stream = s.n%3 == 0
	grip := &grip{Store: s.store}
	f := checkpointtest.NewFailing(grip)
	f.FailAt(s.n, errInjected, s.after)
	watch := &watch{mode: s.mode}
	for range mostTurns {
		m, err := d.next(ctx, s.store)
		if errors.Is(err, errOver) {
			return s.settle(ctx, d, watch)
		}
		if err != nil {
			return err
		}
		w.ledger.begin()
		if s.call != "" {
			err = expected(d.run(ctx, s.store, m))
		} else if err = d.run(ctx, f, m); f.Count() >= s.n {
			s.call = f.Calls()[s.n-1]
			err = s.struck(ctx, err, grip)
		} else {
			err = expected(err)
		}
		if err == nil {
			err = errors.Join(s.look(ctx, d, watch), d.tell(ctx, s.store))
		}
		if err != nil {
			return fmt.Errorf("turn %d: %w", w.ledger.turn, err)
		}
	}
	return fmt.Errorf("the thread is not done after %d turns", mostTurns)
}

// struck says what is wrong with the end of the run whose call has failed.
func (s *strike) struck(ctx context.Context, err error, g *grip) error {
	var placed *graph.Error
	switch {
	case errors.Is(err, errInjected):
		if !errors.Is(err, graph.ErrStore) || !errors.As(err, &placed) || placed.Kind() != graph.KindStore {
			return fmt.Errorf("the run's error is not one of the store: %w", err)
		}
	case expected(err) != nil:
		return fmt.Errorf("the run's error does not tell what failed: %w", err)
	case s.call != "Release" && s.call != "Load": // a Load may have been retried
		return fmt.Errorf("the run's error is %v: it hides that %s failed", err, s.call)
	}
	if s.call == "Release" {
		err = g.release()
		return err
	}
	w, err := s.store.Claim(ctx, thread, checkpoint.Reject)
	if err != nil {
		return fmt.Errorf("the thread is not free: %w", err)
	}
	return w.Release()
}

// look says what is wrong with the thread between two turns: with its past,
// behind the one that was struck.
func (s *strike) look(ctx context.Context, d *drive, w *watch) error {
	much := standing
	if s.call != "" && !s.seen {
		much, s.seen = past, true
	}
	c, err := read(ctx, d.graph, s.store, thread, much)
	if err != nil {
		return err
	}
	if err := errors.Join(s.ref.begins(c), d.plans(ctx, s.store)); err != nil {
		return err
	}
	lines, err := d.world.ledger.effects()
	if err != nil {
		return err
	}
	return w.after(lines, c)
}

// settle says what is wrong at the end.
func (s *strike) settle(ctx context.Context, d *drive, w *watch) error {
	if err := d.tell(ctx, s.store); err != nil {
		return err
	}
	much := past
	if s.n%3 == 1 { // which takes long
		much = whole
	}
	c, err := read(ctx, d.graph, s.store, thread, much)
	if err != nil {
		return err
	}
	lines, err := d.world.ledger.effects()
	if err != nil {
		return err
	}
	return errors.Join(s.ref.equals(c), s.ref.outcome(d.world.ledger, lines), w.check(s.ref, lines))
}

// patience is how long a disturbed run may take before it counts as hung.
const patience = 60 * time.Second

// guarded fails the test, with all stacks, if a strike hangs.
func (s *strike) guarded(t *testing.T, ctx context.Context) error {
	hung := time.AfterFunc(patience, func() {
		stacks := make([]byte, 1<<20)
		panic(fmt.Sprintf("%s: call %d (after: %v) hangs\n%s", t.Name(), s.n, s.after, stacks[:runtime.Stack(stacks, true)]))
	})
	defer hung.Stop()
	return s.play(ctx)
}

// strikeAll lets every step-th call of a store fail, from one on, each in a
// drive of its own, and returns how many there were.
func strikeAll(t *testing.T, name string, mode graph.Durability, after bool, from, step int, open func(t *testing.T) checkpoint.Store) (struck int) {
	ref := undisturbed(t, name, mode)
	faults := 0
	for n := from; ; n += step {
		s := &strike{graph: name, mode: mode, n: n, after: after, ref: ref, store: open(t)}
		ctx, cancel := context.Background(), func() {}
		if n%2 == 0 {
			ctx, cancel = context.WithCancel(ctx)
		}
		err := s.guarded(t, ctx)
		cancel()
		if err != nil {
			t.Errorf("call %d, %s: %.3000v", n, s.call, err)
			if faults++; faults == 3 {
				t.FailNow()
			}
		}
		if s.call == "" {
			break
		}
		struck++
	}
	return struck
}

// strikeEach disturbs all graphs in all modes, some of them at once, and counts
// the calls. No goroutine may be left behind.
func strikeEach(t *testing.T, strike func(t *testing.T, i int, name string, mode graph.Durability, after bool) int) {
	before := runtime.NumGoroutine()
	var total atomic.Int64
	t.Run("all", func(t *testing.T) {
		for i, m := range modes {
			for k, name := range graphNames {
				for _, after := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/after=%v", m.name, name, after), func(t *testing.T) {
						t.Parallel()
						n := strike(t, i+k, name, m.mode, after)
						t.Logf("%d calls", n)
						total.Add(int64(n))
					})
				}
			}
		}
	})
	requireGoroutines(t, before)
	t.Logf("%d calls in all", total.Load())
}

// requireGoroutines waits until there are no more goroutines than before.
func requireGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("goroutines are left behind: there were %d\n%s", before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestEveryCallOfAStoreInMemory(t *testing.T) {
	inMemory := func(*testing.T) checkpoint.Store { return checkpoint.NewMemory(nil) }
	step := 1
	if unwatched(t) {
		step = 3 // all fail there; it is only races that are looked for here
	}
	strikeEach(t, func(t *testing.T, i int, name string, mode graph.Durability, after bool) int {
		return strikeAll(t, name, mode, after, 1+i%step, step, inMemory)
	})
}
