package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/stretchr/testify/require"
)

// open opens a file, and closes it when the test ends.
func open(t testing.TB, path string, cfg *sqlite.Config) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// fresh opens a new file in a directory of its own.
func fresh(t testing.TB, cfg *sqlite.Config) *sqlite.Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "threads.db"), cfg)
}

func TestStoreKeepsTheContract(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(t *testing.T) checkpoint.Store { return fresh(t, nil) })
}

func TestItemsKeepTheContract(t *testing.T) {
	t.Parallel()
	checkpointtest.RunItems(t, func(t *testing.T) checkpoint.Items { return fresh(t, nil).Items() })
}

func TestItemsLiveAsLongAsTheyShould(t *testing.T) {
	t.Parallel()
	checkpointtest.RunItemsTTL(t, func(t *testing.T, clock *checkpointtest.Clock) checkpoint.Items {
		return fresh(t, &sqlite.Config{Now: clock.Now}).Items()
	})
}

func TestItemsSwap(t *testing.T) {
	t.Parallel()
	checkpointtest.RunSwaps(t, func(t *testing.T, clock *checkpointtest.Clock) checkpoint.Swapper {
		return fresh(t, &sqlite.Config{Now: clock.Now}).Items()
	})
}
