package handoffs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

func said(id string, role state.Role, name, text string) state.Message {
	m := state.Text(role, text)
	m.ID, m.Name = id, name
	return m
}

func calling(id, name, text string, calls ...string) state.Message {
	m := said(id, state.RoleAI, name, text)
	if text == "" {
		m.Content = nil
	}
	for _, c := range calls {
		m.ToolCalls = append(m.ToolCalls, state.ToolCall{ID: c, Name: "tool-" + c, Args: json.RawMessage(`{}`)})
	}
	return m
}

func answering(id, call, text string) state.Message {
	m := said(id, state.RoleTool, "", text)
	m.ToolCallID = call
	return m
}

// talkOfShop is a well-formed conversation of nine messages.
func talkOfShop() []state.Message {
	return []state.Message{
		said("1", state.RoleSystem, "", "You are a shop."),
		said("2", state.RoleHuman, "", "Deploy, tests first."),
		calling("3", "generalist", "I look.", "a", "b"),
		answering("4", "a", "file one"),
		answering("5", "b", "file two"),
		said("6", state.RoleAI, "generalist", "There are two files."),
		said("7", state.RoleHuman, "", "Go on."),
		calling("8", "generalist", "", "c"),
		answering("9", "c", "handed over"),
	}
}

// idsOf returns the ids of messages, or the texts of those without one.
func idsOf(ms []state.Message) string {
	var ids []string
	for _, m := range ms {
		if m.ID == "" {
			m.ID = fmt.Sprintf("<%s>", m.Text())
		}
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}

func TestProjectModes(t *testing.T) {
	t.Parallel()
	turn := Turn{Agent: "tester", Task: "test", Intent: "deploy", Payload: map[string]any{"b": 2.0, "a": []any{"x"}, "artifacts": map[string]any{"Plan": "p.md", "Report": nil}}}
	facts := Facts(func(name string) (any, bool) {
		v, ok := map[string]any{"budget": int64(7), "files": []string{"f1"}, "a": "hidden"}[name]
		return v, ok
	})
	count := func(ms []state.Message) (string, error) { return fmt.Sprintf("%d messages", len(ms)), nil }
	for name, test := range map[string]struct {
		policy ContextPolicy
		want   string
		sent   Sent // without hash and size
	}{
		"zero":         {ContextPolicy{}, "1 2 3 4 5 6 7 8 9 <test>", Sent{Policy: "full", Until: 9}},
		"full":         {ContextPolicy{Mode: ContextFull}, "1 2 3 4 5 6 7 8 9 <test>", Sent{Policy: "full", Until: 9}},
		"last":         {ContextPolicy{Mode: ContextLast}, "6 7 8 9 <test>", Sent{Policy: "last", From: 5, Until: 9, Left: 5}},
		"last 2":       {ContextPolicy{Mode: ContextLast, Last: 2}, "8 9 <test>", Sent{Policy: "last", From: 7, Until: 9, Left: 7}},
		"last 1 whole": {ContextPolicy{Mode: ContextLast, Last: 1}, "8 9 <test>", Sent{Policy: "last", From: 7, Until: 9, Left: 7}},
		"last none":    {ContextPolicy{Mode: ContextLast, Last: -1}, "<test>", Sent{Policy: "last", From: 9, Until: 9, Left: 9}},
		"last many":    {ContextPolicy{Mode: ContextLast, Last: 100}, "1 2 3 4 5 6 7 8 9 <test>", Sent{Policy: "last", Until: 9}},
		"last, pinned": {ContextPolicy{Mode: ContextLast, Last: 2, Pinned: []string{"4", "nobody", ""}}, "3 4 5 8 9 <test>", Sent{Policy: "last", From: 2, Until: 9, Left: 4}},
		"last, first":  {ContextPolicy{Mode: ContextLast, Last: 3, PinFirst: true}, "2 7 8 9 <test>", Sent{Policy: "last", From: 1, Until: 9, Left: 5}},
		"none":         {ContextPolicy{Mode: ContextNone}, "<test>", Sent{Policy: "none", From: 9, Until: 9, Left: 9}},
		"none, pinned": {ContextPolicy{Mode: ContextNone, Pinned: []string{"1"}}, "1 <test>", Sent{Policy: "none", Until: 9, Left: 8}},
		"fields":       {ContextPolicy{Mode: ContextFields, Fields: []string{"budget", "a", "nothing", "b", "files"}}, "<## Your task\ntest\n\n## What you need to know\n```json\n{\n  \"budget\": 7,\n  \"a\": [\n    \"x\"\n  ],\n  \"b\": 2.0,\n  \"files\": [\n    \"f1\"\n  ]\n}\n```>", Sent{Policy: "fields", From: 9, Until: 9, Left: 9}},
		"artifacts":    {ContextPolicy{Mode: ContextArtifacts}, "<## Your task\ntest\n\n## Artifacts\n- Plan: p.md\n- Report: not there yet>", Sent{Policy: "artifacts", From: 9, Until: 9, Left: 9}},
		"no artifacts": {ContextPolicy{Mode: ContextArtifacts, Fields: []string{"nothing"}}, "<## Your task\ntest>", Sent{Policy: "artifacts", From: 9, Until: 9, Left: 9}},
		"summary":      {ContextPolicy{Mode: ContextSummary, Summarize: count}, "<## The conversation so far\n9 messages\n\n## Your task\ntest>", Sent{Policy: "summary", Until: 9, Left: 9}},
		"custom": {ContextPolicy{Mode: ContextCustom, Custom: func(in ContextInput) ([]state.Message, error) {
			return append(in.Messages[4:6:6], said("", state.RoleHuman, "", "own")), nil
		}}, "6 <own>", Sent{Policy: "custom", Until: 9, Left: 8}},
		"custom pinned": {ContextPolicy{Mode: ContextCustom, PinFirst: true, Pinned: []string{"6"}, Custom: func(in ContextInput) ([]state.Message, error) { return in.Messages[5:6], nil }}, "2 6", Sent{Policy: "custom", Until: 9, Left: 7}},
	} {
		in := ContextInput{Messages: talkOfShop(), Turn: turn, Facts: facts}
		out, sent, err := test.policy.Project(in)
		require.NoError(t, err, name)
		require.Equal(t, test.want, idsOf(out), name)
		require.Equal(t, talkOfShop(), in.Messages, "%s: the conversation does not change", name)
		require.NotEmpty(t, sent.Hash, name)
		require.Positive(t, sent.Bytes, name)
		sent.Hash, sent.Bytes, sent.Tokens = "", 0, 0
		require.Equal(t, test.sent, sent, name)
	}
}

func TestProjectErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		policy ContextPolicy
		want   string
		is     error
	}{
		"mode":      {ContextPolicy{Mode: "all"}, `context "all" of agent "b": there is no such mode`, nil},
		"summary":   {ContextPolicy{Mode: ContextSummary}, "the policy has no Summarize function", nil},
		"custom":    {ContextPolicy{Mode: ContextCustom}, "the policy has no Custom function", nil},
		"summarize": {ContextPolicy{Mode: ContextSummary, Summarize: func([]state.Message) (string, error) { return "", broken }}, "broken", broken},
		"own":       {ContextPolicy{Mode: ContextCustom, Custom: func(ContextInput) ([]state.Message, error) { return nil, broken }}, "broken", broken},
		"field":     {ContextPolicy{Mode: ContextFields, Fields: []string{"f"}}, `field "f": `, nil},
		"pinned":    {ContextPolicy{Pinned: []string{"2", "7"}, Tokens: 6}, "what must be there (pinned messages, the task, a brief) needs more than 6 tokens", ErrContextBudget},
		"brief":     {ContextPolicy{Mode: ContextBrief, Tokens: 10}, "needs more than 10 tokens", ErrContextBudget},
	} {
		out, _, err := test.policy.Project(ContextInput{Messages: talkOfShop(), Turn: Turn{Agent: "b"}, Facts: func(string) (any, bool) { return make(chan int), true }})
		require.ErrorContains(t, err, test.want, name)
		require.Nil(t, out, name)
		if test.is != nil {
			require.ErrorIs(t, err, test.is, name)
		}
	}
}

