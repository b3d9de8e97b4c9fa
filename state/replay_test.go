package state_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// TestBadOperations: what does not fit is told with its place, and changes
// nothing.
func TestBadOperations(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		``:                                   "want a list of [field, verb, value], got nothing",
		`null`:                               "at byte 0: unfit value: want a list of [field, verb, value]",
		`[["draft","set"]]`:                  "operation 0: at byte 15: unfit value: want a comma and a value",
		`[["draft","set","x",1]]`:            "want the end of [field, verb, value]",
		`[["draft","set","x"]`:               "want a comma or the end of the list",
		`[["draft","set","x"],`:              "operation 1: at byte 21",
		`[["draft","set","x"]] []`:           "want the end, got []",
		`[["draft","set",]]`:                 "want a value",
		`[["draft",1,2]]`:                    "want a text",
		"[[\"a\x01\",\"set\",1]]":            "operation 0",
		"[[\"\xae\",\"set\",1]]":             "not valid UTF-8",
		`[["draft`:                           "want a whole text",
		`[["\ud800","set",1]]`:               "half of a surrogate pair",
		`[["none","set",1]]`:                 `operation 0: unknown field "none"; the fields of state_test.full are`,
		`[["hint","set","x"]]`:               `field "hint" is local`,
		`[["draft","append",["x"]]]`:         `field "draft" has no operation "append"`,
		`[["draft","sets","x"]]`:             `field "draft" has no operation "sets"`,
		`[["cost","add",1]]`:                 `field "cost" has no operation "add"`,
		`[["sum","reduce","x"]]`:             `field "sum" has no operation "reduce"`,
		`[["cost","replace",1.5]]`:           `field "cost": unfit value`,
		`[["small","replace",128]]`:          `field "small": unfit value`,
		`[["items","append",1]]`:             `field "items": unfit value: want a list, got 1`,
		`[["items","append",[1],[2]]]`:       "want the end",
		`[["items","append",[1}]]`:           "unfit value",
		`[["meta","put",["a"]]]`:             `field "meta": unfit value: want an object`,
		`[["meta","put",{"a":1}]]`:           `field "meta"`,
		`[["meta","put",{"a":"","a":""}]]`:   `the key "a" comes twice`,
		`[["messages","delete",["9"]]]`:      `operation 0: field "messages": unfit value: no message has the id "9" to remove`,
		`[["messages","put",[{"id":"1"}]]]`:  `message type ""`,
		`[["draft","set",null]]`:             "want a value, got null",
		`[["draft","set","` + "\xff" + `"]]`: "not valid UTF-8",
		`[["any","set",` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `]]`: "nested deeper than 1000 levels",
		`[["none","set",1],["draft","set","x"],["cost","replace","x"]]`:                 `operation 2: field "cost"`,
	}
	l := fullSchema.Layout()
	for ops, want := range tests {
		store := l.NewStore(&full{Draft: "before"})
		before := shown(t, l, store.State())
		err := store.Replay([]byte(`[["items","append",[7]]]`), []byte(ops))
		require.ErrorContains(t, err, "state: list 1: ", ops)
		require.ErrorContains(t, err, want, ops)
		require.Equal(t, before, shown(t, l, store.State()), "nothing of a call is done")
		require.ErrorContains(t, store.Replay([]byte(ops)), want, ops)
		require.NoError(t, runStep(store, updates(items.Append(1))))
		require.Equal(t, []int{1}, store.State().(*full).Items)
	}
	many := "[" + strings.Repeat(`["none","set",1],`, 99) + `["none","set",1]]`
	err := l.NewStore(&full{}).Replay([]byte(many))
	require.ErrorContains(t, err, "and more")
	assert.Equal(t, 20, strings.Count(err.Error(), "unknown field"))
}

// TestReplayOfRenamed: operations may name fields as they were called before.
func TestReplayOfRenamed(t *testing.T) {
	t.Parallel()
	type small struct{ Text string }
	text := state.NewValue("text", func(s *small) *string { return &s.Text })
	l := state.MustSchema(state.Renamed[small](text, "body")).Layout()
	store := l.NewStore(&small{})
	require.NoError(t, store.Replay([]byte(`[["body","set","x"]]`)))
	assert.Equal(t, "x", store.State().(*small).Text)
}

// TestReplayLeavesViews: what was shown of the state stays, and the Store goes
// on as if all had been its own steps.
func TestReplayLeavesViews(t *testing.T) {
	t.Parallel()
	l := fullSchema.Layout()
	histories(t, 20, func(t *testing.T, h *history, r *rand.Rand) {
		if h.layout != l {
			return
		}
		store := l.NewStore(&full{})
		var views []full
		for _, ops := range h.ops {
			views = append(views, *store.State().(*full))
			require.NoError(t, store.Replay(ops))
		}
		for i := range views {
			require.Equal(t, h.states[i], shown(t, l, &views[i]))
		}
		u := updates(items.Append(1), meta.Put("z", "1"), talk.Messages.Add(message("a", "last")), things.Append("x"))
		require.NoError(t, runStep(store, u))
		require.NoError(t, runStep(h.store, u))
		require.Equal(t, shown(t, l, h.store.State()), shown(t, l, store.State()))
	})
}

