package sqlite

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

// linked opens a connection of the plain driver.
func linked(t *testing.T, path string) *link {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	l := newLink(conn)
	t.Cleanup(func() { l.close() })
	return l
}

func TestFilesOfAllVersionsAreBroughtUpToDate(t *testing.T) {
	t.Parallel()
	steps := []migration{
		{`CREATE TABLE a(x); INSERT INTO a VALUES(1)`},
		{`ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1`},
		{`CREATE TABLE b AS SELECT y AS z FROM a`},
	}
	for from := 0; from <= len(steps); from++ {
		l := linked(t, filepath.Join(t.TempDir(), "x.db"))
		require.NoError(t, migrate(t.Context(), l, steps[:from]))
		for range 2 {
			require.NoError(t, migrate(t.Context(), l, steps), "from version %d", from)
			var z, version, mark int
			require.NoError(t, l.conn.QueryRowContext(t.Context(), `SELECT z FROM b`).Scan(&z))
			require.NoError(t, l.conn.QueryRowContext(t.Context(), `PRAGMA user_version`).Scan(&version))
			require.NoError(t, l.conn.QueryRowContext(t.Context(), `PRAGMA application_id`).Scan(&mark))
			require.Equal(t, []int{2, 3, application}, []int{z, version, mark})
		}
		if from > 0 {
			require.ErrorIs(t, migrate(t.Context(), l, steps[:2]), ErrForeign, "an older program")
		}
	}
}

func TestAMigrationThatFailsLeavesTheFileAsItWas(t *testing.T) {
	t.Parallel()
	l := linked(t, filepath.Join(t.TempDir(), "x.db"))
	good := migration{`CREATE TABLE a(x)`}
	require.NoError(t, migrate(t.Context(), l, []migration{good}))
	err := migrate(t.Context(), l, []migration{good, {`CREATE TABLE b(x)`}, {`CREATE TABLE a(x)`}})
	require.ErrorContains(t, err, "bringing the file to version 3")
	var version, tables int
	require.NoError(t, l.conn.QueryRowContext(t.Context(), `PRAGMA user_version`).Scan(&version))
	require.NoError(t, l.conn.QueryRowContext(t.Context(), `SELECT count(*) FROM sqlite_schema`).Scan(&tables))
	require.Equal(t, []int{1, 1}, []int{version, tables})
}

func TestAnOlderFileIsNotReadAsIfItWereNew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	l := linked(t, path)
	_, err := l.conn.ExecContext(t.Context(), fmt.Sprintf(`PRAGMA application_id = %d; CREATE TABLE a(x)`, application))
	require.NoError(t, err)
	_, err = Open(t.Context(), path, &Config{ReadOnly: true})
	require.ErrorIs(t, err, ErrForeign)
	require.ErrorContains(t, err, "would have to be brought to version 1")
}

func TestNumbersAreComparedByTheirValue(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"0", "-0", "0.0", "0e5", "-0.00E-9"}, {"1", "1.0", "10e-1", "0.1E+1", "0.01e2"},
		{"-120", "-1.2e2", "-12E1"}, {"12345678901234567890.5", "123456789012345678905e-1"},
		{"1e400", "10e399"}, {`"a"`, `"\u0061"`}, {`{"a":[1,{}],"b":null}`, ` { "b" : null, "a" : [1.0, {}] }`},
	} {
		for _, a := range same {
			for _, b := range same {
				require.True(t, alike(t, a, b), "%s, %s", a, b)
			}
		}
	}
	different := []string{"0", "1", "-1", "10", "0.1", "1e400", "1e99999999999", "1e99999999998", "12345678901234567890", "12345678901234567891",
		`"1"`, `""`, "true", "false", "null", "[]", "[1]", "[1,1]", "{}", `{"a":1}`, `{"b":1}`, `{"a":1,"b":1}`}
	for i, a := range different {
		for j, b := range different {
			require.Equal(t, i == j, alike(t, a, b), "%s, %s", a, b)
		}
	}
}

func alike(t *testing.T, a, b string) bool {
	t.Helper()
	v, err := parseValue([]byte(a))
	require.NoError(t, err)
	w, err := parseValue([]byte(b))
	require.NoError(t, err)
	return equal(v.v, w.v)
}

// TestWhatACommitMakesVoidIsNotWritten puts a save and the commit behind it
// into one batch.
func TestWhatACommitMakesVoidIsNotWritten(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), nil)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	require.NoError(t, s.submit(t.Context(), func(b *batch) error {
		th, err := b.of("t")
		require.NoError(t, err)
		l, err := b.log(th, "")
		require.NoError(t, err)
		require.NoError(t, b.create(l))
		l.save(pendingEntries("a", "b"))
		l.void()
		l.save(pendingEntries("c"))
		require.NoError(t, b.flush())
		require.EqualValues(t, 1, l.pending)
		var highest int64
		require.NoError(t, b.query(b.ctx, func(r *row) error { highest = r.int(); return nil }, `SELECT max(id) FROM pending`))
		require.EqualValues(t, 1, highest, "one row was ever made")
		return nil
	}))
}

func pendingEntries(keys ...string) (out []checkpoint.Pending) {
	for _, key := range keys {
		out = append(out, checkpoint.Pending{Key: key, Body: []byte(key)})
	}
	return out
}