// TestProjectWithinABudget is N13: pinned messages first, then the newest.
func TestProjectWithinABudget(t *testing.T) {
	t.Parallel()
	talk := talkOfShop()
	one := func(string) int { return 1 }
	for _, test := range []struct {
		tokens int
		pinned []string
		want   string
		left   int
	}{
		{1, nil, "", 9},                   // the newest pair needs three: its call's name and arguments, and the result
		{3, nil, "8 9", 7},                //
		{4, nil, "7 8 9", 6},              //
		{5, nil, "6 7 8 9", 5},            //
		{9, nil, "6 7 8 9", 5},            // the next pair needs seven
		{12, nil, "3 4 5 6 7 8 9", 2},     //
		{14, nil, "1 2 3 4 5 6 7 8 9", 0}, //
		{1 << 62, nil, "1 2 3 4 5 6 7 8 9", 0},
		{4, []string{"1"}, "1 8 9", 6},
		{4, []string{"1", "2"}, "1 2", 7},
		{10, []string{"4"}, "3 4 5 8 9", 4},
		{3, []string{"9"}, "8 9", 7},
	} {
		p := ContextPolicy{Tokens: test.tokens, Pinned: test.pinned, Count: one}
		out, sent, err := p.Project(ContextInput{Messages: talk})
		require.NoError(t, err)
		require.Equal(t, test.want, idsOf(out), "%+v", test)
		require.Equal(t, test.left, sent.Left, "%+v", test)
		require.LessOrEqual(t, sent.Tokens, test.tokens)
	}
	huge := ContextPolicy{Tokens: 5, Count: func(string) int { return int(^uint(0) >> 1) }}
	out, sent, err := huge.Project(ContextInput{Messages: talk})
	require.NoError(t, err)
	require.Empty(t, out)
	require.Equal(t, 9, sent.Left)
	quarter := ContextPolicy{Tokens: 9}
	_, sent, err = quarter.Project(ContextInput{Messages: talk[:2]})
	require.NoError(t, err)
	require.Equal(t, Sent{Policy: ContextFull, Until: 2, Hash: sent.Hash, Bytes: 35, Tokens: 9}, sent, "15 and 20 bytes are 4 and 5 tokens")
}

