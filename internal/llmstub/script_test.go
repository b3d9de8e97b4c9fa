package llmstub_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
)

const script = `
replies:
  - when: {last: slow, call: 2}
    text: second
  - when: {last: slow}
    times: -1
    text: other
  - when: {model: m, system: kind, tool: look, contains: '"seed":7'}
    text: all
    times: 2
  - when: {model: big}
    model: big-1
    id: mine
    stop: length
    text: never
    calls: [{name: look, args: {q: [1, x]}}, {name: go, args: "{"}]
    usage: {input: 1, output: 2, cache_read: 3, cache_write: 4, reasoning: 5}
    fault: {status: 429, retry_after: "1", delay: 5ms, cut: -1, no_usage: true}
keep: 3
`

func TestParseScript(t *testing.T) {
	t.Parallel()
	s, err := llmstub.ParseScript([]byte(script))
	require.NoError(t, err)
	require.Equal(t, 3, s.Keep)
	require.Equal(t, llmstub.Reply{
		When: llmstub.Match{Model: "big"}, Model: "big-1", ID: "mine", Stop: "length", Text: "never",
		Calls: []llmstub.Call{{Name: "look", Args: `{"q":[1,"x"]}`}, {Name: "go", Args: "{"}},
		Usage: llmstub.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5},
		Fault: llmstub.Fault{Status: 429, RetryAfter: "1", Delay: 5e6, Cut: -1, NoUsage: true},
	}, s.Replies[3])
	_, err = llmstub.ParseScript([]byte(`{"replies":[{"text":"JSON","calls":[{"name":"f","args":{"a":1}}]}]}`))
	require.NoError(t, err)
}

func TestParseScriptRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, err string }{
		{"", "cannot be read"},
		{"replies:\n  - text: x\n    tezt: y\n", "line 3: field tezt not found"},
		{"replies:\n  - fault: {stat: 1}\n", "line 2: field stat not found"},
		{"replies:\n  - calls: [{nam: x}]\n", "line 2: field nam not found"},
		{"replies: 7", "line 1"},
		{"replies:\n  - times: often", "line 2"},
		{"replies:\n  - text: x\n    text: y\n", "already"},
		{"replies:\n  - calls: [{name: x, args: {1: .nan}}]\n", "line 2: args are no JSON"},
		{"replies: [{}, {when: {call: -1}}]", "reply 2: when.call"},
		{"replies: [{fault: {status: 100}}]", "reply 1: fault.status"},
		{"replies: [{fault: {gap: -1s}}]", "reply 1: fault.delay and fault.gap"},
		{"replies: [{fault: {long_line: 1000000000000}}]", "reply 1: fault.long_line"},
	} {
		_, err := llmstub.ParseScript([]byte(c.text))
		require.ErrorContains(t, err, c.err, c.text)
	}
}

func TestMatching(t *testing.T) {
	t.Parallel()
	s, err := llmstub.ParseScript([]byte(script))
	require.NoError(t, err)
	srv := llmstub.New(s)
	t.Cleanup(srv.Close)
	say := func(wire, body string) string {
		t.Helper()
		return post(t, srv, wire, body).body
	}
	for i, want := range []string{"other", "second", "other"} {
		require.Contains(t, say(wires[i%2], asked(wires[i%2], "so slow", false)), want)
	}
	const openai = `{"model":"m","seed":7,"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"look"}}]}`
	const anthropic = `{"model":"m","seed":7,"max_tokens":1,"system":"be kind","messages":[{"role":"user","content":"x"}],"tools":[{"name":"look","input_schema":{"type":"object"}}]}`
	require.Contains(t, say(llmstub.OpenAI, openai), `"all"`)
	require.Contains(t, say(llmstub.Anthropic, anthropic), `"all"`)
	g := post(t, srv, llmstub.OpenAI, openai)
	require.Equal(t, http.StatusInternalServerError, g.status)
	require.Equal(t, "false", g.header.Get("X-Should-Retry"))
	require.Equal(t, []string{`llmstub: no reply fits: openai asked model "m", 1 messages, last of user: "x"; replies left: ` +
		`reply 2 (last contains "slow") fitted 3, used 2; reply 4 (model "big") fitted 0, used 0`}, srv.Unexpected())
	require.Equal(t, []string{`reply 4 (model "big")`}, srv.Unused())
	require.Len(t, srv.Requests(), 3)
	require.Equal(t, openai, string(srv.Requests()[2].Body))
}

// TestRequests looks that both wires are told in the same words.
func TestRequests(t *testing.T) {
	t.Parallel()
	srv := serve(t, llmstub.Reply{Times: -1})
	require.Equal(t, 200, post(t, srv, llmstub.OpenAI, `{"model":"m",`+messages(says("system", `"be kind"`), user, called, resultA, resultB, user)+`}`).status)
	require.Equal(t, 200, post(t, srv, llmstub.Anthropic, `{"model":"m","max_tokens":1,"system":"be kind",`+messages(user, uses, resulted)+`}`).status)
	calls := []llmstub.Call{{ID: "a", Name: "f", Args: "{}"}, {ID: "b", Name: "f", Args: "{}"}}
	hi := llmstub.Message{Role: "user", Text: "hi"}
	seen := srv.Requests()
	require.Equal(t, []llmstub.Message{hi, {Role: "assistant", Calls: calls},
		{Role: "tool", Text: "1", CallID: "a"}, {Role: "tool", CallID: "b"}, hi}, seen[0].Messages)
	require.Equal(t, []llmstub.Message{hi, {Role: "assistant", Text: "so", Calls: calls},
		{Role: "tool", Text: "1", CallID: "a"}, {Role: "tool", Text: "2", CallID: "b"}, {Role: "user", Text: "go on"}}, seen[1].Messages)
	for i, r := range seen {
		require.Equal(t, wires[i], r.Wire)
		require.Equal(t, "be kind", r.System)
		require.Equal(t, "m", r.Model)
	}
	require.Equal(t, "Bearer sk-good", seen[0].Header.Get("Authorization"))
}

func TestOtherPaths(t *testing.T) {
	t.Parallel()
	srv := serve(t, llmstub.Reply{When: llmstub.Match{Model: "b"}, Model: "a"}, llmstub.Reply{Text: "x"})
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/v1/models", 200, `"id":"a"`}, {"GET", "/models", 200, `"id":"b"`},
		{"POST", "/models", 405, "Not allowed"}, {"GET", "/v1/messages", 405, `"type":"error"`},
		{"GET", "/v1/chat/completions", 405, "Not allowed"}, {"POST", "/v2", 404, "Invalid URL"},
	} {
		r := request(t, srv.URL(), llmstub.OpenAI, "")
		r.Method, r.URL.Path = c.method, c.path
		g := do(t, r)
		require.Equal(t, c.status, g.status, c.path)
		require.Contains(t, g.body, c.body)
	}
	r := request(t, srv.URL(), llmstub.OpenAI, asked(llmstub.OpenAI, "x", false))
	r.URL.Path = "/chat/completions"
	require.Equal(t, 200, do(t, r).status)
}
