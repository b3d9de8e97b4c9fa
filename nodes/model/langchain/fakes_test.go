package langchain_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/langchain"
)

// fake is a model of langchaingo that is a function.
type fake func(ctx context.Context, messages []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error)

func (f fake) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, opt := range options {
		opt(&o)
	}
	return f(ctx, messages, &o)
}

func (f fake) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errors.New("nobody calls this")
}

func says(choices ...*llms.ContentChoice) fake {
	return func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
		return &llms.ContentResponse{Choices: choices}, nil
	}
}

func toolCall(id, name, args string) llms.ToolCall {
	return llms.ToolCall{ID: id, FunctionCall: &llms.FunctionCall{Name: name, Arguments: args}}
}

func TestWrongAnswers(t *testing.T) {
	text := &llms.ContentChoice{Content: "a", StopReason: "stop"}
	withCalls := func(calls ...llms.ToolCall) *llms.ContentChoice {
		return &llms.ContentChoice{ToolCalls: calls, StopReason: "tool_calls"}
	}
	for name, row := range map[string]struct {
		llm  fake
		kind langchain.Kind
		want error
	}{
		"panic": {llm: func(context.Context, []llms.MessageContent, *llms.CallOptions) (*llms.ContentResponse, error) {
			panic("at " + secret)
		}, want: model.Broken},
		"goroutine ended": {llm: func(context.Context, []llms.MessageContent, *llms.CallOptions) (*llms.ContentResponse, error) {
			runtime.Goexit()
			return nil, nil
		}, want: model.Broken},
		"nil response": {llm: func(context.Context, []llms.MessageContent, *llms.CallOptions) (*llms.ContentResponse, error) {
			return nil, nil
		}, want: model.Malformed},
		"no choices":          {llm: says(), want: model.Malformed},
		"nil choices":         {llm: says(nil, nil), want: model.Malformed},
		"call without name":   {llm: says(withCalls(llms.ToolCall{ID: "c"})), want: model.Malformed},
		"arguments joined":    {llm: says(withCalls(toolCall("c", "add", `{"a":1}{"b":2}`))), want: model.Malformed},
		"arguments a list":    {llm: says(withCalls(toolCall("c", "add", `[1]`))), want: model.Malformed},
		"calls lost":          {llm: says(withCalls()), want: model.Malformed},
		"texts to choose":     {llm: says(text, text), kind: langchain.OpenAI, want: model.Malformed},
		"no stop in a stream": {llm: says(&llms.ContentChoice{Content: "a"}), kind: langchain.OpenAI, want: model.Cut},
		"an error": {llm: func(context.Context, []llms.MessageContent, *llms.CallOptions) (*llms.ContentResponse, error) {
			return nil, errors.New("rate limit of " + secret)
		}, want: model.RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			out := adapt(t, t.Context(), langchain.Config{Model: row.llm, Kind: row.kind, Secrets: []string{secret}}, ask())
			require.ErrorIs(t, out.err, row.want)
			out = adapt(t, t.Context(), langchain.Config{Model: row.llm, Kind: row.kind, Secrets: []string{secret}, Whole: true}, ask())
			if row.want != model.Cut {
				require.ErrorIs(t, out.err, row.want)
			}
		})
	}
}

