package state_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// TestDiffBringsOutWhatHappened: a child that begins with the parent's values
// and hands back what it changed leaves the parent as if all had been written
// there, whatever was written and in how many steps.
func TestDiffBringsOutWhatHappened(t *testing.T) {
	t.Parallel()
	l := fullSchema.Layout()
	pairs, problems := state.Share(l, l)
	require.Empty(t, problems)
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 9))
		parent, direct, child := l.NewStore(&full{}), l.NewStore(&full{}), l.NewStore(&full{})
		first := randomUpdate(r)
		_ = runStep(parent, first)
		_ = runStep(direct, first)
		start := inward(pairs, parent.State())
		require.NoError(t, runStep(child, &start))
		require.Equal(t, shown(t, l, parent.State()), shown(t, l, child.State()))
		child.Track()
		for range r.IntN(150) {
			u := randomUpdate(r)
			if runStep(child, u) == nil {
				require.NoError(t, runStep(direct, u))
			}
		}
		diff := child.Diff()
		again := child.Diff()
		require.Equal(t, shownUpdate(t, l, &diff), shownUpdate(t, l, &again), "Diff changes nothing")
		out := outward(t, pairs, &diff)
		require.NoError(t, runStep(parent, &out))
		require.Equal(t, shown(t, l, direct.State()), shown(t, l, parent.State()), "seed %d", seed)
		require.Equal(t, shown(t, l, direct.State()), shown(t, l, child.State()), "seed %d", seed)
	}
}

func inward(pairs []state.Shared, st any) (u state.Changes) {
	for _, p := range pairs {
		if c, ok := p.In(st); ok {
			u.Add(c)
		}
	}
	return u
}

func outward(t *testing.T, pairs []state.Shared, diff *state.Changes) (u state.Changes) {
	t.Helper()
	for i := range diff.Len() {
		n := u.Len()
		for _, p := range pairs {
			if c, ok := p.Out(*diff.At(i)); ok {
				u.Add(c)
			}
		}
		require.Equal(t, n+1, u.Len(), "one pair for each change")
	}
	return u
}

func shownUpdate(t *testing.T, l *state.Layout, u *state.Changes) string {
	t.Helper()
	b, err := l.AppendChanges(nil, u)
	require.NoError(t, err)
	return string(b)
}

// TestDiffFolds shows what remains of many writes.
func TestDiffFolds(t *testing.T) {
	t.Parallel()
	type W = state.Write[full]
	tests := map[string]struct {
		steps []W
		want  string
	}{
		"values":      {[]W{draft.Set("a"), draft.Set("b")}, `[["draft","set","b"]]`},
		"sums":        {[]W{cost.Add(1), cost.Add(2)}, `[["cost","add",3]]`},
		"sum anew":    {[]W{cost.Add(1), cost.Replace(5), cost.Add(2)}, `[["cost","replace",7]]`},
		"parts":       {[]W{small.Add(100), small.Add(-100), small.Add(100)}, `[["small","add",100]]`},
		"lists":       {[]W{items.Append(1), items.Append(2, 3)}, `[["items","append",[1,2,3]]]`},
		"list anew":   {[]W{items.Append(1), items.Replace(nil), items.Append(2)}, `[["items","replace",[2]]]`},
		"map":         {[]W{meta.Put("a", "1"), meta.Put("b", "2"), meta.Delete("a"), meta.Put("b", "3"), meta.Delete("z")}, `[["meta","delete",["a","z"]],["meta","put",{"b":"3"}]]`},
		"map back":    {[]W{meta.Delete("a"), meta.Put("a", "1")}, `[["meta","put",{"a":"1"}]]`},
		"map anew":    {[]W{meta.Replace(nil), meta.Put("a", "1"), meta.PutAll(map[string]string{"b": "2"}), meta.Delete("a")}, `[["meta","replace",{"b":"2"}]]`},
		"dict":        {[]W{facts.Put("a", 1), facts.Put("a", 2), facts.Delete("b")}, `[["facts","delete",["b"]],["facts","put",{"a":2}]]`},
		"dict anew":   {[]W{facts.Replace(state.Dict[string, int]{}), facts.Put("a", 2), facts.PutAll(map[string]int{"b": 1}), facts.Delete("a")}, `[["facts","replace",{"b":1}]]`},
		"messages":    {[]W{talk.Messages.Add(message("1", "a")), talk.Messages.Add(message("2", "b")), talk.Messages.Add(message("1", "c"))}, `[["messages","put",[{"type":"human","id":"1","content":"c"},{"type":"human","id":"2","content":"b"}]]]`},
		"removed":     {[]W{talk.Messages.Add(message("1", "a")), talk.Messages.Remove("1")}, `[["messages","put",[{"type":"human","id":"1","content":"a"}]],["messages","delete",["1"]]]`},
		"own reducer": {[]W{sum.Reduce("a"), sum.Reduce("b")}, `[["sum","reduce","a"],["sum","reduce","b"]]`},
		"by reducer":  {[]W{sum.Reduce("a"), sum.Replace("c"), sum.Reduce("b")}, `[["sum","replace","c"],["sum","reduce","b"]]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := fullSchema.Layout().NewStore(&full{})
			store.Track()
			for _, w := range test.steps {
				require.NoError(t, runStep(store, updates(w)))
			}
			diff := store.Diff()
			assert.JSONEq(t, test.want, shownUpdate(t, fullSchema.Layout(), &diff))
		})
	}
}

// TestDiffIsBounded: 10,000 writes that leave little behind keep little alive.
func TestDiffIsBounded(t *testing.T) {
	big := make([]byte, 1<<20)
	writes := map[string]func(i int) state.Write[full]{
		"value":    func(int) state.Write[full] { return raw.Set(append([]byte(nil), big...)) },
		"list":     func(int) state.Write[full] { return items.Replace(make([]int, 1<<17)) },
		"map":      func(int) state.Write[full] { return meta.Put("k", string(big[:1<<14])) },
		"messages": func(int) state.Write[full] { return talk.Messages.Add(message("1", string(big[:1<<14]))) },
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			store := fullSchema.Layout().NewStore(&full{})
			store.Track()
			steps := 10_000
			if name == "value" || name == "list" {
				steps = 200
			}
			before := heap()
			for i := range steps {
				require.NoError(t, runStep(store, updates(write(i))))
			}
			assert.Less(t, heap()-before, int64(16<<20))
			diff := store.Diff()
			assert.Equal(t, 1, diff.Len())
			runtime.KeepAlive(store)
		})
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkTrack shows that tracking many writes is linear.
func BenchmarkTrack(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				store := eightSchema.Layout().NewStore(&eight{})
				store.Track()
				for i := range n {
					if err := runStep(store, updates(eightItems.Append(i))); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/step")
		})
	}
}
