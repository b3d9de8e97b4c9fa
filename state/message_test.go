package state_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// TestMessageForms shows messages and the flat form they are written in.
func TestMessageForms(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		message state.Message
		want    string
	}{
		"text":  {state.Text(state.RoleHuman, "hi <b>"), `{"type":"human","content":"hi <b>"}`},
		"empty": {state.Message{Role: state.RoleSystem}, `{"type":"system","content":""}`},
		"all": {state.Message{ID: "1", Role: state.RoleAI, Name: "writer", Content: []state.Part{{Type: "text", Text: "a"}, {Type: "image", URL: "http://x", MIME: "image/png", Data: []byte("d")}},
			ToolCalls: []state.ToolCall{{ID: "c1", Name: "look", Args: json.RawMessage(`{"q":1.0}`)}}, Time: time.Unix(1, 0).UTC()},
			`{"type":"ai","id":"1","name":"writer","content":[{"type":"text","text":"a"},{"type":"image","url":"http://x","mime_type":"image/png","data":"ZA=="}],"tool_calls":[{"id":"c1","name":"look","args":{"q":1.0},"type":"tool_call"}],"time":"1970-01-01T00:00:01Z"}`},
		"tool":       {state.Message{Role: state.RoleTool, ToolCallID: "c1", Status: "error", Content: state.Text("", "no").Content}, `{"type":"tool","tool_call_id":"c1","status":"error","content":"no"}`},
		"empty text": {state.Message{Role: state.RoleAI, Content: []state.Part{{Type: "text"}}}, `{"type":"ai","content":[{"type":"text"}]}`},
	}
	for name, test := range tests {
		b, err := json.Marshal(test.message)
		require.NoError(t, err, name)
		assert.JSONEq(t, test.want, string(b), name)
		var back state.Message
		require.NoError(t, json.Unmarshal(b, &back), name)
		assert.Equal(t, test.message, back, name)
	}
}

// TestMessageReading shows forms of others that are understood.
func TestMessageReading(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]state.Message{
		`"hi"`:                               state.Text(state.RoleHuman, "hi"),
		`{"role":"user","content":"hi"}`:     state.Text(state.RoleHuman, "hi"),
		`{"role":"assistant","content":"a"}`: state.Text(state.RoleAI, "a"),
		`{"type":"ai","content":null,"additional_kwargs":{}}`:                   {Role: state.RoleAI},
		`{"type":"ai","content":["a",{"type":"text","text":"b"}]}`:              {Role: state.RoleAI, Content: []state.Part{{Type: "text", Text: "a"}, {Type: "text", Text: "b"}}},
		`{"type":"ai","content":"","tool_calls":[{"name":"f","args":{"a":1}}]}`: {Role: state.RoleAI, ToolCalls: []state.ToolCall{{Name: "f", Args: json.RawMessage(`{"a":1}`)}}},
	} {
		var m state.Message
		require.NoError(t, json.Unmarshal([]byte(text), &m), text)
		assert.Equal(t, want, m, text)
	}
	for _, bad := range []string{`5`, `[]`, `{}`, `{"type":"x"}`, `{"type":"ai","content":5}`, `{"type":"ai","content":[5]}`,
		`{"type":"ai","content":[{"typ":"text"}]}`, `{"type":5}`, `{"type":"ai","time":"now"}`} {
		var m state.Message
		assert.Error(t, json.Unmarshal([]byte(bad), &m), bad)
	}
	_, err := json.Marshal(state.Message{})
	require.Error(t, err)
	assert.Equal(t, "ab", state.Message{Content: []state.Part{{Type: "text", Text: "a"}, {Type: "image"}, {Type: "text", Text: "b"}}}.Text())
	assert.Empty(t, state.Message{}.Text())
}

func BenchmarkMessageEncode(b *testing.B) {
	b.ReportAllocs()
	m := message("id-1", "a short text of some words")
	var dst []byte
	var err error
	u := updates(talk.Messages.Add(m))
	for b.Loop() {
		if dst, err = fullSchema.Layout().AppendChanges(dst[:0], u); err != nil {
			b.Fatal(err)
		}
	}
}
