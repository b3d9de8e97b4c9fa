package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/openai"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// sent asks and returns what the server was sent, without what all requests have.
func sent(t *testing.T, edit func(*openai.Config), r *model.Request) string {
	t.Helper()
	srv := serve(t, llmstub.Reply{Text: `{"n":1}`})
	_, _, err := collect(t.Context(), at(t, srv, edit), r)
	require.NoError(t, err)
	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(srv.Requests()[0].Body, &body))
	require.JSONEq(t, `true`, string(body["stream"]))
	require.JSONEq(t, `{"include_usage":true}`, string(body["stream_options"]))
	delete(body, "stream")
	delete(body, "stream_options")
	if string(body["model"]) == `"stub-1"` {
		delete(body, "model")
	}
	text, err := json.Marshal(body)
	require.NoError(t, err)
	return string(text)
}

func TestEverythingOfARequestIsSent(t *testing.T) {
	t.Parallel()
	temperature, topP, seed := 0.0, 0.9, int64(7)
	schema := json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer"},"a":{"maximum":12345678901234567890}}}`)
	got := sent(t, nil, &model.Request{
		Messages:  []state.Message{state.Text(state.RoleSystem, "Be <brief> & kind."), state.Text(state.RoleHuman, "Hi")},
		Tools:     []model.Tool{{Name: "look", Description: "Looks.", Schema: schema}, {Name: "now"}, {Name: "bare", Schema: json.RawMessage(`{"additionalProperties":false}`)}},
		Choice:    model.ChoiceRequired,
		OneCall:   true,
		Schema:    &model.Schema{Schema: schema},
		MaxTokens: 99, Temperature: &temperature, TopP: &topP, Stop: []string{"END"}, Seed: &seed,
	})
	want := `{"messages":[{"content":"Be <brief> & kind.","role":"system"},{"content":"Hi","role":"user"}],` +
		`"tools":[{"type":"function","function":{"name":"look","description":"Looks.","parameters":` + string(schema) + `}},` +
		`{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}},` +
		`{"type":"function","function":{"name":"bare","parameters":{"type":"object","properties":{},"additionalProperties":false}}}],` +
		`"tool_choice":"required","parallel_tool_calls":false,` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":` + string(schema) + `}},` +
		`"max_tokens":99,"temperature":0,"top_p":0.9,"stop":["END"],"seed":7}`
	require.JSONEq(t, want, got)
	require.Contains(t, got, `12345678901234567890`)
	require.Contains(t, got, `{"z":{"type":"integer"},"a":`, "the order of a schema's properties is the model's order to think in")
}

