package checkpoint_test

import (
	"bytes"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/stretchr/testify/require"
)

// oldKey and newKey are keys for tests.
func oldKey() []byte { return bytes.Repeat([]byte{1}, checkpoint.KeySize) }
func newKey() []byte { return bytes.Repeat([]byte{2}, checkpoint.KeySize) }

// sealedBy seals with a key, which is called "new" or "old".
func sealedBy(tb testing.TB, s checkpoint.Store, id string) checkpoint.Store {
	sealed, err := checkpoint.Sealed(s, &checkpoint.SealConfig{Key: id, Keys: map[string][]byte{"old": oldKey(), "new": newKey()}})
	require.NoError(tb, err)
	return sealed
}

func TestSealed(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(t *testing.T) checkpoint.Store {
		s, err := checkpoint.Sealed(checkpoint.NewMemory(nil), &checkpoint.SealConfig{
			Key: "k", Keys: map[string][]byte{"k": oldKey()}, PlainRows: true,
		})
		require.NoError(t, err)
		return s
	})
}

func TestSealedItems(t *testing.T) {
	t.Parallel()
	cfg := &checkpoint.SealConfig{Key: "k", Keys: map[string][]byte{"k": oldKey()}}
	checkpointtest.RunItems(t, func(t *testing.T) checkpoint.Items {
		items, err := checkpoint.SealedItems(checkpoint.NewMemoryItems(nil), cfg)
		require.NoError(t, err)
		return items
	})
	checkpointtest.RunItemsTTL(t, func(t *testing.T, clock *checkpointtest.Clock) checkpoint.Items {
		items, err := checkpoint.SealedItems(checkpoint.NewMemoryItems(&checkpoint.MemoryConfig{Now: clock.Now}), cfg)
		require.NoError(t, err)
		return items
	})
}
