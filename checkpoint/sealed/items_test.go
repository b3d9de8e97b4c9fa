package sealed_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sealed"
)

func TestSealedItemsHideValuesAndKnowTheirPlace(t *testing.T) {
	t.Parallel()
	m := checkpoint.NewMemoryItems(nil)
	cfg := &sealed.Config{Key: "k", Keys: map[string][]byte{"k": oldKey()}}
	s, err := sealed.NewItems(m, cfg)
	require.NoError(t, err)
	ns := []string{"users", "ada"}
	require.NoError(t, s.Put(t.Context(), checkpoint.Item{NS: ns, Key: "k", Value: []byte(`{"note":"` + secret + `"}`)}))
	raw, err := m.Get(t.Context(), ns, "k")
	require.NoError(t, err)
	require.True(t, json.Valid(raw.Value))
	require.NotContains(t, string(raw.Value), "read")
	for _, moved := range []checkpoint.Item{{NS: ns, Key: "l"}, {NS: ns[:1], Key: "k"}, {NS: []string{"users", "bob"}, Key: "k"}, {NS: []string{"users", "ada", "k"}, Key: "k"}} {
		moved.Value = raw.Value
		require.NoError(t, m.Put(t.Context(), moved))
		_, err := s.Get(t.Context(), moved.NS, moved.Key)
		require.ErrorIs(t, err, checkpoint.ErrCorrupt)
		_, err = s.Search(t.Context(), checkpoint.ItemQuery{})
		require.ErrorIs(t, err, checkpoint.ErrCorrupt)
		require.NoError(t, s.Delete(t.Context(), moved.NS, moved.Key))
	}
	for _, bad := range []string{`1`, `""`, `"!"`, `{"note":1}`, `null`, `"AQFr"`} {
		require.NoError(t, m.Put(t.Context(), checkpoint.Item{NS: ns, Key: "k", Value: []byte(bad)}))
		_, err := s.Get(t.Context(), ns, "k")
		require.ErrorIs(t, err, checkpoint.ErrCorrupt, bad)
	}
}

func TestSealedItemsWithoutTheKey(t *testing.T) {
	t.Parallel()
	m := checkpoint.NewMemoryItems(nil)
	open := func(id string, key []byte) checkpoint.Items {
		s, err := sealed.NewItems(m, &sealed.Config{Key: id, Keys: map[string][]byte{id: key}})
		require.NoError(t, err)
		return s
	}
	require.NoError(t, open("old", oldKey()).Put(t.Context(), checkpoint.Item{NS: []string{"a"}, Key: "k", Value: []byte(`1`)}))
	_, err := open("new", newKey()).Get(t.Context(), []string{"a"}, "k")
	require.ErrorIs(t, err, sealed.ErrKey)
	require.ErrorContains(t, err, `"old"`)
}

func TestSealedItemsSearchFurtherThanAPage(t *testing.T) {
	t.Parallel()
	s, err := sealed.NewItems(checkpoint.NewMemoryItems(nil), &sealed.Config{Key: "k", Keys: map[string][]byte{"k": oldKey()}})
	require.NoError(t, err)
	for i := range 200 {
		value := `{"n":0}`
		if i > 150 && i%10 == 0 {
			value = `{"n":1}`
		}
		require.NoError(t, s.Put(t.Context(), checkpoint.Item{NS: []string{"a"}, Key: string(rune(1000 + i)), Value: []byte(value)}))
	}
	for limit, want := range map[int]int{0: 4, 1: 1, 3: 3, 4: 4, 5: 4, 100: 4} {
		found, err := s.Search(t.Context(), checkpoint.ItemQuery{Filter: map[string][]byte{"n": []byte(`1`)}, Limit: limit})
		require.NoError(t, err)
		require.Len(t, found, want, "limit %d", limit)
	}
}
