package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/anthropic"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// sent asks and returns what the server was sent, without what all requests have.
func sent(t *testing.T, edit func(*anthropic.Config), r *model.Request) string {
	t.Helper()
	srv := serve(t, llmstub.Reply{Text: `{"n":1}`})
	_, _, err := collect(t.Context(), at(t, srv, edit), r)
	require.NoError(t, err)
	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(srv.Requests()[0].Body, &body))
	require.JSONEq(t, `true`, string(body["stream"]))
	delete(body, "stream")
	if string(body["model"]) == `"stub-1"` {
		delete(body, "model")
	}
	text, err := json.Marshal(body)
	require.NoError(t, err)
	return string(text)
}

func text(s string) []state.Part { return []state.Part{{Type: "text", Text: s}} }

func toolCall(id, name, args string) state.ToolCall {
	return state.ToolCall{ID: id, Name: name, Args: []byte(args)}
}

func TestEverythingOfARequestIsSent(t *testing.T) {
	t.Parallel()
	temperature, topP, seed := 0.0, 0.9, int64(7)
	schema := json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer"},"a":{"maximum":12345678901234567890}},"required":["z"],"$defs":{}}`)
	got := sent(t, nil, &model.Request{
		Messages:  []state.Message{state.Text(state.RoleSystem, "Be brief."), state.Text(state.RoleSystem, "Be kind."), state.Text(state.RoleHuman, "Hi")},
		Tools:     []model.Tool{{Name: "look", Description: "Looks.", Schema: schema}, {Name: "now"}},
		Choice:    model.ChoiceRequired,
		OneCall:   true,
		Schema:    &model.Schema{Schema: []byte(`{"a":1}`)},
		MaxTokens: 99, Temperature: &temperature, TopP: &topP, Stop: []string{"END"}, Seed: &seed,
	})
	want := `{"system":[{"type":"text","text":"Be brief."},{"type":"text","text":"Answer with one JSON value that fits this JSON Schema, and with nothing else:\n{\"a\":1}"},{"type":"text","text":"Be kind."}],` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],` +
		`"tools":[{"name":"look","description":"Looks.","input_schema":` + string(schema) + `},{"name":"now","input_schema":{"type":"object","properties":{}}}],` +
		`"tool_choice":{"type":"any","disable_parallel_tool_use":true},"max_tokens":99,"temperature":0,"top_p":0.9,"stop_sequences":["END"]}`
	require.JSONEq(t, want, got)
	require.Contains(t, got, `12345678901234567890`)
	require.Contains(t, got, `{"z":{"type":"integer"},"a":`, "the order of a schema's properties is the model's order to think in")
}

func TestWhatAConfigSends(t *testing.T) {
	t.Parallel()
	const hi, bound = `"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]`, `,"max_tokens":4096`
	tools := []model.Tool{{Name: "look"}}
	const toolsJSON = `,"tools":[{"name":"look","input_schema":{"type":"object","properties":{}}}]`
	budget := func(c *anthropic.Config) { c.Thinking = 2000 }
	for name, c := range map[string]struct {
		edit func(*anthropic.Config)
		r    func(*model.Request)
		want string
	}{
		"nothing":            {want: `{` + hi + bound + `}`},
		"a bound":            {func(c *anthropic.Config) { c.MaxTokens = 5 }, nil, `{` + hi + `,"max_tokens":5}`},
		"a request's bound":  {func(c *anthropic.Config) { c.MaxTokens = 5 }, func(r *model.Request) { r.MaxTokens = 6 }, `{` + hi + `,"max_tokens":6}`},
		"a budget":           {budget, nil, `{` + hi + `,"max_tokens":6096,"thinking":{"type":"enabled","budget_tokens":2000}}`},
		"a bound, a budget":  {budget, func(r *model.Request) { r.MaxTokens = 6 }, `{` + hi + `,"max_tokens":2006,"thinking":{"type":"enabled","budget_tokens":2000}}`},
		"as the model likes": {func(c *anthropic.Config) { c.Thinking = -1 }, nil, `{` + hi + bound + `,"thinking":{"type":"adaptive"}}`},
		"a forced call":      {budget, func(r *model.Request) { r.Tools, r.Choice = tools, "look" }, `{` + hi + bound + toolsJSON + `,"tool_choice":{"type":"tool","name":"look"}}`},
		"no tool":            {nil, func(r *model.Request) { r.Tools, r.Choice = tools, model.ChoiceNone }, `{` + hi + bound + toolsJSON + `,"tool_choice":{"type":"none"}}`},
		"one call":           {nil, func(r *model.Request) { r.Tools, r.OneCall = tools, true }, `{` + hi + bound + toolsJSON + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}`},
		"no choice":          {nil, func(r *model.Request) { r.Choice, r.OneCall = model.ChoiceNone, true }, `{` + hi + bound + `}`},
		"extra": {func(c *anthropic.Config) {
			c.Extra = map[string]json.RawMessage{"top_k": []byte(`5`), "max_tokens": []byte("7")}
		}, nil, `{` + hi + `,"max_tokens":7,"top_k":5}`},
		"a schema that is kept": {func(c *anthropic.Config) { c.Strict = true }, func(r *model.Request) { r.Schema = &model.Schema{Schema: []byte(`{"type":"object"}`)} },
			`{` + hi + bound + `,"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := question("Hi")
			if c.r != nil {
				c.r(r)
			}
			require.JSONEq(t, c.want, sent(t, c.edit, r))
		})
	}
}

