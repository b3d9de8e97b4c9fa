package state_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

func recordOf(t *testing.T, fields ...state.RecordField) *state.RecordSchema {
	t.Helper()
	s, err := state.NewRecordSchema(fields...)
	require.NoError(t, err)
	return s
}

// TestReductions shows what each reducer does with writes, and then with
// replacements, of one step each.
func TestReductions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reduce   state.Reduction
		typ      string
		start    any
		writes   []any
		replaces []any
		want     string
	}{
		{"", "", nil, nil, nil, `{}`},
		{"last", "any", nil, []any{1.0}, nil, `{"f":1.0}`},
		{"last", "string", "a", nil, nil, `{"f":"a"}`},
		{"last", "string", "a", []any{nil}, nil, `{}`},
		{"last", "float", 1, nil, nil, `{"f":1.0}`},
		{"last", "float", nil, []any{2}, nil, `{"f":2.0}`},
		{"last", "int", nil, []any{uint16(2)}, nil, `{"f":2}`},
		{"last", "bool", false, []any{true}, nil, `{"f":true}`},
		{"last", "list", nil, []any{[]any{1, "a"}}, nil, `{"f":[1,"a"]}`},
		{"last", "map", nil, []any{map[string]any{"a": 1}}, nil, `{"f":{"a":1}}`},
		{"append", "", nil, nil, nil, `{"f":[]}`},
		{"append", "", []any{0}, []any{1, []any{2, 3}, []any{nil}}, nil, `{"f":[0,1,2,3,null]}`},
		{"append", "list", nil, []any{[]any{[]any{1}}}, nil, `{"f":[[1]]}`},
		{"append", "float", 1, []any{2, []any{3.5}}, nil, `{"f":[1.0,2.0,3.5]}`},
		{"append", "int", nil, []any{1}, []any{[]any{7}}, `{"f":[7]}`},
		{"sum", "", nil, []any{1, 2}, nil, `{"f":3}`},
		{"sum", "int", 5, []any{-1}, nil, `{"f":4}`},
		{"sum", "float", 5, []any{1, 0.5}, nil, `{"f":6.5}`},
		{"sum", "int", 5, []any{1}, []any{2}, `{"f":2}`},
		{"merge", "", nil, nil, nil, `{"f":{}}`},
		{"merge", "map", map[string]any{"a": 1}, []any{map[string]any{"b": 2.0}, map[string]any{"b": 3}}, nil, `{"f":{"a":1,"b":3}}`},
		{"merge", "float", nil, []any{map[string]any{"a": 1}}, nil, `{"f":{"a":1.0}}`},
		{"merge", "any", map[string]any{"a": 1}, nil, []any{map[string]any{}}, `{"f":{}}`},
		{"max", "", nil, nil, nil, `{}`},
		{"max", "", nil, []any{1, 2.5, 2}, nil, `{"f":2.5}`},
		{"max", "int", 3, []any{3, 1}, nil, `{"f":3}`},
		{"max", "string", nil, []any{"a", "c", "b"}, nil, `{"f":"c"}`},
		{"max", "float", 1, []any{2}, nil, `{"f":2.0}`},
		{"max", "any", nil, []any{int64(1)<<53 + 1, float64(int64(1) << 53)}, nil, `{"f":9007199254740993}`},
		{"min", "", nil, []any{2, 1.5, 3}, nil, `{"f":1.5}`},
		{"min", "int", 3, []any{5}, []any{4}, `{"f":4}`},
		{"union", "", nil, nil, nil, `{"f":[]}`},
		{"union", "", []any{1, 1}, []any{1, 1.0, "1", []any{1, map[string]any{"a": 1}}, map[string]any{"a": 1}}, nil, `{"f":[1,1.0,"1",{"a":1}]}`},
		{"union", "string", "a", []any{"b", []any{"a", "c"}}, nil, `{"f":["a","b","c"]}`},
		{"union", "any", nil, []any{1}, []any{[]any{2, 2}}, `{"f":[2]}`},
		{"messages", "", nil, nil, nil, `{"f":[]}`},
		{"messages", "", nil, []any{map[string]any{"id": "1", "content": "a"}, []any{map[string]any{"content": "b"}, "c"}, map[string]any{"id": "1", "content": "d"}}, nil,
			`{"f":[{"content":"d","id":"1"},{"content":"b"},{"content":"c","type":"human"}]}`},
		{"messages", "", map[string]any{"id": "1"}, []any{map[string]any{"type": "remove", "id": "1"}}, nil, `{"f":[]}`},
		{"messages", "", map[string]any{"id": "1"}, nil, []any{map[string]any{"id": "2"}}, `{"f":[{"id":"2"}]}`},
	}
	for i, test := range tests {
		t.Run(fmt.Sprint(i, test.reduce, test.typ), func(t *testing.T) {
			t.Parallel()
			s := recordOf(t, state.RecordField{Name: "f", Reduce: test.reduce, Type: test.typ, Default: test.start})
			store := s.Layout().NewStore(s.Layout().Fresh())
			for _, v := range test.writes {
				w, err := s.Write("f", v)
				require.NoError(t, err)
				requireComesBack(t, s, w)
				require.NoError(t, runStep(store, updates(w)))
			}
			for _, v := range test.replaces {
				w, err := s.Replace("f", v)
				require.NoError(t, err)
				requireComesBack(t, s, w)
				require.NoError(t, runStep(store, updates(w)))
			}
			text := shown(t, s.Layout(), store.State())
			assert.Equal(t, test.want, text)
			st, err := s.Layout().LoadState([]byte(text))
			require.NoError(t, err)
			if len(test.writes)+len(test.replaces) > 0 && text != "{}" {
				assert.Equal(t, store.State().(*state.Record), st.(*state.Record), "as it was, also in its types")
			}
			b, err := json.Marshal(*store.State().(*state.Record))
			require.NoError(t, err)
			assert.JSONEq(t, test.want, string(b))
		})
	}
}

