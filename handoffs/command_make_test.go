package handoffs

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// typicalCommand is what an agent mostly hands over with.
func typicalCommand() Command {
	c := NewCommand("rag-agent", CapabilityMatch, "BC-Agent has no document search")
	c.Task = "Search the manuals for the return policy and cite the pages"
	c.Payload = map[string]any{"requiredCapability": "rag_search", "query": "return policy for damaged goods", "limit": int64(5)}
	c.ReturnControl = true
	return c
}

// fullCommand has every field.
func fullCommand() Command {
	return Command{
		Type: CommandType, Kind: Spawn, Target: "a", Capability: "rag_search", Needs: []string{"x", "y"},
		Reason: PlanStep, Explanation: "because \"so\"\n\u2028", Intent: "wants ü", Task: "do",
		Payload:       map[string]any{"b": true, "f": 3.0, "i": int64(-3), "l": []any{nil, "x", map[string]any{}}, "m": map[string]any{"": int64(1)}, "n": nil},
		ReturnControl: true, Priority: High, Actor: ByPlan, PlanStep: "s2", Class: "medium", Trigger: "T", Trace: "tr", State: "DONE",
		Branches: []Branch{{Name: "one", Target: "a", Capability: "c", Task: "t", Payload: map[string]any{"k": int64(1)}, Budget: Limits{1, 2, 3, 4, 5, 6}}, {Target: "b"}},
		Join:     Join{Need: 1, Partial: true, Resolve: "last", Timeout: time.Second}, Token: "tok",
		Result: &Outcome{Status: Partial, Text: "t", Value: 1.5, Outputs: map[string]any{"o": "p"}, Error: "e", Code: CodeLimit, Retry: true, Missing: []string{"m"}, Turns: 3},
		Until:  &Until{Signals: []string{"quote"}, Count: 3, For: time.Hour},
		Usage:  Usage{Tokens: 10, Calls: 1, Time: time.Minute},
		Budget: Limits{Handoffs: 1, Tokens: 2, Agents: 3, Depth: 4, Turns: 5, Time: 6},
	}
}

// TestTypeGuard is X-11 with the forms that Go adds.
func TestTypeGuard(t *testing.T) {
	t.Parallel()
	c := NewCommand("a", UserRequest, "why")
	var none *Command
	for name, test := range map[string]struct {
		v    any
		want bool
	}{
		"null":                {nil, false},
		"wrong discriminator": {map[string]any{"type": "command", "targetAgentId": "a"}, false},
		"no discriminator":    {map[string]any{"targetAgentId": "a"}, false},
		"target missing":      {map[string]any{"type": "handoff"}, false},
		"target a number":     {map[string]any{"type": "handoff", "targetAgentId": int64(5)}, false},
		"valid":               {map[string]any{"type": "handoff", "targetAgentId": "a"}, true},
		"valid, empty target": {map[string]any{"type": "handoff", "targetAgentId": ""}, true},
		"a text":              {"handoff", false},
		"no map":              {map[string]any(nil), false},
		"command":             {c, true},
		"zero command":        {Command{}, false},
		"pointer":             {&c, true},
		"nil pointer":         {none, false},
		"json":                {json.RawMessage(` {"more":[1],"type":"handoff","targetAgentId":"a"} `), true},
		"json, no target":     {json.RawMessage(`{"type":"handoff"}`), false},
		"json, number":        {json.RawMessage(`{"type":"handoff","targetAgentId":5}`), false},
		"json null":           {json.RawMessage(`null`), false},
		"json list":           {json.RawMessage(`["handoff"]`), false},
		"json with a rest":    {json.RawMessage(`{"type":"handoff","targetAgentId":"a"}]`), false},
		"nothing":             {json.RawMessage(nil), false},
	} {
		require.Equal(t, test.want, IsCommand(test.v), name)
	}
}

func TestCommandMakesATransferOrCall(t *testing.T) {
	t.Parallel()
	c := NewCommand("rag", CapabilityMatch, "needs search")
	require.Equal(t, Command{Type: "handoff", Target: "rag", Reason: CapabilityMatch, Explanation: "needs search"}, c)
	require.Equal(t, Transfer, c.kind())
	c.ReturnControl = true
	require.Equal(t, Call, c.kind())
	c.Kind = Escalate
	require.Equal(t, Escalate, c.kind())
}

// TestCommandThereAndBack is the round trip of X-11.
func TestCommandThereAndBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Command{"typical": typicalCommand(), "full": fullCommand(), "bare": {Type: CommandType}} {
		data, err := c.Encode()
		require.NoError(t, err, name)
		require.True(t, json.Valid(data), "%s: %s", name, data)
		require.True(t, IsCommand(data), name)
		back, err := ParseCommand(data, 0)
		require.NoError(t, err, name)
		require.Equal(t, c, back, name)
		again, err := back.Encode()
		require.NoError(t, err, name)
		require.Equal(t, string(data), string(again), name)
	}
	requireAllSet(t, reflect.ValueOf(fullCommand()), "Command")
}

// requireAllSet keeps fullCommand full when fields are added.
func requireAllSet(t *testing.T, v reflect.Value, at string) {
	t.Helper()
	for i := range v.NumField() {
		name := at + "." + v.Type().Field(i).Name
		f := reflect.Indirect(v.Field(i))
		require.True(t, f.IsValid() && !f.IsZero(), "%s is not set: does Encode write it, and ParseCommand read it?", name)
		if f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct {
			f = f.Index(0)
		}
		if f.Kind() == reflect.Struct {
			requireAllSet(t, f, name)
		}
	}
}

