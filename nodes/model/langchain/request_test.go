package langchain_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	lcfake "github.com/tmc/langchaingo/llms/fake"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/langchain"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

func TestNew(t *testing.T) {
	for name, cfg := range map[string]langchain.Config{
		"no model":    {},
		"nil pointer": {Model: (*openai.LLM)(nil)},
		"kind":        {Model: says(), Kind: "gpt"},
	} {
		_, err := langchain.New(cfg)
		require.ErrorIs(t, err, langchain.ErrConfig, name)
	}
}

func TestInfo(t *testing.T) {
	info := func(cfg langchain.Config) model.Info {
		m, err := langchain.New(cfg)
		require.NoError(t, err)
		return model.InfoOf(m)
	}
	got := info(langchain.Config{Model: onOpenAI(t).llm, Name: "gpt-4.1"})
	require.Equal(t, "openai", got.Provider)
	require.Equal(t, "gpt-4.1", got.Name)
	require.True(t, got.Profile.RepeatRoles)
	require.False(t, got.Profile.Names, "its client has no place for names")
	require.Empty(t, info(langchain.Config{Model: onAnthropic(t).llm}).Profile.Reasoning)
	require.Equal(t, "ollama", info(langchain.Config{Model: onOllama(t, "").llm}).Provider)
	require.Equal(t, "other", info(langchain.Config{Model: lcfake.NewFakeLLM(nil)}).Provider)
	mine := transcript.Gemini()
	require.Equal(t, model.Info{Provider: "mine", Profile: mine}, info(langchain.Config{Model: says(), Provider: "mine", Profile: mine}))
}

// sent is what a client of a kind is given.
type sent struct {
	messages []llms.MessageContent
	options  llms.CallOptions
	err      error
	asked    bool
}

func send(t *testing.T, cfg langchain.Config, req *model.Request) (s sent) {
	cfg.Model = fake(func(_ context.Context, messages []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
		s.messages, s.options, s.asked = messages, *o, true
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "a", StopReason: "stop"}}}, nil
	})
	s.err = adapt(t, t.Context(), cfg, req).err
	return s
}