func requireComesBack(t *testing.T, s *state.RecordSchema, w state.Write[state.Record]) {
	t.Helper()
	b, err := s.EncodeWrites(w)
	require.NoError(t, err)
	back, err := s.DecodeWrites(b)
	require.NoError(t, err)
	require.Equal(t, []state.Write[state.Record]{w}, back)
}

// TestUnfitRecordWrites lists writes that a record refuses when they are made.
func TestUnfitRecordWrites(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reduce state.Reduction
		typ    string
		value  any
		text   string
	}{
		{"last", "int", "x", `want int, got string "x"`},
		{"last", "int", 1.0, `want int, got float 1.0`},
		{"last", "string", 1, `want string, got int 1`},
		{"last", "bool", "true", "want bool"},
		{"last", "list", map[string]any{}, "want list, got map {}"},
		{"last", "map", []any{}, "want map, got list []"},
		{"last", "any", make(chan int), "a chan int in `any`"},
		{"append", "int", []any{1, "x"}, `element 1: unfit value: want int`},
		{"append", "int", nil, "want a list or an element, got null"},
		{"append", "string", []any{nil}, "want string, got null"},
		{"sum", "int", "1", `want int, got string "1"`},
		{"sum", "int", 1.5, "want int, got float 1.5"},
		{"sum", "int", nil, "want int, got null"},
		{"sum", "float", true, "want float, got bool true"},
		{"merge", "", []any{}, "want a map, got list []"},
		{"merge", "int", map[string]any{"b": "x", "a": "y"}, `key "a": unfit value: want int, got string "y"`},
		{"max", "int", "x", "want int"},
		{"union", "string", []any{1}, "element 0: unfit value: want string"},
		{"messages", "", 5, "a message is a map or a text, got int 5"},
		{"messages", "", map[string]any{"id": 5}, "a message's id is text, got int 5"},
	}
	for _, test := range tests {
		s := recordOf(t, state.RecordField{Name: "f", Reduce: test.reduce, Type: test.typ})
		_, err := s.Write("f", test.value)
		require.ErrorIs(t, err, state.ErrValue, "%v", test)
		assert.ErrorContains(t, err, `state: field "f": `)
		assert.ErrorContains(t, err, test.text)
		data, err := json.Marshal(test.value)
		if err == nil && test.value != 1.0 {
			_, err = s.DecodeUpdate([]byte(`{"f":` + string(data) + `}`))
			require.ErrorIs(t, err, state.ErrValue, "%v", test)
		}
		_, err = s.Replace("f", test.value)
		require.Error(t, err)
	}
	s := recordOf(t, state.RecordField{Name: "f", Reduce: "max"})
	w, err := s.Write("f", "text")
	require.NoError(t, err)
	st, err := s.DecodeState([]byte(`{"f":1}`))
	require.NoError(t, err)
	_, err = s.Apply(st, w)
	require.ErrorContains(t, err, `field "f": reducer "max": unfit value: string "text" and int 1 have no order`)
	_, err = s.Write("none", 1)
	require.ErrorIs(t, err, state.ErrUnknownField)
	m := recordOf(t, state.RecordField{Name: "f", Reduce: "messages"})
	w, err = m.Write("f", map[string]any{"type": "remove", "id": "9"})
	require.NoError(t, err)
	_, err = m.Apply(state.Record{}, w)
	require.ErrorContains(t, err, `no message has the id "9" to remove`)
}