func TestOddAnswers(t *testing.T) {
	for name, row := range map[string]struct {
		choices []*llms.ContentChoice
		kind    langchain.Kind
		want    []model.Chunk
	}{
		"weird info": {
			choices: []*llms.ContentChoice{nil, {Content: "a", StopReason: "odd", GenerationInfo: map[string]any{"PromptTokens": "many", "model": 7, "ThinkingContent": nil}}},
			want:    []model.Chunk{model.Text{Text: "a"}, model.End{Stop: "odd"}},
		},
		"function call alone": {
			choices: []*llms.ContentChoice{{FuncCall: &llms.FunctionCall{Name: "add"}, StopReason: "function_call"}},
			want:    []model.Chunk{model.Call{ToolCall: calls("", "add", "{}")[0]}, model.End{Stop: model.StopCalls}},
		},
		"calls in front of the text, null arguments": {
			choices: []*llms.ContentChoice{{ToolCalls: []llms.ToolCall{toolCall("c", "add", "null")}}, {Content: "a", StopReason: "end_turn"}},
			want:    []model.Chunk{model.Text{Text: "a"}, model.Call{ToolCall: calls("c", "add", "{}")[0]}, model.End{Stop: model.StopCalls}},
		},
		"thinking": {
			choices: []*llms.ContentChoice{{GenerationInfo: map[string]any{"ThinkingContent": "hm", "ThinkingSignature": "s"}}, {Content: "a", GenerationInfo: map[string]any{"ThinkingContent": "no"}}},
			want:    []model.Chunk{model.Reasoning{Text: "hm", Signature: []byte("s"), By: "anthropic"}, model.Text{Text: "a"}, model.End{Stop: model.StopEnd}},
		},
		"text and calls of a proxy in two choices": {
			kind:    langchain.OpenAI,
			choices: []*llms.ContentChoice{{Content: "a", StopReason: "tool_calls"}, {ToolCalls: []llms.ToolCall{toolCall("c", "add", `{}`)}, StopReason: "tool_calls"}},
			want:    []model.Chunk{model.Text{Text: "a"}, model.Call{ToolCall: calls("c", "add", "{}")[0]}, model.End{Stop: model.StopCalls}},
		},
		"model of the answer": {
			kind:    langchain.Mistral,
			choices: []*llms.ContentChoice{{Content: "a", StopReason: "length", GenerationInfo: map[string]any{"model": "m-1", "usage": map[string]any{"prompt_tokens": 3, "completion_tokens": 1}}}},
			want:    []model.Chunk{model.Text{Text: "a"}, model.End{Stop: model.StopLength, Model: "m-1", Usage: model.Usage{Input: 3, Output: 1}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := adapt(t, t.Context(), langchain.Config{Model: says(row.choices...), Kind: row.kind}, ask())
			require.NoError(t, out.err)
			require.Equal(t, row.want, out.chunks)
		})
	}
}

// streams is a model that streams pieces and then tells an answer; without a
// stream it tells whole.
func streams(pieces []string, answer, whole *llms.ContentChoice) fake {
	return func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
		if o.StreamingFunc == nil {
			return &llms.ContentResponse{Choices: []*llms.ContentChoice{whole}}, nil
		}
		for _, p := range pieces {
			if err := o.StreamingFunc(ctx, []byte(p)); err != nil {
				return nil, err
			}
		}
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{answer}}, nil
	}
}

func TestStreamAndAnswerDiffer(t *testing.T) {
	for name, row := range map[string]struct {
		pieces []string
		answer *llms.ContentChoice
		again  bool
		text   string
		calls  int
		want   error
	}{
		"the same":           {pieces: []string{"a", "", "b"}, answer: &llms.ContentChoice{Content: "ab", StopReason: "stop"}, text: "ab"},
		"the rest is told":   {pieces: []string{"a"}, answer: &llms.ContentChoice{Content: "abc", StopReason: "stop"}, text: "abc"},
		"nothing streamed":   {answer: &llms.ContentChoice{Content: "abc", StopReason: "stop"}, text: "abc"},
		"another text":       {pieces: []string{"x"}, answer: &llms.ContentChoice{Content: "abc", StopReason: "stop"}, again: true, text: "whole"},
		"nothing in the end": {pieces: []string{"x"}, answer: &llms.ContentChoice{StopReason: "stop"}, want: model.Cut},
		"text like a call's pieces": {pieces: []string{`[{"function":{}}]`}, answer: &llms.ContentChoice{Content: `[{"function":{}}]!`, StopReason: "stop"},
			text: `[{"function":{}}]!`},
		"text that is JSON": {pieces: []string{`[{"a":1}]`, `[]`, `["id"]`}, answer: &llms.ContentChoice{Content: `[{"a":1}][]["id"]`, StopReason: "stop"}, text: `[{"a":1}][]["id"]`},
		"a call lost": {pieces: []string{`[{"id":"c1","type":"","function":{"name":"add","arguments":"{}"}}]`, `[{"id":"c2","type":"","function":{"name":"mul","arguments":"{}"}}]`},
			answer: &llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall("c1", "add", "{}")}, StopReason: "tool_calls"}, again: true, text: "whole"},
		"a call without arguments":   {answer: &llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall("c1", "add", ""), toolCall("c2", "mul", "{}")}, StopReason: "tool_calls"}, again: true, text: "whole"},
		"a call made two":            {answer: &llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall("c1", "add", "{}"), toolCall("c1", "add", "{}")}, StopReason: "tool_calls"}, again: true, text: "whole"},
		"one call without arguments": {answer: &llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall("c1", "add", "")}, StopReason: "tool_calls"}, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			llm := streams(row.pieces, row.answer, &llms.ContentChoice{Content: "whole", StopReason: "stop"})
			out := adapt(t, t.Context(), langchain.Config{Model: llm, Kind: langchain.OpenAI, StreamWithTools: true}, ask("add", "mul"))
			if row.want != nil {
				require.ErrorIs(t, out.err, row.want)
				return
			}
			require.NoError(t, out.err)
			require.Equal(t, row.again, out.again())
			require.Equal(t, row.text, out.Message.Text())
			require.Len(t, out.Message.ToolCalls, row.calls)
		})
	}
}

