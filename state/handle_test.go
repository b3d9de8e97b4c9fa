package state_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

func message(id, text string) state.Message {
	m := state.Text(state.RoleHuman, text)
	m.ID = id
	return m
}

// TestVerbs shows for every handle and verb what the writes of one task do.
func TestVerbs(t *testing.T) {
	t.Parallel()
	type W = state.Write[full]
	start := full{
		Draft: "old", Cost: 10, Items: []int{1}, Meta: map[string]string{"a": "1"},
		Facts: state.Dict[string, int]{}.With("a", 1), Sum: "x",
		Conversation: state.Conversation{Messages: []state.Message{message("1", "one"), message("", "none")}},
	}
	tests := map[string]struct {
		writes []W
		field  string
		want   string
	}{
		"value set":              {[]W{draft.Set("new")}, "draft", `"new"`},
		"value replace":          {[]W{draft.Replace("new")}, "draft", `"new"`},
		"named text":             {[]W{phases.Set("plan")}, "phase", `"plan"`},
		"struct":                 {[]W{rep.Set(report{Title: "r", Made: time.Unix(0, 0).UTC()})}, "report", `{"title":"r","pages":null,"made":"1970-01-01T00:00:00Z","extra":null,"next":null}`},
		"pointer":                {[]W{last.Set(nil)}, "last", `null`},
		"bytes":                  {[]W{raw.Set([]byte("hi"))}, "raw", `"aGk="`},
		"any takes an int":       {[]W{anyval.Set(5)}, "any", `5`},
		"any keeps a float":      {[]W{anyval.Set(3.0)}, "any", `3.0`},
		"any nil":                {[]W{anyval.Set(nil)}, "any", `null`},
		"counter add":            {[]W{cost.Add(5), cost.Add(-1)}, "cost", `14`},
		"counter replace":        {[]W{cost.Add(5), cost.Replace(1), cost.Add(2)}, "cost", `3`},
		"list append":            {[]W{items.Append(2), items.Append(3, 4), items.Append()}, "items", `[1,2,3,4]`},
		"list replace":           {[]W{items.Append(2), items.Replace([]int{9}), items.Append(3)}, "items", `[9,3]`},
		"list replace nil":       {[]W{items.Replace(nil)}, "items", `[]`},
		"list of any":            {[]W{things.Append(1), things.Append(2.0, uint8(3))}, "things", `[1,2.0,3]`},
		"map put":                {[]W{meta.Put("b", "2"), meta.Put("a", "3")}, "meta", `{"a":"3","b":"2"}`},
		"map put all":            {[]W{meta.PutAll(map[string]string{"b": "2"}), meta.PutAll(nil)}, "meta", `{"a":"1","b":"2"}`},
		"map delete":             {[]W{meta.Delete("a", "not there")}, "meta", `{}`},
		"map replace":            {[]W{meta.Replace(map[string]string{"c": "3"}), meta.Put("d", "4")}, "meta", `{"c":"3","d":"4"}`},
		"map with numbers":       {[]W{codes.Put(10, 3.0), codes.Put(9, 3)}, "codes", `{"10":3.0,"9":3}`},
		"dict put":               {[]W{facts.Put("b", 2), facts.PutAll(map[string]int{"c": 3})}, "facts", `{"a":1,"b":2,"c":3}`},
		"dict delete":            {[]W{facts.Delete("a", "not there")}, "facts", `{}`},
		"dict replace":           {[]W{facts.Replace(state.Dict[string, int]{}), facts.Put("z", 1)}, "facts", `{"z":1}`},
		"reduced":                {[]W{sum.Reduce("y"), sum.Reduce("z")}, "sum", `"xyz"`},
		"reduced replace":        {[]W{sum.Replace("a"), sum.Reduce("b")}, "sum", `"ab"`},
		"conversation value":     {[]W{talk.Active.Set("writer")}, "active_agent", `"writer"`},
		"messages append":        {[]W{talk.Messages.Add(message("2", "two"))}, "messages", `[{"type":"human","id":"1","content":"one"},{"type":"human","content":"none"},{"type":"human","id":"2","content":"two"}]`},
		"messages in place":      {[]W{talk.Messages.Add(message("1", "new"))}, "messages", `[{"type":"human","id":"1","content":"new"},{"type":"human","content":"none"}]`},
		"messages remove":        {[]W{talk.Messages.Remove("1")}, "messages", `[{"type":"human","content":"none"}]`},
		"messages remove none":   {[]W{talk.Messages.Remove()}, "messages", `[{"type":"human","id":"1","content":"one"},{"type":"human","content":"none"}]`},
		"messages without id":    {[]W{talk.Messages.Replace(nil), talk.Messages.Add(message("", "a"), message("", "a"))}, "messages", `[{"type":"human","content":"a"},{"type":"human","content":"a"}]`},
		"messages replace":       {[]W{talk.Messages.Replace([]state.Message{message("7", "x"), message("7", "y")})}, "messages", `[{"type":"human","id":"7","content":"y"}]`},
		"messages removed, back": {[]W{talk.Messages.Remove("1"), talk.Messages.Add(message("1", "again"))}, "messages", `[{"type":"human","content":"none"},{"type":"human","id":"1","content":"again"}]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := shown(t, fullSchema.Layout(), &start)
			got, err := fullSchema.Apply(start, test.writes...)
			require.NoError(t, err)
			assert.Contains(t, shown(t, fullSchema.Layout(), &got), `"`+test.field+`":`+test.want)
			assert.Equal(t, before, shown(t, fullSchema.Layout(), &start), "the state that was given")
		})
	}
}

// TestUnfitWrites lists what fails a step, with its text.
func TestUnfitWrites(t *testing.T) {
	t.Parallel()
	var cycle []any = make([]any, 1)
	cycle[0] = cycle
	start := full{Cost: math.MaxInt64, Small: 127, Ratio: math.MaxFloat64}
	tests := map[string]struct {
		write state.Write[full]
		text  string
	}{
		"sum too great":        {cost.Add(1), "9223372036854775807 + 1 does not fit state_test.cents"},
		"int8 sum too great":   {small.Add(1), "127 + 1 does not fit int8"},
		"float sum infinite":   {ratio.Add(math.MaxFloat64), "does not fit float64"},
		"float not a number":   {ratio.Add(math.NaN()), "does not fit float64"},
		"replace by infinite":  {ratio.Replace(math.Inf(1)), "not a number JSON can hold"},
		"unknown message":      {talk.Messages.Remove("9"), `no message has the id "9" to remove`},
		"message without role": {talk.Messages.Add(state.Message{ID: "x"}), `message 0: unfit value: message type ""`},
		"arguments not JSON":   {talk.Messages.Add(state.Message{Role: state.RoleAI, ToolCalls: []state.ToolCall{{Name: "f", Args: []byte("{")}}}), `arguments of tool call 0 ("f")`},
		"reducer fails":        {sum.Reduce("bad"), `field "sum": reducer "concat": cannot take "bad"`},
		"reducer panics":       {sum.Reduce("worse"), `field "sum": reducer "concat" panicked: worse came`},
		"struct in any":        {anyval.Set(report{}), "a state_test.report in `any` does not come back as it was"},
		"time in any":          {anyval.Set(time.Time{}), "a time.Time in `any`"},
		"deep in any":          {anyval.Set(map[string]any{"a": []any{1, make(chan int)}}), `field "any": at .a[1]: unfit value: a chan int`},
		"NaN in any":           {anyval.Set(math.NaN()), "NaN is not a number JSON can hold"},
		"great uint in any":    {anyval.Set(uint64(math.MaxUint64)), "does not fit 64 bits with a sign"},
		"text in any":          {anyval.Set("\xff"), "text is not valid UTF-8"},
		"key in any":           {anyval.Set(map[string]any{"\xff": 1}), "text is not valid UTF-8"},
		"cycle in any":         {anyval.Set(cycle), "nested deeper than 1000 levels"},
		"element":              {things.Append(1, struct{}{}), `field "things": at [1]:`},
		"map value":            {codes.Put(4, complex(1, 1)), `field "codes": at .4:`},
		"int in a struct":      {rep.Set(report{Extra: map[string]any{"a": 1}}), "at .Extra.a: unfit value: int 1 comes back as int64"},
		"float in a struct":    {rep.Set(report{Next: &report{Extra: map[string]any{"a": []any{2.0}}}}), "float 2 comes back as a whole number"},
		"local":                {hint.Set("x"), `field "hint" is local: only a send may write it`},
		"zero write":           {state.Write[full]{}, "a zero Write names no field"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := fullSchema.Apply(start, test.write)
			require.ErrorContains(t, err, test.text)
			assert.Contains(t, err.Error(), "state: ")
		})
	}
}

// TestCounterLimits adds at the borders of every kind of number.
func TestCounterLimits(t *testing.T) {
	t.Parallel()
	counterLimit[int8](t, math.MaxInt8, math.MinInt8)
	counterLimit[int16](t, math.MaxInt16, math.MinInt16)
	counterLimit[int32](t, math.MaxInt32, math.MinInt32)
	counterLimit[int64](t, math.MaxInt64, math.MinInt64)
	counterLimit[int](t, math.MaxInt, math.MinInt)
	counterLimit[uint8](t, math.MaxUint8, 0)
	counterLimit[uint16](t, math.MaxUint16, 0)
	counterLimit[uint32](t, math.MaxUint32, 0)
	counterLimit[uint64](t, math.MaxUint64, 0)
	counterLimit[uint](t, math.MaxUint, 0)
}

func counterLimit[N state.Number](t *testing.T, greatest, least N) {
	type counted struct{ N N }
	n := state.NewCounter("n", func(s *counted) *N { return &s.N })
	schema := state.MustSchema(n)
	got, err := schema.Apply(counted{}, n.Add(greatest))
	require.NoError(t, err)
	assert.Equal(t, greatest, got.N)
	_, err = schema.Apply(got, n.Add(1))
	require.ErrorIs(t, err, state.ErrValue, "%T", greatest)
	got, err = schema.Apply(counted{}, n.Replace(least))
	require.NoError(t, err)
	if minus := least - 1; minus > least {
		var one N = 1
		_, err = schema.Apply(got, n.Add(-one))
		if least < 0 {
			require.ErrorIs(t, err, state.ErrValue, "%T", least)
		}
	}
	b, err := schema.EncodeState(got)
	require.NoError(t, err)
	back, err := schema.DecodeState(b)
	require.NoError(t, err)
	assert.Equal(t, got, back)
}

// TestLocal lays a local field over the state of one task.
func TestLocal(t *testing.T) {
	t.Parallel()
	l := fullSchema.Layout()
	src := &full{Draft: "d", Items: append(make([]int, 0, 8), 1)}
	var a, b full
	require.NoError(t, l.Overlay(&a, src, updates(hint.Set("a"), items.Append(2)).All()))
	require.NoError(t, l.Overlay(&b, src, updates(hint.Replace("b"), items.Append(3)).All()))
	assert.Equal(t, "a", a.Hint)
	assert.Equal(t, "b", b.Hint)
	assert.Equal(t, []int{1, 2}, a.Items, "overlays do not share what they append")
	assert.Equal(t, []int{1, 3}, b.Items)
	assert.Equal(t, []int{1}, src.Items)
	assert.NotContains(t, shown(t, l, &a), "hint", "local fields are not stored")
	_, err := fullSchema.DecodeUpdate([]byte(`{"hint":"x"}`))
	require.ErrorContains(t, err, "only a send may write it")
	require.ErrorIs(t, l.Overlay(&a, src, updates(state.Write[full]{}).All()), state.ErrUnknownField)
}