// TestBadRecords: all problems of a record's fields are told at once.
func TestBadRecords(t *testing.T) {
	t.Parallel()
	_, err := state.NewRecordSchema(
		state.RecordField{Name: "a", Reduce: "most"},
		state.RecordField{Name: "b", Type: "text"},
		state.RecordField{Name: "c", Reduce: "sum", Type: "string"},
		state.RecordField{Name: "d", Reduce: "max", Type: "list"},
		state.RecordField{Name: "e", Type: "int", Default: "x"},
		state.RecordField{Name: "g"}, state.RecordField{Name: "g"}, state.RecordField{})
	require.ErrorIs(t, err, state.ErrSchema)
	for _, text := range []string{
		`field "a": no reducer is called "most"; there are [last append sum merge messages max min union]`,
		`field "b": no type is called "text"; there are [any string`, `field "c": sum adds numbers, not string`,
		`field "d": max compares numbers or texts, not list`, `field "e": default: unfit value: want int`,
		`the name "g" is used by two fields`, "has no name",
	} {
		assert.ErrorContains(t, err, text)
	}
}

// TestRecordViews: a record that a node holds does not change, and sends lay
// over records what is local.
func TestRecordViews(t *testing.T) {
	t.Parallel()
	s := recordOf(t, state.RecordField{Name: "log", Reduce: "append"}, state.RecordField{Name: "m", Reduce: "merge"},
		state.RecordField{Name: "x"}, state.RecordField{Name: "who", Local: true, Type: "string"})
	store := s.Layout().NewStore(&state.Record{})
	var views []state.Record
	var texts []string
	for i := range 20 {
		var ws []state.Write[state.Record]
		for field, v := range map[string]any{"log": i, "m": map[string]any{fmt.Sprint(i % 3): i}, "x": i} {
			w, err := s.Write(field, v)
			require.NoError(t, err)
			ws = append(ws, w)
		}
		require.NoError(t, runStep(store, updates(ws...)))
		views = append(views, *store.State().(*state.Record))
		texts = append(texts, shown(t, s.Layout(), store.State()))
	}
	for i := range views {
		require.Equal(t, texts[i], shown(t, s.Layout(), &views[i]))
	}
	who, err := s.Replace("who", "me")
	require.NoError(t, err)
	require.ErrorContains(t, runStep(store, updates(who)), "only a send may write it")
	var over state.Record
	require.NoError(t, s.Layout().Overlay(&over, store.State(), updates(who).All()))
	got, ok := over.Get("who")
	assert.True(t, ok)
	assert.Equal(t, "me", got)
	_, ok = views[0].Get("who")
	assert.False(t, ok)
	_, ok = views[0].Get("none")
	assert.False(t, ok)
	_, ok = state.Record{}.Get("x")
	assert.False(t, ok)

	var names []string
	for name := range over.All() {
		names = append(names, name)
	}
	assert.Equal(t, []string{"log", "m", "x", "who"}, names)
	b, err := json.Marshal(state.Record{})
	require.NoError(t, err)
	assert.Equal(t, "{}", string(b))
}

// TestRecordsOfOthers: a record that another schema made is refused where
// states come in; where it is copied, what fits is taken.
func TestRecordsOfOthers(t *testing.T) {
	t.Parallel()
	a := recordOf(t, state.RecordField{Name: "x", Type: "int", Default: 1}, state.RecordField{Name: "y", Type: "int", Default: 2})
	b := recordOf(t, state.RecordField{Name: "y", Type: "int", Default: 3}, state.RecordField{Name: "x", Type: "string"})
	other := a.Layout().Fresh().(*state.Record)
	_, err := b.EncodeState(*other)
	require.ErrorContains(t, err, "made by another schema")
	assert.Equal(t, `{"y":2}`, shown(t, b.Layout(), b.Layout().NewStore(other).State()))
	text, err := a.EncodeState(state.Record{})
	require.NoError(t, err)
	assert.Equal(t, `{"x":1,"y":2}`, string(text), "a zero record stands for the start values")
	_, err = a.DecodeState([]byte(`{"x":"text","y":1.5}`))
	require.ErrorContains(t, err, `field "x"`)
	require.ErrorContains(t, err, `field "y"`)
}