func TestMessagesAsAnthropicHasThem(t *testing.T) {
	t.Parallel()
	reasoning := func(text, by, signature string) state.Part {
		return state.Part{Type: "reasoning", Text: text, MIME: by, Data: []byte(signature)}
	}
	messages := []state.Message{
		{Role: state.RoleHuman, Name: "ann", Content: []state.Part{
			{Type: "text", Text: "What is this?"}, {Type: "text"}, {Type: "image", URL: "https://example.org/a.png"}, {Type: "image", MIME: "image/png", Data: []byte("png")},
			{Type: "image", URL: "data:image/png;base64,cG5n"}, {Type: "file", MIME: "application/pdf", Data: []byte("pdf")}, {Type: "file", MIME: "text/csv", Data: []byte("a,b")},
			{Type: "file", MIME: "application/pdf", URL: "https://example.org/a.pdf"}, {Type: "file", URL: "https://example.org/a.zip"},
			{Type: "image", MIME: "image/tiff", Data: []byte("tiff")}, {Type: "file", URL: "data:,x"},
		}},
		{Role: state.RoleAI, Name: "writer", Content: []state.Part{
			reasoning("Hm.", transcript.SignedAnthropic, "sig"), reasoning("", transcript.SignedAnthropic, "redacted_thinking:abc"), reasoning("", transcript.SignedAnthropic, "sig2"),
			reasoning("theirs", transcript.SignedGemini, "sig"), reasoning("unsigned", "", ""), {Type: "text", Text: "I look."},
		}, ToolCalls: []state.ToolCall{toolCall("a", "look", ` {"q":1} `), toolCall("b", "look", "")}},
		{Role: state.RoleTool, ToolCallID: "a", Name: "look", Content: append(text("found"), state.Part{Type: "image", MIME: "image/png", Data: []byte("png")})},
		{Role: state.RoleTool, ToolCallID: "b", Name: "look", Status: "error"},
		state.Text(state.RoleHuman, "Go on."),
	}
	const png = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}`
	got := sent(t, func(c *anthropic.Config) { c.Thinking = 2000 }, &model.Request{Messages: messages})
	require.JSONEq(t, `{"max_tokens":6096,"thinking":{"type":"enabled","budget_tokens":2000},"messages":[{"role":"user","content":[{"type":"text","text":"What is this?"},`+
		`{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}},`+png+`,`+png+`,`+
		`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"cGRm"}},`+
		`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a,b"}},`+
		`{"type":"document","source":{"type":"url","url":"https://example.org/a.pdf"}},`+
		`{"type":"text","text":"[file: https://example.org/a.zip]"},{"type":"text","text":"[image left out: 4 bytes of image/tiff]"},{"type":"text","text":"[file left out: 7 bytes]"}]},`+
		`{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"sig"},{"type":"redacted_thinking","data":"abc"},{"type":"thinking","thinking":"","signature":"sig2"},`+
		`{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"look","input":{"q":1}},{"type":"tool_use","id":"b","name":"look","input":{}}]},`+
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"found"},`+png+`]},`+
		`{"type":"tool_result","tool_use_id":"b","is_error":true},{"type":"text","text":"Go on."}]}]}`, got)
}

// TestACallWithoutAThoughtIsGoneOnWithWithoutOne: Anthropic refuses thoughts then.
func TestACallWithoutAThoughtIsGoneOnWithWithoutOne(t *testing.T) {
	t.Parallel()
	budget := func(c *anthropic.Config) { c.Thinking = 2000 }
	messages := []state.Message{
		state.Text(state.RoleHuman, "Hi"),
		{Role: state.RoleAI, ToolCalls: []state.ToolCall{toolCall("a", "look", "{}")}},
		{Role: state.RoleTool, ToolCallID: "a", Content: text("found")},
	}
	got := sent(t, budget, &model.Request{Messages: messages})
	require.NotContains(t, got, "thinking")
	require.Contains(t, got, `"max_tokens":4096`)
	messages = append(messages, state.Text(state.RoleAI, "There."), state.Text(state.RoleHuman, "And now?"))
	require.Contains(t, sent(t, budget, &model.Request{Messages: messages}), `"budget_tokens":2000`)
}

func TestWhatCannotBeSentIsNotSent(t *testing.T) {
	t.Parallel()
	picture := []state.Part{{Type: "image", URL: "https://example.org/a.png"}}
	human := state.Text(state.RoleHuman, "Hi")
	for name, c := range map[string]struct {
		r     *model.Request
		class model.Class
	}{
		"a picture of the model's":     {&model.Request{Messages: []state.Message{{Role: state.RoleAI, Content: picture}}}, model.Unsupported},
		"a picture in the system's":    {&model.Request{Messages: []state.Message{{Role: state.RoleSystem, Content: picture}}}, model.Unsupported},
		"an unknown role":              {&model.Request{Messages: []state.Message{{Role: "robot"}}}, model.Invalid},
		"a late system message":        {&model.Request{Messages: []state.Message{human, state.Text(state.RoleSystem, "Be brief.")}}, model.Unsupported},
		"a choice without tools":       {&model.Request{Choice: "look"}, model.Invalid},
		"a schema that is a list":      {&model.Request{Tools: []model.Tool{{Name: "look", Schema: []byte(`[]`)}}}, model.Invalid},
		"a schema that is nothing":     {&model.Request{Schema: &model.Schema{}}, model.Invalid},
		"arguments that are no object": {&model.Request{Messages: []state.Message{human, {Role: state.RoleAI, ToolCalls: []state.ToolCall{toolCall("a", "look", `[]`)}}}}, model.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t)
			_, _, err := collect(t.Context(), at(t, srv, nil), c.r)
			require.ErrorIs(t, err, c.class)
			require.Empty(t, srv.Requests())
		})
	}
}
