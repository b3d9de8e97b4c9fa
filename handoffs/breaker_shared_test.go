package handoffs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// ward is a team on a store whose lead calls a worker once in each run. Its
// threads share a BreakerStore.
type ward struct {
	testing.TB
	graph *graph.Graph[team]
	team  *handoffs.Team[team]
	now   atomic.Int64                    // seconds since noon
	work  func(ctx context.Context) error // of the worker
	calls atomic.Int64                    // of the worker
}

var wardNoon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func newWard(t testing.TB, store handoffs.BreakerStore, p handoffs.BreakerPolicy, more ...handoffs.Edge) *ward {
	w := &ward{TB: t, work: func(context.Context) error { return nil }}
	p.Key, p.Reset = handoffs.BreakTarget, time.Minute
	var err error
	w.team, err = handoffs.NewTeam(handoffs.TeamConfig[team]{
		Fields: fields, Policy: &handoffs.Policy{Entry: "lead", Breaker: &p, Edges: more, Limits: handoffs.Limits{Handoffs: 9}}, Breakers: store,
		Clock:  func() time.Time { return wardNoon.Add(time.Duration(w.now.Load()) * time.Second) },
		Agents: []handoffs.Agent[team]{{Profile: handoffs.Profile{ID: "lead"}, Node: w.lead}, {Profile: handoffs.Profile{ID: "worker"}, Node: w.worker}},
	})
	require.NoError(t, err)
	w.graph, err = w.team.Compile(schema, &graph.Config{Store: checkpoint.NewMemory(nil)})
	require.NoError(t, err)
	return w
}

func (w *ward) lead(ctx context.Context, s team) (graph.Command[team], error) {
	if s.Turn.Number > 1 {
		return do.Update(), nil
	}
	ws, err := w.team.Emit(ctx, s, kind(handoffs.Call, "worker"))
	return do.Update(ws...), err
}

func (w *ward) worker(ctx context.Context, _ team) (graph.Command[team], error) {
	w.calls.Add(1)
	return do.Update(), w.work(ctx)
}

func (w *ward) fails() *ward {
	w.work = func(context.Context) error { return errors.New("out of order") }
	return w
}

// run runs a thread of its own and tells which codes its handoffs were refused
// or failed with.
func (w *ward) run(thread string) (codes []handoffs.Code, err error) {
	res, err := w.graph.Invoke(w.Context(), nil, &graph.RunConfig{Thread: thread})
	return wardCodes(&res.State), err
}

func wardCodes(s *team) (codes []handoffs.Code) {
	for _, e := range s.HandoffLog {
		if e.Code != "" {
			codes = append(codes, e.Code)
		}
	}
	return codes
}

func (w *ward) ends(thread string, want ...handoffs.Code) {
	w.Helper()
	codes, err := w.run(thread)
	require.NoError(w, err)
	require.Equal(w, want, codes, thread)
}

// loaded returns the breaker of the worker as the store has it.
func loaded(t testing.TB, store handoffs.BreakerStore) handoffs.Breaker {
	all, _, err := store.Load(t.Context())
	require.NoError(t, err)
	return all["target:worker"]
}

func memoryBreakers() handoffs.BreakerStore {
	return handoffs.SharedBreakers(checkpoint.NewMemoryItems(nil), "")
}

// What one thread has failed at is closed for the others, of other teams too,
// until a probe of any of them is good.
func TestSharedBreakerIsOpenForAllThreads(t *testing.T) {
	store := memoryBreakers()
	bad, good := newWard(t, store, handoffs.BreakerPolicy{Threshold: 2}).fails(), newWard(t, store, handoffs.BreakerPolicy{Threshold: 2})
	bad.ends("1", handoffs.CodeFailed)
	require.Equal(t, 1, loaded(t, store).Failures)
	bad.ends("2", handoffs.CodeFailed)
	require.Equal(t, handoffs.BreakerOpen, loaded(t, store).State)
	bad.ends("3", handoffs.CodeBreaker)
	good.ends("1", handoffs.CodeBreaker)
	require.Equal(t, int64(2), bad.calls.Load())
	require.Zero(t, good.calls.Load())

	good.now.Store(60)
	good.ends("2")
	require.Equal(t, handoffs.Breaker{}, loaded(t, store))
	good.ends("3")
	require.Equal(t, int64(2), good.calls.Load())

	own := newWard(t, nil, handoffs.BreakerPolicy{Threshold: 1}).fails()
	own.ends("1", handoffs.CodeFailed)
	own.ends("2", handoffs.CodeFailed)
}