// TestProjectPairsCallsAndResults has the transcripts on which others fail: a
// handoff beside other calls in one turn, ids that come again, results
// that are late or of no call.
func TestProjectPairsCallsAndResults(t *testing.T) {
	t.Parallel()
	human := said("h", state.RoleHuman, "", "hi")
	for name, test := range map[string]struct {
		in   []state.Message
		want string
	}{
		"as it should be":         {[]state.Message{human, calling("c", "x", "", "a", "b"), answering("ra", "a", ""), answering("rb", "b", "")}, "h c(a,b) ra rb"},
		"handoff not answered":    {[]state.Message{human, calling("c", "x", "", "a", "handoff"), answering("ra", "a", "")}, "h c(a) ra"},
		"nothing answered":        {[]state.Message{human, calling("c", "x", "", "a")}, "h"},
		"nothing answered, text":  {[]state.Message{human, calling("c", "x", "I look", "a")}, "h c"},
		"results in other order":  {[]state.Message{calling("c", "x", "", "a", "b"), answering("rb", "b", ""), answering("ra", "a", "")}, "c(a,b) ra rb"},
		"late result":             {[]state.Message{calling("c", "x", "", "a", "b"), answering("ra", "a", ""), human, answering("rb", "b", "")}, "c(a,b) ra rb h"},
		"result of no call":       {[]state.Message{answering("r", "a", ""), human, answering("s", "", "")}, "h"},
		"result before its call":  {[]state.Message{answering("r", "a", ""), calling("c", "x", "t", "a"), human}, "c h"},
		"two results":             {[]state.Message{calling("c", "x", "", "a"), answering("r", "a", ""), answering("s", "a", "")}, "c(a) r"},
		"id again":                {[]state.Message{calling("c", "x", "", "f"), answering("r", "f", ""), calling("d", "x", "", "f"), answering("s", "f", "")}, "c(f) r d(f) s"},
		"id twice in one":         {[]state.Message{calling("c", "x", "", "f", "g", "f"), answering("r", "f", ""), answering("s", "f", ""), answering("t", "g", "")}, "c(f,g,f) r t s"},
		"newest call is answered": {[]state.Message{calling("c", "x", "t", "f"), human, calling("d", "x", "", "f"), answering("s", "f", "")}, "c h d(f) s"},
		"calls of others":         {[]state.Message{{ID: "h", Role: state.RoleHuman, ToolCalls: []state.ToolCall{{ID: "a"}}}, answering("r", "a", "")}, ""},
		"calls without ids":       {[]state.Message{calling("c", "x", "", "", ""), answering("r", "", ""), answering("s", "", "")}, "c(,) r s"},
	} {
		in := ContextInput{Messages: test.in}
		before, err := json.Marshal(test.in)
		require.NoError(t, err, name)
		out, sent, err := (*ContextPolicy)(nil).Project(in)
		require.NoError(t, err, name)
		requirePaired(t, out)
		var got []string
		for _, m := range out {
			text := m.ID
			for i, c := range m.ToolCalls {
				text += string("(,"[min(i, 1)]) + c.ID
			}
			if m.ToolCalls != nil {
				text += ")"
			}
			got = append(got, text)
		}
		require.Equal(t, test.want, strings.Join(got, " "), name)
		require.Equal(t, len(test.in)-len(out), sent.Left, name)
		after, err := json.Marshal(test.in)
		require.NoError(t, err, name)
		require.Equal(t, string(before), string(after), "%s: the conversation does not change", name)
	}
}

