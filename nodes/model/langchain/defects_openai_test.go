package langchain_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/langchain"
	"github.com/graphrun/graphrun/state"
)

func onOpenAI(t *testing.T, replies ...llmstub.Reply) *rig {
	return newRig(t, llmstub.OpenAI, "gpt-4.1", replies...)
}

var (
	plain  = langchain.Config{Name: "gpt-4.1"}
	stream = langchain.Config{Name: "gpt-4.1", StreamWithTools: true}
)

// openaiParameters is what OpenAI's client does with the parameters of a request.
func openaiParameters() []defect {
	hi := llmstub.Reply{Text: "hi", Times: -1}
	return []defect{
		{"base URL and token", func(t *testing.T) {
			r := onOpenAI(t, hi)
			require.NoError(t, r.bare(false, hello()).err)
			require.Equal(t, "Bearer "+secret, r.request(0).Header.Get("Authorization"))
		}, func(t *testing.T) {
			r := onOpenAI(t, hi)
			out := r.adapt(plain, ask())
			require.NoError(t, out.err)
			require.Equal(t, "hi", out.Message.Text())
		}},
		{"top p dropped", func(t *testing.T) {
			r := onOpenAI(t, hi)
			require.NoError(t, r.bare(false, hello(), llms.WithTopP(0.5), llms.WithSeed(7), llms.WithMaxTokens(9), llms.WithStopWords([]string{"x"})).err)
			body := r.body(0)
			still(t, body["top_p"] == nil, "OpenAI's client drops top p")
			require.EqualValues(t, 7, body["seed"])
			require.EqualValues(t, 9, body["max_completion_tokens"])
			require.Equal(t, []any{"x"}, body["stop"])
		}, func(t *testing.T) {
			r := onOpenAI(t, hi)
			req := ask()
			req.TopP = new(0.5)
			require.ErrorIs(t, r.adapt(plain, req).err, model.Unsupported)
			require.Empty(t, r.stub.Requests())
		}},
		{"temperature 0 sent when none is asked for", func(t *testing.T) {
			r := onOpenAI(t, hi)
			require.NoError(t, r.bare(false, hello()).err)
			sent, there := r.body(0)["temperature"]
			still(t, there && sent == 0.0, "OpenAI's client sends temperature 0 unasked: %v", sent)
		}, func(t *testing.T) {
			r := onOpenAI(t, hi)
			require.NoError(t, r.adapt(plain, ask()).err)
			require.EqualValues(t, 1, r.body(0)["temperature"])
			req := ask()
			req.Temperature = new(0.0)
			require.NoError(t, r.adapt(plain, req).err)
			require.EqualValues(t, 0, r.body(1)["temperature"])
		}},
		{"no way to ask for one call", func(t *testing.T) {
			r := onOpenAI(t, hi)
			require.NoError(t, r.bare(false, hello(), bareTools("add")).err)
			still(t, r.body(0)["parallel_tool_calls"] == nil, "OpenAI's client has no parallel_tool_calls")
		}, func(t *testing.T) {
			r := onOpenAI(t, hi)
			req := ask("add")
			req.OneCall = true
			require.ErrorIs(t, r.adapt(plain, req).err, model.Unsupported)
			require.Empty(t, r.stub.Requests())
		}},
	}
}

