package graph_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

// entries is an index with a row for each new text of the log.
func entries(before, after desk) (rows []checkpoint.Row) {
	for i := len(before.Log); i < len(after.Log); i++ {
		rows = append(rows, checkpoint.Row{Table: "entries", Key: fmt.Sprint(i), Columns: []checkpoint.Column{
			{Name: "n", Value: int64(i)}, {Name: "text", Value: after.Log[i]},
		}})
	}
	return rows
}

// tables is a file with threads, which plain SQL reads.
type tables struct {
	*testing.T
	path  string
	store *sqlite.Store
}

func newTables(t *testing.T) *tables {
	s := &tables{T: t, path: filepath.Join(t.TempDir(), "threads.db")}
	s.reopen()
	t.Cleanup(func() { s.store.Close() })
	return s
}

func (s *tables) reopen() {
	var err error
	s.store, err = sqlite.Open(context.Background(), s.path, &sqlite.Config{Synchronous: sqlite.Normal})
	require.NoError(s, err)
}

// query returns the rows of a statement with one column of text. The store is
// closed meanwhile.
func (s *tables) query(statement string) (out []string) {
	s.Helper()
	require.NoError(s, s.store.Close())
	defer s.reopen()
	db, err := sql.Open("sqlite", s.path)
	require.NoError(s, err)
	defer db.Close()
	rows, err := db.Query(statement)
	require.NoError(s, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(s, rows.Scan(&text))
		out = append(out, text)
	}
	require.NoError(s, rows.Err())
	return out
}

const allEntries = `SELECT thread || ' #' || seq || ' ' || n || ' ' || text FROM entries ORDER BY thread, n`

func TestIndexRowsInSQLite(t *testing.T) {
	ctx, file := t.Context(), newTables(t)
	desk := func() *graph.Graph[desk] { return indexedDesk(t, file.store, entries) }
	_, err := desk().Invoke(ctx, graph.Input(deskLog.Append(".")), on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Equal(t, []string{"t #1 0 .", "t #2 1 a"}, file.query(allEntries))
	_, err = desk().Resume(ctx, graph.Answer("yes"), on("t"))
	require.NoError(t, err)
	_, err = desk().Fork(ctx, "t", "2", &graph.ForkConfig{To: "new"})
	require.NoError(t, err)
	all := []string{"new #4 0 .", "new #4 1 a", "t #1 0 .", "t #2 1 a", "t #3 2 b? yes"}
	require.Equal(t, all, file.query(allEntries))
	_, err = desk().Prune(ctx, "t", 1, graph.BusyReject)
	require.NoError(t, err)
	require.Equal(t, all, file.query(allEntries), "rows outlive the checkpoints that they came with")
	require.NoError(t, file.store.Check(ctx))
	require.NoError(t, file.store.Delete(ctx, "t"))
	require.Equal(t, all[:2], file.query(allEntries), "they go with their thread")
}

// A table that only the store knows to be its own is refused by it.
func TestIndexRowsForATableOfTheStore(t *testing.T) {
	file := newTables(t)
	g := indexedDesk(t, file.store, func(desk, desk) []checkpoint.Row { return []checkpoint.Row{{Table: "commits", Key: "k"}} })
	_, err := g.Invoke(t.Context(), nil, on("t"))
	require.ErrorIs(t, err, graph.ErrStore)
	require.ErrorIs(t, err, checkpoint.ErrInvalid)
	require.ErrorContains(t, err, `step 0: the store failed`)
	require.ErrorContains(t, err, `table "commits" is the store's own`)
}

// However a call of the store fails, before it was carried out or when its
// answer is lost, each row is written once, with the commit that it belongs to.
func TestIndexRowsAreThereOnceWhateverFails(t *testing.T) {
	for _, d := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			want, calls := writeEntries(t, d, 0, false)
			require.Len(t, want, 4)
			for n := 1; n <= calls; n++ {
				for _, after := range []bool{false, true} {
					got, _ := writeEntries(t, d, n, after)
					require.Equal(t, want, got, "call %d, carried out: %v", n, after)
				}
			}
		})
	}
}

// writeEntries runs a graph to its end though a call of its store fails, and
// returns the rows that there are then, and how many calls there were.
func writeEntries(t *testing.T, d graph.Durability, n int, after bool) ([]string, int) {
	file := newTables(t)
	noted := &noting{Store: file.store}
	failing := checkpointtest.NewFailing(noted)
	failing.FailAt(n, errTired, after)
	b := graph.New(deskSchema)
	last := graph.Start
	for _, name := range []string{"a", "b", "c"} {
		b.AddNode(name, says(name), nil)
		b.AddEdge(last, name)
		last = name
	}
	b.AddIndex(entries)
	g, err := b.Compile(&graph.Config{Store: failing})
	require.NoError(t, err)
	cfg := &graph.RunConfig{Thread: "t", Durability: d}
	_, err = g.Invoke(t.Context(), graph.Input(deskLog.Append(".")), cfg)
	for tries := 0; err != nil; tries++ { // as another process would
		require.ErrorIs(t, err, errTired)
		require.Less(t, tries, 3)
		if noted.last != nil {
			require.NoError(t, noted.last.Release())
		}
		if _, err = g.Resume(t.Context(), graph.Answers{}, cfg); errors.Is(err, graph.ErrUnknown) {
			_, err = g.Invoke(t.Context(), graph.Input(deskLog.Append(".")), cfg)
		}
	}
	rows := file.query(allEntries)
	require.Len(t, noted.take(), len(rows), "none was written twice")
	return rows, failing.Count()
}