// requirePaired is the invariant of every projection.
func requirePaired(t require.TestingT, ms []state.Message) {
	for i := 0; i < len(ms); i++ {
		require.NotEqual(t, state.RoleTool, ms[i].Role, "message %d is a result without a call", i)
		calls := ms[i].ToolCalls
		require.True(t, len(calls) == 0 || ms[i].Role == state.RoleAI)
		for _, c := range calls {
			i++
			require.Less(t, i, len(ms), "call %q has no result", c.ID)
			require.Equal(t, state.RoleTool, ms[i].Role, "call %q has no result", c.ID)
			require.Equal(t, c.ID, ms[i].ToolCallID)
		}
	}
}

// TestProjectKeepsEverythingOfMessages is the last part of X-12.
func TestProjectKeepsEverythingOfMessages(t *testing.T) {
	t.Parallel()
	talk := talkOfShop()
	out, _, err := (&ContextPolicy{}).Project(ContextInput{Messages: talk})
	require.NoError(t, err)
	require.Equal(t, talk, out)
	require.Same(t, &talk[0], &out[0], "a sound conversation is not copied")
	require.Equal(t, len(out), cap(out), "appending to it does not reach the state")
}

// TestProjectAddsWhatCameSince shows the second turn of an agent: what it was
// handed stays the same, and its own work follows.
func TestProjectAddsWhatCameSince(t *testing.T) {
	t.Parallel()
	talk := append(talkOfShop(),
		calling("10", "tester", "", "d"), answering("11", "d", "ok"),
		said("12", state.RoleAI, "other", "I am another agent"), calling("13", "other", "", "e"), answering("14", "e", "its result"),
		said("15", state.RoleSystem, "", "system"), said("16", state.RoleHuman, "", "and lint"), said("17", state.RoleAI, "tester", "yes"))
	in := ContextInput{Messages: talk, Turn: Turn{Agent: "tester", Task: "test", Number: 2, Context: &Sent{Until: 9}}}
	for name, test := range map[string]struct {
		policy ContextPolicy
		want   string
	}{
		"full":   {ContextPolicy{}, "1 2 3 4 5 6 7 8 9 <test> 10 11 16 17"},
		"last":   {ContextPolicy{Mode: ContextLast, Last: 3}, "7 8 9 <test> 10 11 16 17"},
		"none":   {ContextPolicy{Mode: ContextNone}, "<test> 10 11 16 17"},
		"budget": {ContextPolicy{Mode: ContextNone, Tokens: 4, Count: func(string) int { return 1 }}, "<test> 16 17"},
		"pinned": {ContextPolicy{Mode: ContextNone, Tokens: 5, Pinned: []string{"11"}, PinFirst: true, Count: func(string) int { return 1 }}, "2 <test> 10 11"},
		"custom": {ContextPolicy{Mode: ContextCustom, Custom: func(in ContextInput) ([]state.Message, error) { return in.Messages[8-1:], nil }}, "8 9 10 11 16 17"},
	} {
		out, _, err := test.policy.Project(in)
		require.NoError(t, err, name)
		require.Equal(t, test.want, idsOf(out), name)
		requirePaired(t, out)
	}
	in.Turn.Context.Until = 1000
	out, _, err := (&ContextPolicy{}).Project(in)
	require.NoError(t, err)
	require.Len(t, out, len(talk)+1)
}

func TestNoteTellsWhatWillBeSent(t *testing.T) {
	t.Parallel()
	in := ContextInput{Messages: talkOfShop()}
	for _, p := range []*ContextPolicy{nil, {}, {Mode: ContextLast}, {Tokens: 100}, {Mode: ContextBrief}} {
		_, sent, err := p.Project(in)
		require.NoError(t, err)
		noted, err := p.note(in)
		require.NoError(t, err)
		require.Equal(t, &sent, noted)
	}
	_, err := (&ContextPolicy{Mode: "x"}).note(in)
	require.Error(t, err)
}

