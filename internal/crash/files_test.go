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
	total := 0
	for i, m := range modes {
		for k, name := range graphNames {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/after=%v", m.name, name, after), func(t *testing.T) {
					path := fileIn(t.TempDir())
					s := openFile(t, path, &sqlite.Config{Synchronous: sqlite.Normal})
					open := func(t *testing.T) checkpoint.Store {
						require.NoError(t, s.Delete(t.Context(), thread))
						return s
					}
					n := strikeAll(t, name, m.mode, after, 1+(i+k)%*stride, *stride, open)
					t.Logf("%d calls", n)
					total += n
					require.NoError(t, s.Check(t.Context()))
					require.NoError(t, intact(t.Context(), path))
				})
			}
		}
	}
	t.Logf("%d calls in all", total)
}
