package graphfile_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/conformance"
)

// recordedCases reads all of them.
func recordedCases(t *testing.T) []*conformance.Case {
	t.Helper()
	all, err := conformance.Read("../testdata/conformance", "*-[0-9]*")
	require.NoError(t, err)
	require.Len(t, all, 400)
	return all
}

// way is a way to play a case.
type way struct {
	name string
	mode graph.Durability
	anew bool // read the graph anew for every operation
}

func ways() []way {
	return []way{
		{name: "sync"},
		{name: "sync, read anew", anew: true},
		{name: "async", mode: graph.DurabilityAsync},
		{name: "exit", mode: graph.DurabilityExit},
	}
}

// play plays a case in this way.
func (w *way) play(t *testing.T, c *conformance.Case, store checkpoint.Store, thread string) {
	t.Helper()
	histories := conformance.OneRowAStep
	if w.mode == graph.DurabilityExit {
		histories = conformance.OneRowARun
	}
	d := &library{name: c.Name, text: c.Graph, store: store, thread: thread, mode: w.mode, anew: w.anew}
	require.NoError(t, c.Play(d, histories))
}

// TestConformance plays the recorded cases on the library, with a store in
// memory for each. What the nodes sleep takes no time.
func TestConformance(t *testing.T) {
	t.Parallel()
	all := recordedCases(t)
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			passed := 0
			for _, c := range all {
				if t.Run(c.Name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { w.play(t, c, checkpoint.NewMemory(nil), "t") })
				}) {
					passed++
				}
			}
			t.Logf("%d of %d recorded cases agree", passed, len(all))
		})
	}
}

// TestConformanceOnSQLite plays them on threads of one file, several at once.
func TestConformanceOnSQLite(t *testing.T) {
	t.Parallel()
	all := recordedCases(t)
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "threads.db")
			store, err := sqlite.Open(t.Context(), file, &sqlite.Config{Synchronous: sqlite.Normal})
			require.NoError(t, err)
			var passed atomic.Int32
			t.Cleanup(func() {
				require.NoError(t, store.Close())
				t.Logf("%d of %d recorded cases agree", passed.Load(), len(all))
			})
			for _, c := range all {
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					w.play(t, c, store, c.Name)
					passed.Add(1)
				})
			}
		})
	}
}