func TestReasoningIsStreamed(t *testing.T) {
	llm := fake(func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
		for _, p := range []string{"h", "m"} {
			require.NoError(t, o.StreamingFunc(ctx, nil))
			require.NoError(t, o.StreamingReasoningFunc(ctx, []byte(p), []byte("a")))
		}
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{ReasoningContent: "hmm", Content: "a", StopReason: "stop"}}}, nil
	})
	out := adapt(t, t.Context(), langchain.Config{Model: llm, Kind: langchain.OpenAI}, ask())
	require.NoError(t, out.err)
	require.Equal(t, []model.Chunk{model.Reasoning{Text: "h"}, model.Reasoning{Text: "m"}, model.Reasoning{Text: "m"}, model.Text{Text: "a"}, model.End{Stop: model.StopEnd}}, out.chunks)
}

func TestLeavingWaitsForTheClient(t *testing.T) {
	var over atomic.Bool
	llm := fake(func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
		defer over.Store(true)
		for o.StreamingFunc(ctx, []byte("a")) == nil {
		}
		return nil, ctx.Err()
	})
	m, err := langchain.New(langchain.Config{Model: llm})
	require.NoError(t, err)
	for _, err := range m.Stream(t.Context(), ask()) {
		require.NoError(t, err)
		break
	}
	require.True(t, over.Load())
	over.Store(false)
	require.Panics(t, func() {
		for range m.Stream(t.Context(), ask()) {
			panic("of the reader")
		}
	})
	require.True(t, over.Load())
}

func TestContextThatEnds(t *testing.T) {
	for name, cfg := range map[string]langchain.Config{"stream": {}, "whole": {Whole: true}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cfg.Model = fake(func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
				cancel(errWhy)
				<-ctx.Done()
				return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "half", StopReason: "stop"}}}, nil
			})
			require.Equal(t, errWhy, adapt(t, ctx, cfg, ask()).err)
			cfg.Model = fake(func(context.Context, []llms.MessageContent, *llms.CallOptions) (*llms.ContentResponse, error) {
				return nil, errors.New("nobody is asked once it has ended")
			})
			require.Equal(t, errWhy, adapt(t, ctx, cfg, ask()).err)
		})
	}
}

func TestCallbackBehindTheEnd(t *testing.T) {
	late := make(chan error)
	llm := fake(func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
		ended := make(chan struct{})
		go func() {
			<-ended
			late <- o.StreamingFunc(ctx, []byte("late"))
		}()
		context.AfterFunc(ctx, func() { close(ended) })
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "a", StopReason: "stop"}}}, nil
	})
	out := adapt(t, t.Context(), langchain.Config{Model: llm}, ask())
	require.NoError(t, out.err)
	require.Equal(t, "a", out.Message.Text())
	require.Error(t, <-late)
}

func TestManyAtOnce(t *testing.T) {
	for wire, name := range map[string]string{llmstub.OpenAI: "gpt-4.1", llmstub.Anthropic: "claude-sonnet-4-5"} {
		r := newRig(t, wire, name, llmstub.Reply{Text: "one two three", Times: -1})
		m, err := langchain.New(langchain.Config{Model: r.llm})
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				out, err := model.Collect(m.Stream(t.Context(), ask()), nil)
				if err != nil || out.Message.Text() != "one two three" {
					t.Errorf("%v, %v", out, err)
				}
			})
		}
		wg.Wait()
	}
}
