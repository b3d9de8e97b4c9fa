package state_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

var update = flag.Bool("update", false, "write the golden files anew")

func ExampleStore_AppendOps() {
	store := articles.Layout().NewStore(&Article{Tokens: 10, Links: []string{"a"}})
	store.Journal(true)
	u := state.ChangesOf([]state.Write[Article]{Tokens.Add(5), Links.Append("b")})
	_ = store.ApplyAlone(&u)
	store.Commit()
	ops, exact, _ := store.AppendOps(nil)
	fmt.Println(string(ops), exact)
	writes, _ := store.AppendWrites(nil)
	fmt.Println(string(writes))

	other := articles.Layout().NewStore(&Article{Tokens: 10, Links: []string{"a"}})
	err := other.Replay(ops)
	fmt.Println(other.State().(*Article).Tokens, other.State().(*Article).Links, err)
	// Output:
	// [["tokens","replace",15],["links","append",["b"]]] false
	// [["tokens","add",5],["links","append",["b"]]]
	// 15 [a b] <nil>
}

// TestTour shows what is stored of every verb of every handle: the golden file
// has the writes of a step, its operations, and whether they are the same.
func TestTour(t *testing.T) {
	t.Parallel()
	type W = []state.Write[full]
	first, second := message("1", "one"), message("2", "two")
	steps := []W{
		{draft.Set("a")}, {draft.Replace("b")}, {phases.Set("p")}, {raw.Set([]byte("x"))}, {anyval.Set(float32(3))}, {last.Set(nil)},
		{cost.Add(2), cost.Add(3)}, {cost.Replace(7)}, {ratio.Add(0.5)}, {small.Add(-1)},
		{items.Append(1)}, {items.Append(2), draft.Set("c"), items.Append(3, 4)}, {items.Append()}, {items.Replace(nil), items.Append(9)}, {things.Append(1, 1.0, nil)},
		{meta.Put("a", "1")}, {meta.Put("b", "2"), meta.Delete("a", "x"), meta.Put("c", "3")}, {meta.Replace(nil), meta.Put("z", "26")},
		{codes.Put(1, "one"), codes.Put(2, 2.0)}, {codes.Delete(1)}, {facts.Put("a", 1)}, {facts.Delete("a"), facts.PutAll(map[string]int{"b": 2})}, {facts.Replace(state.Dict[string, int]{})},
		{talk.Messages.Add(first, second)}, {talk.Messages.Add(message("1", "changed")), talk.Messages.Remove("2")}, {talk.Messages.Replace([]state.Message{second})},
		{sum.Reduce("a"), sum.Reduce("b")}, {sum.Replace("c")}, {sum.Replace("d"), sum.Reduce("e")},
	}
	var out bytes.Buffer
	store := fullSchema.Layout().NewStore(&full{})
	store.Journal(true)
	for _, step := range steps {
		require.NoError(t, store.ApplyAlone(updates(step...)))
		store.Commit()
		tell(t, &out, store)
	}
	s := recordOf(t, state.RecordField{Name: "f", Reduce: "union"}, state.RecordField{Name: "max", Reduce: "max"}, state.RecordField{Name: "ms", Reduce: "messages"})
	store = s.Layout().NewStore(s.Layout().Fresh())
	store.Journal(true)
	for _, w := range []struct {
		field string
		value any
	}{
		{"f", []any{1, 2}}, {"f", []any{2, 3}}, {"f", 1}, {"max", 2.0}, {"max", 1},
		{"ms", "hello"}, {"ms", []any{map[string]any{"id": "1"}, map[string]any{"type": "remove", "id": "1"}}},
	} {
		write, err := s.Write(w.field, w.value)
		require.NoError(t, err)
		require.NoError(t, store.ApplyAlone(updates(write)))
		store.Commit()
		tell(t, &out, store)
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/operations.txt", out.Bytes(), 0o644))
	}
	want, err := os.ReadFile("testdata/operations.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())
}

func tell(t *testing.T, out *bytes.Buffer, store *state.Store) {
	t.Helper()
	writes, err := store.AppendWrites(nil)
	require.NoError(t, err)
	ops, exact, err := store.AppendOps(nil)
	require.NoError(t, err)
	fmt.Fprintf(out, "%s\n  %s exact=%v\n", writes, ops, exact)
}

// TestJournal: operations are there from Commit to the next Begin, and only
// while the journal is on.
func TestJournal(t *testing.T) {
	t.Parallel()
	store := fullSchema.Layout().NewStore(&full{})
	none := func() {
		t.Helper()
		_, _, err := store.AppendOps(nil)
		require.Error(t, err)
		_, err = store.AppendWrites(nil)
		require.Error(t, err)
	}
	require.NoError(t, runStep(store, updates(items.Append(1))))
	none()
	store.Journal(true)
	none()
	store.Begin()
	store.Commit()
	ops, exact, err := store.AppendOps(nil)
	require.NoError(t, err)
	assert.Equal(t, "[] true", fmt.Sprintf("%s %v", ops, exact))
	require.NoError(t, runStep(store, updates(items.Append(1))))
	store.Begin()
	none()
	store.Commit()
	store.Journal(false)
	none()
	store.Journal(true)
	require.NoError(t, runStep(store, updates(items.Append(1))))
	store.Reset(&full{})
	none()

	store.Journal(true)
	require.NoError(t, runStep(store, updates(draft.Set("fine"), rep.Set(report{Title: "\xff"}))))
	_, _, err = store.AppendOps(nil)
	require.ErrorIs(t, err, state.ErrValue)
	require.ErrorContains(t, err, `field "report"`)
	_, err = store.AppendWrites(nil)
	require.ErrorIs(t, err, state.ErrValue)
}

// TestJournalAllocatesNothing where there is room for the operations.
func TestJournalAllocatesNothing(t *testing.T) {
	store := eightSchema.Layout().NewStore(&eight{Items: []int{1}})
	store.Journal(true)
	dst := make([]byte, 0, 1000)
	u := updates(eightCount.Add(1000), eightDone.Set(true), eightScore.Set(1.5), eightBudget.Add(-5))
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		require.NoError(t, store.ApplyAlone(u))
		store.Commit()
		_, _, _ = store.AppendOps(dst)
	}))
}

