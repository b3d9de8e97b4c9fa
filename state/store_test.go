package state_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// TestTaskOrder: writes count in the order of the tasks, whatever they write.
func TestTaskOrder(t *testing.T) {
	t.Parallel()
	store := fullSchema.Layout().NewStore(&full{})
	require.NoError(t, runStep(store,
		updates(items.Append(1), meta.Put("k", "first"), sum.Reduce("a"), facts.Put("k", 1)),
		updates(items.Append(2), meta.Put("k", "second"), sum.Reduce("b"), facts.Put("k", 2)),
		updates(items.Append(3))))
	got := store.State().(*full)
	assert.Equal(t, []int{1, 2, 3}, got.Items)
	assert.Equal(t, "second", got.Meta["k"])
	assert.Equal(t, "ab", got.Sum)
	k, _ := got.Facts.Get("k")
	assert.Equal(t, 2, k)
}

// TestConflicts lists what two writers of a step must not do.
func TestConflicts(t *testing.T) {
	t.Parallel()
	one := updates[full]
	tests := map[string]struct {
		tasks []*state.Changes
		want  *state.ConflictError
	}{
		"two tasks set":            {[]*state.Changes{one(), one(draft.Set("a")), one(draft.Set("b"))}, &state.ConflictError{Field: "draft", First: 1, Second: 2}},
		"one task sets twice":      {[]*state.Changes{one(draft.Set("a"), draft.Set("a"))}, &state.ConflictError{Field: "draft"}},
		"set and replace":          {[]*state.Changes{one(draft.Set("a")), one(draft.Replace("b"))}, &state.ConflictError{Field: "draft", Second: 1}},
		"two replace a list":       {[]*state.Changes{one(items.Replace(nil)), one(items.Replace(nil))}, &state.ConflictError{Field: "items", Second: 1}},
		"two replace a map":        {[]*state.Changes{one(meta.Replace(nil)), one(meta.Replace(nil))}, &state.ConflictError{Field: "meta", Second: 1}},
		"two replace a counter":    {[]*state.Changes{one(cost.Replace(1)), one(cost.Replace(1))}, &state.ConflictError{Field: "cost", Second: 1}},
		"one replaces twice":       {[]*state.Changes{one(items.Replace(nil), items.Replace([]int{4}))}, nil},
		"replace and append":       {[]*state.Changes{one(items.Append(1)), one(items.Replace(nil))}, nil},
		"two fields":               {[]*state.Changes{one(draft.Set("a")), one(phases.Set("b"))}, nil},
		"two add":                  {[]*state.Changes{one(cost.Add(1)), one(cost.Add(1))}, nil},
		"the same field next step": {[]*state.Changes{one(draft.Set("a"))}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := fullSchema.Layout().NewStore(&full{})
			require.NoError(t, runStep(store, one(draft.Set("before"), items.Append(0))))
			before := shown(t, fullSchema.Layout(), store.State())
			err := runStep(store, test.tasks...)
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, state.ErrConflict)
			var conflict *state.ConflictError
			require.ErrorAs(t, err, &conflict)
			assert.Equal(t, test.want, conflict)
			assert.Contains(t, err.Error(), fmt.Sprintf("tasks %d and %d", test.want.First, test.want.Second))
			assert.Equal(t, before, shown(t, fullSchema.Layout(), store.State()), "a conflict leaves the state as it was")
		})
	}
}

// TestReplacementDrops: a replacement drops what other tasks write to the
// field, before or after it, but not the replacing task's own later writes.
func TestReplacementDrops(t *testing.T) {
	t.Parallel()
	store := fullSchema.Layout().NewStore(&full{Items: []int{1}, Cost: 1, Sum: "x", Meta: map[string]string{"a": "1"}})
	require.NoError(t, runStep(store,
		updates(items.Append(2), cost.Add(100), meta.Put("b", "2"), sum.Reduce("bad"), facts.Put("a", 1)),
		updates(items.Append(3), items.Replace([]int{9}), items.Append(10), cost.Replace(5), cost.Add(1),
			meta.Replace(map[string]string{"z": "26"}), meta.Put("y", "25"), sum.Replace("s"),
			facts.Replace(state.Dict[string, int]{}), facts.Put("n", 1)),
		updates(items.Append(4), cost.Add(1000), meta.Delete("z"), facts.Delete("n"))))
	got := store.State().(*full)
	assert.Equal(t, []int{9, 10}, got.Items)
	assert.Equal(t, cents(6), got.Cost)
	assert.Equal(t, map[string]string{"z": "26", "y": "25"}, got.Meta)
	assert.Equal(t, "s", got.Sum)
	assert.Equal(t, 1, got.Facts.Len())
}

