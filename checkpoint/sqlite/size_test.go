package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFileIsHardlyLargerThanTheBodies(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s, err := sqlite.Open(t.Context(), path, &sqlite.Config{Synchronous: sqlite.Normal})
	require.NoError(t, err)
	w, err := s.Claim(t.Context(), "a thread with a name of some length", checkpoint.Reject)
	require.NoError(t, err)
	for seq := int64(1); seq <= 2000; seq += 20 {
		part := checkpoint.Part{Head: seq - 1}
		for i := range int64(20) {
			part.Commits = append(part.Commits, step(seq+i, 1))
		}
		require.NoError(t, w.Append(t.Context(), []checkpoint.Part{part}))
	}
	require.NoError(t, w.Release())
	log, err := os.Stat(path + "-wal")
	require.NoError(t, err)
	assert.LessOrEqual(t, log.Size(), int64(16<<20), "the write-ahead log is limited")
	require.NoError(t, s.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.LessOrEqual(t, float64(info.Size())/(2000*1024), 1.3)
	t.Logf("%.3f bytes for each byte of a body", float64(info.Size())/(2000*1024))
}