// TestSumsThatDoNotFit: the parts into which Diff splits what does not fit the
// counter's type depend on the sum alone.
func TestSumsThatDoNotFit(t *testing.T) {
	t.Parallel()
	store := fullSchema.Layout().NewStore(&full{Small: -128})
	store.Track()
	for _, n := range []int8{100, 100, -100, 100, 50} {
		require.NoError(t, runStep(store, updates(small.Add(n))))
	}
	diff, err := store.AppendDiff(nil)
	require.NoError(t, err)
	assert.Equal(t, `[["small","add",127],["small","add",123]]`, string(diff))
	again := fullSchema.Layout().NewStore(&full{})
	again.Track()
	require.NoError(t, again.Recall(diff))
	require.NoError(t, again.Recall([]byte(`[["small","add",-128],["small","add",-127]]`)))
	diff, err = again.AppendDiff(nil)
	require.NoError(t, err)
	assert.Equal(t, `[["small","add",-5]]`, string(diff))
	require.ErrorContains(t, again.Recall([]byte(`[["hint","set","x"]]`)), "only a send")
	require.ErrorIs(t, again.Recall([]byte(`[["none","set","x"]]`)), state.ErrUnknownField)
}

// word is a key that is written in capitals, but only in lists: as the key of
// an object JSON writes texts as they are.
type word string

func (w word) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(w))), nil }

func (w *word) UnmarshalText(b []byte) error {
	*w = word(strings.ToLower(string(b)))
	return nil
}

// TestOddKeys are deleted by the names that they have in objects, so that it
// needs no type to find them.
func TestOddKeys(t *testing.T) {
	t.Parallel()
	type odd struct{ Words map[word]int }
	words := state.NewMap("words", func(s *odd) *map[word]int { return &s.Words })
	l := state.MustSchema(words).Layout()
	store := l.NewStore(&odd{Words: map[word]int{"a": 1, "b": 2, "c": 3}})
	before := shown(t, l, store.State())
	store.Journal(true)
	require.NoError(t, runStep(store, updates(words.Delete("b", "a"))))
	ops, exact, err := store.AppendOps(nil)
	require.NoError(t, err)
	assert.Equal(t, `[["words","delete",{"a":null,"b":null}]] false`, fmt.Sprintf("%s %v", ops, exact))
	again := l.NewStore(&odd{})
	require.NoError(t, again.Load([]byte(before)))
	require.NoError(t, again.Replay(ops))
	assert.Equal(t, shown(t, l, store.State()), shown(t, l, again.State()))
	raw, err := state.LoadRaw([]byte(before))
	require.NoError(t, err)
	require.NoError(t, raw.Replay(ops))
	assert.JSONEq(t, `{"c":3}`, string(raw.Fields()["words"]))
}

