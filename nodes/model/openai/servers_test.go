package openai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// events makes a stream of bodies of events.
func events(bodies ...string) string {
	return "data: " + strings.Join(bodies, "\n\ndata: ") + "\n\n"
}

func text(s string) []state.Part { return []state.Part{{Type: "text", Text: s}} }

func toolCall(id, name, args string) state.ToolCall {
	return state.ToolCall{ID: id, Name: name, Args: []byte(args)}
}

// TestTheFormsOfServers has what servers send that the stub does not.
func TestTheFormsOfServers(t *testing.T) {
	t.Parallel()
	piece := func(p string) string { return `{"choices":[{"delta":{"tool_calls":[` + p + `]}}]}` }
	const finish, done = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, "[DONE]"
	for name, c := range map[string]struct {
		body string
		want model.Response
	}{
		"no stream": {`{"id":"1","model":"m","choices":[{"index":0,"message":{"content":"Hi.","reasoning_content":"Hm.","tool_calls":[` +
			`{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"a","function":{"name":"f","arguments":{"b":1}}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`,
			model.Response{ID: "1", Model: "m", Stop: model.StopCalls, Usage: model.Usage{Input: 3, Output: 2}, Message: state.Message{
				Content:   append([]state.Part{{Type: "reasoning", Text: "Hm."}}, text("Hi.")...),
				ToolCalls: []state.ToolCall{toolCall("a", "f", "{}"), toolCall("a", "f", `{"b":1}`)}}}},
		"a byte order mark, an id, a retry, no empty line at the end": {"\uFEFF\nid: 1\nretry: 5\ndata:{\"choices\":[{\"delta\":\ndata: {\"content\":\"Hi.\"}}]}\n\ndata: [DONE]",
			model.Response{Stop: model.StopEnd, Message: state.Message{Content: text("Hi.")}}},
		"no [DONE]": {events(`{"choices":[{"delta":{"content":"Hi."}}]}`, finish), model.Response{Stop: model.StopEnd, Message: state.Message{Content: text("Hi.")}}},
		"an error that is null": {events(`{"error":null,"choices":[{"delta":{"content":"Hi.","refusal":null,"tool_calls":null}}],"usage":null}`, finish),
			model.Response{Stop: model.StopEnd, Message: state.Message{Content: text("Hi.")}}},
		"other choices": {events(`{"choices":[{"index":1,"delta":{"content":"No."}},{"index":0,"delta":{"content":"Yes."}}]}`, finish),
			model.Response{Stop: model.StopEnd, Message: state.Message{Content: text("Yes.")}}},
		"reasoning by its other name": {events(`{"choices":[{"delta":{"reasoning":"Hm.","reasoning_details":[{"type":"reasoning.text","text":"Hm."}]}}]}`, finish),
			model.Response{Stop: model.StopEnd, Message: state.Message{Content: []state.Part{{Type: "reasoning", Text: "Hm."}}}}},
		"reasoning by both": {events(`{"choices":[{"delta":{"reasoning":"Hm.","reasoning_content":"Hm."}}]}`, finish),
			model.Response{Stop: model.StopEnd, Message: state.Message{Content: []state.Part{{Type: "reasoning", Text: "Hm."}}}}},
		"content in parts": {events(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Hi."}]}}]}`, finish),
			model.Response{Stop: model.StopEnd, Message: state.Message{Content: append([]state.Part{{Type: "reasoning", Text: "Hm."}}, text("Hi.")...)}}},
		"a refusal": {events(`{"choices":[{"delta":{"refusal":"I can"}}]}`, `{"choices":[{"delta":{"refusal":"not."}}]}`, finish),
			model.Response{Stop: model.StopRefused, Message: state.Message{Content: text("I cannot.")}}},
		"a filter": {events(`{"choices":[{"delta":{"content":"Well"},"finish_reason":"content_filter"}]}`, done),
			model.Response{Stop: model.StopRefused, Message: state.Message{Content: text("Well")}}},
		"another reason": {events(`{"choices":[{"delta":{"content":"Well"},"finish_reason":"insufficient_system_resource"}]}`, done),
			model.Response{Stop: "insufficient_system_resource", Message: state.Message{Content: text("Well")}}},
		"its bound, in a call": {events(piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"f","arguments":"{\"a"}}`), `{"choices":[{"delta":{},"finish_reason":"length"}]}`),
			model.Response{Stop: model.StopLength, Message: state.Message{ToolCalls: []state.ToolCall{toolCall("a", "f", "{}")}}}},
		"usage with each event, thoughts beside the answer": {events(`{"choices":[{"delta":{"content":"Hi."}}],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}`,
			`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":17,"completion_tokens_details":{"reasoning_tokens":10},"prompt_cache_hit_tokens":4}}`),
			model.Response{Stop: model.StopEnd, Usage: model.Usage{Input: 5, Output: 12, Reasoning: 10, CacheRead: 4}, Message: state.Message{Content: text("Hi.")}}},
		"one index for all calls": {events(piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":1}"}}`), piece(`{"index":0,"id":"b","function":{"name":"f","arguments":"{\"b\":1}"}}`), finish),
			model.Response{Stop: model.StopCalls, Message: state.Message{ToolCalls: []state.ToolCall{toolCall("a", "f", `{"a":1}`), toolCall("b", "f", `{"b":1}`)}}}},
		"a new id with each piece": {events(piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a"}}`), piece(`{"index":0,"id":"b","function":{"name":"f","arguments":"\":1}"}}`), piece(`{"index":0,"id":"c","function":{"arguments":""}}`), finish),
			model.Response{Stop: model.StopCalls, Message: state.Message{ToolCalls: []state.ToolCall{toolCall("a", "f", `{"a":1}`)}}}},
		"neither index nor id": {events(piece(`{"function":{"name":"f","arguments":"{\"a\":1}"}}`), piece(`{"function":{"name":"f","arguments":"{\"b\":1}"}}`), piece(`{"function":{"name":"g"}}`), finish),
			model.Response{Stop: model.StopCalls, Message: state.Message{ToolCalls: []state.ToolCall{toolCall("", "f", `{"a":1}`), toolCall("", "f", `{"b":1}`), toolCall("", "g", "{}")}}}},
		"arguments that are null": {events(piece(`{"index":0,"id":"a","function":{"name":"f","arguments":null}}`), piece(`{"index":1,"id":"b","function":{"name":"f","arguments":"null"}}`), finish),
			model.Response{Stop: model.StopCalls, Message: state.Message{ToolCalls: []state.ToolCall{toolCall("a", "f", "{}"), toolCall("b", "f", "{}")}}}},
		"a call as they were": {events(`{"choices":[{"delta":{"function_call":{"name":"f","arguments":"{\"a\":"}}}]}`, `{"choices":[{"delta":{"function_call":{"arguments":"1}"}},"finish_reason":"function_call"}]}`),
			model.Response{Stop: model.StopCalls, Message: state.Message{ToolCalls: []state.ToolCall{toolCall("", "f", `{"a":1}`)}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, llmstub.Reply{Fault: llmstub.Fault{Body: c.body, Header: map[string]string{"Content-Type": "application/octet-stream"}}})
			answer, _, err := collect(t.Context(), at(t, srv, nil), question("Hi"))
			require.NoError(t, err)
			c.want.Message.Role = state.RoleAI
			require.Equal(t, &c.want, answer)
		})
	}
}

