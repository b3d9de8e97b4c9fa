package langchain_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/langchain"
)

// FuzzAnswers: whatever a client streams and answers, the stream is sound or ends
// in an error with a class, and the text is the client's.
func FuzzAnswers(f *testing.F) {
	f.Add("one two", "one two", `{"a":1}`, "stop", uint8(0), 7)
	f.Add(`[{"function":{"name":"add"}}]`, "", `{"a":1}{"b":2}`, "tool_calls", uint8(1), -1)
	f.Add("a", "ab", "null", "", uint8(2), 1<<40)
	kinds := []langchain.Kind{langchain.OpenAI, langchain.Anthropic, langchain.GoogleAI, langchain.Other, langchain.Ollama, langchain.Mistral}
	f.Fuzz(func(t *testing.T, streamed, text, args, stop string, kind uint8, tokens int) {
		answer := &llms.ContentChoice{Content: text, StopReason: stop, GenerationInfo: map[string]any{"PromptTokens": tokens}}
		req := ask()
		if k := kinds[int(kind)%len(kinds)]; k != langchain.Ollama && k != langchain.Mistral {
			req = ask("add")
			if args != "" {
				answer.ToolCalls = []llms.ToolCall{toolCall("c", "add", args)}
			}
		}
		llm := streams([]string{streamed}, answer, answer)
		out := adapt(t, t.Context(), langchain.Config{Model: llm, Kind: kinds[int(kind)%len(kinds)], StreamWithTools: true}, req)
		var classed *model.Error
		if out.err != nil {
			if !errors.As(out.err, &classed) {
				t.Fatalf("%v has no class", out.err)
			}
			return
		}
		if out.Message.Text() != text || out.Usage.Input < 0 {
			t.Fatalf("%q became %q, usage %v", text, out.Message.Text(), out.Usage)
		}
		for _, c := range out.Message.ToolCalls {
			if !json.Valid(c.Args) {
				t.Fatalf("arguments %q", c.Args)
			}
		}
	})
}