// TestVersions: stored fields go through every migration between their version
// and the schema's.
func TestVersions(t *testing.T) {
	t.Parallel()
	type F = map[string]json.RawMessage
	var calls []int
	step := func(n int) state.Migration {
		return func(f F) error {
			calls = append(calls, n)
			f["draft"] = append(json.RawMessage{}, f["text"]...)
			delete(f, "text")
			return nil
		}
	}
	s := fullSchema.Versioned(4, map[int]state.Migration{1: step(1), 2: func(F) error { return nil }, 3: func(f F) error {
		if f["worse"] != nil {
			panic("worse came")
		} else if f["bad"] != nil {
			return fmt.Errorf("bad came")
		}
		return nil
	}})
	l := s.Layout()
	assert.Equal(t, 4, l.Version())
	assert.Equal(t, 0, fullSchema.Layout().Version())
	raw, err := state.LoadRaw([]byte(`{"text":"old","items":[1]}`))
	require.NoError(t, err)
	require.NoError(t, raw.Replay([]byte(`[["items","append",[2]],["text","set","older"]]`)))
	require.NoError(t, l.Migrate(1, raw.Fields()))
	b, err := raw.Append(nil)
	require.NoError(t, err)
	assert.Equal(t, `{"draft":"older","items":[1,2]}`, string(b))
	st, err := l.LoadState(b)
	require.NoError(t, err)
	assert.Equal(t, "older", st.(*full).Draft)
	require.NoError(t, l.Migrate(4, nil))
	assert.Equal(t, []int{1}, calls)
	require.ErrorContains(t, l.Migrate(0, F{}), "needs migrations from the versions [0]")
	require.ErrorContains(t, l.Migrate(5, F{}), "stored with version 5")
	require.ErrorContains(t, l.Migrate(2, F{"bad": nil, "worse": json.RawMessage("1")}), "from version 3 to 4: it panicked: worse came")
	require.ErrorContains(t, l.Migrate(3, F{"bad": json.RawMessage("1")}), "from version 3 to 4: bad came")
	require.PanicsWithError(t, "state: invalid schema: version -1 is less than 0\n"+
		"state: invalid schema: a migration from version 0, which is not before version -1\n"+
		"state: invalid schema: the migration from version 0 is nil", func() { fullSchema.Versioned(-1, map[int]state.Migration{0: nil}) })

	records := recordOf(t, state.RecordField{Name: "x", Default: 1}).Versioned(2, nil)
	w, err := records.Write("x", 2)
	require.NoError(t, err)
	r, err := records.Apply(state.Record{}, w)
	require.NoError(t, err)
	text, err := records.EncodeState(r)
	require.NoError(t, err)
	assert.Equal(t, `{"x":2}`, string(text))
}

// TestBadRaw: a state without a schema refuses what cannot be, with its place.
func TestBadRaw(t *testing.T) {
	t.Parallel()
	for ops, want := range map[string]string{
		`[["x","append",1]]`: "want a list", `[["o","append",[1]]]`: "want a list to append to", `[["l","put",{"a":1}]]`: "want an object with keys",
		`[["o","put",[{}]]]`: "want a list of messages", `[["x","put",1]]`: "want a list of messages or an object", `[["x","add",1]]`: `"add" is no operation`,
		`[["m","delete",["2"]]]`: `no message has the id "2"`, `[["o","delete",[true]]]`: "key 0", `[["x","set",{"a":1,"a":2}]]`: "comes twice", `[["x","set",[}]]`: "operation 0",
		`{`: "want a list of [field", `[["n","delete",1]]`: "unfit value",
	} {
		raw, err := state.LoadRaw([]byte(`{"l":[1],"o":{"a":1},"m":[{"id":"1"}],"n":null}`))
		require.NoError(t, err)
		require.ErrorContains(t, raw.Replay([]byte(ops)), want, ops)
	}
	_, err := state.LoadRaw([]byte(`{"a":{"b":1,"b":2}}`))
	require.ErrorIs(t, err, state.ErrValue)
	var zero state.RawState
	require.NoError(t, zero.Replay([]byte(`[["l","append",[1]],["o","put",{"a":1}],["d","delete",["x"]],["o","delete",["a"]]]`)))
	b, err := zero.Append(nil)
	require.NoError(t, err)
	assert.Equal(t, `{"l":[1],"o":{}}`, string(b))
}

// TestShape: what became of a schema is told field by field.
func TestShape(t *testing.T) {
	t.Parallel()
	type before struct {
		Log  []string
		Text string
		Gone int
		Same int
	}
	type after struct {
		Log  int
		Body string
		New  map[string]int
		Same int
	}
	was := state.MustSchema(
		state.NewList("log", func(s *before) *[]string { return &s.Log }), state.NewValue("text", func(s *before) *string { return &s.Text }),
		state.NewReduced("gone", state.Reducer[int]{Name: "max", Combine: greater}, func(s *before) *int { return &s.Gone }),
		state.NewValue("same", func(s *before) *int { return &s.Same })).Layout()
	is := state.MustSchema(
		state.NewCounter("log", func(s *after) *int { return &s.Log }), state.Renamed[after](state.NewValue("body", func(s *after) *string { return &s.Body }), "text"),
		state.NewMap("new", func(s *after) *map[string]int { return &s.New }),
		state.NewValue("same", func(s *after) *int { return &s.Same })).Layout()
	stored := was.AppendShape(nil)
	assert.JSONEq(t, `[["log","list","[]string"],["text","value","string"],["gone","reduced:max","int"],["same","value","int"]]`, string(stored))
	got, err := is.ShapeChanges(stored)
	require.NoError(t, err)
	assert.Equal(t, []string{`field "log" was a list of string, is now a counter of int`, `field "gone" was a value of int reduced by "max", is now gone`}, got)
	_, err = is.ShapeChanges([]byte("{}"))
	require.ErrorIs(t, err, state.ErrValue)
	same, err := is.ShapeChanges(is.AppendShape(nil))
	require.NoError(t, err)
	assert.Empty(t, same)
	record := recordOf(t, state.RecordField{Name: "x", Reduce: "append", Type: "string"}, state.RecordField{Name: "m", Reduce: "messages"}).Layout()
	assert.JSONEq(t, `[["x","record:append","string"],["m","messages","any"]]`, string(record.AppendShape(nil)))
}