func TestWhatAConfigSends(t *testing.T) {
	t.Parallel()
	ask := func() *model.Request { return question("Hi") }
	const hi = `"messages":[{"content":"Hi","role":"user"}]`
	tools := []model.Tool{{Name: "look"}}
	const toolsJSON = `"tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":{}}}}]`
	for name, c := range map[string]struct {
		edit func(*openai.Config)
		r    func(*model.Request)
		want string
	}{
		"nothing":               {want: `{` + hi + `}`},
		"a bound":               {func(c *openai.Config) { c.MaxTokens = 5 }, nil, `{` + hi + `,"max_tokens":5}`},
		"a request's bound":     {func(c *openai.Config) { c.MaxTokens = 5 }, func(r *model.Request) { r.MaxTokens = 6 }, `{` + hi + `,"max_tokens":6}`},
		"a bound by other name": {func(c *openai.Config) { c.MaxTokens, c.Bound = 5, openai.MaxCompletionTokens }, nil, `{` + hi + `,"max_completion_tokens":5}`},
		"extra": {func(c *openai.Config) {
			c.Extra = map[string]json.RawMessage{"reasoning_effort": []byte(`"low"`), "model": []byte(`"other"`)}
		}, nil, `{` + hi + `,"reasoning_effort":"low","model":"other"}`},
		"a named tool":          {nil, func(r *model.Request) { r.Tools, r.Choice = tools, "look" }, `{` + hi + `,` + toolsJSON + `,"tool_choice":{"type":"function","function":{"name":"look"}}}`},
		"no tool":               {nil, func(r *model.Request) { r.Tools, r.Choice = tools, model.ChoiceNone }, `{` + hi + `,` + toolsJSON + `,"tool_choice":"none"}`},
		"one call of no tools":  {nil, func(r *model.Request) { r.OneCall, r.Choice = true, model.ChoiceNone }, `{` + hi + `}`},
		"a schema that is kept": {func(c *openai.Config) { c.Strict = true }, func(r *model.Request) { r.Schema = &model.Schema{Name: "n", Schema: []byte(`{}`)} }, `{` + hi + `,"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{}}}}`},
		"a schema that is told": {func(c *openai.Config) { c.PlainJSON = true }, func(r *model.Request) { r.Schema = &model.Schema{Schema: []byte(`{"a":1}`)} }, `{"messages":[{"role":"system","content":"Answer with one JSON value that fits this JSON Schema, and with nothing else:\n{\"a\":1}"},{"content":"Hi","role":"user"}],"response_format":{"type":"json_object"}}`},
		"and behind instructions": {func(c *openai.Config) { c.PlainJSON = true }, func(r *model.Request) {
			r.Schema = &model.Schema{Schema: []byte(`{"a":1}`)}
			r.Messages = append([]state.Message{state.Text(state.RoleSystem, "Be brief.")}, r.Messages...)
		}, `{"messages":[{"role":"system","content":"Be brief.\n\nAnswer with one JSON value that fits this JSON Schema, and with nothing else:\n{\"a\":1}"},{"content":"Hi","role":"user"}],"response_format":{"type":"json_object"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask()
			if c.r != nil {
				c.r(r)
			}
			require.JSONEq(t, c.want, sent(t, c.edit, r))
		})
	}
}

func TestMessagesAsTheServerHasThem(t *testing.T) {
	t.Parallel()
	names := *transcript.OpenAI()
	ai := state.Message{Role: state.RoleAI, Name: "writer", Content: []state.Part{{Type: "reasoning", Text: "secret"}, {Type: "text", Text: "one"}, {Type: "text", Text: "two"}}}
	messages := []state.Message{
		{Role: state.RoleHuman, Name: "ann", Content: []state.Part{
			{Type: "text", Text: "What is this?"}, {Type: "image", URL: "https://example.org/a.png"}, {Type: "image", MIME: "image/png", Data: []byte("png")},
			{Type: "file", MIME: "application/pdf", Data: []byte("pdf")}, {Type: "audio", MIME: "audio/wav", Data: []byte("wav")}, {Type: "file", URL: "https://example.org/a.pdf"},
		}},
		ai,
		state.Text(state.RoleHuman, "Go on."),
		{Role: state.RoleAI, ToolCalls: []state.ToolCall{toolCall("a", "look", ` {"q":1} `), toolCall("b", "look", "")}},
		{Role: state.RoleTool, ToolCallID: "a", Name: "look", Content: text("found")},
		{Role: state.RoleTool, ToolCallID: "b", Name: "look", Status: "error"},
	}
	picture := `{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"https://example.org/a.png"}},` +
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}},{"type":"file","file":{"file_data":"data:application/pdf;base64,cGRm","filename":"file.pdf"}},` +
		`{"type":"input_audio","input_audio":{"data":"d2F2","format":"wav"}},{"type":"text","text":"[file: https://example.org/a.pdf]"}]},`
	calls := `{"role":"user","content":"Go on."},{"role":"assistant","content":null,"tool_calls":[{"type":"function","id":"a","function":{"name":"look","arguments":" {\"q\":1} "}},{"type":"function","id":"b","function":{"name":"look","arguments":"{}"}}]},`
	for name, c := range map[string]struct {
		profile *transcript.Profile
		want    string
	}{
		"OpenAI": {&names, picture[:15] + `"name":"ann",` + picture[15:] + `{"role":"assistant","name":"writer","content":"one\n\ntwo"},` + calls +
			`{"role":"tool","tool_call_id":"a","content":"found"},{"role":"tool","tool_call_id":"b","content":""}`},
		"compatible": {nil, picture + `{"role":"assistant","content":"one\n\ntwo"},` + calls +
			`{"role":"tool","tool_call_id":"a","name":"look","content":"found"},{"role":"tool","tool_call_id":"b","name":"look","content":""}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sent(t, func(cfg *openai.Config) { cfg.Profile = c.profile }, &model.Request{Messages: messages})
			require.JSONEq(t, `{"messages":[`+c.want+`]}`, got)
		})
	}
}

func TestWhatCannotBeSentIsNotSent(t *testing.T) {
	t.Parallel()
	picture := []state.Part{{Type: "image", URL: "https://example.org/a.png"}}
	for name, c := range map[string]struct {
		r     *model.Request
		class model.Class
	}{
		"a picture of the model's": {&model.Request{Messages: []state.Message{{Role: state.RoleAI, Content: picture}}}, model.Unsupported},
		"a picture as a result":    {&model.Request{Messages: []state.Message{{Role: state.RoleTool, ToolCallID: "a", Content: picture}}}, model.Unsupported},
		"an unknown role":          {&model.Request{Messages: []state.Message{{Role: "robot"}}}, model.Invalid},
		"a choice without tools":   {&model.Request{Choice: "look"}, model.Invalid},
		"a call of no tools":       {&model.Request{Choice: model.ChoiceRequired}, model.Invalid},
		"a schema that is a list":  {&model.Request{Tools: []model.Tool{{Name: "look", Schema: []byte(`[]`)}}}, model.Invalid},
		"a schema that is nothing": {&model.Request{Schema: &model.Schema{}}, model.Invalid},
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

func TestHeaders(t *testing.T) {
	t.Parallel()
	srv := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{{Text: "Hi.", Times: -1}}})
	t.Cleanup(srv.Close)
	_, _, err := collect(t.Context(), at(t, srv, func(c *openai.Config) { c.Header = map[string]string{"X-Title": "graphrun"} }), question("Hi"))
	require.NoError(t, err)
	require.Equal(t, []string{"Bearer " + key}, srv.Requests()[0].Header["Authorization"])
	require.Equal(t, "graphrun", srv.Requests()[0].Header.Get("X-Title"))
}
