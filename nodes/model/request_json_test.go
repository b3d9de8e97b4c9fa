package model_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// everything is a request with all fields, and the program's own ids.
func everything(prefix string, at time.Time) *model.Request {
	temperature, topP, seed := 0.0, 0.5, int64(0)
	asked := state.Message{ID: prefix + "m", Time: at, Role: state.RoleAI, Name: "writer", ToolCalls: []state.ToolCall{
		{ID: prefix + "b", Name: "look", Args: json.RawMessage(`{"b": "<1>", "a": 1.0}`)}, {ID: prefix + "a", Name: "look"},
	}}
	result := func(id, text string) state.Message {
		m := state.Text(state.RoleTool, text)
		m.ToolCallID, m.Status, m.Name = prefix+id, "error", "look"
		return m
	}
	return &model.Request{
		Messages: []state.Message{state.Text(state.RoleSystem, "Be <brief>."), asked, result("a", "two"), result("b", "one")},
		Tools:    []model.Tool{{Name: "look", Description: "Looks.", Schema: json.RawMessage(`{"type": "object"}`)}},
		Choice:   model.ChoiceRequired, OneCall: true,
		Schema:    &model.Schema{Name: "answer", Schema: json.RawMessage(`{"type": "string"}`)},
		MaxTokens: 10, Temperature: &temperature, TopP: &topP, Stop: []string{"."}, Seed: &seed,
	}
}

func TestRequestForm(t *testing.T) {
	got, err := everything("x", time.Unix(1, 0)).MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, `{"messages":[{"type":"system","content":"Be <brief>."},`+
		`{"type":"ai","name":"writer","content":"","tool_calls":[`+
		`{"id":"call_1","name":"look","args":{"a":1.0,"b":"<1>"},"type":"tool_call"},{"id":"call_2","name":"look","args":{},"type":"tool_call"}]},`+
		`{"type":"tool","name":"look","tool_call_id":"call_2","status":"error","content":"two"},`+
		`{"type":"tool","name":"look","tool_call_id":"call_1","status":"error","content":"one"}],`+
		`"tools":[{"name":"look","description":"Looks.","schema":{"type":"object"}}],"choice":"-required-","one_call":true,`+
		`"schema":{"name":"answer","schema":{"type":"string"}},"max_tokens":10,"temperature":0,"top_p":0.5,"stop":["."],"seed":0}`, string(got))

	empty, err := model.Request{}.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, `{"messages":[]}`, string(empty))
}