// The log of the thread whose failure opened it tells so, and nobody else's.
func TestSharedBreakerIsLoggedWhereItChanges(t *testing.T) {
	store := memoryBreakers()
	w := newWard(t, store, handoffs.BreakerPolicy{Threshold: 3}).fails()
	for i := range 4 {
		thread := fmt.Sprint(i)
		_, err := w.run(thread)
		require.NoError(t, err)
		snap, err := w.graph.State(t.Context(), thread, "")
		require.NoError(t, err)
		stats := handoffs.Statistics(handoffs.LogOf(snap.Values.HandoffLog), &snap.Values.Handoffs)
		require.Equal(t, map[bool]int{true: 1}[i == 2], stats.Openings, "thread %d", i)
	}
}

// Probes of all threads count together.
func TestSharedBreakerCountsProbesOfAllThreads(t *testing.T) {
	store := memoryBreakers()
	w := newWard(t, store, handoffs.BreakerPolicy{Threshold: 1, Probes: 2, Successes: 2}).fails()
	w.ends("0", handoffs.CodeFailed)
	w.now.Store(60)
	begun, end := make(chan struct{}), make(chan struct{})
	w.work = func(context.Context) error {
		begun <- struct{}{}
		<-end
		return nil
	}
	var both sync.WaitGroup
	for _, thread := range []string{"1", "2"} {
		both.Go(func() {
			_, err := w.run(thread)
			assert.NoError(t, err)
		})
	}
	<-begun
	<-begun
	require.Equal(t, 2, loaded(t, store).Probing)
	w.ends("3", handoffs.CodeBreaker)
	close(end)
	both.Wait()
	require.Equal(t, handoffs.Breaker{}, loaded(t, store))
}

// meddler is a BreakerStore that lets something happen before it swaps, and
// fails as it is told to.
type meddler struct {
	handoffs.BreakerStore
	before     func()
	load, swap error
	after      error         // that is told of a swap that was made
	late       time.Duration // of what was loaded
	lost       atomic.Int64  // swaps that came too late
}

func (m *meddler) Load(ctx context.Context) (map[string]handoffs.Breaker, string, error) {
	if m.load != nil {
		return nil, "", m.load
	}
	defer time.Sleep(m.late)
	return m.BreakerStore.Load(ctx)
}

func (m *meddler) Swap(ctx context.Context, version string, all map[string]handoffs.Breaker) (bool, error) {
	if m.swap != nil {
		return false, m.swap
	}
	if before := m.before; before != nil {
		m.before = nil
		before()
	}
	ok, err := m.BreakerStore.Swap(ctx, version, all)
	if !ok {
		m.lost.Add(1)
	}
	if err == nil {
		err = m.after
	}
	return ok, err
}

// A step that another thread's comes before is decided anew: the one probe is
// taken, a failure adds to the other one.
func TestSharedBreakerIsDecidedAnew(t *testing.T) {
	store := memoryBreakers()
	other, m := newWard(t, store, handoffs.BreakerPolicy{Threshold: 2}).fails(), &meddler{BreakerStore: store}
	w := newWard(t, m, handoffs.BreakerPolicy{Threshold: 2}).fails()
	m.before = func() { other.ends("1", handoffs.CodeFailed) }
	w.ends("1", handoffs.CodeFailed)
	require.Equal(t, 2, loaded(t, store).Failures)
	require.Equal(t, handoffs.BreakerOpen, loaded(t, store).State)

	w.now.Store(60)
	other.now.Store(60)
	m.before = func() { other.ends("2", handoffs.CodeFailed) } // the probe
	w.ends("2", handoffs.CodeBreaker)
	require.Equal(t, int64(1), w.calls.Load())
	require.Equal(t, int64(2), m.lost.Load())
	require.Equal(t, 3, loaded(t, store).Failures)
}

