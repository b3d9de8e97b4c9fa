package langchain_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/langchain"
	"github.com/graphrun/graphrun/state"
)

func onAnthropic(t *testing.T, replies ...llmstub.Reply) *rig {
	return newRig(t, llmstub.Anthropic, "claude-sonnet-4-5", replies...)
}

var (
	claude       = langchain.Config{Name: "claude-sonnet-4-5"}
	claudeStream = langchain.Config{Name: "claude-sonnet-4-5", StreamWithTools: true}
)

// anthropicSending is what Anthropic's client does with what it is to send.
func anthropicSending() []defect {
	hi := llmstub.Reply{Text: "hi", Times: -1}
	return []defect{
		{"first part of an AI message alone", func(t *testing.T) {
			r := onAnthropic(t, hi)
			err := r.bare(false, bareAnswered(), bareTools("add", "mul")).err
			sent := r.request(0).Messages
			still(t, err != nil && len(sent) > 1 && sent[1].Text == "I do." && len(sent[1].Calls) == 0, "Anthropic's client drops calls behind a text")
		}, func(t *testing.T) {
			r := onAnthropic(t, hi)
			require.NoError(t, r.adapt(claude, answered("I do.")).err)
			var texts []string
			var sent []llmstub.Call
			var results []string
			for _, m := range r.request(0).Messages {
				texts = append(texts, m.Text)
				sent = append(sent, m.Calls...)
				if m.CallID != "" {
					results = append(results, m.CallID+"="+m.Text)
				}
			}
			require.Contains(t, texts, "I do.")
			require.Equal(t, two(), sent)
			require.Equal(t, []string{"c1=3", "c2=12"}, results)
		}},
		{"first result of a tool message alone", func(t *testing.T) {
			r := onAnthropic(t, hi)
			messages := bareAnswered()
			messages[1] = llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{bareCall("c1", "add", "{}")}}
			second := llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{bareCall("c2", "mul", "{}")}}
			err := r.bare(false, []llms.MessageContent{messages[0], messages[1], second, messages[2]}, bareTools("add", "mul")).err
			still(t, err != nil && strings.Contains(err.Error(), "c2"), "Anthropic's client drops results behind the first: %v", err)
		}, func(t *testing.T) {
			r := onAnthropic(t, hi)
			require.NoError(t, r.adapt(claude, answered("")).err)
			require.Contains(t, string(r.request(0).Body), `"tool_use_id":"c2"`)
		}},
		{"empty arguments refused", func(t *testing.T) {
			r := onAnthropic(t, hi)
			err := r.bare(false, append(hello(), llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{bareCall("c1", "add", "")}})).err
			still(t, err != nil && strings.Contains(err.Error(), "unmarshal"), "Anthropic's client refuses empty arguments: %v", err)
		}, func(t *testing.T) {
			r := onAnthropic(t, hi)
			req := answered("")
			req.Messages[1].ToolCalls[0].Args = nil
			require.NoError(t, r.adapt(claude, req).err)
		}},
	}
}

// anthropicParameters is what Anthropic's client does with parameters and
// instructions.
func anthropicParameters() []defect {
	hi := llmstub.Reply{Text: "hi", Times: -1}
	return []defect{
		{"choice and seed dropped, temperature 0 sent", func(t *testing.T) {
			r := onAnthropic(t, hi)
			require.NoError(t, r.bare(false, hello(), bareTools("add"), llms.WithToolChoice("required"), llms.WithSeed(7)).err)
			body := r.body(0)
			still(t, body["tool_choice"] == nil, "Anthropic's client drops the choice of a tool")
			still(t, body["temperature"] == 0.0, "Anthropic's client sends temperature 0 unasked: %v", body["temperature"])
		}, func(t *testing.T) {
			r := onAnthropic(t, hi)
			for _, change := range []func(*model.Request){
				func(r *model.Request) { r.Choice = model.ChoiceRequired },
				func(r *model.Request) { r.Choice = "add" },
				func(r *model.Request) { r.Seed = new(int64(7)) },
				func(r *model.Request) { r.OneCall = true },
			} {
				req := ask("add")
				change(req)
				require.ErrorIs(t, r.adapt(claude, req).err, model.Unsupported)
			}
			require.Empty(t, r.stub.Requests())
			req := ask("add")
			req.Choice = model.ChoiceNone
			require.NoError(t, r.adapt(claude, req).err)
			require.Empty(t, r.request(0).Tools, "none is to be called: none is offered")
			require.EqualValues(t, 1, r.body(0)["temperature"])
		}},
		{"first part of a system message alone", func(t *testing.T) {
			r := onAnthropic(t, hi)
			require.NoError(t, r.bare(false, append([]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, "Be kind.", "Be short.")}, hello()...)).err)
			still(t, r.request(0).System == "Be kind.", "Anthropic's client drops system texts behind the first")
		}, func(t *testing.T) {
			r := onAnthropic(t, hi)
			req := ask()
			req.Messages = append([]state.Message{state.Text(state.RoleSystem, "Be kind."), state.Text(state.RoleSystem, "Be short.")}, req.Messages...)
			require.NoError(t, r.adapt(claude, req).err)
			require.Equal(t, "Be kind.\n\nBe short.", r.request(0).System)
		}},
	}
}

