package state_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// TestUpdatesComeBack: an update that was stored and read does what the
// update itself does, and states come back as they were.
func TestUpdatesComeBack(t *testing.T) {
	t.Parallel()
	l := fullSchema.Layout()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		direct, stored := l.NewStore(&full{}), l.NewStore(&full{})
		for range 10 {
			u := randomUpdate(r)
			b, err := l.AppendChanges(nil, u)
			require.NoError(t, err)
			back, err := l.DecodeChanges(b)
			require.NoError(t, err, string(b))
			again, err := l.AppendChanges(nil, &back)
			require.NoError(t, err)
			require.Equal(t, string(b), string(again))
			require.NoError(t, runStep(direct, u))
			require.NoError(t, runStep(stored, &back))
		}
		text := shown(t, l, direct.State())
		require.Equal(t, text, shown(t, l, stored.State()))
		st, err := l.LoadState([]byte(text))
		require.NoError(t, err)
		require.Equal(t, text, shown(t, l, st))
		require.Equal(t, normalized(*direct.State().(*full)), normalized(*st.(*full)))
		_, err = l.AppendShown(nil, randomUpdate(r))
		require.NoError(t, err)
	}
}

// normalized makes nil and empty lists and maps the same: JSON does.
func normalized(s full) full {
	if len(s.Items) == 0 {
		s.Items = nil
	}
	if len(s.Tags) == 0 {
		s.Tags = nil
	}
	if len(s.Things) == 0 {
		s.Things = nil
	}
	if len(s.Meta) == 0 {
		s.Meta = nil
	}
	if len(s.Codes) == 0 {
		s.Codes = nil
	}
	if len(s.Messages) == 0 {
		s.Messages = nil
	}
	equal := state.Dict[string, int]{} // may be another tree of the same entries
	for k, v := range s.Facts.All() {
		equal = equal.With(k, v)
	}
	s.Facts = equal
	return s
}

// TestShownComesBack: for plain verbs the shown form of an update can be read
// as an update.
func TestShownComesBack(t *testing.T) {
	t.Parallel()
	l := fullSchema.Layout()
	u := updates(draft.Set("a"), cost.Add(2), cost.Add(3), items.Append(1), items.Append(2), meta.Put("a", "1"), meta.Put("b", "2"),
		facts.Put("f", 1), talk.Messages.Add(message("1", "one")), anyval.Set(2.0), sum.Reduce("s"), things.Append(1, 2.0), codes.Put(1, 2.0))
	b, err := l.AppendShown(nil, u)
	require.NoError(t, err)
	assert.JSONEq(t, `{"draft":"a","cost":5,"items":[1,2],"meta":{"a":"1","b":"2"},"facts":{"f":1},
		"messages":[{"type":"human","id":"1","content":"one"}],"any":2.0,"sum":"s","things":[1,2.0],"codes":{"1":2.0}}`, string(b))
	back, err := l.DecodeUpdate(b)
	require.NoError(t, err)
	direct, read := l.NewStore(&full{}), l.NewStore(&full{})
	require.NoError(t, runStep(direct, u))
	require.NoError(t, runStep(read, &back))
	assert.Equal(t, shown(t, l, direct.State()), shown(t, l, read.State()))

	b, err = l.AppendShown(nil, updates(sum.Reduce("a"), sum.Reduce("b"), items.Append(1)))
	require.NoError(t, err)
	assert.Equal(t, `{"sum":["a","b"],"items":[1]}`, string(b), "what cannot be folded is a list")
}

// TestElementForList: a list field takes one element where a list is meant.
func TestElementForList(t *testing.T) {
	t.Parallel()
	ws, err := fullSchema.DecodeUpdate([]byte(`{"items": 4, "tags": "x", "messages": {"role":"user","content":"hi"}, "things": {"a": 1}}`))
	require.NoError(t, err)
	got, err := fullSchema.Apply(full{}, ws...)
	require.NoError(t, err)
	assert.Equal(t, []int{4}, got.Items)
	assert.Equal(t, []string{"x"}, got.Tags)
	assert.Equal(t, []any{map[string]any{"a": int64(1)}}, got.Things)
	assert.Equal(t, "hi", got.Messages[0].Text())
}

