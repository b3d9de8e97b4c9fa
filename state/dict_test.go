package state_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// TestDict compares a Dict with a map under random changes; older Dicts stay
// what they were.
func TestDict(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var d state.Dict[int, int]
	m := map[int]int{}
	type old struct {
		dict state.Dict[int, int]
		want map[int]int
	}
	var olds []old
	for i := range 3000 {
		k := r.IntN(200)
		if r.IntN(3) == 0 {
			d = d.Without(k)
			delete(m, k)
		} else {
			d = d.With(k, i)
			m[k] = i
		}
		require.Equal(t, len(m), d.Len())
		v, ok := d.Get(k)
		require.Equal(t, m[k], v)
		_, want := m[k]
		require.Equal(t, want, ok)
		if i%100 == 0 {
			olds = append(olds, old{d, maps.Clone(m)})
		}
	}
	for _, o := range append(olds, old{d, m}) {
		require.Equal(t, o.want, maps.Collect(o.dict.All()))
		var keys []int
		for k := range o.dict.All() {
			keys = append(keys, k)
		}
		require.True(t, slices.IsSorted(keys))
	}
	for range d.All() {
		break // leaving early is fine
	}
}

// TestDictJSON: a Dict is an object with its keys sorted as text.
func TestDictJSON(t *testing.T) {
	t.Parallel()
	d := state.Dict[int, any]{}.With(10, 2.0).With(9, 2).With(-1, nil)
	b, err := json.Marshal(d)
	require.NoError(t, err)
	assert.Equal(t, `{"-1":null,"10":2.0,"9":2}`, string(b))
	back := state.Dict[int, any]{}.With(1, 1)
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, map[int]any{-1: nil, 9: int64(2), 10: 2.0}, maps.Collect(back.All()))
	b, err = json.Marshal(state.Dict[string, int]{})
	require.NoError(t, err)
	assert.Equal(t, `{}`, string(b))
	for _, bad := range []string{`null`, `[]`, `{"a":1}`, `{"1":{"a":1,"a":2}}`} {
		require.Error(t, json.Unmarshal([]byte(bad), &back), bad)
	}
	assert.Equal(t, 3, back.Len(), "what could not be read changes nothing")
	_, err = json.Marshal(state.Dict[float64, int]{}.With(1.5, 1))
	require.Error(t, err)
}

// TestDictInValue: a Dict may also be part of a value; its values are checked
// there too.
func TestDictInValue(t *testing.T) {
	t.Parallel()
	type part struct {
		D state.Dict[string, any] `json:"d"`
	}
	type whole struct{ P part }
	p := state.NewValue("p", func(s *whole) *part { return &s.P })
	schema := state.MustSchema(p)
	_, err := schema.Apply(whole{}, p.Set(part{state.Dict[string, any]{}.With("k", make(chan int))}))
	require.ErrorContains(t, err, "at .D.k: unfit value")
	b, err := schema.EncodeState(whole{part{state.Dict[string, any]{}.With("k", int64(1))}})
	require.NoError(t, err)
	assert.Equal(t, `{"p":{"d":{"k":1}}}`, string(b))
	back, err := schema.DecodeState(b)
	require.NoError(t, err)
	v, _ := back.P.D.Get("k")
	assert.Equal(t, int64(1), v)
}

func BenchmarkDictPut(b *testing.B) {
	b.ReportAllocs()
	var d state.Dict[int, int]
	for i := range 1000 {
		d = d.With(i, i)
	}
	n := 0
	for b.Loop() {
		n = (n + 7) % 1000
		d = d.With(n, n)
	}
}
