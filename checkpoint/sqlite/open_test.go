package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// raw opens a file with the plain driver.
func raw(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, text := range statements {
		_, err := db.Exec(text)
		require.NoError(t, err, text)
	}
}

func TestOpenRefusesWhatIsNoFileOfTheStore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		says string
	}{
		"text": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte("dear diary"), 0o600))
		}, "is no SQLite database"},
		"long text": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("dear diary ", 10_000)), 0o600))
		}, "is no SQLite database"},
		"another program's": {func(t *testing.T, path string) {
			run(t, raw(t, path), `CREATE TABLE recipes(name)`)
		}, "of another program (application_id 0, 1 tables and indexes)"},
		"newer": {func(t *testing.T, path string) {
			s, err := sqlite.Open(t.Context(), path, nil)
			require.NoError(t, err)
			require.NoError(t, s.Close())
			run(t, raw(t, path), `PRAGMA user_version = 1000`)
		}, "the file has version 1000; this program knows versions up to 1: use a newer one"},
		"a directory": {func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) }, "is not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x.db")
			c.make(t, path)
			before, _ := os.ReadFile(path)
			for _, readOnly := range []bool{false, true} {
				_, err := sqlite.Open(t.Context(), path, &sqlite.Config{ReadOnly: readOnly})
				require.ErrorIs(t, err, sqlite.ErrForeign)
				require.ErrorContains(t, err, c.says)
				require.ErrorContains(t, err, "x.db")
			}
			after, _ := os.ReadFile(path)
			assert.Equal(t, before, after, "the file is as it was")
		})
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := sqlite.Open(t.Context(), filepath.Join(dir, "no", "where.db"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "needs its directory")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err = sqlite.Open(t.Context(), filepath.Join(dir, "file", "x.db"), nil)
	require.Error(t, err)

	_, err = sqlite.Open(t.Context(), "", nil)
	require.ErrorIs(t, err, checkpoint.ErrInvalid)

	_, err = sqlite.Open(t.Context(), filepath.Join(dir, "new.db"), &sqlite.Config{ReadOnly: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoFileExists(t, filepath.Join(dir, "new.db"))

	_, err = sqlite.Open(t.Context(), filepath.Join(dir, "new.db"), &sqlite.Config{
		BusyTimeout: -1, TakeOverGrace: -time.Second, MaxBytes: -5, Synchronous: 7,
	})
	require.ErrorIs(t, err, checkpoint.ErrInvalid)
	for _, says := range []string{"BusyTimeout is -1ns", "TakeOverGrace is -1s", "MaxBytes is -5", "Synchronous is 7"} {
		require.ErrorContains(t, err, says)
	}

	_, err = sqlite.Open(t.Context(), filepath.Join(dir, "new.db"), &sqlite.Config{Driver: "none"})
	require.ErrorContains(t, err, `unknown driver "none"`)
}

func TestPathsOfAllKinds(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b.db", "100%.db", "what?.db", "#1.db", "ü.db", ":memory:", "a&mode=ro.db", "%3f.db"} {
		path := filepath.Join(t.TempDir(), name)
		s := open(t, path, nil)
		fill(t, s, "t", 1, 1, nil)
		require.FileExists(t, path)
		require.NoError(t, s.Close())
		l, err := open(t, path, &sqlite.Config{ReadOnly: true}).Load(t.Context(), checkpoint.Log{Thread: "t"}, 0)
		require.NoError(t, err)
		require.EqualValues(t, 1, l.Head)
	}
}

func TestAnEmptyFileIsANewOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	fill(t, open(t, path, nil), "t", 1, 1, nil)
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	fill(t, s, "t", 1, 1, nil)
	w, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "closing again does nothing")

	_, err = s.Load(t.Context(), checkpoint.Log{Thread: "t"}, 0)
	require.ErrorIs(t, err, checkpoint.ErrClosed)
	_, err = s.Claim(t.Context(), "t", checkpoint.Reject)
	require.ErrorIs(t, err, checkpoint.ErrClosed)
	require.ErrorIs(t, w.Append(t.Context(), []checkpoint.Part{{Head: 1}}), checkpoint.ErrClosed)
	require.ErrorIs(t, s.Delete(t.Context(), "t"), checkpoint.ErrClosed)
	require.ErrorIs(t, s.Copy(t.Context(), "t", "u"), checkpoint.ErrClosed)
	require.NoError(t, w.Release())

	require.NoFileExists(t, path+"-wal", "the log was folded into the file")
	next, err := open(t, path, nil).Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err, "closing gave the thread free")
	require.NoError(t, next.Release())
}

func TestReadOnlyWritesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	writer := open(t, path, nil)
	fill(t, writer, "t", 3, 3, nil)
	s := open(t, path, &sqlite.Config{ReadOnly: true})
	l, err := s.Load(t.Context(), checkpoint.Log{Thread: "t"}, 0)
	require.NoError(t, err)
	require.Len(t, l.Commits, 3)

	_, err = s.Claim(t.Context(), "t", checkpoint.TakeOver)
	require.ErrorIs(t, err, sqlite.ErrReadOnly)
	for _, err := range []error{
		s.Delete(t.Context(), "t"), s.Copy(t.Context(), "t", "u"),
		s.Items().Put(t.Context(), checkpoint.Item{NS: []string{"a"}, Key: "k", Value: []byte("1")}),
		s.Items().Delete(t.Context(), []string{"a"}, "k"),
	} {
		require.ErrorIs(t, err, sqlite.ErrReadOnly)
	}
	require.NoError(t, s.Check(t.Context()))

	fill(t, writer, "u", 1, 1, nil)
	infos, err := s.Logs(t.Context(), checkpoint.LogQuery{})
	require.NoError(t, err)
	require.Len(t, infos, 2, "it sees what others write")
}

func TestManyOpenANewFileAtOnce(t *testing.T) {
	t.Parallel()
	for range 5 {
		path := filepath.Join(t.TempDir(), "x.db")
		done := make(chan error)
		for range 8 {
			go func() {
				s, err := sqlite.Open(t.Context(), path, nil)
				if err == nil {
					err = s.Close()
				}
				done <- err
			}()
		}
		for range 8 {
			require.NoError(t, <-done)
		}
	}
}
