package llmstub_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
)

// Messages that the tables are made of.
const (
	user     = `{"role":"user","content":"hi"}`
	called   = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	resultA  = `{"role":"tool","tool_call_id":"a","content":"1"}`
	resultB  = `{"role":"tool","tool_call_id":"b","content":""}`
	uses     = `{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]}`
	resulted = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"2"}]},{"type":"text","text":"go on"}]}`
)

func messages(list ...string) string { return `"messages":[` + strings.Join(list, ",") + `]` }

// says is a message with a content.
func says(role, content string) string { return `{"role":"` + role + `","content":` + content + `}` }

func oneTool(tool string) string {
	return messages(user) + `,"tools":[{"type":"function","function":` + tool + `}]`
}

// onlyCall is a call with these arguments and this name.
func onlyCall(name, args string) string {
	return `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"` + name + `","arguments":` + args + `}}]}`
}

// The rest of a body behind its model, and what the error has in it; "": it is taken.
var openaiBodies = []struct{ rest, err string }{
	{messages(user), ""},
	{messages(user, called, resultB, resultA, user), ""},
	{messages(says("system", `"be kind"`), user, called, resultA, resultB, says("assistant", `""`)), ""},
	{messages(says("developer", `"x"`), says("user", `[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}}]`)), ""},
	{messages(user) + `,"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"auto","parallel_tool_calls":false`, ""},
	{oneTool(`{"name":"f","parameters":{"type":"object","properties":{}}}`), ""},
	{messages(), "Invalid 'messages': empty array"},
	{`"messages":7`, "Invalid type"},
	{messages(user, called, user), "did not have response messages: a, b"},
	{messages(user, called), "did not have response messages: a, b"},
	{messages(user, called, resultA, user, resultB), "did not have response messages: b"},
	{messages(user, called, resultA), "did not have response messages: b"},
	{messages(user, called, resultA, resultA, resultB), "Duplicate value for 'tool_call_id' of 'a'"},
	{messages(user, called, resultA, resultB, resultB), "Duplicate value for 'tool_call_id' of 'b'"},
	{messages(user, resultA), "must be a response to a preceeding message"},
	{messages(user, called, resultA, resultB, user, resultA), "must be a response to a preceeding message"},
	{messages(user, onlyCall("f", `"{}"`), resultB), "'tool_call_id' of 'b' not found"},
	{messages(user, onlyCall("f", `"{}"`), says("tool", `"1"`)), "Missing parameter 'tool_call_id'"},
	{messages(user, strings.Replace(called, `"b"`, `"a"`, 1), resultA), "Duplicate value"},
	{messages(says("robot", `"x"`)), "Invalid value: 'robot'"},
	{messages(says("assistant", `null`)), "Invalid value for 'content'"},
	{messages(says("user", `null`)), "Invalid value for 'content'"},
	{messages(says("user", `[]`)), "Invalid value for 'content'"},
	{messages(says("user", `{}`)), "Invalid type for 'messages[0].content': expected a string or an array of content parts, but got an object"},
	{messages(user, `{"role":"assistant","content":"x","tool_calls":[]}`), "Invalid 'messages[1].tool_calls': empty array"},
	{messages(onlyCall("f", `{}`), resultA), "Invalid type for 'messages[0].tool_calls[0].function.arguments': expected a string, but got an object"},
	{messages(onlyCall("a b", `"{}"`), resultA), "does not match pattern"},
	{messages(strings.Replace(onlyCall("f", `"{}"`), `"type":"function",`, "", 1), resultA), "Missing required parameter: 'messages[0].tool_calls[0].type'"},
	{oneTool(`{"name":"a.b"}`), "does not match pattern"},
	{oneTool(`{"name":"` + strings.Repeat("n", 65) + `"}`), "string too long"},
	{oneTool(`{}`), "Missing required parameter: 'tools[0].function.name'"},
	{oneTool(`{"name":"f","parameters":{"type":"string"}}`), `got 'type: \"string\"'`},
	{oneTool(`{"name":"f","parameters":{}}`), `got 'type: \"None\"'`},
	{oneTool(`{"name":"f","parameters":[]}`), "got an array"},
	{oneTool(`{"name":"f","parameters":{"type":"object"}}`), "object schema missing properties"},
	{messages(user) + `,"tools":[]`, "Invalid 'tools': empty array"},
	{messages(user) + `,"tools":[{"type":"x"}]`, "Invalid value: 'x'"},
	{messages(user) + `,"tool_choice":"auto"`, "'tool_choice' is only allowed"},
	{messages(user) + `,"parallel_tool_calls":true`, "'parallel_tool_calls' is only allowed"},
	{messages(user) + `,"stream_options":{}`, "only allowed when 'stream' is enabled"},
}