// anthropicAnswers is what Anthropic's client makes of answers that are all right.
func anthropicAnswers() []defect {
	both := llmstub.Reply{Text: "I do.", Calls: two(), Times: -1, Usage: llmstub.Usage{Input: 20, Output: 5, CacheRead: 6, CacheWrite: 4}}
	merged := func(t *testing.T, cfg langchain.Config) {
		out := onAnthropic(t, both).adapt(cfg, ask("add", "mul"))
		require.NoError(t, out.err)
		require.False(t, out.again())
		require.Equal(t, "I do.", out.Message.Text())
		require.Equal(t, twoCalls(), out.Message.ToolCalls)
		require.Equal(t, model.StopCalls, out.Stop)
		require.Equal(t, model.Usage{Input: 20, Output: 5, CacheRead: 6, CacheWrite: 4}, out.Usage)
	}
	return []defect{
		{"each block a choice, usage on each", func(t *testing.T) {
			got := onAnthropic(t, both).bare(false, hello(), bareTools("add", "mul"))
			require.NoError(t, got.err)
			still(t, len(got.Choices) == 3 && got.Choices[1].GenerationInfo["OutputTokens"] == 5 && got.Choices[2].GenerationInfo["OutputTokens"] == 5, "Anthropic's client makes a choice of each block")
			still(t, got.Choices[1].ToolCalls[0].Type == "", "Anthropic's client leaves out the type of calls")
		}, func(t *testing.T) { merged(t, claude) }},
		{"calls not streamed", func(t *testing.T) {
			got := onAnthropic(t, both).bare(true, hello(), bareTools("add", "mul"))
			require.NoError(t, got.err)
			require.Equal(t, "I do.", strings.Join(got.chunks, ""))
			require.Len(t, got.Choices, 3)
		}, func(t *testing.T) { merged(t, claudeStream) }},
	}
}

// anthropicFailures is what Anthropic's client makes of answers that fail.
func anthropicFailures() []defect {
	cut := func(name string, fault llmstub.Fault, vague string) defect {
		reply := llmstub.Reply{Text: "one two three four five", Fault: fault}
		return defect{name, func(t *testing.T) {
			got := onAnthropic(t, reply).bare(true, hello())
			still(t, got.err != nil && strings.Contains(got.err.Error(), vague), "Anthropic's client says of it: %q, not %v", vague, got.err)
		}, func(t *testing.T) {
			out := onAnthropic(t, reply).adapt(claude, ask())
			require.Error(t, out.err)
			require.True(t, model.Retryable(out.err), "%v", out.err)
			require.NotErrorIs(t, out.err, model.Malformed)
		}}
	}
	return []defect{
		cut("stream ends too early", llmstub.Fault{End: 4}, "no response"),
		cut("connection breaks", llmstub.Fault{Cut: 4}, "unexpected EOF"),
		cut("error event in a stream", llmstub.Fault{ErrorAfter: 4}, "received error event"),
		{"long lines", func(t *testing.T) {
			got := onAnthropic(t, llmstub.Reply{Text: "a", Fault: llmstub.Fault{LongLine: 70_000}}).bare(true, hello())
			still(t, got.err != nil && strings.Contains(got.err.Error(), "token too long"), "Anthropic's client reads no line over 64 KB: %v", got.err)
		}, func(t *testing.T) {
			out := onAnthropic(t, llmstub.Reply{Text: "a", Fault: llmstub.Fault{LongLine: 70_000}, Times: -1}).adapt(claude, ask())
			require.NoError(t, out.err)
			require.True(t, out.again())
			require.Len(t, out.Message.Text(), 70_001)
		}},
		{"context cancelled in a stream", func(t *testing.T) {
			r := onAnthropic(t, llmstub.Reply{Text: "one two"})
			ctx, cancel := context.WithCancelCause(t.Context())
			_, err := r.llm.GenerateContent(ctx, hello(), llms.WithStreamingFunc(func(ctx context.Context, _ []byte) error {
				cancel(errWhy)
				return ctx.Err()
			}))
			still(t, err != nil && !errors.Is(err, errWhy), "Anthropic's client does not tell the cause of a context: %v", err)
		}, func(t *testing.T) { cancelledMidway(t, onAnthropic) }},
		{"errors by their text alone", func(t *testing.T) {
			got := onAnthropic(t, llmstub.Reply{Fault: llmstub.Fault{Status: 429, RetryAfter: "7"}}).bare(false, hello())
			var coded *llms.Error
			still(t, got.err != nil && !errors.As(got.err, &coded), "Anthropic's client makes no *llms.Error: %v", got.err)
		}, func(t *testing.T) { classedByStatus(t, onAnthropic, claude) }},
	}
}