func TestNoteOfTheWholeIsThatOfWhatIsMade(t *testing.T) {
	t.Parallel()
	p, talk := &ContextPolicy{}, talkOfShop()
	open := state.Message{Role: state.RoleAI, Content: []state.Part{{Type: "text", Text: "I look"}}, ToolCalls: []state.ToolCall{{ID: "c", Name: "look"}}}
	made := 0
	for _, task := range []string{"", "go on with it"} {
		for n := range len(talk) + 1 {
			turn := Turn{Agent: "a", Task: task}
			_, sent, err := p.Project(ContextInput{Messages: talk[:n], Turn: turn})
			require.NoError(t, err)
			if noted := p.noteWhole(talk[:n], &turn); noted != nil {
				require.Equal(t, &sent, noted, "%d messages", n)
				made++
			}
		}
	}
	require.Greater(t, made, len(talk), "of most lengths nothing is to be mended")
	require.Nil(t, p.noteWhole([]state.Message{open}, &Turn{}), "something is to be mended")
	require.Nil(t, (&ContextPolicy{Tokens: 1}).noteWhole(nil, &Turn{}))
	require.Nil(t, (&ContextPolicy{Mode: ContextNone}).noteWhole(nil, &Turn{}))
}

// TestHashOfTheWhole says what the cheap hash notices.
func TestHashOfTheWhole(t *testing.T) {
	t.Parallel()
	hash := func(ms []state.Message) string {
		_, sent, err := (&ContextPolicy{}).Project(ContextInput{Messages: ms})
		require.NoError(t, err)
		require.Regexp(t, "^ids:[0-9a-f]{32}$", sent.Hash)
		return sent.Hash
	}
	whole := hash(talkOfShop())
	require.Equal(t, whole, hash(talkOfShop()))
	for name, change := range map[string]func([]state.Message) []state.Message{
		"one more": func(ms []state.Message) []state.Message { return append(ms, ms[8]) },
		"one less": func(ms []state.Message) []state.Message { return ms[:8] },
		"another":  func(ms []state.Message) []state.Message { ms[8].ID = "x"; return ms },
		"longer":   func(ms []state.Message) []state.Message { ms[8].Content[0].Text += "!"; return ms },
		"none":     func([]state.Message) []state.Message { return nil },
	} {
		require.NotEqual(t, whole, hash(change(talkOfShop())), name)
	}
}

// TestContentHash says what counts: contents, not ids nor times.
func TestContentHash(t *testing.T) {
	t.Parallel()
	hash := func(change func(ms []state.Message)) string {
		ms := talkOfShop()
		change(ms)
		_, sent, err := (&ContextPolicy{Tokens: 1000}).Project(ContextInput{Messages: ms})
		require.NoError(t, err)
		return sent.Hash
	}
	same := hash(func([]state.Message) {})
	require.Equal(t, same, hash(func(ms []state.Message) { ms[0].ID = "other" }))
	seen := map[string]bool{same: true}
	for name, change := range map[string]func(ms []state.Message){
		"text":   func(ms []state.Message) { ms[0].Content[0].Text = "You are a shop!" },
		"role":   func(ms []state.Message) { ms[0].Role = state.RoleHuman },
		"name":   func(ms []state.Message) { ms[0].Name = "x" },
		"args":   func(ms []state.Message) { ms[2].ToolCalls[0].Args = json.RawMessage(`{ }`) },
		"data":   func(ms []state.Message) { ms[0].Content[0].Data = []byte("x") },
		"moved":  func(ms []state.Message) { ms[0].Content[0].Text, ms[0].Content[0].URL = "", "You are a shop." },
		"status": func(ms []state.Message) { ms[3].Status = "error" },
	} {
		h := hash(change)
		require.False(t, seen[h], name)
		seen[h] = true
	}
}

func benchmarkTalk() []state.Message {
	var ms []state.Message
	for i := range 200 {
		ms = append(ms, said(fmt.Sprintf("message-%d-0123456789abcdef", i), state.RoleHuman, "", strings.Repeat("some words of a message ", 8)))
	}
	return ms
}

func BenchmarkProjectFull(b *testing.B) {
	b.ReportAllocs()
	in := ContextInput{Messages: benchmarkTalk()}
	for b.Loop() {
		if _, _, err := (&ContextPolicy{}).Project(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProjectLast(b *testing.B) {
	b.ReportAllocs()
	in := ContextInput{Messages: benchmarkTalk()}
	p := &ContextPolicy{Mode: ContextLast}
	for b.Loop() {
		if _, _, err := p.Project(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProjectBudget(b *testing.B) {
	b.ReportAllocs()
	in := ContextInput{Messages: benchmarkTalk()}
	p := &ContextPolicy{Tokens: 2000}
	for b.Loop() {
		if _, _, err := p.Project(in); err != nil {
			b.Fatal(err)
		}
	}
}
