package checkpoint_test

import (
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(*testing.T) checkpoint.Store { return checkpoint.NewMemory(nil) })
}

func TestMemoryItems(t *testing.T) {
	t.Parallel()
	checkpointtest.RunItems(t, func(*testing.T) checkpoint.Items { return checkpoint.NewMemoryItems(nil) })
	checkpointtest.RunItemsTTL(t, func(_ *testing.T, clock *checkpointtest.Clock) checkpoint.Items {
		return checkpoint.NewMemoryItems(&checkpoint.MemoryConfig{Now: clock.Now})
	})
	checkpointtest.RunSwaps(t, func(_ *testing.T, clock *checkpointtest.Clock) checkpoint.Swapper {
		return checkpoint.NewMemoryItems(&checkpoint.MemoryConfig{Now: clock.Now})
	})
}