var anthropicBodies = []struct{ rest, err string }{
	{messages(user), ""},
	{messages(user, user, uses, resulted, says("assistant", `"so"`)), ""},
	{messages(user, uses, says("user", `[{"type":"tool_result","tool_use_id":"b"}]`), says("user", `[{"type":"tool_result","tool_use_id":"a"}]`)), ""},
	{messages(user, says("assistant", `""`)) + `,"system":"be kind"`, ""},
	{messages(user) + `,"system":[{"type":"text","text":"be kind"}],"tools":[{"name":"f","input_schema":{"type":"object"}},{"type":"bash_20250124","name":"bash"}],"tool_choice":{"type":"auto"}`, ""},
	{messages(user, says("assistant", `[{"type":"thinking","thinking":"hm","signature":"theirs"},{"type":"text","text":"x"}]`), user), ""},
	{messages(), "at least one message"},
	{`"messages":7`, "cannot unmarshal"},
	{messages(says("assistant", `"x"`), user), "first message must use the \\\"user\\\" role"},
	{messages(says("system", `"x"`)), "Unexpected role"},
	{messages(says("robot", `"x"`)), "messages.0.role: Input should be"},
	{messages(says("user", `null`)), "messages.0.content: Field required"},
	{messages(says("user", `""`)), "must have non-empty content"},
	{messages(says("user", `[]`)), "must have non-empty content"},
	{messages(says("user", `7`)), "valid string or list"},
	{messages(says("user", `[{"type":"text","text":""}]`)), "must be non-empty"},
	{messages(says("user", `"  "`)), "non-whitespace"},
	{messages(user, says("assistant", `"so "`)), "trailing whitespace"},
	{messages(user, uses, user), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a, b"},
	{messages(user, uses), "immediately after: a, b"},
	{messages(user, uses, says("user", `[{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"b"}]`)), "immediately after: b"},
	{messages(user, uses, says("user", `[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"a"}]`)), "must have a single result"},
	{messages(user, uses, resulted, says("assistant", `"x"`), resulted), "messages.4.content.0: unexpected `tool_use_id`"},
	{messages(says("user", `[{"type":"tool_result","tool_use_id":"a"}]`)), "unexpected `tool_use_id`"},
	{messages(user, says("assistant", `[{"type":"tool_result","tool_use_id":"a"}]`)), "only be in `user` messages"},
	{messages(says("user", `[{"type":"tool_use","id":"a","name":"f","input":{}}]`)), "only be in `assistant` messages"},
	{messages(user, uses, resulted, uses, resulted), "must be unique"},
	{messages(user, strings.Replace(uses, `"id":"b"`, `"id":"a"`, 1), resulted), "must be unique"},
	{messages(user, strings.Replace(uses, `"id":"b"`, `"id":"b b"`, 1), resulted), "tool_use.id: String should match"},
	{messages(user, strings.Replace(uses, `{}`, `"{}"`, 1), resulted), "tool_use.input: Input should be a valid dictionary"},
	{messages(user, uses, strings.Replace(resulted, `"text":"2"`, `"text":""`, 1)), "must be non-empty"},
	{messages(says("user", `[{"type":"tool_result"}]`)), "tool_use_id: Field required"},
	{messages(says("user", `[{"type":"song"}]`)), "Input tag 'song'"},
	{messages(user, says("assistant", `[{"type":"thinking","thinking":"hm"}]`)), "signature: Field required"},
	{messages(user, says("assistant", `[{"type":"thinking","thinking":"hm","signature":"llmstub-AAAA"}]`)), "Invalid `signature`"},
	{messages(user) + `,"system":[{"type":"text","text":""}]`, "system: text content blocks must be non-empty"},
	{messages(user) + `,"tools":[{"name":"a b","input_schema":{"type":"object"}}]`, "tools.0.custom.name"},
	{messages(user) + `,"tools":[{"name":"f","input_schema":{"type":"object"}},{"name":"f","input_schema":{"type":"object"}}]`, "must be unique"},
	{messages(user) + `,"tools":[{"name":"f"}]`, "input_schema: Field required"},
	{messages(user) + `,"tools":[{"name":"f","input_schema":{}}]`, "input_schema.type: Field required"},
	{messages(user) + `,"tools":[{"name":"f","input_schema":{"type":"array"}}]`, "Input should be 'object'"},
	{messages(user) + `,"tool_choice":{"type":"auto"}`, "while providing `tools`"},
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range openaiBodies {
		requireRefused(t, llmstub.OpenAI, `{"model":"m",`+c.rest+`}`, c.err)
	}
	for _, c := range anthropicBodies {
		requireRefused(t, llmstub.Anthropic, `{"model":"m","max_tokens":1,`+c.rest+`}`, c.err)
	}
	requireRefused(t, llmstub.OpenAI, `{`+messages(user)+`}`, "you must provide a model parameter")
	requireRefused(t, llmstub.OpenAI, `{`, "could not parse the JSON body")
	requireRefused(t, llmstub.Anthropic, `{`, "not valid JSON")
	requireRefused(t, llmstub.Anthropic, `{"max_tokens":1,`+messages(user)+`}`, "model: Field required")
	requireRefused(t, llmstub.Anthropic, `{"model":"m",`+messages(user)+`}`, "max_tokens: Field required")
	requireRefused(t, llmstub.Anthropic, `{"model":"m","max_tokens":0,`+messages(user)+`}`, "max_tokens: Input should be")
}

// requireRefused asks for an error with this text in it; "": for an answer.
func requireRefused(t *testing.T, wire, body, err string) {
	t.Helper()
	srv := serve(t, llmstub.Reply{Text: "fine"})
	g := post(t, srv, wire, body)
	require.True(t, json.Valid([]byte(g.body)), g.body)
	seen := srv.Requests()
	require.Len(t, seen, 1)
	if err == "" {
		require.Equal(t, 200, g.status, g.body)
		require.Empty(t, seen[0].Refused)
		return
	}
	require.Equal(t, 400, g.status, body)
	require.Contains(t, g.body, err)
	require.Contains(t, g.body, "invalid_request_error")
	require.NotEmpty(t, seen[0].Refused)
	require.Len(t, srv.Unused(), 1)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	srv := serve(t, llmstub.Reply{Text: "fine"}, llmstub.Reply{Fault: llmstub.Fault{Status: 401}})
	for _, c := range []struct {
		wire, header, value string
		status              int
		err                 string
	}{
		{llmstub.OpenAI, "Authorization", "", 401, "You didn't provide an API key"},
		{llmstub.OpenAI, "Authorization", "Basic x", 401, "You didn't provide an API key"},
		{llmstub.OpenAI, "Authorization", "Bearer bad", 401, "Incorrect API key provided: bad***. "},
		{llmstub.Anthropic, "x-api-key", "", 401, "authentication_error"},
		{llmstub.Anthropic, "x-api-key", "bad", 401, "invalid x-api-key"},
		{llmstub.Anthropic, "anthropic-version", "", 400, "anthropic-version: header is required"},
		{llmstub.OpenAI, "Authorization", "Bearer any", 200, "fine"},
		{llmstub.OpenAI, "Authorization", "Bearer sk-long-secret", 401, "provided: sk-***cret. "},
	} {
		r := request(t, srv.URL(), c.wire, asked(c.wire, "hi", false))
		r.Header.Set(c.header, c.value)
		g := do(t, r)
		require.Equal(t, c.status, g.status, c.value)
		require.Contains(t, g.body, c.err)
	}
}