func TestSameQuestionHasTheSameBytes(t *testing.T) {
	one, other := everything("x", time.Unix(1, 0)), everything("y", time.Time{})
	other.Messages[1].ToolCalls[0].Args = json.RawMessage("{ \"a\":1.0,\n\"b\":\"\\u003c1>\" }")
	require.Equal(t, one.Hash(), other.Hash())
	require.Len(t, one.Hash(), 64)

	before, err := json.Marshal(other)
	require.NoError(t, err)
	require.Equal(t, "yb", other.Messages[1].ToolCalls[0].ID, "the request itself is left alone")
	after, err := json.Marshal(one)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestEachFieldMatters(t *testing.T) {
	hashes := map[string]string{everything("x", time.Time{}).Hash(): "nothing"}
	zero := 0.25
	for name, change := range map[string]func(*model.Request){
		"text":         func(r *model.Request) { r.Messages[0] = state.Text(state.RoleSystem, "Be long.") },
		"name":         func(r *model.Request) { r.Messages[1].Name = "critic" },
		"status":       func(r *model.Request) { r.Messages[2].Status = "success" },
		"arguments":    func(r *model.Request) { r.Messages[1].ToolCalls[1].Args = json.RawMessage(`{"a":1}`) },
		"whose result": func(r *model.Request) { r.Messages[2].ToolCallID, r.Messages[3].ToolCallID = "xb", "xa" },
		"no message":   func(r *model.Request) { r.Messages = r.Messages[:3] },
		"tool":         func(r *model.Request) { r.Tools[0].Description = "" },
		"tool schema":  func(r *model.Request) { r.Tools[0].Schema = nil },
		"choice":       func(r *model.Request) { r.Choice = "look" },
		"one call":     func(r *model.Request) { r.OneCall = false },
		"schema":       func(r *model.Request) { r.Schema = nil },
		"schema name":  func(r *model.Request) { r.Schema.Name = "" },
		"max tokens":   func(r *model.Request) { r.MaxTokens = 11 },
		"temperature":  func(r *model.Request) { r.Temperature = nil },
		"top p":        func(r *model.Request) { r.TopP = &zero },
		"stop":         func(r *model.Request) { r.Stop = nil },
		"seed":         func(r *model.Request) { r.Seed = nil },
	} {
		r := everything("x", time.Time{})
		change(r)
		require.Empty(t, hashes[r.Hash()], name)
		hashes[r.Hash()] = name
	}
}

func TestIDsThatAreUsedAgain(t *testing.T) {
	turn := func(ids ...string) (ms []state.Message) {
		asked := state.Message{Role: state.RoleAI}
		for _, id := range ids {
			asked.ToolCalls = append(asked.ToolCalls, state.ToolCall{ID: id, Name: "look"})
			result := state.Text(state.RoleTool, "seen")
			result.ToolCallID = id
			ms = append(ms, result)
		}
		return append([]state.Message{asked}, ms...)
	}
	again := &model.Request{Messages: append(turn("look", "look"), turn("")...)}
	apart := &model.Request{Messages: append(turn("a", "b"), turn("a")...)}
	require.Equal(t, apart.Hash(), again.Hash())

	orphan := state.Text(state.RoleTool, "seen")
	orphan.ToolCallID = "call_2"
	lone := &model.Request{Messages: append([]state.Message{orphan}, turn("a")...)}
	data, err := lone.MarshalJSON()
	require.NoError(t, err)
	require.Contains(t, string(data), `"tool_call_id":"call_1"`)
	require.Contains(t, string(data), `"tool_call_id":"call_2"`)
}

func TestRequestsWithoutForm(t *testing.T) {
	bad := func(m state.Message) model.Request { return model.Request{Messages: []state.Message{m}} }
	for name, c := range map[string]struct {
		r    model.Request
		text string
	}{
		"role":      {bad(state.Text("robot", "hm")), "robot"},
		"arguments": {bad(state.Message{Role: state.RoleAI, ToolCalls: []state.ToolCall{{Name: "look", Args: json.RawMessage(`{`)}}}), `message 0: arguments of the call of "look"`},
		"two":       {bad(state.Message{Role: state.RoleAI, ToolCalls: []state.ToolCall{{Name: "look", Args: json.RawMessage(`{}{}`)}}}), "more behind"},
		"text":      {bad(state.Text(state.RoleHuman, "\xff")), "UTF-8"},
		"tool":      {model.Request{Tools: []model.Tool{{Name: "look", Schema: json.RawMessage(`{`)}}}, `schema of tool "look"`},
		"schema":    {model.Request{Schema: &model.Schema{Schema: json.RawMessage(`x`)}}, "schema of the answer"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := json.Marshal(c.r)
			require.ErrorContains(t, err, c.text)
			require.Empty(t, c.r.Hash())
		})
	}
}

func TestReadingRequestsRefusesUnknownKeys(t *testing.T) {
	for _, data := range []string{`{"messages":[],"n":1}`, `{"messages":[],"tools":[{"name":"a","strict":true}]}`, `[]`, `{"messages":1}`} {
		require.ErrorContains(t, json.Unmarshal([]byte(data), &model.Request{}), "model: request: ", data)
	}
}

func FuzzRequest(f *testing.F) {
	for _, r := range []*model.Request{{}, everything("x", time.Unix(1, 0)), ask("?")} {
		data, err := r.MarshalJSON()
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(`{"messages":[{"type":"tool","content":[{"type":"text"}]},{"role":"user","tool_calls":[{"id":"a","args":{"a":1e999,"":[]}}]}],"schema":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var read, again model.Request
		if json.Unmarshal(data, &read) != nil {
			return
		}
		written, err := read.MarshalJSON()
		if err != nil {
			return
		}
		require.NoError(t, json.Unmarshal(written, &again))
		rewritten, err := again.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, string(written), string(rewritten))
		require.Equal(t, read.Hash(), again.Hash())

		// What has the canonical form is read back as it was.
		var third model.Request
		require.NoError(t, json.Unmarshal(rewritten, &third))
		require.Equal(t, again, third)
	})
}