// TestFailedStep: whatever fails between Begin and Commit, the state stays
// and the run can go on.
func TestFailedStep(t *testing.T) {
	t.Parallel()
	l := fullSchema.Layout()
	good := updates(items.Append(2), tags.Append("t"), meta.Put("b", "2"), facts.Put("b", 2), cost.Add(1),
		talk.Messages.Add(message("2", "two"), message("1", "changed")), sum.Reduce("y"))
	bad := updates(items.Append(99, 98), talk.Messages.Add(message("3", "three"), message("1", "wrong")),
		meta.Put("a", "wrong"), meta.Delete("b"), facts.Delete("b"), talk.Messages.Remove("2"), sum.Reduce("bad"))
	start := full{Items: []int{1}, Meta: map[string]string{"a": "1"}, Sum: "x",
		Conversation: state.Conversation{Messages: []state.Message{message("1", "one")}}}

	plain, failing := l.NewStore(&start), l.NewStore(&start)
	plain.Track()
	failing.Track()
	for range 3 {
		require.NoError(t, runStep(plain, good))
		before := shown(t, l, failing.State())
		require.Error(t, runStep(failing, good, bad))
		require.Error(t, runStep(failing, bad))
		assert.Equal(t, before, shown(t, l, failing.State()))
		require.NoError(t, runStep(failing, good))
		assert.Equal(t, shown(t, l, plain.State()), shown(t, l, failing.State()))
	}
	was, is := plain.Diff(), failing.Diff()
	a, err := l.AppendChanges(nil, &was)
	require.NoError(t, err)
	b, err := l.AppendChanges(nil, &is)
	require.NoError(t, err)
	assert.JSONEq(t, string(a), string(b), "what was dropped is not in Diff")
}

// TestViewsStay: a view shows for ever what it showed when it was made, also
// through replacements, removals and steps that fail.
func TestViewsStay(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	l := fullSchema.Layout()
	store := l.NewStore(&full{})
	var views []full
	var texts []string
	for range 300 {
		err := runStep(store, randomUpdate(r), updates(items.Append(1), tags.Append("x")))
		var conflict *state.ConflictError
		require.True(t, err == nil || assert.ErrorAs(t, err, &conflict), err)
		views = append(views, *store.State().(*full))
		texts = append(texts, shown(t, l, store.State()))
	}
	for i := range views {
		require.Equal(t, texts[i], shown(t, l, &views[i]), "view %d", i)
	}
}

// TestViewAppends: what a node appends to its view reaches neither the state
// nor another node, also where the first state had room behind its lists.
func TestViewAppends(t *testing.T) {
	t.Parallel()
	store := fullSchema.Layout().NewStore(&full{
		Items: append(make([]int, 0, 10), 1), Raw: append(make([]byte, 0, 10), 'a'),
		Conversation: state.Conversation{Messages: append(make([]state.Message, 0, 10), message("1", "one"))},
	})
	for step := range 5 {
		a, b := *store.State().(*full), *store.State().(*full)
		a.Items, b.Items = append(a.Items, 100), append(b.Items, 200)
		a.Raw, b.Raw = append(a.Raw, 'x'), append(b.Raw, 'y')
		a.Messages, b.Messages = append(a.Messages, message("", "x")), append(b.Messages, message("", "y"))
		require.NoError(t, runStep(store, updates(items.Append(step), talk.Messages.Add(message("", "s")),
			raw.Set(append(make([]byte, 0, 10), 'b')))))
		n := len(a.Items) - 1
		assert.Equal(t, 100, a.Items[n])
		assert.Equal(t, 200, b.Items[n])
		assert.Equal(t, step, store.State().(*full).Items[n])
		assert.Equal(t, byte('x'), a.Raw[1])
		assert.Equal(t, byte('y'), b.Raw[1])
		assert.Equal(t, "x", a.Messages[len(a.Messages)-1].Text())
		assert.Equal(t, "s", store.State().(*full).Messages[len(a.Messages)-1].Text())
	}
}

