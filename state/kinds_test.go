package state_test

import (
	"fmt"
	"hash/maphash"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// kinds has a value and a list of every kind that writes carry in a way of
// their own, and maps with every kind of key.
type kinds struct {
	Int    int
	Int64  int64
	Float  float64
	Bool   bool
	Floats []float64
	Bools  []bool
	Texts  []string
	ByTime map[time.Time]int
	ByUint map[uint8]int
	ByName map[phase]int
	Loose  state.Dict[string, any]
	Docs   []map[string]any
	Join   []string
}

var (
	kInt    = state.NewValue("int", func(s *kinds) *int { return &s.Int })
	kInt64  = state.NewValue("int64", func(s *kinds) *int64 { return &s.Int64 })
	kFloat  = state.NewValue("float", func(s *kinds) *float64 { return &s.Float })
	kBool   = state.NewValue("bool", func(s *kinds) *bool { return &s.Bool })
	kFloats = state.NewList("floats", func(s *kinds) *[]float64 { return &s.Floats })
	kBools  = state.NewList("bools", func(s *kinds) *[]bool { return &s.Bools })
	kTexts  = state.NewValue("texts", func(s *kinds) *[]string { return &s.Texts })
	kByTime = state.NewMap("by_time", func(s *kinds) *map[time.Time]int { return &s.ByTime })
	kByUint = state.NewMap("by_uint", func(s *kinds) *map[uint8]int { return &s.ByUint })
	kByName = state.NewMap("by_name", func(s *kinds) *map[phase]int { return &s.ByName })
	kLoose  = state.NewDict("loose", func(s *kinds) *state.Dict[string, any] { return &s.Loose })
	kDocs   = state.NewList("docs", func(s *kinds) *[]map[string]any { return &s.Docs })
	kJoin   = state.NewReduced("join", state.Reducer[[]string]{Name: "join", Combine: join}, func(s *kinds) *[]string { return &s.Join })

	kindsSchema = state.MustSchema(kInt, kInt64, kFloat, kBool, kFloats, kBools, kTexts, kByTime, kByUint, kByName, kLoose, kDocs, kJoin)
)

func join(cur, upd []string) ([]string, error) { return append(cur, upd...), nil }

// TestKinds writes every kind, stores the update and the state, and reads them.
func TestKinds(t *testing.T) {
	t.Parallel()
	when := time.Unix(3, 0).UTC()
	ws := []state.Write[kinds]{
		kInt.Set(-1), kInt64.Set(-1 << 63), kFloat.Set(-0.5), kBool.Set(true), kFloats.Append(2), kFloats.Append(3, 4.5),
		kBools.Append(true), kBools.Append(false), kTexts.Set([]string{"a"}), kByTime.Put(when, 1), kByUint.Put(255, 2), kByUint.Put(9, 3),
		kByName.Put("plan", 4), kLoose.Replace(state.Dict[string, any]{}.With("a", 1)), kLoose.Put("b", 2.0),
		kDocs.Append(map[string]any{"n": 1, "f": 1.0}), kJoin.Reduce([]string{"x"}), kJoin.Reduce([]string{"y"}),
	}
	want := `{"int":-1,"int64":-9223372036854775808,"float":-0.5,"bool":true,"floats":[2.0,3.0,4.5],"bools":[true,false],"texts":["a"],` +
		`"by_time":{"1970-01-01T00:00:03Z":1},"by_uint":{"255":2,"9":3},"by_name":{"plan":4},"loose":{"a":1,"b":2.0},` +
		`"docs":[{"f":1.0,"n":1}],"join":["x","y"]}`
	got, err := kindsSchema.Apply(kinds{}, ws...)
	require.NoError(t, err)
	b, err := kindsSchema.EncodeState(got)
	require.NoError(t, err)
	assert.Equal(t, want, string(b))

	stored, err := kindsSchema.EncodeWrites(ws...)
	require.NoError(t, err)
	back, err := kindsSchema.DecodeWrites(stored)
	require.NoError(t, err)
	again, err := kindsSchema.Apply(kinds{}, back...)
	require.NoError(t, err)
	b, err = kindsSchema.EncodeState(again)
	require.NoError(t, err)
	assert.Equal(t, want, string(b))

	_, err = kindsSchema.Apply(kinds{}, kLoose.Replace(state.Dict[string, any]{}.With("a", when)))
	require.ErrorContains(t, err, `field "loose": at .a: unfit value: a time.Time`)
	_, err = kindsSchema.Apply(kinds{}, kDocs.Append(map[string]any{"a": when}))
	require.ErrorContains(t, err, `field "docs": `)
}

// TestNames: handles know their names.
func TestNames(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]interface{ Name() string }{
		"draft": draft, "cost": cost, "items": items, "meta": meta, "facts": facts, "sum": sum, "hint": hint, "messages": talk.Messages,
	} {
		assert.Equal(t, want, f.Name())
	}
}