// The failures of all count, and nothing is left at work.
func TestSharedBreakerCountsFailuresOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &meddler{BreakerStore: memoryBreakers(), late: time.Second}
		failAtOnce(t, 50, m)
		require.Positive(t, m.lost.Load(), "they met")
	})
}

func TestSharedBreakerCountsInOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "breakers.db")
	var stores []handoffs.BreakerStore
	for range 2 {
		s, err := sqlite.Open(t.Context(), path, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		stores = append(stores, handoffs.SharedBreakers(s.Items(), "crew"))
	}
	failAtOnce(t, 10, stores...)
	require.Equal(t, loaded(t, stores[0]), loaded(t, stores[1]))
}

// failAtOnce lets n threads for each store fail, all at once.
func failAtOnce(t *testing.T, n int, stores ...handoffs.BreakerStore) {
	var all sync.WaitGroup
	for _, store := range stores {
		w := newWard(t, store, handoffs.BreakerPolicy{Threshold: 1000}).fails()
		for i := range n {
			all.Go(func() {
				_, err := w.run(fmt.Sprint(i))
				assert.NoError(t, err)
			})
		}
	}
	all.Wait()
	require.Equal(t, n*len(stores), loaded(t, stores[0]).Failures)
}

// wardPath names the file of the breakers for a process of this test that fails
// five times.
const wardPath = "HANDOFFS_WARD"

func TestSharedBreakerCountsOverProcesses(t *testing.T) {
	path := os.Getenv(wardPath)
	child := path != ""
	if !child {
		path = filepath.Join(t.TempDir(), "breakers.db")
	}
	s, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	store := handoffs.SharedBreakers(s.Items(), "")
	var other *exec.Cmd
	if !child {
		exe, err := os.Executable()
		require.NoError(t, err)
		other = exec.CommandContext(t.Context(), exe, "-test.run=^TestSharedBreakerCountsOverProcesses$")
		other.Env, other.Stderr = append(os.Environ(), wardPath+"="+path), os.Stderr
		require.NoError(t, other.Start())
	}
	w := newWard(t, store, handoffs.BreakerPolicy{Threshold: 1000}).fails()
	for i := range 5 {
		w.ends(fmt.Sprint(i), handoffs.CodeFailed)
	}
	if !child {
		require.NoError(t, other.Wait())
		require.Equal(t, 10, loaded(t, store).Failures)
		newWard(t, store, handoffs.BreakerPolicy{Threshold: 1}).fails().ends("opens", handoffs.CodeFailed)
		w.ends("rejected", handoffs.CodeBreaker)
	}
}

// Where the store fails the run does, in the node that needed it, and goes on
// when it is back. What was stored although it failed counts twice.
func TestSharedBreakerStoreFails(t *testing.T) {
	down := errors.New("the disk is gone")
	for name, spoil := range map[string]func(*meddler, error){
		"Load": func(m *meddler, err error) { m.load = err }, "Swap": func(m *meddler, err error) { m.swap = err },
		"after Swap": func(m *meddler, err error) { m.after = err },
	} {
		m := &meddler{BreakerStore: memoryBreakers()}
		w := newWard(t, m, handoffs.BreakerPolicy{Threshold: 9}).fails()
		spoil(m, down)
		_, err := w.run("t")
		var at *graph.Error
		require.ErrorAs(t, err, &at, name)
		require.Equal(t, handoffs.NodeProcess, at.Node)
		require.Equal(t, graph.KindStore, at.Kind())
		require.ErrorIs(t, err, graph.ErrStore)
		require.ErrorIs(t, err, down)
		require.ErrorContains(t, err, "shared breakers")
		spoil(m, nil)
		res, err := w.graph.Resume(t.Context(), graph.Answers{}, &graph.RunConfig{Thread: "t"})
		require.NoError(t, err)
		require.Equal(t, []handoffs.Code{handoffs.CodeFailed}, wardCodes(&res.State))
		require.Equal(t, int64(1), w.calls.Load())
		require.Equal(t, map[bool]int{true: 2, false: 1}[name == "after Swap"], loaded(t, m).Failures, name)
	}
}

