package langchain_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/langchain"
	"github.com/graphrun/graphrun/state"
)

const (
	ollamaText = `{"model":"m","message":{"role":"assistant","content":"one "}}` + "\n" + `{"model":"m","message":{"role":"assistant","content":"two"}}` + "\n"
	ollamaDone = `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":2}` + "\n"
)

// ollamaRig is a client of Ollama's own wire in front of a server that answers
// everything with body. The bodies of requests are kept.
type ollamaRig struct {
	rig
	mu   sync.Mutex
	sent []map[string]any
}

func onOllama(t *testing.T, body string) *ollamaRig {
	r := &ollamaRig{rig: rig{t: t}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		text, _ := io.ReadAll(req.Body)
		var sent map[string]any
		_ = json.Unmarshal(text, &sent)
		r.mu.Lock()
		r.sent = append(r.sent, sent)
		r.mu.Unlock()
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	llm, err := ollama.New(ollama.WithServerURL(server.URL), ollama.WithModel("m"))
	require.NoError(t, err)
	r.llm = llm
	return r
}

func ollamaRows() []defect {
	texts := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "one", "two")}
	return []defect{
		{"tools dropped", func(t *testing.T) {
			r := onOllama(t, ollamaText+ollamaDone)
			require.NoError(t, r.bare(false, hello(), bareTools("add")).err)
			still(t, r.sent[0]["tools"] == nil, "Ollama's client drops tools")
			err := r.bare(false, bareAnswered()).err
			still(t, err != nil, "Ollama's client refuses calls and results")
		}, func(t *testing.T) {
			r := onOllama(t, ollamaText+ollamaDone)
			out := r.adapt(langchain.Config{}, ask("add"))
			require.ErrorIs(t, out.err, model.Unsupported)
			require.ErrorContains(t, out.err, "use the package openai with Ollama's address and /v1")
			req := answered("")
			req.Tools = nil
			require.ErrorIs(t, r.adapt(langchain.Config{}, req).err, model.Unsupported)
			require.Empty(t, r.sent)
		}},
		{"several texts refused", func(t *testing.T) {
			err := onOllama(t, ollamaText+ollamaDone).bare(false, texts).err
			still(t, err != nil && strings.Contains(err.Error(), "single Text"), "Ollama's client takes one text a message: %v", err)
		}, func(t *testing.T) {
			r := onOllama(t, ollamaText+ollamaDone)
			picture := state.Part{Type: "image", MIME: "image/png", Data: []byte("png")}
			req := &model.Request{Messages: []state.Message{{Role: state.RoleHuman, Content: []state.Part{{Type: "text", Text: "one"}, picture, {Type: "text", Text: "two"}}}}}
			out := r.adapt(langchain.Config{}, req)
			require.NoError(t, out.err)
			require.Equal(t, "one two", out.Message.Text())
			require.Equal(t, model.Usage{Input: 7, Output: 2}, out.Usage)
			require.Equal(t, model.StopEnd, out.Stop)
			sent := r.sent[0]["messages"].([]any)[0].(map[string]any)
			require.Equal(t, "one\ntwo", sent["content"])
			require.Len(t, sent["images"], 1)
		}},
		{"temperature 0 sent when none is asked for", func(t *testing.T) {
			r := onOllama(t, ollamaText+ollamaDone)
			require.NoError(t, r.bare(false, hello()).err)
			still(t, r.sent[0]["options"].(map[string]any)["temperature"] == 0.0, "Ollama's client sends temperature 0 unasked")
		}, func(t *testing.T) {
			r := onOllama(t, ollamaText+ollamaDone)
			require.NoError(t, r.adapt(langchain.Config{}, ask()).err)
			require.InDelta(t, 0.8, r.sent[0]["options"].(map[string]any)["temperature"], 1e-6)
		}},
		{"stream ends too early", func(t *testing.T) {
			got := onOllama(t, ollamaText).bare(true, hello())
			still(t, got.err == nil && got.text() == "", "Ollama's client makes an empty answer of a stream that ended early: %v", got.err)
		}, func(t *testing.T) {
			require.ErrorIs(t, onOllama(t, ollamaText).adapt(langchain.Config{}, ask()).err, model.Cut)
			require.ErrorIs(t, onOllama(t, ollamaText).adapt(langchain.Config{Whole: true}, ask()).err, model.Cut)
		}},
		{"why it stopped not told", func(t *testing.T) {
			got := onOllama(t, ollamaText+ollamaDone).bare(false, hello())
			require.NoError(t, got.err)
			still(t, got.Choices[0].StopReason == "", "Ollama's client does not tell why the model stopped")
		}, func(t *testing.T) {
			req := ask()
			req.MaxTokens = 2
			out := onOllama(t, ollamaText+ollamaDone).adapt(langchain.Config{}, req)
			require.NoError(t, out.err)
			require.Equal(t, model.StopLength, out.Stop)
		}},
	}
}
