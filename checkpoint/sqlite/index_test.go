package sqlite_test

import (
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/stretchr/testify/require"
)

// with appends one commit with rows to a thread of its own log.
func with(t *testing.T, s *sqlite.Store, thread string, rows ...checkpoint.Row) error {
	t.Helper()
	w, err := s.Claim(t.Context(), thread, checkpoint.Enqueue)
	require.NoError(t, err)
	defer w.Release()
	l, err := s.Load(t.Context(), checkpoint.Log{Thread: thread}, 0)
	require.NoError(t, err)
	c := checkpoint.Commit{Seq: l.Head + 1, Parent: l.Head, Base: l.Head + 1, Index: rows}
	return w.Append(t.Context(), []checkpoint.Part{{Head: l.Head, Commits: []checkpoint.Commit{c}}})
}

func cells(pairs ...any) (out []checkpoint.Column) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, checkpoint.Column{Name: pairs[i].(string), Value: pairs[i+1]})
	}
	return out
}

func TestIndexRowsAreThereForSQL(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path, nil)
	require.NoError(t, with(t, s, "ada",
		checkpoint.Row{Table: "order", Key: "1", Columns: cells("select", "x", "n", int64(7), "yes", true, "f", 1.5, "raw", []byte{0, 1}, "nothing", nil)},
		checkpoint.Row{Table: "order", Key: "2", Columns: cells("n", int64(8), "f", math.Inf(1))},
		checkpoint.Row{Table: "empty", Key: "1"}))
	require.NoError(t, with(t, s, "bob", checkpoint.Row{Table: "order", Key: "1", Columns: cells("n", int64(9), "later", "new column")}))
	db := raw(t, path)
	var got string
	require.NoError(t, db.QueryRow(`SELECT group_concat(thread || '/' || ns || '/' || seq || '/' || key || '/' || n || '/' ||
		coalesce("select", '-') || '/' || coalesce(yes, '-') || '/' || coalesce(f, '-') || '/' || coalesce(hex(raw), '-') || '/' || coalesce(later, '-'), ' ')
		FROM (SELECT * FROM "order" ORDER BY thread, key)`).Scan(&got))
	require.Equal(t, "ada//1/1/7/x/1/1.5/0001/- ada//1/2/8/-/-/Inf//- bob//1/1/9/-/-/-//new column", got)

	require.NoError(t, with(t, s, "ada", checkpoint.Row{Table: "order", Key: "1", Columns: cells("later", "replaced")}))
	require.Equal(t, 1, count(t, path, `"order" WHERE thread = 'ada' AND key = '1' AND seq = 2 AND n IS NULL AND later = 'replaced'`))

	require.NoError(t, s.Delete(t.Context(), "ada"))
	require.Equal(t, 1, count(t, path, `"order"`))
	require.Zero(t, count(t, path, `empty`))
}

// plan returns how SQLite goes about a query.
func plan(t *testing.T, path, query string) string {
	t.Helper()
	var id, parent, unused int
	var detail string
	require.NoError(t, raw(t, path).QueryRow(`EXPLAIN QUERY PLAN `+query).Scan(&id, &parent, &unused, &detail))
	return detail
}

func TestARowTakesTheWholePlaceOfTheOneBefore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path, nil)
	row := checkpoint.Row{Table: "sales", Key: "1", Columns: cells("city", "Rome", "n", int64(7)), Indexes: [][]string{{"city", "n"}}}
	require.NoError(t, with(t, s, "ada", row))
	require.NoError(t, with(t, s, "bob", row))
	for _, s := range []*sqlite.Store{s, open(t, path, nil)} { // also one that did not make the table
		row = checkpoint.Row{Table: "sales", Key: "1", Columns: cells("n", int64(8))}
		require.NoError(t, with(t, s, "ada", row))
		require.Equal(t, 1, count(t, path, "sales WHERE thread = 'ada' AND n = 8 AND city IS NULL"))
		row.Columns = cells("city", "Pisa")
		require.NoError(t, with(t, s, "ada", row))
		require.Equal(t, 1, count(t, path, "sales WHERE thread = 'ada' AND n IS NULL AND city = 'Pisa'"))
	}
	require.Equal(t, 1, count(t, path, "sales WHERE thread = 'bob' AND n = 7 AND city = 'Rome'"))

	row.Columns = cells("note", "new") // a column that the first store does not know yet
	require.NoError(t, with(t, open(t, path, nil), "ada", row))
	row.Columns = cells("city", "Pisa")
	require.NoError(t, with(t, s, "ada", row))
	require.Equal(t, 1, count(t, path, "sales WHERE thread = 'ada' AND city = 'Pisa' AND note IS NULL"))
	require.NoError(t, s.Check(t.Context()))
}