// TestNumbersInAny: every kind of number becomes int64 or float64 in `any`.
func TestNumbersInAny(t *testing.T) {
	t.Parallel()
	for _, n := range []any{int(7), int8(7), int16(7), int32(7), int64(7), uint(7), uint8(7), uint16(7), uint32(7), uint64(7)} {
		got, err := fullSchema.Apply(full{}, anyval.Set(n), things.Append(n), codes.Put(1, n))
		require.NoError(t, err)
		assert.Equal(t, int64(7), got.Any, "%T", n)
		assert.Equal(t, []any{int64(7)}, got.Things)
		assert.Equal(t, map[int]any{1: int64(7)}, got.Codes)
	}
	got, err := fullSchema.Apply(full{}, anyval.Set(float32(0.5)))
	require.NoError(t, err)
	assert.Equal(t, 0.5, got.Any)
	for _, extra := range []map[string]any{{"a": map[string]any{"b": 1}}, {"a": []any(nil)}, {"a": map[string]any(nil)}, {"a": map[string]any{"\xff": "x"}}, {"a": int8(1)}} {
		_, err = fullSchema.Apply(full{}, rep.Set(report{Extra: extra}))
		require.ErrorContains(t, err, "at .Extra.a")
	}
	_, err = fullSchema.Apply(full{}, rep.Set(report{Extra: map[string]any{"a": map[string]any{"b": []any{"c", 1.5, true, nil, int64(1)}}}}))
	require.NoError(t, err)
}

// TestDigest finds out that a node assigned to what it was given.
func TestDigest(t *testing.T) {
	t.Parallel()
	seed := maphash.MakeSeed()
	l := fullSchema.Layout()
	s := &full{Items: []int{1}, Meta: map[string]string{"a": "1"}, Any: []any{int64(1)}}
	before, err := l.Digest(seed, s)
	require.NoError(t, err)
	for name, spoil := range map[string]func(){
		"element": func() { s.Items[0] = 2 }, "key": func() { s.Meta["b"] = "2" }, "kind of number": func() { s.Any.([]any)[0] = 1.0 },
	} {
		last, err := l.Digest(seed, s)
		require.NoError(t, err)
		spoil()
		after, err := l.Digest(seed, s)
		require.NoError(t, err)
		assert.NotEqual(t, last, after, name)
		assert.NotEqual(t, before, after, name)
	}
	_, err = l.Digest(seed, &full{Draft: "\xff"})
	require.ErrorIs(t, err, state.ErrValue)
}

// TestManyKeys: keys that come twice are found among many.
func TestManyKeys(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "%q : %d,", fmt.Sprint("k", i), i)
	}
	v, err := state.ParseAny([]byte(`{` + b.String() + `"last":"😀\ud83d\ude00"}`))
	require.NoError(t, err)
	assert.Len(t, v, 101)
	for _, twice := range []string{`"k3"`, `"k99"`, `"\u006b0"`} {
		_, err = state.ParseAny([]byte(`{` + b.String() + twice + `:1}`))
		require.ErrorContains(t, err, "comes twice", twice)
	}
	for _, bad := range []string{`"\udc00"`, `"\uD83Dx"`, `"\ud83d\u0041"`, `"\ud83`, `"\`, `"`, `{"a`, `]`, `{"a":1,}`} {
		_, err = state.ParseAny([]byte(bad))
		require.ErrorIs(t, err, state.ErrValue, bad)
	}
}

// TestRecordDiffFolds: the reducers of records fold what they were given.
func TestRecordDiffFolds(t *testing.T) {
	t.Parallel()
	s := recordOf(t, state.RecordField{Name: "max", Reduce: "max"}, state.RecordField{Name: "set", Reduce: "union"},
		state.RecordField{Name: "mixed", Reduce: "min"})
	store := s.Layout().NewStore(&state.Record{})
	store.Track()
	for i := range 300 {
		var ws []state.Write[state.Record]
		for _, name := range []string{"max", "set", "mixed"} {
			w, err := s.Write(name, i%7)
			require.NoError(t, err)
			ws = append(ws, w)
		}
		require.NoError(t, runStep(store, updates(ws...)))
	}
	diff := store.Diff()
	assert.JSONEq(t, `[["max","reduce",6],["set","reduce",[0,1,2,3,4,5,6]],["mixed","reduce",0]]`, shownUpdate(t, s.Layout(), &diff))
}