// TestBadUpdates lists JSON that is refused as an update, with the text.
func TestBadUpdates(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 1001) + strings.Repeat("]", 1001)
	tests := map[string]struct{ data, text string }{
		"unknown field":     {`{"nope":1}`, `unknown field "nope"; the fields of state_test.full are messages, active_agent, draft`},
		"several":           {`{"nope":1,"items":"x"}`, `field "items"`},
		"wrong type":        {`{"draft":1}`, "cannot unmarshal number"},
		"fraction":          {`{"cost":1.5}`, "cannot unmarshal number 1.5"},
		"does not fit":      {`{"small":128}`, "cannot unmarshal number 128"},
		"null for text":     {`{"draft":null}`, "want a value, got null"},
		"null for a number": {`{"cost":null}`, "want a value, got null"},
		"null for a list":   {`{"items":null}`, "want a list, got null"},
		"null in a list":    {`{"items":[1,null]}`, "null is no int"},
		"null for a map":    {`{"meta":null}`, "want an object, got null"},
		"null in a map":     {`{"meta":{"a":null}}`, "null is no string"},
		"null message":      {`{"messages":[null]}`, "want a message, got null"},
		"list for a map":    {`{"meta":[]}`, "want an object, got []"},
		"field twice":       {`{"draft":"a","draft":"b"}`, `field "draft" comes twice`},
		"key twice":         {`{"meta":{"a":"1","\u0061":"2"}}`, `the key "a" comes twice`},
		"key twice deep":    {`{"any":[{"a":{"b":1,"b":2}}]}`, `the key "b" comes twice`},
		"same key":          {`{"codes":{"1":1,"01":2}}`, "two keys of the object are the same int"},
		"unknown key":       {`{"report":{"title":"t","pagse":[]}}`, `unknown field "pagse"`},
		"great number":      {`{"any":9223372036854775808}`, "does not fit 64 bits"},
		"great float":       {`{"any":[1e400]}`, "out of range"},
		"too deep":          {`{"any":` + deep + `}`, "nested deeper than 1000 levels"},
		"half a pair":       {`{"draft":"\ud800x"}`, `\ud800 is half of a surrogate pair`},
		"not UTF-8":         {"{\"draft\":\"\xff\"}", "not valid UTF-8"},
		"rest text":         {`{} x`, "more than one JSON value"},
		"cut":               {`{"draft":"a"`, "unexpected EOF"},
		"list":              {`[]`, "want an object of fields, got []"},
		"nothing":           {``, "want an object of fields, got nothing"},
		"role":              {`{"messages":[{"type":"robot","content":"x"}]}`, `message type "robot"; want human, ai, system or tool`},
		"lost content":      {`{"messages":[{"type":"ai","content":[{"type":"image_url","image_url":{}}]}]}`, `part 0: unfit value: json: unknown field "image_url"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := fullSchema.DecodeUpdate([]byte(test.data))
			require.ErrorContains(t, err, test.text)
			if strings.Contains(test.data, "nope") {
				require.ErrorIs(t, err, state.ErrUnknownField)
			} else {
				require.ErrorIs(t, err, state.ErrValue)
			}
			_, err = fullSchema.DecodeState([]byte(test.data))
			require.Error(t, err)
		})
	}
	_, err := fullSchema.DecodeUpdate([]byte(`{"any":` + strings.Repeat("[", 1_000_000) + `}`))
	require.ErrorIs(t, err, state.ErrValue)
}

// TestBadChanges lists JSON that is refused as a stored update.
func TestBadChanges(t *testing.T) {
	t.Parallel()
	for data, text := range map[string]string{
		`null`:                          "want a list of [field, verb, value], got null",
		`{}`:                            "an update is a list of [field, verb, value]",
		`[null]`:                        "write 0: unfit value: want [field, verb, value], got 0 parts",
		`[["draft","set"]]`:             "got 2 parts",
		`[[1,"set",""]]`:                "field and verb must be text",
		`[["nope","set",""]]`:           `unknown field "nope"`,
		`[["draft","append",""]]`:       `field "draft" has no verb "append"`,
		`[["draft","",""]]`:             `has no verb ""`,
		`[["items","set",[]]]`:          `field "items" has no verb "set"`,
		`[["meta","delete",{"a":1}]]`:   "want a list, got {",
		`[["items","append",3]]`:        "want a list, got 3",
		`[["a","set",1],["b","set",1]]`: `write 1: unknown field "b"`,
		`[["draft","set","x"]] []`:      "invalid character",
	} {
		_, err := fullSchema.DecodeWrites([]byte(data))
		assert.ErrorContains(t, err, text, data)
	}
}

// TestUnstorable lists values whose types JSON keeps, but not they.
func TestUnstorable(t *testing.T) {
	t.Parallel()
	list := &report{}
	for range 1100 {
		list = &report{Next: list}
	}
	ring := &report{}
	ring.Next = ring
	tests := map[string]struct {
		st   full
		text string
	}{
		"text":          {full{Draft: "\xff"}, `field "draft": unfit value: text is not valid UTF-8`},
		"text deep":     {full{Report: report{Next: &report{Title: "a\xff"}}}, `field "report": unfit value: text is not valid UTF-8`},
		"key deep":      {full{Meta: map[string]string{"\xff": ""}}, "not valid UTF-8"},
		"message":       {full{Conversation: state.Conversation{Messages: []state.Message{{Role: state.RoleAI, Name: "\xff"}}}}, "not valid UTF-8"},
		"message parts": {full{Conversation: state.Conversation{Messages: []state.Message{{Role: state.RoleAI, Content: []state.Part{{Type: "x", URL: "\xff"}}}}}}, "not valid UTF-8"},
		"too deep":      {full{Last: list}, "nested deeper than 1000 levels"},
		"ring":          {full{Last: ring}, `field "last"`},
	}
	for name, test := range tests {
		_, err := fullSchema.EncodeState(test.st)
		require.ErrorIs(t, err, state.ErrValue, name)
		assert.ErrorContains(t, err, test.text, name)
	}
	fine := full{Draft: "\ufffd", Report: report{Title: "\ufffd \\ufffd"}}
	b, err := fullSchema.EncodeState(fine)
	require.NoError(t, err)
	back, err := fullSchema.DecodeState(b)
	require.NoError(t, err)
	assert.Equal(t, fine.Report.Title, back.Report.Title)
}

// TestAnyComesBack: AppendAny and ParseAny keep kinds of numbers apart.
func TestAnyComesBack(t *testing.T) {
	t.Parallel()
	for text, v := range map[string]any{
		"3": int64(3), "3.0": 3.0, "-0.0": 0.0, "1e+21": 1e21, "1e-7": 1e-7, "0.1": 0.1,
		`"<é>"`: "<é>", `{"a":[1,1.0,null,true],"b":{}}`: map[string]any{"b": map[string]any{}, "a": []any{1, 1.0, nil, true}},
		"[]": []any(nil), "-9223372036854775808": int64(-1 << 63),
	} {
		if text == "-0.0" {
			v = negativeZero()
		}
		b, err := state.AppendAny(nil, v)
		require.NoError(t, err)
		require.Equal(t, text, string(b))
		back, err := state.ParseAny(b)
		require.NoError(t, err)
		again, err := state.AppendAny(nil, back)
		require.NoError(t, err)
		assert.Equal(t, text, string(again))
	}
	_, err := state.AppendAny(nil, make(chan int))
	require.ErrorIs(t, err, state.ErrValue)
	_, err = state.ParseAny([]byte("1 2"))
	require.ErrorIs(t, err, state.ErrValue)
}

// negativeZero is a float that Go has no constant for.
func negativeZero() float64 {
	zero := 0.0
	return -zero
}

// TestVerbNames: the stored names of verbs are read back.
func TestVerbNames(t *testing.T) {
	t.Parallel()
	for v := state.VerbSet; v <= state.VerbReplace; v++ {
		back, ok := state.ParseVerb(v.String())
		assert.True(t, ok)
		assert.Equal(t, v, back)
	}
	for _, v := range []state.Verb{0, 99} {
		assert.Equal(t, "unknown", v.String())
	}
	for _, name := range []string{"", "unknown", "SET"} {
		_, ok := state.ParseVerb(name)
		assert.False(t, ok)
	}
	assert.Equal(t, state.Verb(0), state.Change{}.Verb())
	assert.Empty(t, state.Change{}.Field())
	c := items.Append(1).Change()
	assert.Equal(t, state.VerbAppend, c.Verb())
	assert.Equal(t, c, state.WriteOf[full](c).Change())
}

// TestChanges: an update grows, and a clone of it grows apart.
func TestChanges(t *testing.T) {
	t.Parallel()
	var u state.Changes
	for i := range 10 {
		u.Add(items.Append(i).Change())
	}
	a, b := u.Clone(), u.Clone()
	a.Add(draft.Set("a").Change())
	b.Add(phases.Set("b").Change())
	b.AddAll(&a)
	assert.Equal(t, 10, u.Len())
	assert.Equal(t, "draft", a.At(10).Field())
	assert.Equal(t, "phase", b.At(10).Field())
	assert.Equal(t, 22, b.Len())
	for n := range 6 {
		ws := make([]state.Write[full], n)
		for i := range ws {
			ws[i] = items.Append(i)
		}
		u := state.ChangesOf(ws)
		require.Equal(t, n, u.Len())
		for i := range n {
			assert.Equal(t, ws[i].Change(), *u.At(i))
		}
	}
}

func seeds(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		u := randomUpdate(r)
		b, err := fullSchema.Layout().AppendChanges(nil, u)
		require.NoError(f, err)
		f.Add(b)
		if b, err = fullSchema.Layout().AppendShown(nil, u); err == nil {
			f.Add(b)
		}
		store := fullSchema.Layout().NewStore(&full{})
		require.NoError(f, runStep(store, u))
		b, err = fullSchema.Layout().AppendState(nil, store.State())
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte(`{"any":{"a":[1,2.0,null,"\ud83d\ude00"]},"messages":["hi",{"type":"ai","content":[{"type":"text","text":""},"x"],"tool_calls":[{"name":"f"}]}]}`))
	f.Add([]byte(`{"codes":{"1":1,"01":2},"raw":"aGk=","last":{"next":{}},"report":{"made":"2020-01-01T00:00:00+02:00"}}`))
}

// recoded encodes changes, decodes them and requires the same bytes again.
func recoded(t *testing.T, u *state.Changes) {
	t.Helper()
	l := fullSchema.Layout()
	b, err := l.AppendChanges(nil, u)
	if err != nil {
		require.ErrorIs(t, err, state.ErrValue)
		return
	}
	back, err := l.DecodeChanges(b)
	require.NoError(t, err, string(b))
	again, err := l.AppendChanges(nil, &back)
	require.NoError(t, err)
	require.Equal(t, string(b), string(again))
}

func FuzzDecodeUpdate(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := fullSchema.Layout().DecodeUpdate(data)
		if err == nil {
			recoded(t, &u)
			_, _ = fullSchema.Layout().AppendShown(nil, &u)
			_ = runStep(fullSchema.Layout().NewStore(&full{}), &u)
		}
	})
}

func FuzzDecodeChanges(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := fullSchema.Layout().DecodeChanges(data)
		if err == nil {
			recoded(t, &u)
			_ = runStep(fullSchema.Layout().NewStore(&full{}), &u)
		}
	})
}

func FuzzLoadState(f *testing.F) {
	seeds(f)
	l := fullSchema.Layout()
	f.Fuzz(func(t *testing.T, data []byte) {
		st, err := l.LoadState(data)
		if err != nil {
			return
		}
		b, err := l.AppendState(nil, st)
		if err != nil {
			require.ErrorIs(t, err, state.ErrValue)
			return
		}
		back, err := l.LoadState(b)
		require.NoError(t, err, string(b))
		again, err := l.AppendState(nil, back)
		require.NoError(t, err)
		require.Equal(t, string(b), string(again))
		require.True(t, json.Valid(b), fmt.Sprintf("%q", b))
	})
}