func TestIndexRowsAreFoundByTheirIndexes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	const find = `SELECT key FROM sales WHERE city = 'Rome' ORDER BY n`
	row := checkpoint.Row{Table: "sales", Key: "1", Columns: cells("city", "Rome", "n", int64(7))}
	s := open(t, path, nil)
	require.NoError(t, with(t, s, "ada", row))
	require.Equal(t, "SCAN sales", plan(t, path, find))
	row.Indexes = [][]string{{"city", "n"}, {"thread", "n"}}
	for _, key := range []string{"2", "3"} { // an index is made once, also of a table that there is
		row.Key = key
		require.NoError(t, with(t, s, "ada", row))
	}
	require.Equal(t, "SEARCH sales USING INDEX sales by city, n (city=?)", plan(t, path, find))
	require.Equal(t, "SEARCH sales USING COVERING INDEX sales by thread, n (thread=? AND n=?)", plan(t, path, `SELECT count(*) FROM sales WHERE thread = 'ada' AND n = 7`))

	again := open(t, path, nil) // one that did not make it
	row.Indexes = append(row.Indexes, []string{"n"})
	require.NoError(t, with(t, again, "bob", row))
	row.Key = "4"
	require.NoError(t, with(t, s, "bob", row), "the first store learns of what another one made")
	require.Equal(t, 3, count(t, path, "sqlite_schema WHERE type = 'index' AND tbl_name = 'sales' AND name LIKE 'sales by %'"))
	require.Equal(t, 5, count(t, path, "sales WHERE city = 'Rome'"))
	require.NoError(t, s.Check(t.Context()))
}

func TestIndexRowsCannotHarmTheStore(t *testing.T) {
	t.Parallel()
	s := fresh(t, nil)
	for _, table := range []string{"threads", "logs", "commits", "pending", "items", "row_tables", "history", "sqlite_stat1", "sqlite_x", "commits_by_seq"} {
		err := with(t, s, "t", checkpoint.Row{Table: table, Key: "k"})
		require.ErrorIs(t, err, checkpoint.ErrInvalid, table)
		require.ErrorContains(t, err, fmt.Sprintf("table %q is the store's own", table))
	}
	for _, table := range []string{"", "Threads", "a b", `x"; DROP TABLE commits; --`, "1x", "ä"} {
		require.ErrorIs(t, with(t, s, "t", checkpoint.Row{Table: table, Key: "k"}), checkpoint.ErrInvalid, table)
	}
	require.ErrorIs(t, with(t, s, "t", checkpoint.Row{Table: "x", Key: "k", Columns: cells("seq", int64(1))}), checkpoint.ErrInvalid)
	infos, err := s.Logs(t.Context(), checkpoint.LogQuery{})
	require.NoError(t, err)
	require.Empty(t, infos)
}

func TestManyStoresMakeTheSameTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	var all sync.WaitGroup
	for i := range 4 {
		s := open(t, path, nil)
		all.Go(func() {
			for j := range 10 {
				row := checkpoint.Row{Table: "rows", Key: "k", Columns: cells(fmt.Sprint("c", j), int64(i))}
				if err := with(t, s, fmt.Sprint(i, ".", j), row); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, 40, count(t, path, "rows"))
}

func TestPruneWritesRowsToo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path, nil)
	w, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	grow(t, w, 1, 3)
	whole := step(2, 2)
	whole.Index = []checkpoint.Row{{Table: "rows", Key: "k"}}
	require.NoError(t, w.Prune(t.Context(), "", &whole))
	require.Equal(t, 1, count(t, path, "rows WHERE seq = 2"))
	require.NoError(t, s.Check(t.Context()))
	require.NoError(t, w.Release())
}
