package anthropic_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// events makes a stream of bodies of events. They have no names: what matters is
// in the body.
func events(bodies ...string) string {
	return "data: " + strings.Join(bodies, "\n\ndata: ") + "\n\n"
}

const (
	start = `{"type":"message_start","message":{"id":"1","model":"m","usage":{"input_tokens":3,"output_tokens":1}}}`
	over  = `{"type":"message_stop"}`
)

func ending(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":9,"output_tokens_details":{"thinking_tokens":4}}}`
}

// block is a block that is told at once, and its end.
func block(index, content string) string {
	return `{"type":"content_block_start","index":` + index + `,"content_block":` + content + "}\n\ndata: " + `{"type":"content_block_stop","index":` + index + `}`
}

func TestTheFormsOfAnswers(t *testing.T) {
	t.Parallel()
	hi := state.Message{Content: text("Hi.")}
	said := block("0", `{"type":"text","text":"Hi."}`)
	half := `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"f","input":{}}}` + "\n\ndata: " +
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a"}}` + "\n\ndata: " + `{"type":"content_block_stop","index":1}`
	for name, c := range map[string]struct {
		body string
		stop model.Stop
		want state.Message
	}{
		"the end":              {events(start, said, ending("end_turn"), over), model.StopEnd, hi},
		"a text that ends it":  {events(start, said, ending("stop_sequence"), over), model.StopEnd, hi},
		"a pause":              {events(start, said, ending("pause_turn"), over), "pause_turn", hi},
		"a refusal":            {events(start, said, ending("refusal"), over), model.StopRefused, hi},
		"its bound":            {events(start, said, ending("max_tokens"), over), model.StopLength, hi},
		"the model's bound":    {events(start, said, ending("model_context_window_exceeded"), over), model.StopLength, hi},
		"no message_stop":      {events(start, said, ending("end_turn")), model.StopEnd, hi},
		"what nobody knows":    {events(start, `{"type":"new_event"}`, block("5", `{"type":"new_block"}`), said, ending("end_turn"), over), model.StopEnd, hi},
		"a call, no reason":    {events(start, block("0", `{"type":"tool_use","id":"a","name":"f","input":{"a":1}}`), ending("end_turn"), over), model.StopCalls, state.Message{ToolCalls: []state.ToolCall{toolCall("a", "f", `{"a":1}`)}}},
		"its bound, in a call": {events(start, block("0", `{"type":"tool_use","id":"a","name":"f","input":{}}`), half, ending("max_tokens"), over), model.StopLength, state.Message{ToolCalls: []state.ToolCall{toolCall("a", "f", `{}`)}}},
		"thoughts not shown": {events(start, block("0", `{"type":"redacted_thinking","data":"abc"}`), block("1", `{"type":"thinking","thinking":"","signature":"sig"}`), block("2", `{"type":"thinking","thinking":"Hm."}`), ending("end_turn"), over), model.StopEnd,
			state.Message{Content: []state.Part{
				{Type: "reasoning", MIME: transcript.SignedAnthropic, Data: []byte("redacted_thinking:abc")},
				{Type: "reasoning", MIME: transcript.SignedAnthropic, Data: []byte("sig")},
				{Type: "reasoning", Text: "Hm."}}}},
		"no stream": {`{"type":"message","id":"1","model":"m","content":[{"type":"thinking","thinking":"Hm.","signature":"sig"},{"type":"text","text":"Hi."},{"type":"tool_use","id":"a","name":"f","input":{"a":1}}],` +
			`"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":9,"output_tokens_details":{"thinking_tokens":4}}}`, model.StopCalls,
			state.Message{Content: append([]state.Part{{Type: "reasoning", Text: "Hm.", MIME: transcript.SignedAnthropic, Data: []byte("sig")}}, text("Hi.")...), ToolCalls: []state.ToolCall{toolCall("a", "f", `{"a":1}`)}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, llmstub.Reply{Fault: llmstub.Fault{Body: c.body}})
			answer, _, err := collect(t.Context(), at(t, srv, nil), question("Hi"))
			require.NoError(t, err)
			c.want.Role = state.RoleAI
			require.Equal(t, &model.Response{Message: c.want, Stop: c.stop, ID: "1", Model: "m", Usage: model.Usage{Input: 3, Output: 9, Reasoning: 4}}, answer)
		})
	}
}

func TestWhatNoServerMaySend(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		class model.Class
	}{
		"an end alone":           {events(over), model.Cut},
		"a piece of no block":    {events(start, `{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"Hi"}}`), model.Malformed},
		"a call without a name":  {events(start, block("0", `{"type":"tool_use","id":"a","input":{}}`), ending("tool_use"), over), model.Malformed},
		"arguments of no object": {events(start, block("0", `{"type":"tool_use","id":"a","name":"f","input":[]}`), ending("tool_use"), over), model.Malformed},
		"calls announced alone":  {events(start, ending("tool_use"), over), model.Malformed},
		"a number for a text":    {events(start, block("0", `{"type":"text","text":5}`)), model.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, llmstub.Reply{Fault: llmstub.Fault{Body: c.body}})
			_, _, err := collect(t.Context(), at(t, srv, nil), question("Hi"))
			require.ErrorIs(t, err, c.class)
		})
	}
}