// A store that never keeps anything, and hears no context, does not hold up a run that is stopped.
func TestSharedBreakerEndsWithTheRun(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	tries := 0
	store := &stubborn{BreakerStore: memoryBreakers(), tried: func() { tries++; stop(why) }}
	w := newWard(t, store, handoffs.BreakerPolicy{}).fails()
	_, err := w.graph.Invoke(ctx, nil, &graph.RunConfig{Thread: "t"})
	require.ErrorIs(t, err, why)
	require.Equal(t, 1, tries)
}

type stubborn struct {
	handoffs.BreakerStore
	tried func()
}

func (s *stubborn) Load(context.Context) (map[string]handoffs.Breaker, string, error) {
	return s.BreakerStore.Load(context.Background())
}

func (s *stubborn) Swap(context.Context, string, map[string]handoffs.Breaker) (bool, error) {
	s.tried()
	return false, nil
}

// A person who approves a handoff is heard, whatever became of its breaker since
// it was asked for. It is a probe if one is due.
func TestSharedBreakerOpensWhileAPersonIsAsked(t *testing.T) {
	for now, want := range map[int64]handoffs.BreakerState{59: handoffs.BreakerOpen, 60: ""} {
		store := memoryBreakers()
		edge := handoffs.Edge{From: []string{"lead"}, To: []string{"worker"}, Approval: &handoffs.ApprovalPolicy{}}
		asked := newWard(t, store, handoffs.BreakerPolicy{Threshold: 1}, edge)
		_, err := asked.run("t")
		require.ErrorIs(t, err, graph.ErrInterrupted)
		newWard(t, store, handoffs.BreakerPolicy{Threshold: 1}).fails().ends("1", handoffs.CodeFailed)
		asked.now.Store(now)
		res, err := asked.graph.Resume(t.Context(), graph.Answer("approve"), &graph.RunConfig{Thread: "t"})
		require.NoError(t, err)
		require.Equal(t, graph.OutcomeDone, res.Outcome)
		require.Empty(t, wardCodes(&res.State))
		require.Equal(t, int64(1), asked.calls.Load())
		require.Equal(t, want, loaded(t, store).State, "after %d s", now)
	}
}

func TestSharedBreakersCanBeRefused(t *testing.T) {
	agents := []handoffs.Agent[team]{{Profile: handoffs.Profile{ID: "a"}, Node: func(context.Context, team) (graph.Command[team], error) { return do.Update(), nil }}}
	for want, p := range map[string]handoffs.Policy{
		"Policy.Breaker is nil": {},
		"under Policy.Virtual":  {Breaker: &handoffs.BreakerPolicy{}, Virtual: wardNoon},
	} {
		_, err := handoffs.NewTeam(handoffs.TeamConfig[team]{Fields: fields, Agents: agents, Policy: &p, Breakers: memoryBreakers()})
		require.ErrorContains(t, err, want)
	}
}

func TestSharedBreakersThatCannotBeRead(t *testing.T) {
	items := checkpoint.NewMemoryItems(nil)
	store := handoffs.SharedBreakers(items, "crew")
	require.NoError(t, items.Put(t.Context(), checkpoint.Item{NS: []string{"handoffs", "breakers"}, Key: "crew", Value: []byte(`[1]`)}))
	_, _, err := store.Load(t.Context())
	require.ErrorIs(t, err, checkpoint.ErrCorrupt)
	_, _, err = handoffs.SharedBreakers(nil, "").Load(t.Context())
	require.ErrorContains(t, err, "no memory")
	_, err = handoffs.SharedBreakers(nil, "").Swap(t.Context(), "", nil)
	require.ErrorContains(t, err, "no memory")
}