// TestReaderLeftBehind: a goroutine that goes on reading an old view does not
// race with the steps that follow.
func TestReaderLeftBehind(t *testing.T) {
	t.Parallel()
	store := fullSchema.Layout().NewStore(&full{Items: []int{0}, Meta: map[string]string{"a": "1"},
		Conversation: state.Conversation{Messages: []state.Message{message("1", "one")}}})
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		view := *store.State().(*full)
		readers.Go(func() {
			want := len(view.Items)
			for {
				select {
				case <-stop:
					return
				default:
				}
				assert.Len(t, slices.Clone(view.Items), want)
				assert.NotEmpty(t, view.Meta["a"])
				assert.NotEmpty(t, view.Messages[0].Text())
			}
		})
		for i := range 100 {
			require.NoError(t, runStep(store, updates(items.Append(i), meta.Put("a", fmt.Sprint(i)),
				talk.Messages.Add(message("1", fmt.Sprint(i)), message("", "more")))))
		}
	}
	close(stop)
	readers.Wait()
	assert.Len(t, store.State().(*full).Items, 301)
}

// TestAppendIsLinear: 10,000 appends cost memory as the list's size, not its
// square.
func TestAppendIsLinear(t *testing.T) {
	cost := func(n int) float64 {
		allocs := testing.AllocsPerRun(3, func() {
			store := eightSchema.Layout().NewStore(&eight{})
			var u state.Changes
			for i := range n {
				u = state.Changes{}
				u.Add(eightItems.Append(i).Change())
				require.NoError(t, runStep(store, &u))
			}
		})
		return allocs
	}
	bytes := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			store := eightSchema.Layout().NewStore(&eight{})
			var u state.Changes
			for i := range 10_000 {
				u = state.Changes{}
				u.Add(eightItems.Append(i).Change())
				store.Begin()
				if store.Check(0, &u) != nil || store.Apply(0, &u) != nil {
					b.Fatal("the step failed")
				}
				store.Commit()
			}
		}
	})
	assert.Less(t, bytes.AllocsPerOp(), int64(100))
	assert.Less(t, bytes.AllocedBytesPerOp(), int64(10_000*8*8))
	assert.Less(t, cost(2000), 2*cost(1000)+100)
}

// TestAppliedTwice: one update may be applied to two states, as by a preview
// and by the commit; neither changes the other nor the update.
func TestAppliedTwice(t *testing.T) {
	t.Parallel()
	l := fullSchema.Layout()
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		u := updates(
			meta.Replace(map[string]string{"a": "1"}), meta.Put("b", "2"), meta.Delete("a"),
			items.Replace([]int{1, 2}), items.Append(3),
			talk.Messages.Replace([]state.Message{message("1", "one")}), talk.Messages.Add(message("1", "two"), message("2", "x")),
			codes.Replace(map[int]any{1: []any{1}}), codes.Put(2, "x"), randomWrite(r))
		before, err := l.AppendChanges(nil, u)
		require.NoError(t, err)
		a, b := l.NewStore(&full{}), l.NewStore(&full{})
		require.NoError(t, runStep(a, u))
		first := shown(t, l, a.State())
		require.NoError(t, runStep(a, updates(randomWrite(r), items.Append(7), meta.Put("c", "3"), codes.Put(3, 3),
			talk.Messages.Add(message("2", "other")))))
		require.NoError(t, runStep(b, u))
		require.Equal(t, first, shown(t, l, b.State()))
		after, err := l.AppendChanges(nil, u)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after))
	}
}

// TestCallerKeepsHisValues: handles copy lists and maps that they are given.
func TestCallerKeepsHisValues(t *testing.T) {
	t.Parallel()
	ints, texts, all := []int{1, 2}, map[string]string{"a": "1"}, map[string]string{"b": "2"}
	keys := []string{"a"}
	u := []state.Write[full]{items.Append(ints...), items.Append(ints[:1]...), meta.Replace(texts), meta.PutAll(all), facts.Delete(keys...)}
	ints[0], texts["a"], all["b"], keys[0] = 9, "9", "9", "9"
	got, err := fullSchema.Apply(full{Facts: state.Dict[string, int]{}.With("a", 1)}, u...)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2, 1}, got.Items)
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, got.Meta)
	assert.Zero(t, got.Facts.Len())
}

// TestReset begins anew in the memory of an old run.
func TestReset(t *testing.T) {
	t.Parallel()
	store := fullSchema.Layout().NewStore(&full{})
	store.Track()
	require.NoError(t, runStep(store, updates(items.Append(1), draft.Set("x"), meta.Put("a", "1"))))
	old := *store.State().(*full)
	store.Reset(&full{Items: []int{5}})
	diff := store.Diff()
	assert.Zero(t, diff.Len())
	require.NoError(t, runStep(store, updates(items.Append(6), draft.Set("y"))))
	assert.Equal(t, []int{5, 6}, store.State().(*full).Items)
	assert.Equal(t, []int{1}, old.Items)
	assert.Empty(t, store.State().(*full).Meta)
}
