package state_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

type (
	plain    struct{ A, B string }
	inner    struct{ X, Y int }
	nested   struct{ In inner }
	embedsP  struct{ *inner }
	lowered  struct{ a int }
	tree     struct{ Left, Right *tree }
	keyed    struct{ K int }
	twin     struct{ X int }
	sameName struct {
		A int `json:"B"`
		B int
	}
	clash struct {
		twin
		X string
	}
	skipped struct {
		A int `json:"-"`
	}
	hides struct {
		time.Time
		Zone string
	}
	oneWay struct{ X int }
	byRef  struct{ X int }
	//lint:ignore U1000 it is looked at by reflection only
	tokenID string
	//lint:ignore U1000 it is looked at by reflection only
	hasID  struct{ tokenID }
	empty  struct{}
	oneKey int
)

func (oneKey) MarshalText() ([]byte, error) { return []byte("k"), nil }

func (oneWay) MarshalJSON() ([]byte, error) { return []byte(`"x"`), nil }
func (*byRef) MarshalJSON() ([]byte, error) { return []byte(`"y"`), nil }
func (*byRef) UnmarshalJSON(b []byte) error { return nil }

func schemaOf[S any](fields ...state.Field[S]) error {
	_, err := state.NewSchema(fields...)
	return err
}

// typed makes a schema of a state with one field of type V.
func typed[V any]() error {
	type one struct{ F V }
	return schemaOf(state.NewValue("f", func(s *one) *V { return &s.F }))
}

