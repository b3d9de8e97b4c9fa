package sealed_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/checkpoint/sealed"
)

// oldKey and newKey are keys for tests.
func oldKey() []byte { return bytes.Repeat([]byte{1}, sealed.KeySize) }
func newKey() []byte { return bytes.Repeat([]byte{2}, sealed.KeySize) }

// sealedBy seals with a key, which is called "new" or "old".
func sealedBy(tb testing.TB, s checkpoint.Store, id string) checkpoint.Store {
	store, err := sealed.New(s, &sealed.Config{Key: id, Keys: map[string][]byte{"old": oldKey(), "new": newKey()}})
	require.NoError(tb, err)
	return store
}

func TestSealed(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(t *testing.T) checkpoint.Store {
		s, err := sealed.New(checkpoint.NewMemory(nil), &sealed.Config{
			Key: "k", Keys: map[string][]byte{"k": oldKey()}, PlainRows: true,
		})
		require.NoError(t, err)
		return s
	})
}

func TestSealedItems(t *testing.T) {
	t.Parallel()
	cfg := &sealed.Config{Key: "k", Keys: map[string][]byte{"k": oldKey()}}
	checkpointtest.RunItems(t, func(t *testing.T) checkpoint.Items {
		items, err := sealed.NewItems(checkpoint.NewMemoryItems(nil), cfg)
		require.NoError(t, err)
		return items
	})
	checkpointtest.RunItemsTTL(t, func(t *testing.T, clock *checkpointtest.Clock) checkpoint.Items {
		items, err := sealed.NewItems(checkpoint.NewMemoryItems(&checkpoint.MemoryConfig{Now: clock.Now}), cfg)
		require.NoError(t, err)
		return items
	})
}