// TestReplayIsUntold: neither Diff nor the journal knows of a replay, and no
// reducer is called.
func TestReplayIsUntold(t *testing.T) {
	t.Parallel()
	store := fullSchema.Layout().NewStore(&full{})
	store.Track()
	store.Journal(true)
	require.NoError(t, runStep(store, updates(draft.Set("x"))))
	require.NoError(t, store.Replay([]byte(`[["items","append",[1]],["sum","replace","bad"],["sum","replace","worse"]]`)))
	_, _, err := store.AppendOps(nil)
	require.ErrorContains(t, err, "no step has been committed")
	_, err = store.AppendWrites(nil)
	require.Error(t, err)
	diff, err := store.AppendDiff(nil)
	require.NoError(t, err)
	assert.Equal(t, `[["draft","set","x"]]`, string(diff))
	assert.Equal(t, "worse", store.State().(*full).Sum)
}

// TestLoad begins anew: without journal and tracking, and with the state or
// not at all.
func TestLoad(t *testing.T) {
	t.Parallel()
	l := fullSchema.Layout()
	store := l.NewStore(&full{Items: []int{1}})
	store.Track()
	store.Journal(true)
	require.NoError(t, runStep(store, updates(items.Append(2), meta.Put("a", "1"))))
	require.ErrorIs(t, store.Load([]byte(`{"items":[1],"none":1}`)), state.ErrUnknownField)
	_, _, err := store.AppendOps(nil)
	require.NoError(t, err, "a load that fails changes nothing")
	require.Equal(t, []int{1, 2}, store.State().(*full).Items)
	require.NoError(t, store.Load([]byte(`{"items":[5]}`)))
	require.NoError(t, runStep(store, updates(items.Append(6))))
	assert.Equal(t, []int{5, 6}, store.State().(*full).Items)
	assert.Empty(t, store.State().(*full).Meta)
	_, _, err = store.AppendOps(nil)
	require.Error(t, err)
	diff := store.Diff()
	assert.Zero(t, diff.Len())
	require.ErrorContains(t, store.Recall([]byte("[]")), "does not track")
}

// TestReplayIsLinear: lists grow at a cost that does not depend on their
// length, of structs and of records, of unions too.
func TestReplayIsLinear(t *testing.T) {
	s := recordOf(t, state.RecordField{Name: "log", Reduce: "append"}, state.RecordField{Name: "set", Reduce: "union"}, state.RecordField{Name: "m", Reduce: "messages"})
	for name, l := range map[string]*state.Layout{"items": eightSchema.Layout(), "log": s.Layout(), "set": s.Layout(), "m": s.Layout()} {
		cost := func(n int) int64 {
			ops := []byte(`[["` + name + `","append",[1]]]`)
			if name == "m" {
				ops = []byte(`[["m","put",[{"content":"x"}]]]`)
			}
			store := l.NewStore(l.Fresh())
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range n {
				require.NoError(t, store.Replay(ops))
			}
			runtime.ReadMemStats(&after)
			return int64(after.TotalAlloc - before.TotalAlloc)
		}
		assert.Less(t, cost(8000), 12*cost(1000)+10_000, name)
	}
}

func FuzzReplay(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	l := fullSchema.Layout()
	for range 20 {
		store := l.NewStore(&full{})
		store.Journal(true)
		require.NoError(f, runStep(store, randomUpdate(r)))
		ops, _, err := store.AppendOps(nil)
		require.NoError(f, err)
		f.Add(ops)
	}
	f.Add([]byte("[[\"\xae\",\"set\",0]]"))
	f.Add([]byte(`[["union","append",[1]],["merge","delete",{"a":null}],["messages","put",["x",{"id":"1"}]]]`))
	records, err := state.NewRecordSchema(state.RecordField{Name: "union", Reduce: "union"}, state.RecordField{Name: "merge", Reduce: "merge"},
		state.RecordField{Name: "messages", Reduce: "messages"}, state.RecordField{Name: "any"}, state.RecordField{Name: "sum", Reduce: "sum"})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, ops []byte) {
		for _, l := range []*state.Layout{l, records.Layout()} {
			store := l.NewStore(l.Fresh())
			before := shown(t, l, store.State())
			if store.Replay(ops) != nil {
				require.Equal(t, before, shown(t, l, store.State()))
				continue
			}
			text := shown(t, l, store.State())
			_, err := l.LoadState([]byte(text))
			require.NoError(t, err)
		}
		raw := state.RawState{}
		if raw.Replay(ops) == nil {
			_, err := raw.Append(nil)
			require.NoError(t, err)
		}
	})
}