// TestBadSchemas lists what a schema is refused for, with the text.
func TestBadSchemas(t *testing.T) {
	t.Parallel()
	a := state.NewValue("a", func(s *plain) *string { return &s.A })
	b := state.NewValue("b", func(s *plain) *string { return &s.B })
	var outside string
	tests := map[string]struct {
		err  error
		text string
	}{
		"no handle":            {schemaOf(a), "plain.B has no handle"},
		"two handles":          {schemaOf(a, b, state.NewReduced("c", state.Reducer[string]{Name: "r", Combine: concat}, func(s *plain) *string { return &s.B })), `fields "b" and "c" refer to the same field plain.B`},
		"the same twice":       {schemaOf(a, b, a), `the name "a" is used by two fields`},
		"name twice":           {schemaOf(a, state.NewValue("a", func(s *plain) *string { return &s.B })), `the name "a" is used by two fields (a and a)`},
		"no name":              {schemaOf(a, state.NewValue(" ", func(s *plain) *string { return &s.B })), "has no name"},
		"name no text":         {schemaOf(a, state.NewValue("\xff", func(s *plain) *string { return &s.B })), "not valid UTF-8"},
		"alias is a name":      {schemaOf(state.Renamed[plain](a, "b"), b), `the name "b" is used by two fields (a and b)`},
		"alias is its name":    {schemaOf(state.Renamed[plain](a, "a"), b), `field "a" has the name "a" twice`},
		"group renamed":        {schemaOf(state.Renamed(state.Group[plain](a, b), "c")), "a group of fields cannot be renamed as one"},
		"nil":                  {schemaOf(a, b, nil), "argument 3: field \"\": it is nil or was not made by its constructor"},
		"nil handle":           {schemaOf(a, b, (*state.Value[plain, string])(nil)), "it is nil or was not made"},
		"zero handle":          {schemaOf(a, b, &state.List[plain, string]{}), "it is nil or was not made"},
		"zero local":           {schemaOf(a, b, &state.Local[plain, string]{}), "it is nil or was not made"},
		"zero group":           {schemaOf(a, b, state.ConversationGroup[plain]{}), "it is nil or was not made"},
		"nil renamed":          {schemaOf(a, b, state.Renamed[plain](nil, "x")), "it is nil or was not made"},
		"accessor nil":         {schemaOf(a, state.NewValue[plain, string]("b", nil)), `field "b": the accessor is nil`},
		"accessor to nothing":  {schemaOf(a, state.NewValue("b", func(*plain) *string { return nil })), "the accessor returns nil"},
		"accessor elsewhere":   {schemaOf(a, state.NewValue("b", func(*plain) *string { return new(string) })), "does not return a field"},
		"accessor to variable": {schemaOf(a, state.NewValue("b", func(*plain) *string { return &outside })), "does not return a field"},
		"embedded pointer":     {schemaOf(state.NewValue("x", func(s *embedsP) *int { return &s.X })), "fields behind embedded pointers cannot have handles"},
		"whole and part":       {schemaOf(state.NewValue("in", func(s *nested) *inner { return &s.In }), state.NewValue("x", func(s *nested) *int { return &s.In.X })), `field "in" is all of nested.In, but "x" refer to parts of it`},
		"part only":            {schemaOf(state.NewValue("x", func(s *nested) *int { return &s.In.X })), "nested.In.Y has no handle"},
		"element of an array":  {schemaOf(state.NewValue("x", func(s *struct{ A [2]int }) *int { return &s.A[0] })), `field "x" does not refer to an exported field`},
		"group and handle":     {schemaOf[full](talk, state.NewValue("mine", func(s *full) *string { return &s.ActiveAgent })), `refer to the same field full.Conversation.ActiveAgent`},
		"unexported":           {schemaOf(state.NewValue("a", func(s *lowered) *int { return &s.a })), "lowered.a is unexported and would be lost"},
		"not a struct":         {schemaOf(state.NewValue("a", func(s *int) *int { return s })), "int is not a struct"},
		"zero size":            {schemaOf(state.NewValue("e", func(s *struct{ E empty }) *empty { return &s.E })), "holds nothing: remove the field"},
		"reducer without name": {schemaOf(a, state.NewReduced("b", state.Reducer[string]{Combine: concat}, func(s *plain) *string { return &s.B })), "its reducer needs a name and a function"},
		"hidden by marshaler":  {schemaOf(state.NewValue("t", func(s *hides) *time.Time { return &s.Time }), state.NewValue("z", func(s *hides) *string { return &s.Zone })), "the JSON form of the embedded time.Time would hide the other fields"},

		"chan":                  {typed[chan int](), `field "f": JSON cannot keep a chan int`},
		"func":                  {typed[[]func()](), `field "f"[]: JSON cannot keep a func()`},
		"complex":               {typed[map[string]complex128](), `field "f"[]: JSON cannot keep a complex128`},
		"interface":             {typed[fmt.Stringer](), "cannot be read back from JSON"},
		"map key":               {typed[map[keyed]int](), "JSON cannot keep map keys of type state_test.keyed"},
		"float key":             {typed[state.Dict[float64, int]](), "JSON cannot keep map keys of type float64"},
		"in a dict":             {typed[state.Dict[string, chan int]](), "JSON cannot keep a chan int"},
		"tag -":                 {typed[skipped](), `field "f".A: its tag json:"-" would lose it`},
		"JSON name twice":       {typed[[]sameName](), `field "f"[].B: has the JSON name "B" of field "f"[].A`},
		"shadowed":              {typed[clash](), `has the JSON name "X" of field "f".twin.X`},
		"embedded pointer deep": {typed[embedsP](), "embedded pointers cannot be read back"},
		"unexported deep":       {typed[*lowered](), "an unexported field would be lost"},
		"unexported embedded":   {typed[hasID](), "an unexported field would be lost"},
		"marshaler deep":        {typed[hides](), "would hide the other fields"},
		"written, never read":   {typed[oneWay](), "writes a JSON form of its own but cannot read it"},
		"key written only":      {typed[map[oneKey]int](), "write a text of their own but cannot read it"},
		"pointer method in map": {typed[map[string]byRef](), "its method needs a pointer"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorIs(t, test.err, state.ErrSchema)
			assert.ErrorContains(t, test.err, test.text)
		})
	}
}

// TestGoodTypes lists types that a field may have.
func TestGoodTypes(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"recursive": typed[tree](), "time": typed[time.Time](), "raw": typed[json.RawMessage](),
		"bytes": typed[[]byte](), "any": typed[map[string]any](), "array": typed[[3]int](),
		"int keys": typed[map[int8]bool](), "time keys": typed[map[time.Time]bool](),
		"dict": typed[state.Dict[int, []string]](), "messages": typed[[]state.Message](),
		"pointer method": typed[byRef](), "embedded": typed[struct {
			inner
			Z int
		}](), "names by case": typed[struct{ Ab, AB int }](),
		"blank": typed[struct {
			_ int
			A int
		}](),
	} {
		assert.NoError(t, err, name)
	}
}

// TestAllProblems: a schema tells all its problems at once, in a stable order.
func TestAllProblems(t *testing.T) {
	t.Parallel()
	type many struct {
		A, B string
		C    chan int
		d    int
	}
	build := func() error {
		return schemaOf(
			state.NewValue[many, string]("a", nil),
			state.NewValue("c", func(s *many) *chan int { return &s.C }),
			state.NewValue("c", func(s *many) *string { return &s.B }))
	}
	first := build()
	for _, text := range []string{"the accessor is nil", "JSON cannot keep a chan int", `the name "c"`, "many.A has no handle", "many.d is unexported"} {
		assert.ErrorContains(t, first, text)
	}
	assert.Len(t, strings.Split(first.Error(), "\n"), 5)
	for range 20 {
		assert.EqualError(t, build(), first.Error())
	}
	assert.Panics(t, func() { state.MustSchema[many]() })
	_ = many{}.d
}