// openaiMessages is what OpenAI's client does with a conversation, and with an
// answer that is no stream.
func openaiMessages() []defect {
	hi := llmstub.Reply{Text: "hi", Times: -1}
	return []defect{
		{"two results in one message refused", func(t *testing.T) {
			r := onOpenAI(t, hi)
			err := r.bare(false, bareAnswered(), bareTools("add", "mul")).err
			still(t, err != nil && strings.Contains(err.Error(), "exactly one part"), "OpenAI's client takes one result a message: %v", err)
		}, func(t *testing.T) {
			r := onOpenAI(t, hi)
			require.NoError(t, r.adapt(plain, answered("I do.")).err)
			sent := r.request(0).Messages
			require.Len(t, sent, 4)
			require.Equal(t, "I do.", sent[1].Text)
			require.Equal(t, two(), sent[1].Calls)
			require.Equal(t, []string{"c1", "3", "c2", "12"}, []string{sent[2].CallID, sent[2].Text, sent[3].CallID, sent[3].Text})
		}},
		{"call without function panics", func(t *testing.T) {
			r := onOpenAI(t, hi)
			panicked := func() (p any) {
				defer func() { p = recover() }()
				r.bare(false, append(hello(), llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{ID: "c1"}}}))
				return nil
			}()
			still(t, panicked != nil, "OpenAI's client panics at a call whose FunctionCall is nil")
		}, func(t *testing.T) {
			r := onOpenAI(t, hi)
			req := answered("")
			req.Messages[1].ToolCalls[0].Args = nil
			require.NoError(t, r.adapt(plain, req).err)
			require.Equal(t, llmstub.Args("{}"), r.request(0).Messages[1].Calls[0].Args)
		}},
		{"calls of an answer that is no stream", func(t *testing.T) {
			r := onOpenAI(t, llmstub.Reply{Text: "I do.", Calls: two(), Fault: llmstub.Fault{NoType: true}})
			got := r.bare(false, hello(), bareTools("add", "mul"))
			require.NoError(t, got.err)
			require.Equal(t, `add:{"a":1,"b":2} mul:{"a":3,"b":4}`, bareCalls(got.Choices[0]))
		}, func(t *testing.T) {
			r := onOpenAI(t, llmstub.Reply{Text: "I do.", Calls: two(), Fault: llmstub.Fault{NoType: true}})
			out := r.adapt(plain, ask("add", "mul"))
			require.NoError(t, out.err)
			require.False(t, r.request(0).Stream)
			require.Equal(t, "I do.", out.Message.Text())
			require.Equal(t, twoCalls(), out.Message.ToolCalls)
			require.Equal(t, model.StopCalls, out.Stop)
		}},
		{"system prompt of o1 folded into the user's", func(t *testing.T) {
			r := newRig(t, llmstub.OpenAI, "o1-mini", hi)
			require.NoError(t, r.bare(false, append([]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, "Be kind.")}, hello()...)).err)
			still(t, r.request(0).System == "", "OpenAI's client sends no system prompt to o1")
		}, func(t *testing.T) {
			r := newRig(t, llmstub.OpenAI, "o1-mini", hi)
			req := ask()
			req.Messages = append([]state.Message{state.Text(state.RoleSystem, "Be kind.")}, req.Messages...)
			require.NoError(t, r.adapt(langchain.Config{Name: "o1-mini"}, req).err)
			require.Contains(t, r.request(0).Messages[0].Text, "Be kind.")
			require.Contains(t, r.request(0).Messages[0].Text, "add and mul")
			req.Temperature = new(0.5)
			require.ErrorIs(t, r.adapt(langchain.Config{Name: "o1-mini"}, req).err, model.Unsupported)
		}},
	}
}