func TestWhatNoServerMaySend(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		class model.Class
	}{
		"[DONE] alone":           {events("[DONE]"), model.Cut},
		"half an event":          {"data: {\"choices\":[{\"delta\":{\"content\":\"Hi", model.Cut},
		"a finish of failure":    {events(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"error"}]}`), model.Overloaded},
		"an event named error":   {"event: error\ndata: {\"message\":\"slow down\",\"type\":\"rate_limit_error\"}\n\n", model.RateLimited},
		"an error with a status": {events(`{"error":{"message":"upstream","code":502},"choices":[{"delta":{},"finish_reason":"error"}]}`), model.Overloaded},
		"a call without a name":  {events(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}}]}`, "[DONE]"), model.Malformed},
		"calls announced alone":  {events(`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`), model.Malformed},
		"no choice":              {`{"choices":[]}`, model.Cut},
		"a text as a delta":      {events(`{"choices":[{"delta":"Hi"}]}`), model.Malformed},
		"no end of a line":       {"data: " + strings.Repeat("x", 64<<20), model.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, llmstub.Reply{Fault: llmstub.Fault{Body: c.body}})
			_, _, err := collect(t.Context(), at(t, srv, nil), question("Hi"))
			require.ErrorIs(t, err, c.class)
			require.Less(t, len(err.Error()), 600)
		})
	}
}
