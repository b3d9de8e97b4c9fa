package anthropic

import (
	"bytes"
	"encoding/json"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/internal/wire"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// redacted begins the signature of a thought that Anthropic does not show.
// Signatures proper have no such characters in them.
const redacted = "redacted_thinking:"

// signed tells that a part is a thought that Anthropic has signed.
func signed(p state.Part) bool {
	return p.Type == transcript.TypeReasoning && p.MIME == transcript.SignedAnthropic && len(p.Data) > 0
}

// messages makes the system prompt and the turns.
func (m *Model) messages(p *sdk.MessageNewParams, r *model.Request) error {
	list := r.Messages
	if r.Schema != nil {
		fields, ok := wire.Fields(r.Schema.Schema)
		switch {
		case !ok:
			return m.peer.Error(model.Invalid, "the schema of the answer is no JSON object")
		case m.cfg.Strict:
			p.OutputConfig.Format.Schema = fields
		default:
			list = wire.Instruct(list, r.Schema)
		}
	}
	for len(list) > 0 && list[0].Role == state.RoleSystem {
		for _, part := range list[0].Content {
			if part.Type == "text" && part.Text != "" {
				p.System = append(p.System, sdk.TextBlockParam{Text: part.Text})
			}
		}
		list = list[1:]
	}
	return m.turns(p, list)
}

// turns makes the turns. What the user says in a row, with results in front, is one.
func (m *Model) turns(p *sdk.MessageNewParams, list []state.Message) error {
	for i := range list {
		role := sdk.MessageParamRoleUser
		var blocks []sdk.ContentBlockParamUnion
		switch msg := &list[i]; msg.Role {
		case state.RoleAI:
			role = sdk.MessageParamRoleAssistant
			var err error
			if blocks, err = m.ai(msg); err != nil {
				return err
			}
		case state.RoleTool:
			blocks = append(blocks, result(msg))
		case state.RoleHuman:
			blocks = contents(msg)
		default:
			return m.peer.Error(model.Unsupported, "a system message stands behind others; Anthropic takes them in front only")
		}
		if n := len(p.Messages); n > 0 && role == sdk.MessageParamRoleUser && p.Messages[n-1].Role == role {
			p.Messages[n-1].Content = append(p.Messages[n-1].Content, blocks...)
			continue
		}
		p.Messages = append(p.Messages, sdk.MessageParam{Role: role, Content: blocks})
	}
	return nil
}

func (m *Model) ai(msg *state.Message) ([]sdk.ContentBlockParamUnion, error) {
	var out []sdk.ContentBlockParamUnion
	for _, p := range msg.Content {
		switch {
		case signed(p):
			out = append(out, thought(p))
		case p.Type == "text" && p.Text != "":
			out = append(out, sdk.NewTextBlock(p.Text))
		}
	}
	for _, c := range msg.ToolCalls {
		args := json.RawMessage(bytes.TrimSpace(c.Args))
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		if _, ok := wire.Fields(args); !ok {
			return nil, m.peer.Error(model.Invalid, "the arguments of a call of %q are no JSON object: %s", c.Name, args)
		}
		out = append(out, sdk.NewToolUseBlock(c.ID, args, c.Name))
	}
	return out, nil
}

func thought(p state.Part) sdk.ContentBlockParamUnion {
	if data, ok := bytes.CutPrefix(p.Data, []byte(redacted)); ok {
		return sdk.NewRedactedThinkingBlock(string(data))
	}
	return sdk.NewThinkingBlock(string(p.Data), p.Text)
}

func result(msg *state.Message) sdk.ContentBlockParamUnion {
	r := &sdk.ToolResultBlockParam{ToolUseID: msg.ToolCallID}
	if msg.Status == "error" {
		r.IsError = param.NewOpt(true)
	}
	for _, b := range contents(msg) {
		r.Content = append(r.Content, sdk.ToolResultBlockParamContentUnion{OfText: b.OfText, OfImage: b.OfImage, OfDocument: b.OfDocument})
	}
	return sdk.ContentBlockParamUnion{OfToolResult: r}
}

// contents are the parts of a message that is not the model's. Anthropic takes
// no empty text.
func contents(msg *state.Message) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for _, p := range msg.Content {
		switch {
		case p.Type == transcript.TypeReasoning, p.Type == "text" && p.Text == "":
		case p.Type == "text":
			out = append(out, sdk.NewTextBlock(p.Text))
		default:
			out = append(out, medium(p))
		}
	}
	return out
}
