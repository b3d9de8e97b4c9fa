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
	"github.com/graphrun/graphrun/graphfile"
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

// play plays a case in this way.
func (w *way) play(t *testing.T, c *conformance.Case, d *library) {
	t.Helper()
	histories := conformance.OneRowAStep
	if w.mode == graph.DurabilityExit {
		histories = conformance.OneRowARun
	}
	if d.mode = w.mode; w.anew {
		d.anew = c.Graph
	}
	require.NoError(t, c.Play(d, histories))
}

// loaded loads the graph of a case.
func loaded(t *testing.T, c *conformance.Case) *graphfile.File {
	t.Helper()
	f, err := graphfile.Parse(c.Name, c.Graph, nil)
	require.NoError(t, err)
	return f
}

// TestConformance plays the recorded cases on the library, with a store in
// memory for each. What the nodes sleep takes no time.
func TestConformance(t *testing.T) {
	t.Parallel()
	all := recordedCases(t)
	for _, w := range []way{
		{name: "sync"},
		{name: "sync, read anew", anew: true},
		{name: "async", mode: graph.DurabilityAsync},
		{name: "exit", mode: graph.DurabilityExit},
	} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			passed := 0
			for _, c := range all {
				if t.Run(c.Name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w.play(t, c, &library{file: loaded(t, c), store: checkpoint.NewMemory(nil), thread: "t"})
					})
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
	files := make([]*graphfile.File, len(all))
	for i, c := range all {
		files[i] = loaded(t, c)
	}
	for _, w := range []way{
		{name: "sync"},
		{name: "async", mode: graph.DurabilityAsync},
	} {
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
			for i, c := range all {
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					w.play(t, c, &library{file: files[i], store: store, thread: c.Name})
					passed.Add(1)
				})
			}
		})
	}
}