// TestTwoSchemas: schemas over one state do not disturb each other, and a
// handle may be part of both.
func TestTwoSchemas(t *testing.T) {
	t.Parallel()
	a := state.NewValue("a", func(s *plain) *string { return &s.A })
	b := state.NewValue("b", func(s *plain) *string { return &s.B })
	other := state.NewReduced("b", state.Reducer[string]{Name: "concat", Combine: concat}, func(s *plain) *string { return &s.B })
	foreign := state.NewValue("c", func(s *plain) *string { return &s.B })
	first, second := state.MustSchema(a, b), state.MustSchema(other, a)

	got, err := first.Apply(plain{}, a.Set("1"), b.Set("2"))
	require.NoError(t, err)
	got, err = second.Apply(got, other.Reduce("3"), a.Set("4"))
	require.NoError(t, err)
	assert.Equal(t, plain{A: "4", B: "23"}, got)
	assert.Equal(t, []string{"a", "b"}, first.Fields())
	assert.Equal(t, []string{"b", "a"}, second.Fields())

	_, err = first.Apply(plain{}, other.Reduce("x"))
	require.ErrorIs(t, err, state.ErrUnknownField)
	require.ErrorContains(t, err, `another handle of the name "b"`)
	_, err = first.Apply(plain{}, foreign.Set("x"))
	require.ErrorIs(t, err, state.ErrUnknownField)
	require.ErrorContains(t, err, `the handle "c" is not part of the schema of state_test.plain`)
	for _, l := range []func(*state.Changes) error{
		func(u *state.Changes) error { _, err := first.Layout().AppendChanges(nil, u); return err },
		func(u *state.Changes) error { _, err := first.Layout().AppendShown(nil, u); return err },
		func(u *state.Changes) error { return first.Layout().NewStore(&plain{}).Apply(0, u) },
	} {
		assert.ErrorIs(t, l(updates(foreign.Set("x"))), state.ErrUnknownField)
		assert.ErrorIs(t, l(updates(state.Write[plain]{})), state.ErrUnknownField)
	}
}

// TestRenamed: states and updates that hold an old name are still read.
func TestRenamed(t *testing.T) {
	t.Parallel()
	a := state.NewValue("a", func(s *plain) *string { return &s.A })
	b := state.NewValue("b", func(s *plain) *string { return &s.B })
	schema := state.MustSchema(state.Renamed(state.Renamed[plain](a, "old"), "older"), b)
	for _, name := range []string{"a", "old", "older"} {
		got, err := schema.DecodeState([]byte(`{"` + name + `":"x"}`))
		require.NoError(t, err)
		assert.Equal(t, plain{A: "x"}, got)
		ws, err := schema.DecodeUpdate([]byte(`{"` + name + `":"y"}`))
		require.NoError(t, err)
		assert.Equal(t, "a", ws[0].Change().Field())
		ws, err = schema.DecodeWrites([]byte(`[["` + name + `","set","z"]]`))
		require.NoError(t, err)
		assert.Len(t, ws, 1)
		info, ok := schema.Layout().Info(name)
		assert.True(t, ok)
		assert.Equal(t, "a", info.Name)
	}
	_, err := schema.DecodeState([]byte(`{"a":"x","old":"y"}`))
	require.ErrorContains(t, err, `field "a" comes twice, as "old" too`)
	_, err = schema.DecodeUpdate([]byte(`{"old":"x","older":"y"}`))
	require.ErrorContains(t, err, `field "a" comes twice`)
}

// TestInfo describes fields for checks and drawings.
func TestInfo(t *testing.T) {
	t.Parallel()
	l := fullSchema.Layout()
	for name, want := range map[string]struct {
		kind        string
		only, local bool
	}{
		"draft": {"value", true, false}, "cost": {"counter", false, false}, "items": {"list", false, false},
		"meta": {"map", false, false}, "facts": {"dict", false, false}, "messages": {"messages", false, false},
		"sum": {"reduced:concat", false, false}, "hint": {"local", true, true},
	} {
		info, ok := l.Info(name)
		require.True(t, ok, name)
		assert.Equal(t, want.kind, info.Kind)
		assert.Equal(t, want.only, info.Only)
		assert.Equal(t, want.local, info.Local)
	}
	_, ok := l.Info("none")
	assert.False(t, ok)
	assert.Equal(t, "state_test.full", l.Type().String())
}

