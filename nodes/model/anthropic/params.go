package anthropic

import (
	"slices"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/internal/wire"
	"github.com/graphrun/graphrun/state"
)

// params makes the body of a request.
func (m *Model) params(r *model.Request) (sdk.MessageNewParams, error) {
	if err := m.peer.Check(r, state.RoleTool); err != nil {
		return sdk.MessageNewParams{}, err
	}
	p := sdk.MessageNewParams{
		Model:         sdk.Model(m.cfg.Name),
		MaxTokens:     int64(r.MaxTokens),
		StopSequences: r.Stop,
		Temperature:   opt(r.Temperature),
		TopP:          opt(r.TopP),
	}
	if r.MaxTokens == 0 {
		p.MaxTokens = int64(m.cfg.MaxTokens)
	}
	m.think(&p, r)
	if err := m.messages(&p, r); err != nil {
		return p, err
	}
	if err := m.tools(&p, r); err != nil {
		return p, err
	}
	p.SetExtraFields(wire.Any(m.cfg.Extra))
	return p, nil
}

func opt[T comparable](v *T) param.Opt[T] {
	if v == nil {
		return param.Opt[T]{}
	}
	return param.NewOpt(*v)
}

// think asks for thoughts, if they may be asked for.
func (m *Model) think(p *sdk.MessageNewParams, r *model.Request) {
	_, named := r.Choice.Named()
	switch {
	case m.cfg.Thinking == 0, named, r.Choice == model.ChoiceRequired, thoughtless(r.Messages):
	case m.cfg.Thinking < 0:
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{}
	default:
		p.MaxTokens += int64(m.cfg.Thinking)
		p.Thinking = sdk.ThinkingConfigParamOfEnabled(int64(m.cfg.Thinking))
	}
}

// thoughtless tells that a call is at work which was made without a thought.
func thoughtless(messages []state.Message) bool {
	for _, msg := range slices.Backward(messages) {
		if msg.Role == state.RoleAI {
			return len(msg.ToolCalls) > 0 && !slices.ContainsFunc(msg.Content, signed)
		}
	}
	return false
}

func (m *Model) tools(p *sdk.MessageNewParams, r *model.Request) error {
	for _, t := range r.Tools {
		fields, ok := wire.Object(t.Schema)
		if !ok {
			return m.peer.Error(model.Invalid, "the schema of the tool %q is no JSON object", t.Name)
		}
		tool := &sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](fields)}
		if t.Description != "" {
			tool.Description = param.NewOpt(t.Description)
		}
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: tool})
	}
	if len(r.Tools) > 0 {
		p.ToolChoice = choice(r)
	}
	return nil
}

func choice(r *model.Request) (c sdk.ToolChoiceUnionParam) {
	var one param.Opt[bool]
	if r.OneCall {
		one = param.NewOpt(true)
	}
	switch named, ok := r.Choice.Named(); {
	case ok:
		c.OfTool = &sdk.ToolChoiceToolParam{Name: named, DisableParallelToolUse: one}
	case r.Choice == model.ChoiceRequired:
		c.OfAny = &sdk.ToolChoiceAnyParam{DisableParallelToolUse: one}
	case r.Choice == model.ChoiceNone:
		c.OfNone = &sdk.ToolChoiceNoneParam{}
	case r.OneCall:
		c.OfAuto = &sdk.ToolChoiceAutoParam{DisableParallelToolUse: one}
	}
	return c
}
