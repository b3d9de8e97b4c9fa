package langchain_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/langchain"
	"github.com/graphrun/graphrun/state"
)

const secret = "sk-very-secret"

// rig is a server with a client of langchaingo in front of it.
type rig struct {
	t    *testing.T
	stub *llmstub.Server
	llm  llms.Model
}

func newRig(t *testing.T, wire, name string, replies ...llmstub.Reply) *rig {
	stub := llmstub.New(&llmstub.Script{Replies: replies})
	t.Cleanup(stub.Close)
	r := &rig{t: t, stub: stub}
	var err error
	if wire == llmstub.OpenAI {
		r.llm, err = openai.New(openai.WithBaseURL(stub.URL()+"/v1"), openai.WithToken(secret), openai.WithModel(name))
	} else {
		r.llm, err = anthropic.New(anthropic.WithBaseURL(stub.URL()+"/v1"), anthropic.WithToken(secret), anthropic.WithModel(name))
	}
	require.NoError(t, err)
	return r
}

// seen is what a bare client made of an answer.
type seen struct {
	*llms.ContentResponse
	chunks []string
	err    error
}

func (s seen) text() string { return s.Choices[0].Content }

// bare asks the client as it is.
func (r *rig) bare(stream bool, messages []llms.MessageContent, options ...llms.CallOption) (s seen) {
	if stream {
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			s.chunks = append(s.chunks, string(chunk))
			return nil
		}))
	}
	s.ContentResponse, s.err = r.llm.GenerateContent(r.t.Context(), messages, options...)
	return s
}

// made is what the adapter made of an answer.
type made struct {
	*model.Response
	chunks []model.Chunk
	err    error
}

func (m made) again() bool {
	for _, c := range m.chunks {
		if _, ok := c.(model.Again); ok {
			return true
		}
	}
	return false
}

// adapt asks through the adapter.
func (r *rig) adapt(cfg langchain.Config, req *model.Request) made {
	cfg.Model, cfg.Secrets = r.llm, []string{secret}
	return adapt(r.t, r.t.Context(), cfg, req)
}

func adapt(t *testing.T, ctx context.Context, cfg langchain.Config, req *model.Request) (out made) {
	m, err := langchain.New(cfg)
	require.NoError(t, err)
	out.Response, out.err = model.Collect(m.Stream(ctx, req), func(c model.Chunk) error {
		out.chunks = append(out.chunks, c)
		return nil
	})
	if out.err != nil {
		require.NotContains(t, out.err.Error(), secret)
	}
	return out
}

func (r *rig) request(i int) llmstub.Request {
	got := r.stub.Requests()
	require.Greater(r.t, len(got), i, "requests that came")
	return got[i]
}

// body is a request's body by fields.
func (r *rig) body(i int) map[string]any {
	var out map[string]any
	require.NoError(r.t, json.Unmarshal(r.request(i).Body, &out))
	return out
}

// still checks that a defect is there.
func still(t *testing.T, there bool, what string, args ...any) {
	t.Helper()
	require.Truef(t, there, "langchaingo has changed, and may have mended this: "+what+
		". If so, change this row, what the adapter does about it, and docs/dependencies.md", args...)
}

// The conversation that most rows send.

func hello() []llms.MessageContent {
	return []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "add and mul")}
}

func ask(tools ...string) *model.Request {
	r := &model.Request{Messages: []state.Message{state.Text(state.RoleHuman, "add and mul")}}
	for _, name := range tools {
		r.Tools = append(r.Tools, model.Tool{Name: name, Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"}}}`)})
	}
	return r
}

func bareTools(names ...string) llms.CallOption {
	var out []llms.Tool
	for _, name := range names {
		out = append(out, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: name, Parameters: map[string]any{"type": "object", "properties": map[string]any{}}}})
	}
	return llms.WithTools(out)
}

func calls(args ...string) []state.ToolCall {
	var out []state.ToolCall
	for i := 0; i < len(args); i += 3 {
		out = append(out, state.ToolCall{ID: args[i], Name: args[i+1], Args: json.RawMessage(args[i+2])})
	}
	return out
}

// bareCalls is a choice's calls as texts.
func bareCalls(c *llms.ContentChoice) string {
	var out []string
	for _, t := range c.ToolCalls {
		out = append(out, t.FunctionCall.Name+":"+t.FunctionCall.Arguments)
	}
	return strings.Join(out, " ")
}

func two() []llmstub.Call {
	return []llmstub.Call{{ID: "c1", Name: "add", Args: `{"a":1,"b":2}`}, {ID: "c2", Name: "mul", Args: `{"a":3,"b":4}`}}
}

func twoCalls() []state.ToolCall {
	return calls("c1", "add", `{"a":1,"b":2}`, "c2", "mul", `{"a":3,"b":4}`)
}

// answered is a conversation with two calls and their results.
func answered(text string) *model.Request {
	r := ask("add", "mul")
	ai := state.Text(state.RoleAI, text)
	if text == "" {
		ai.Content = nil
	}
	ai.ToolCalls = twoCalls()
	one, other := state.Text(state.RoleTool, "3"), state.Text(state.RoleTool, "12")
	one.ToolCallID, one.Name, other.ToolCallID, other.Name = "c1", "add", "c2", "mul"
	r.Messages = append(r.Messages, ai, one, other)
	return r
}

func bareCall(id, name string, args string) llms.ToolCall {
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: args}}
}

// bareAnswered is the same as a program may well write it for langchaingo.
func bareAnswered() []llms.MessageContent {
	return append(hello(),
		llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{
			llms.TextPart("I do."), bareCall("c1", "add", `{"a":1,"b":2}`), bareCall("c2", "mul", `{"a":3,"b":4}`)}},
		llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: "c1", Name: "add", Content: "3"}, llms.ToolCallResponse{ToolCallID: "c2", Name: "mul", Content: "12"}}})
}