// TestCommandJSONIsThatOfTheTags compares with encoding/json, but for floats.
func TestCommandJSONIsThatOfTheTags(t *testing.T) {
	t.Parallel()
	type plain Command // without its methods
	c := fullCommand()
	c.Payload["f"] = 3.5
	want, err := json.Marshal(plain(c))
	require.NoError(t, err)
	got, err := c.Encode()
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(got))

	var back struct{ C Command }
	require.NoError(t, json.Unmarshal([]byte(`{"C":`+string(got)+`}`), &back))
	require.Equal(t, c, back.C)
	whole, err := json.Marshal(back)
	require.NoError(t, err)
	require.JSONEq(t, `{"C":`+string(want)+`}`, string(whole))
}

func TestCommandThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	around := map[string]any{}
	around["one"], around["two"] = around, around
	deep := any("x")
	for range 200 {
		deep = []any{deep}
	}
	for name, test := range map[string]struct {
		change func(*Command)
		want   []string
	}{
		"type":     {func(c *Command) { c.Type = "handover" }, []string{`type: want "handoff", got "handover"`}},
		"channel":  {func(c *Command) { c.Payload = map[string]any{"a": map[string]any{"b": make(chan int)}} }, []string{"payload.a.b: ", "chan int"}},
		"nan":      {func(c *Command) { c.Payload = map[string]any{"a": math.NaN()} }, []string{"payload.a: NaN is not"}},
		"utf-8":    {func(c *Command) { c.Task, c.Explanation = "\xff", "\xfe" }, []string{"task: the text is not valid UTF-8", "explanation: "}},
		"key":      {func(c *Command) { c.Payload = map[string]any{"\xff": 1} }, []string{"payload.?: the text is not valid UTF-8"}},
		"branch":   {func(c *Command) { c.Branches = []Branch{{}, {Payload: map[string]any{"x": struct{}{}}}} }, []string{"branches[1].payload.x: "}},
		"result":   {func(c *Command) { c.Result = &Outcome{Value: []any{1, "\xff"}} }, []string{"result.value[1]: "}},
		"needs":    {func(c *Command) { c.Needs = []string{"a", "\xff"} }, []string{"requiredCapabilities[1]: "}},
		"itself":   {func(c *Command) { c.Payload = around }, []string{"nested deeper than 100 levels"}},
		"too deep": {func(c *Command) { c.Payload = map[string]any{"a": deep} }, []string{"nested deeper than 100 levels"}},
	} {
		c := typicalCommand()
		test.change(&c)
		data, err := c.Encode()
		require.Nil(t, data, name)
		require.ErrorIs(t, err, CodeSyntax, name)
		for _, want := range test.want {
			require.ErrorContains(t, err, want, name)
		}
		require.Less(t, len(err.Error()), 500, name)
	}
}

func TestCommandKeepsKindsOfNumbers(t *testing.T) {
	t.Parallel()
	c := NewCommand("a", "", "")
	c.Payload = map[string]any{"int": 3, "uint": uint8(4), "float": 3.0, "zero": math.Copysign(0, -1), "tiny": 1e-9, "huge": 1e300, "max": int64(math.MaxInt64)}
	data, err := c.Encode()
	require.NoError(t, err)
	back, err := ParseCommand(data, 0)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"int": int64(3), "uint": int64(4), "float": 3.0, "zero": math.Copysign(0, -1), "tiny": 1e-9, "huge": 1e300, "max": int64(math.MaxInt64)}, back.Payload)
}

func TestCommandBecomesARecord(t *testing.T) {
	t.Parallel()
	c := fullCommand()
	c.Kind = ""
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	r := CommandToRecord(&c, "ID", "bc", "session", at)
	require.Equal(t, Record{
		ID: "ID", From: "bc", To: "a", Kind: Call, Actor: ByPlan, Reason: PlanStep, Explanation: c.Explanation, Intent: c.Intent, Task: "do",
		Payload: c.Payload, Return: true, PlanStep: "s2", Priority: High, Capability: "rag_search", Trigger: "T", Trace: "tr", Session: "session", At: at,
	}, r)
	c = NewCommand("b", UserRequest, "")
	r = CommandToRecord(&c, "ID", "bc", "session", at)
	require.Equal(t, Transfer, r.Kind)
	data, err := json.Marshal(r)
	require.NoError(t, err)
	require.Contains(t, string(data), `"timestamp":"2026-01-02T03:04:05.000000006Z"`)
	var back Record
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, r, back)
}

func BenchmarkCommandEncode(b *testing.B) {
	b.ReportAllocs()
	c := typicalCommand()
	for b.Loop() {
		if _, err := c.Encode(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCommandParse(b *testing.B) {
	b.ReportAllocs()
	c := typicalCommand()
	data, err := c.Encode()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ParseCommand(data, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCommandErrorTellsAll(t *testing.T) {
	t.Parallel()
	var e *CommandError
	_, err := ParseCommand([]byte(`{"a":1,"b":2}`), 0)
	require.True(t, errors.As(err, &e))
	require.Equal(t, []string{"a: the key is unknown", "b: the key is unknown", `type: want "handoff", got ""`}, e.Problems)
	require.Equal(t, `handoffs: the command is not valid: a: the key is unknown; b: the key is unknown; type: want "handoff", got ""`, err.Error())
}
