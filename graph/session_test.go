package graph_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

var sesCount = flag.Int("sessions", 0, "how many random sessions are run in memory, a fifteenth of them in SQLite; 0: a number for everyday runs")
var sesSeed = flag.Uint64("session", 0, "the one seed of a session to run; 0: many")

// sesTooMany is how many runs of nodes a session may come to.
const sesTooMany = 1500

// TestRandomSessionsDoWhatTheReferenceDoes compares random sessions on random
// graphs: what every operation says, and all that can be read behind it.
func TestRandomSessionsDoWhatTheReferenceDoes(t *testing.T) {
	store := checkpoint.NewMemory(nil)
	runSessions(t, sesNumber(550), store)
}

func TestRandomSessionsInSQLite(t *testing.T) {
	store, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "sessions.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	runSessions(t, max(sesNumber(550)/15, 1), store)
}

func sesNumber(everyday int) int {
	switch {
	case *sesCount > 0:
		return *sesCount
	case testing.Short():
		return everyday / 10
	}
	return everyday
}

func runSessions(t *testing.T, count int, store checkpoint.Store) {
	t.Helper()
	began, tally := time.Now(), map[string]int{}
	for seed := uint64(1); seed <= uint64(count); seed++ {
		if *sesSeed != 0 {
			seed, count = *sesSeed, 0
		}
		err := runSession(store, seed, nil, newSesOps(seed), tally)
		if err == nil {
			err = emptied(store)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n\nmade smaller:\n%s", seed, err, shrinkSession(seed))
		}
	}
	t.Logf("%d sessions in %v: %v", count, time.Since(began).Round(time.Millisecond), tally)
}

// runSession runs a session on the graph of a seed, of which cuts were made.
func runSession(store checkpoint.Store, seed uint64, cuts []int, ops []sesOp, tally map[string]int) error {
	w, err := newSesWorld(store, seed, cuts, tally)
	if err != nil {
		return err
	}
	for i := range ops {
		if err := w.do(&ops[i]); err != nil {
			return fmt.Errorf("operation %d: %w\n%s%s", i, err, w.spec, strings.Join(w.trace, "\n"))
		}
		if w.nodes > sesTooMany {
			tally[tooLong]++
			break
		}
	}
	if err := w.listed(); err != nil {
		return fmt.Errorf("%w\n%s%s", err, w.spec, strings.Join(w.trace, "\n"))
	}
	return nil
}

// errCut says that a cut does nothing, or leaves no graph.
var errCut = errors.New("no such cut")

func newSesWorld(store checkpoint.Store, seed uint64, cuts []int, tally map[string]int) (*sesWorld, error) {
	s := newSesSpec(seed)
	for _, i := range cuts {
		if all := s.cuts(); i >= len(all) || !all[i]() {
			return nil, errCut
		}
	}
	w := &sesWorld{
		sesBuild: newSesBuild(s, store), spec: s, threads: fmt.Sprintf("%d ", seed),
		ref: map[string]*refLog{}, tally: tally,
	}
	var err error
	if w.g, w.f, err = w.compile(s); err != nil {
		return nil, fmt.Errorf("%w: %w", errCut, err)
	}
	return w, nil
}

// listed compares the list of the store's threads.
func (w *sesWorld) listed() error {
	left := len(w.ref)
	for info, err := range graph.Threads(context.Background(), w.store) {
		if err != nil {
			return err
		}
		log := w.ref[info.Thread]
		if log == nil {
			if strings.HasPrefix(info.Thread, w.threads) {
				return fmt.Errorf("there is a thread %q", info.Thread)
			}
			continue
		}
		left--
		head := log.head()
		if err := errors.Join(same("thread's checkpoint", info.Checkpoint, log.name[head.id]), same("thread's checkpoints", info.Checkpoints, len(log.rows)),
			same("thread's step", info.Step, head.step), same("thread's next", info.Next, dueNames(head.tasks)), w.check(info.Thread)); err != nil {
			return err
		}
	}
	for _, log := range w.ref {
		if log == nil {
			left--
		}
	}
	return same("threads missing", left, 0)
}

// emptied removes all threads of a store.
func emptied(store checkpoint.Store) error {
	logs, err := store.Logs(context.Background(), checkpoint.LogQuery{})
	for _, l := range logs {
		err = errors.Join(err, store.Delete(context.Background(), l.Thread))
	}
	return err
}

// TestSessionsLeaveTheSameBytes runs sessions on one processor and on several:
// all that is stored is the same, to the byte.
func TestSessionsLeaveTheSameBytes(t *testing.T) {
	count := max(sesNumber(550)/10, 1)
	for seed := uint64(1); seed <= uint64(count); seed++ {
		first := ""
		for _, n := range []int{1, 2, 8} {
			store := checkpoint.NewMemory(nil)
			before := runtime.GOMAXPROCS(n)
			err := runSession(store, seed, nil, newSesOps(seed), map[string]int{})
			runtime.GOMAXPROCS(before)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			bytes, err := stored(store)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if first == "" {
				first = bytes
			}
			if bytes != first {
				t.Fatalf("seed %d on %d processors:\n%s\non one:\n%s", seed, n, bytes, first)
			}
		}
	}
}

// stored writes down all that a store holds, but for the times.
func stored(store checkpoint.Store) (string, error) {
	var b strings.Builder
	ctx := context.Background()
	threads, err := store.Logs(ctx, checkpoint.LogQuery{})
	for _, thread := range threads {
		logs, bad := store.Logs(ctx, checkpoint.LogQuery{Thread: thread.Thread})
		err = errors.Join(err, bad)
		for _, l := range logs {
			rows, bad := store.List(ctx, checkpoint.Query{Log: l.Log, Bodies: true})
			err = errors.Join(err, bad)
			for _, c := range rows {
				fmt.Fprintf(&b, "%q %d behind %d, on %d, step %d, %s: %s %s\n", l.Log, c.Seq, c.Parent, c.Base, c.Step, c.Source, c.Meta, c.Body)
			}
			now, bad := store.Load(ctx, l.Log, 0)
			if err = errors.Join(err, bad); err != nil {
				return "", err
			}
			for _, p := range now.Pending {
				fmt.Fprintf(&b, "  %s: %s\n", p.Key, p.Body)
			}
		}
	}
	return b.String(), err
}
