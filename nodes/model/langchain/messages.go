package langchain

import (
	"encoding/base64"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// messages is the conversation in the form in which the client loses nothing of
// it.
func (m *Model) messages(r *model.Request) []llms.MessageContent {
	var b builder
	b.kind, b.features = m.cfg.Kind, m.cfg.Kind.features()
	for _, msg := range withSchema(r, b.kind) {
		switch msg.Role {
		case state.RoleSystem:
			b.add(llms.ChatMessageTypeSystem, llms.TextPart(model.Paragraphs(&msg)))
		case state.RoleAI:
			b.ai(msg)
		case state.RoleTool:
			b.result(msg)
		default:
			b.add(llms.ChatMessageTypeHuman, b.human(msg)...)
		}
	}
	return b.out
}

// builder builds the messages of a request.
type builder struct {
	kind     Kind
	features features
	out      []llms.MessageContent
}

func (b *builder) add(role llms.ChatMessageType, parts ...llms.ContentPart) {
	b.out = append(b.out, llms.MessageContent{Role: role, Parts: parts})
}

// ai adds a message of the model. Anthropic's client keeps only the first part of
// one, so each part is a message of its own: its provider joins messages in a row.
func (b *builder) ai(msg state.Message) {
	var parts []llms.ContentPart
	if text := model.Paragraphs(&msg); text != "" || len(msg.ToolCalls) == 0 {
		parts = append(parts, llms.TextPart(text))
	}
	for _, c := range msg.ToolCalls {
		args := string(c.Args)
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		parts = append(parts, llms.ToolCall{ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: args}})
	}
	if b.kind != Anthropic {
		b.add(llms.ChatMessageTypeAI, parts...)
		return
	}
	for _, p := range parts {
		b.add(llms.ChatMessageTypeAI, p)
	}
}

// result adds a result: a message of its own, or a part of the one before.
func (b *builder) result(msg state.Message) {
	part := llms.ToolCallResponse{ToolCallID: msg.ToolCallID, Name: msg.Name, Content: model.Paragraphs(&msg)}
	if last := len(b.out) - 1; b.features.together && last >= 0 && b.out[last].Role == llms.ChatMessageTypeTool {
		b.out[last].Parts = append(b.out[last].Parts, part)
		return
	}
	b.add(llms.ChatMessageTypeTool, part)
}

// human is the parts of a human message: one text, where there are only texts.
func (b *builder) human(msg state.Message) []llms.ContentPart {
	var parts []llms.ContentPart
	for _, p := range msg.Content {
		switch {
		case p.Type == "text":
			if len(parts) > 0 {
				if before, ok := parts[len(parts)-1].(llms.TextContent); ok {
					parts[len(parts)-1] = llms.TextPart(before.Text + p.Text)
					continue
				}
			}
			parts = append(parts, llms.TextPart(p.Text))
		case len(p.Data) == 0:
			parts = append(parts, llms.ImageURLPart(p.URL))
		case b.kind == OpenAI: // its client has no form of its own for data
			parts = append(parts, llms.ImageURLPart("data:"+p.MIME+";base64,"+base64.StdEncoding.EncodeToString(p.Data)))
		default:
			parts = append(parts, llms.BinaryPart(p.MIME, p.Data))
		}
	}
	if b.kind == Ollama {
		return oneText(parts)
	}
	if len(parts) == 0 {
		parts = append(parts, llms.TextPart(""))
	}
	return parts
}

// oneText joins the texts of a message and puts them in front: Ollama's client
// takes one.
func oneText(parts []llms.ContentPart) []llms.ContentPart {
	var texts []string
	out := []llms.ContentPart{nil}
	for _, p := range parts {
		if t, ok := p.(llms.TextContent); ok {
			texts = append(texts, t.Text)
			continue
		}
		out = append(out, p)
	}
	out[0] = llms.TextPart(strings.Join(texts, "\n"))
	return out
}

// withSchema is the conversation with the schema told to the model, since no
// client can hold an answer to one. Only OpenAI's client keeps several system
// messages apart; for the others they are one, in front.
func withSchema(r *model.Request, k Kind) []state.Message {
	if k == OpenAI && r.Schema == nil {
		return r.Messages
	}
	var system []string
	var rest []state.Message
	for _, msg := range r.Messages {
		if msg.Role == state.RoleSystem && (k != OpenAI || len(rest) == 0) {
			system = append(system, model.Paragraphs(&msg))
			continue
		}
		rest = append(rest, msg)
	}
	if r.Schema != nil {
		system = append(system, "Answer with JSON that fits this JSON Schema, and with nothing else:\n"+string(r.Schema.Schema))
	}
	if system == nil {
		return rest
	}
	return append([]state.Message{state.Text(state.RoleSystem, strings.Join(system, "\n\n"))}, rest...)
}
