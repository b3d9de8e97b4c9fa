package crash_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

// fileIn names the file of threads in a directory.
func fileIn(dir string) string { return filepath.Join(dir, "threads.db") }

// openFile opens a file until the test ends.
func openFile(t *testing.T, path string, cfg *sqlite.Config) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// intact says what SQLite finds wrong with a file.
func intact(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var verdict string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check`).Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("integrity_check: %s", verdict)
	}
	return nil
}

func TestEveryCallOfAStoreInAFile(t *testing.T) {
	step := everyNth(fileStride)
	strikeEach(t, func(t *testing.T, i int, name string, mode graph.Durability, after bool) int {
		path := fileIn(t.TempDir())
		s := openFile(t, path, &sqlite.Config{Synchronous: sqlite.Normal})
		open := func(t *testing.T) checkpoint.Store {
			require.NoError(t, s.Delete(t.Context(), thread))
			return s
		}
		n := strikeAll(t, name, mode, after, 1+i%step, step, open)
		require.NoError(t, s.Check(t.Context()))
		require.NoError(t, intact(t.Context(), path))
		return n
	})
}