// TestFeatures is the table of what each kind refuses because its client would
// drop it.
func TestFeatures(t *testing.T) {
	part := func(p state.Part) func(*model.Request) {
		return func(r *model.Request) { r.Messages[0].Content = append(r.Messages[0].Content, p) }
	}
	picture := state.Part{Type: "image", MIME: "image/png", Data: []byte("d")}
	changes := []struct {
		name   string
		change func(*model.Request)
		takes  string // o a l g m t x: the kinds that take it
	}{
		{"nothing", func(*model.Request) {}, "oalgmtx"},
		{"max tokens", func(r *model.Request) { r.MaxTokens = 9 }, "oalgmtx"},
		{"temperature", func(r *model.Request) { r.Temperature = new(0.0) }, "oalgmtx"},
		{"schema", func(r *model.Request) { r.Schema = &model.Schema{Schema: json.RawMessage(`{"type":"object"}`)} }, "oalgmtx"},
		{"tools", func(r *model.Request) { r.Tools = ask("add").Tools }, "oagx"},
		{"no tool", func(r *model.Request) { r.Tools, r.Choice = ask("add").Tools, model.ChoiceNone }, "oagx"},
		{"no tool, calls", func(r *model.Request) { *r = *answered("a"); r.Choice = model.ChoiceNone }, "ox"},
		{"a tool", func(r *model.Request) { r.Tools, r.Choice = ask("add").Tools, "add" }, "ox"},
		{"any tool", func(r *model.Request) { r.Tools, r.Choice = ask("add").Tools, model.ChoiceRequired }, "ox"},
		{"a choice without tools", func(r *model.Request) { r.Choice = model.ChoiceNone }, "oalgmtx"},
		{"one call", func(r *model.Request) { r.Tools, r.OneCall = ask("add").Tools, true }, ""},
		{"one call without tools", func(r *model.Request) { r.OneCall = true }, "oalgmtx"},
		{"calls and results", func(r *model.Request) { *r = *answered("a"); r.Tools = nil }, "oagx"},
		{"top p", func(r *model.Request) { r.TopP = new(0.5) }, "algtx"},
		{"top p 0", func(r *model.Request) { r.TopP = new(0.0) }, "g"},
		{"stop", func(r *model.Request) { r.Stop = []string{"x"} }, "oalgtx"},
		{"seed", func(r *model.Request) { r.Seed = new(int64(1)) }, "oltx"},
		{"seed 0", func(r *model.Request) { r.Seed = new(int64(0)) }, ""},
		{"image", part(picture), "oalgx"},
		{"address of an image", part(state.Part{Type: "image", URL: "https://example.org/a.png"}), "ox"},
		{"file", part(state.Part{Type: "file", MIME: "application/pdf", Data: []byte("d")}), "gx"},
		{"address of a file", part(state.Part{Type: "file", URL: "https://example.org/a.pdf"}), ""},
		{"part of nothing", part(state.Part{Type: "image"}), ""},
		{"reasoning", func(r *model.Request) {
			r.Messages = append(r.Messages, state.Message{Role: state.RoleAI, Content: []state.Part{{Type: transcript.TypeReasoning, MIME: "anthropic", Data: []byte("s")}}}, r.Messages[0])
		}, ""},
		{"image as a result", func(r *model.Request) { *r = *answered("a"); r.Messages[2].Content = []state.Part{picture} }, ""},
		{"name", func(r *model.Request) { r.Messages[0].Name = "ann" }, ""},
	}
	kinds := map[langchain.Kind]rune{langchain.OpenAI: 'o', langchain.Anthropic: 'a', langchain.Ollama: 'l', langchain.GoogleAI: 'g', langchain.Mistral: 'm', langchain.TextOnly: 't', langchain.Other: 'x'}
	for _, c := range changes {
		for kind, letter := range kinds {
			req := ask()
			c.change(req)
			got := send(t, langchain.Config{Kind: kind}, req)
			if strings.ContainsRune(c.takes, letter) {
				require.NoError(t, got.err, "%s, %s", c.name, kind)
				continue
			}
			require.ErrorIs(t, got.err, model.Unsupported, "%s, %s", c.name, kind)
			require.ErrorContains(t, got.err, "use ", "a hint")
			require.False(t, got.asked, "%s, %s", c.name, kind)
		}
	}
}

func TestGoogleWantsResultsTogether(t *testing.T) {
	req := answered("I do.")
	req.Tools[0].Schema = json.RawMessage(`{"properties":{"a":{"enum":["x"]}}}`)
	req.Tools[1] = model.Tool{Name: "mul"}
	got := send(t, langchain.Config{Kind: langchain.GoogleAI, Name: "gemini"}, req)
	require.NoError(t, got.err)
	require.Len(t, got.messages, 3)
	require.Len(t, got.messages[1].Parts, 3)
	require.Len(t, got.messages[2].Parts, 2)
	require.Contains(t, got.options.Tools[0].Function.Description, `"enum":["x"]`, "the client drops enum: the model is told")
	require.Equal(t, map[string]any{"type": "object", "properties": map[string]any{}}, got.options.Tools[1].Function.Parameters)
	require.Empty(t, got.options.Model, "its client writes the name down for all")
}

