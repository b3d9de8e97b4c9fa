package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

var errCrash = errors.New("injected failure")

// deathStore is a store whose writers can be taken from whoever has them, as when
// a process dies.
type deathStore struct {
	checkpoint.Store
	mu      sync.Mutex
	writers []checkpoint.Writer
}

func (s *deathStore) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	w, err := s.Store.Claim(ctx, thread, busy)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.writers = append(s.writers, w)
	}
	return w, err
}

// release frees all threads.
func (s *deathStore) release() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.writers {
		err = errors.Join(err, w.Release())
	}
	s.writers = nil
	return err
}

// left is all that a session leaves.
type left struct {
	ends   []string
	values string
	rows   []string // a checkpoint each
}

// crashRun takes a program's session to its end, whatever fails.
type crashRun struct {
	run    *progRun
	store  *deathStore
	faulty *checkpointtest.Failing // in place of the store until it has failed; nil: never
	struck bool
}

func newCrashRun(p *program, store checkpoint.Store, thread string) (*crashRun, error) {
	team, err := newProgTeam(p)
	if err != nil {
		return nil, err
	}
	return &crashRun{run: team.on(store, thread), store: &deathStore{Store: store}}, nil
}

// play lets the user say all that there is to say.
func (r *crashRun) play(ctx context.Context) (*left, error) {
	out := &left{}
	for n := range len(r.run.p.Inputs) + 1 {
		end, err := r.input(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", n, err)
		}
		out.ends = append(out.ends, end)
	}
	return out, r.look(ctx, out)
}

// input lets the user say something until it has been heard and worked on.
func (r *crashRun) input(ctx context.Context, n int) (string, error) {
	before, err := r.step(ctx)
	if err != nil {
		return "", err
	}
	again := false
	for range 5 {
		end, failed := r.once(ctx, n, again)
		if err := r.store.release(); err != nil {
			return "", err
		}
		if !errors.Is(failed, errCrash) {
			return end, failed
		}
		snap, err := r.snapshot(ctx)
		if err != nil {
			return "", err
		}
		again = snap != nil && snap.Step > before
		if again && len(snap.Tasks) == 0 {
			return "done", nil
		}
	}
	return "", errors.New("it does not come to an end")
}

// once makes one run: the user's input, or what is left of it.
func (r *crashRun) once(ctx context.Context, n int, again bool) (string, error) {
	var store checkpoint.Store = r.store
	if r.faulty != nil && !r.struck {
		store = r.faulty
	}
	g := r.run.graph.On(store, nil)
	cfg := &graph.RunConfig{Thread: r.run.cfg.Thread}
	in, err := r.run.input(n)
	if err != nil {
		return "", err
	}
	var res graph.Result[progState]
	if again {
		res, err = g.Resume(ctx, graph.Answers{}, cfg)
	} else {
		res, err = g.Invoke(ctx, in, cfg)
	}
	if errors.Is(err, errCrash) {
		r.struck = true
		return "", err
	}
	return endOf(res.Outcome, err)
}

func (r *crashRun) snapshot(ctx context.Context) (*graph.Snapshot[progState], error) {
	snap, err := r.run.graph.On(r.store, nil).State(ctx, r.run.cfg.Thread, "")
	if errors.Is(err, graph.ErrUnknown) {
		return nil, nil
	}
	return snap, err
}

// step is the number of the last checkpoint; -2: there is none.
func (r *crashRun) step(ctx context.Context) (int, error) {
	snap, err := r.snapshot(ctx)
	if err != nil || snap == nil {
		return -2, err
	}
	return snap.Step, nil
}

// look reads what the session has left: the state with plan, steps, log and
// messages, and the checkpoints.
func (r *crashRun) look(ctx context.Context, out *left) error {
	snap, err := r.snapshot(ctx)
	if err != nil {
		return err
	}
	values, err := json.Marshal(snap.Values)
	if err != nil {
		return err
	}
	out.values = string(values)
	commits, err := r.store.List(ctx, checkpoint.Query{Log: checkpoint.Log{Thread: r.run.cfg.Thread}})
	for _, c := range commits {
		out.rows = append(out.rows, fmt.Sprintf("%d behind %d, step %d, %s: %s", c.Seq, c.Parent, c.Step, c.Source, c.Meta))
	}
	return err
}

func (l *left) same(want *left) error {
	return errors.Join(sameTexts("ends", want.ends, l.ends), sameTexts("values", []string{want.values}, []string{l.values}), sameTexts("checkpoints", want.rows, l.rows))
}

// strikeAll lets every call of the store fail once before it was carried out and
// once behind it, each in a session of its own that is then gone on with.
func strikeAll(p *program, stores func() (checkpoint.Store, string)) (struck int, err error) {
	ctx := context.Background()
	play := func(n int, after bool) (*left, *crashRun, error) {
		store, thread := stores()
		r, err := newCrashRun(p, store, thread)
		if err != nil {
			return nil, nil, err
		}
		if n > 0 {
			r.faulty = checkpointtest.NewFailing(r.store)
			r.faulty.FailAt(n, errCrash, after)
		}
		l, err := r.play(ctx)
		return l, r, err
	}
	want, _, err := play(0, false)
	if err != nil {
		return 0, err
	}
	for n := 1; ; n++ {
		for _, after := range []bool{false, true} {
			got, r, err := play(n, after)
			if err == nil {
				err = got.same(want)
			}
			if err != nil {
				return struck, fmt.Errorf("call %d, carried out %v: %w", n, after, err)
			}
			if r.faulty.Count() < n {
				return struck, nil
			}
			struck++
		}
	}
}

// TestEveryCallOfTheStoreFailsInRandomPlans: what is left is what is left
// undisturbed: plan, steps, log, messages.
func TestEveryCallOfTheStoreFailsInRandomPlans(t *testing.T) {
	t.Parallel()
	total := 0
	for seed := uint64(40_000_001); seed <= uint64(40_000_000+max(planNumber(2000)/250, 1)); seed++ {
		p := newProgram(seed)
		n, err := strikeAll(p, func() (checkpoint.Store, string) { return checkpoint.NewMemory(nil), "t" })
		require.NoError(t, err, "seed %d: %s", seed, p)
		total += n
	}
	t.Log(total, "calls")
}

func TestEveryCallOfSQLiteFailsInRandomPlans(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "plans.db"), &sqlite.Config{Synchronous: sqlite.Normal})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	for _, seed := range []uint64{3, 11, 12} {
		n, err := strikeAll(newProgram(seed), func() (checkpoint.Store, string) {
			require.NoError(t, store.Delete(t.Context(), "t"))
			return store, "t" // ids are made of the thread's name
		})
		require.NoError(t, err, "seed %d: %s", seed, newProgram(seed))
		require.NotZero(t, n)
	}
}
