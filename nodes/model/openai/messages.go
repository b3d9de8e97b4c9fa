package openai

import (
	"encoding/base64"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/internal/wire"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// told are a request's messages, with the schema of the answer in front where
// the server is not told it otherwise.
func (m *Model) told(r *model.Request) []state.Message {
	if r.Schema == nil || !m.cfg.PlainJSON {
		return r.Messages
	}
	return wire.Instruct(r.Messages, r.Schema)
}

// message is a message as the server has it.
func (m *Model) message(msg *state.Message) (u sdk.ChatCompletionMessageParamUnion) {
	switch msg.Role {
	case state.RoleSystem:
		u = sdk.SystemMessage(model.Paragraphs(msg))
		u.OfSystem.Name = m.name(msg)
	case state.RoleHuman:
		u.OfUser = m.human(msg)
	case state.RoleAI:
		u.OfAssistant = m.ai(msg)
	case state.RoleTool:
		u = sdk.ToolMessage(model.Paragraphs(msg), msg.ToolCallID)
		if msg.Name != "" && !m.cfg.Profile.AnyResultName {
			u.OfTool.SetExtraFields(map[string]any{"name": msg.Name})
		}
	}
	return u
}

func (m *Model) name(msg *state.Message) param.Opt[string] {
	if msg.Name == "" || !m.cfg.Profile.Names {
		return param.Opt[string]{}
	}
	return param.NewOpt(msg.Name)
}

func (m *Model) ai(msg *state.Message) *sdk.ChatCompletionAssistantMessageParam {
	a := &sdk.ChatCompletionAssistantMessageParam{Name: m.name(msg)}
	for _, c := range msg.ToolCalls {
		args := string(c.Args)
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
			ID: c.ID, Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: args},
		}})
	}
	text := model.Paragraphs(msg)
	if text == "" && a.ToolCalls != nil { // some servers want the field all the same
		a.Content = param.NullStruct[sdk.ChatCompletionAssistantMessageParamContentUnion]()
		return a
	}
	a.Content.OfString = param.NewOpt(text)
	return a
}

// human is a text as long as it can be: some servers take no parts.
func (m *Model) human(msg *state.Message) *sdk.ChatCompletionUserMessageParam {
	u := &sdk.ChatCompletionUserMessageParam{Name: m.name(msg)}
	var parts []sdk.ChatCompletionContentPartUnionParam
	media := false
	for _, p := range msg.Content {
		switch p.Type {
		case "text":
			parts = append(parts, sdk.TextContentPart(p.Text))
		case transcript.TypeReasoning:
		default:
			parts, media = append(parts, medium(p)), true
		}
	}
	if !media {
		u.Content.OfString = param.NewOpt(model.Paragraphs(msg))
		return u
	}
	u.Content.OfArrayOfContentParts = parts
	return u
}

// medium is a part that is no text. What cannot be sent as what it is is told by
// its address.
func medium(p state.Part) sdk.ChatCompletionContentPartUnionParam {
	url := p.URL
	if url == "" {
		url = "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
	}
	switch {
	case p.Type == "image" || p.Type == "image_url" || strings.HasPrefix(p.MIME, "image/"):
		return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: url})
	case p.URL != "":
		return sdk.TextContentPart("[" + p.Type + ": " + p.URL + "]")
	case p.MIME == "audio/wav" || p.MIME == "audio/mpeg":
		format := map[string]string{"audio/wav": "wav", "audio/mpeg": "mp3"}[p.MIME]
		return sdk.InputAudioContentPart(sdk.ChatCompletionContentPartInputAudioInputAudioParam{
			Data: base64.StdEncoding.EncodeToString(p.Data), Format: format,
		})
	}
	return sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{
		FileData: param.NewOpt(url), Filename: param.NewOpt(filename(p.MIME)),
	})
}

// filename is a name for data that has none: servers tell files by it.
func filename(mime string) string {
	_, kind, _ := strings.Cut(mime, "/")
	return "file." + kind
}