func TestSchemaIsToldToTheModel(t *testing.T) {
	req := ask()
	req.Schema = &model.Schema{Schema: json.RawMessage(`{"type":"object"}`)}
	for kind, mode := range map[langchain.Kind]bool{langchain.OpenAI: true, langchain.Ollama: true, langchain.GoogleAI: true, langchain.Anthropic: false, langchain.Mistral: false} {
		got := send(t, langchain.Config{Kind: kind}, req)
		require.NoError(t, got.err)
		require.Len(t, got.messages, 2)
		require.Equal(t, llms.ChatMessageTypeSystem, got.messages[0].Role)
		require.Contains(t, got.messages[0].Parts[0].(llms.TextContent).Text, `{"type":"object"}`)
		require.Equal(t, mode, got.options.JSONMode, kind)
	}
	req.Schema.Schema = json.RawMessage(`{"type":"array"}`)
	require.False(t, send(t, langchain.Config{Kind: langchain.OpenAI}, req).options.JSONMode, "JSON mode is for objects")
	require.Len(t, req.Messages, 1, "the request is left alone")
}

func TestOptions(t *testing.T) {
	never := llms.WithStreamingFunc(func(context.Context, []byte) error { return errors.New("nobody streams here") })
	cfg := langchain.Config{Kind: langchain.OpenAI, Name: "n", Whole: true, Options: []llms.CallOption{never, bareTools("x"), llms.WithTemperature(0.3), llms.WithMetadata(map[string]any{"k": "v"})}}
	got := send(t, cfg, ask())
	require.NoError(t, got.err)
	require.Nil(t, got.options.StreamingFunc)
	require.Empty(t, got.options.Tools)
	require.Nil(t, got.options.ToolChoice)
	require.InDelta(t, 0.3, got.options.Temperature, 0)
	require.Equal(t, "v", got.options.Metadata["k"])
	require.Equal(t, "n", got.options.Model)
	req := ask("add")
	req.Temperature, req.Choice = new(0.7), "add"
	got = send(t, cfg, req)
	require.InDelta(t, 0.7, got.options.Temperature, 0)
	require.Equal(t, llms.ToolChoice{Type: "function", Function: &llms.FunctionReference{Name: "add"}}, got.options.ToolChoice)
	req.Tools[0].Schema = json.RawMessage(`[]`)
	require.ErrorIs(t, send(t, cfg, req).err, model.Invalid)
}

func TestImagesGoOut(t *testing.T) {
	req := ask()
	req.Messages[0].Content = append(req.Messages[0].Content, state.Part{Type: "image", MIME: "image/png", Data: []byte("png")})
	r := onOpenAI(t, llmstub.Reply{Text: "a"})
	require.NoError(t, r.adapt(plain, req).err)
	require.Contains(t, string(r.request(0).Body), `{"url":"data:image/png;base64,cG5n"}`)
	r = onAnthropic(t, llmstub.Reply{Text: "a"})
	require.NoError(t, r.adapt(claude, req).err)
	require.Contains(t, string(r.request(0).Body), `"source":{"type":"base64","media_type":"image/png","data":"cG5n"}`)
}

// TestProjectionsAreTaken sends a conversation of everything, projected with the
// profile of Info, to the servers.
func TestProjectionsAreTaken(t *testing.T) {
	messages := answered("I do.").Messages
	messages[1].Name = "first"
	messages[1].Content = append([]state.Part{{Type: transcript.TypeReasoning, MIME: "anthropic", Text: "hm", Data: []byte("s")}}, messages[1].Content...)
	messages[2].Content = append(messages[2].Content, state.Part{Type: "image", MIME: "image/png", Data: []byte("d")})
	messages = append(messages, state.Text(state.RoleSystem, "Now be short."), state.Text(state.RoleAI, "both"), state.Text(state.RoleAI, "done"))
	messages = append([]state.Message{state.Text(state.RoleSystem, "Be kind.")}, messages...)
	for _, r := range []*rig{onOpenAI(t, llmstub.Reply{Text: "a"}), onAnthropic(t, llmstub.Reply{Text: "a"})} {
		m, err := langchain.New(langchain.Config{Model: r.llm})
		require.NoError(t, err)
		req := ask("add", "mul")
		req.Messages, _ = transcript.Project(messages, m.Info().Profile)
		_, err = model.Collect(m.Stream(t.Context(), req), nil)
		require.NoError(t, err)
	}
}
