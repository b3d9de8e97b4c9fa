package sealed_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sealed"
)

// FuzzSealedOpen gives a sealed store whatever it might find stored: it tells
// what is wrong, and never panics.
func FuzzSealedOpen(f *testing.F) {
	m := checkpoint.NewMemory(nil)
	write(f, sealedBy(f, m, "old"), "t", checkpoint.Part{Commits: []checkpoint.Commit{{Seq: 1, Base: 1, Meta: []byte("meta"), Body: []byte("body")}}})
	sound := stored(f, m, "t").Commits[0]
	f.Add(sound.Meta, sound.Body)
	f.Add(sound.Body, sound.Meta)
	f.Add([]byte{}, []byte{1})
	f.Add([]byte{1, 255}, []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add(sound.Meta[:14], sound.Body[:20])
	f.Fuzz(func(t *testing.T, meta, body []byte) {
		m := checkpoint.NewMemory(nil)
		write(t, m, "t", checkpoint.Part{Commits: []checkpoint.Commit{{Seq: 1, Base: 1, Meta: meta, Body: body}}})
		l, err := sealedBy(t, m, "old").Load(t.Context(), checkpoint.Log{Thread: "t"}, 0)
		if err != nil {
			require.True(t, errors.Is(err, checkpoint.ErrCorrupt) || errors.Is(err, sealed.ErrKey), "%v", err)
			return
		}
		require.Equal(t, "meta", string(l.Commits[0].Meta), "what was not sealed has been opened")
		require.Equal(t, "body", string(l.Commits[0].Body), "what was not sealed has been opened")
	})
}

// FuzzSealedItems does the same to long-term memory.
func FuzzSealedItems(f *testing.F) {
	f.Add([]byte(`"AQFr"`))
	f.Add([]byte(`{"a":1}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		m := checkpoint.NewMemoryItems(nil)
		s, err := sealed.NewItems(m, &sealed.Config{Key: "k", Keys: map[string][]byte{"k": oldKey()}})
		require.NoError(t, err)
		if m.Put(t.Context(), checkpoint.Item{NS: []string{"a"}, Key: "k", Value: value}) != nil {
			return
		}
		_, err = s.Get(t.Context(), []string{"a"}, "k")
		require.True(t, errors.Is(err, checkpoint.ErrCorrupt) || errors.Is(err, sealed.ErrKey), "%v", err)
	})
}