// TestShare pairs the fields of a graph with those of its subgraph.
func TestShare(t *testing.T) {
	t.Parallel()
	type child struct {
		Items []int
		Meta  map[string]string
		Draft int
		Own   string
	}
	childItems := state.NewList("items", func(s *child) *[]int { return &s.Items })
	childMeta := state.NewMap("meta", func(s *child) *map[string]string { return &s.Meta })
	childDraft := state.NewValue("draft", func(s *child) *int { return &s.Draft })
	own := state.NewValue("own", func(s *child) *string { return &s.Own })
	schema := state.MustSchema(childItems, childMeta, childDraft, own)

	pairs, problems := state.Share(fullSchema.Layout(), schema.Layout())
	require.Len(t, pairs, 2)
	require.Len(t, problems, 1)
	require.ErrorIs(t, problems[0], state.ErrSchema)
	require.ErrorContains(t, problems[0], `field "draft" (value of string) cannot be shared with "draft" (value of int)`)

	renamedPair, err := state.ShareField[full, child](draft, own)
	require.NoError(t, err)
	outer, in := renamedPair.Names()
	assert.Equal(t, []string{"draft", "own"}, []string{outer, in})
	_, there := renamedPair.Out(childItems.Append(1).Change())
	assert.False(t, there)
	_, there = renamedPair.Out(state.Change{})
	assert.False(t, there)
	for name, bad := range map[string]error{
		"local": errOf(state.ShareField[full, child](hint, own)),
		"group": errOf(state.ShareField[full, child](talk, own)),
		"nil":   errOf(state.ShareField[full, child](nil, own)),
		"kind":  errOf(state.ShareField[full, child](items, own)),
	} {
		assert.ErrorIs(t, bad, state.ErrSchema, name)
	}

	parent := fullSchema.Layout().NewStore(&full{Items: []int{1}, Meta: map[string]string{"a": "1"}, Draft: "d"})
	require.NoError(t, runStep(parent, updates(items.Append(2))))
	var start state.Changes
	for _, p := range append(pairs, renamedPair) {
		c, ok := p.In(parent.State())
		require.True(t, ok)
		start.Add(c)
	}
	inside := schema.Layout().NewStore(&child{})
	require.NoError(t, runStep(inside, &start))
	assert.Equal(t, child{Items: []int{1, 2}, Meta: map[string]string{"a": "1"}, Own: "d"}, *inside.State().(*child))
	require.NoError(t, runStep(inside, updates(childItems.Append(3), childMeta.Put("a", "child"), childMeta.Delete("b"))))
	require.NoError(t, runStep(parent, updates(items.Append(4), meta.Put("b", "parent"))))
	require.NoError(t, runStep(inside, updates(childItems.Append(5))))
	assert.Equal(t, []int{1, 2, 4}, parent.State().(*full).Items, "the child does not reach the parent")
	assert.Equal(t, map[string]string{"a": "1", "b": "parent"}, parent.State().(*full).Meta)
	assert.Equal(t, []int{1, 2, 3, 5}, inside.State().(*child).Items)
	assert.Equal(t, map[string]string{"a": "child"}, inside.State().(*child).Meta)
}

func errOf[V any](_ V, err error) error { return err }

// TestAdmit checks a state that came from outside.
func TestAdmit(t *testing.T) {
	t.Parallel()
	l := fullSchema.Layout()
	good := full{Any: []any{1, 2.5}, Items: append(make([]int, 0, 4), 1)}
	require.NoError(t, l.Admit(&good))
	assert.Equal(t, []any{int64(1), 2.5}, good.Any)
	assert.Equal(t, 1, cap(good.Items))

	bad := full{Any: struct{}{}, Things: []any{make(chan int)}}
	bad.Messages = []state.Message{{ID: "1"}}
	err := l.Admit(&bad)
	require.ErrorIs(t, err, state.ErrValue)
	for _, text := range []string{`"any"`, `"things"`, `"messages"`} {
		assert.ErrorContains(t, err, text)
	}
	_, err = fullSchema.EncodeState(bad)
	require.ErrorIs(t, err, state.ErrValue)
	_, err = fullSchema.Apply(bad)
	require.ErrorIs(t, err, state.ErrValue)
	assert.True(t, errors.Is(err, state.ErrValue))
}