// openaiStreams is what OpenAI's client makes of streams that are all right.
func openaiStreams() []defect {
	said := llmstub.Reply{Text: "one two three", Fault: llmstub.Fault{EmptyChunks: true}, Usage: llmstub.Usage{Input: 10, Output: 5, CacheRead: 4, Reasoning: 2}}
	return []defect{
		{"empty chunks of text", func(t *testing.T) {
			r := onOpenAI(t, said)
			got := r.bare(true, hello())
			require.NoError(t, got.err)
			require.Equal(t, "one two three", got.text())
			still(t, strings.Join(got.chunks, "|") != "one |two |three", "OpenAI's client streams empty chunks")
			require.Equal(t, 4, got.Choices[0].GenerationInfo["PromptCachedTokens"])
		}, func(t *testing.T) {
			r := onOpenAI(t, said)
			out := r.adapt(plain, ask())
			require.NoError(t, out.err)
			u := model.Usage{Input: 10, Output: 5, CacheRead: 4, Reasoning: 2}
			require.Equal(t, []model.Chunk{model.Text{Text: "one "}, model.Text{Text: "two "}, model.Text{Text: "three"}, model.End{Stop: model.StopEnd, Usage: u}}, out.chunks)
		}},
		{"calls in the text of the callback", func(t *testing.T) {
			r := onOpenAI(t, llmstub.Reply{Text: "I do.", Calls: two()})
			got := r.bare(true, hello(), bareTools("add", "mul"))
			require.NoError(t, got.err)
			require.Equal(t, `add:{"a":1,"b":2} mul:{"a":3,"b":4}`, bareCalls(got.Choices[0]))
			still(t, strings.Contains(strings.Join(got.chunks, ""), `"function":{`), "OpenAI's client streams calls as JSON, between the text")
		}, func(t *testing.T) {
			r := onOpenAI(t, llmstub.Reply{Text: "I do.", Calls: two(), Times: -1})
			for _, cfg := range []langchain.Config{plain, stream} {
				out := r.adapt(cfg, ask("add", "mul"))
				require.NoError(t, out.err)
				require.False(t, out.again())
				require.Equal(t, "I do.", out.Message.Text())
				require.Equal(t, twoCalls(), out.Message.ToolCalls)
			}
			require.False(t, r.request(0).Stream)
			require.True(t, r.request(1).Stream)
		}},
		garbled("interleaved calls", llmstub.Fault{Interleaved: true}, func(t *testing.T, c *llms.ContentChoice) {
			still(t, bareCalls(c) != `add:{"a":1,"b":2} mul:{"a":3,"b":4}` && len(c.ToolCalls) == 2, "OpenAI's client joins interleaved calls: %s", bareCalls(c))
		}),
		garbled("id and type repeated", llmstub.Fault{RepeatIDs: true}, func(t *testing.T, c *llms.ContentChoice) {
			still(t, len(c.ToolCalls) > 2, "OpenAI's client splits calls whose type is repeated: %s", bareCalls(c))
		}),
		garbled("type left out, and pieces joined", llmstub.Fault{NoType: true, NoIndex: true, Interleaved: true}, func(t *testing.T, c *llms.ContentChoice) {
			still(t, bareCalls(c) != `add:{"a":1,"b":2} mul:{"a":3,"b":4}`, "OpenAI's client garbles calls without a type: %s", bareCalls(c))
		}),
		{"type left out, in one piece: calls lost", func(t *testing.T) {
			got := onOpenAI(t, untyped()).bare(true, hello(), bareTools("add", "mul"))
			require.NoError(t, got.err)
			still(t, got.Choices[0].StopReason == "tool_calls" && len(got.Choices[0].ToolCalls) == 0, "OpenAI's client loses calls that come in one piece without a type")
		}, func(t *testing.T) {
			r := onOpenAI(t, untyped(), llmstub.Reply{Calls: two(), Fault: llmstub.Fault{NoType: true}})
			out := r.adapt(stream, ask("add", "mul"))
			require.NoError(t, out.err)
			require.True(t, out.again())
			require.Equal(t, twoCalls(), out.Message.ToolCalls)
		}},
		{"long lines", func(t *testing.T) {
			got := onOpenAI(t, llmstub.Reply{Text: "a", Fault: llmstub.Fault{LongLine: 70_000}}).bare(true, hello())
			still(t, got.err != nil && strings.Contains(got.err.Error(), "token too long"), "OpenAI's client reads no line over 64 KB: %v", got.err)
		}, func(t *testing.T) {
			r := onOpenAI(t, llmstub.Reply{Text: "a", Fault: llmstub.Fault{LongLine: 70_000}, Times: -1})
			out := r.adapt(plain, ask())
			require.NoError(t, out.err)
			require.True(t, out.again())
			require.Len(t, out.Message.Text(), 70_001)
		}},
	}
}

// garbled is a row of two calls that the client garbles in a stream.
func garbled(name string, fault llmstub.Fault, check func(*testing.T, *llms.ContentChoice)) defect {
	reply := llmstub.Reply{Text: "I do.", Calls: two(), Fault: fault, Times: -1, Usage: llmstub.Usage{Input: 10, Output: 5}}
	return defect{name, func(t *testing.T) {
		got := onOpenAI(t, reply).bare(true, hello(), bareTools("add", "mul"))
		require.NoError(t, got.err, "the client does not notice")
		check(t, got.Choices[0])
	}, func(t *testing.T) {
		r := onOpenAI(t, reply)
		out := r.adapt(plain, ask("add", "mul"))
		require.NoError(t, out.err)
		require.Equal(t, twoCalls(), out.Message.ToolCalls)
		require.Equal(t, 15, out.Usage.Total())

		out = r.adapt(stream, ask("add", "mul"))
		require.NoError(t, out.err)
		require.True(t, out.again())
		require.Equal(t, "I do.", out.Message.Text())
		require.Equal(t, twoCalls(), out.Message.ToolCalls)
		require.Equal(t, 30, out.Usage.Total(), "both were paid")
	}}
}

// untyped is a stream in which each call comes in one piece, without its type.
func untyped() llmstub.Reply {
	piece := func(delta, finish string) string {
		return `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}` + "\n\n"
	}
	return llmstub.Reply{Fault: llmstub.Fault{Body: piece(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1,\"b\":2}"}}]}`, "null") +
		piece(`{"tool_calls":[{"index":1,"id":"c2","function":{"name":"mul","arguments":"{\"a\":3,\"b\":4}"}}]}`, "null") +
		piece(`{}`, `"tool_calls"`) + "data: [DONE]\n\n"}}
}
