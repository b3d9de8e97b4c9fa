package openai

import (
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/internal/wire"
)

// params makes the body of a request.
func (m *Model) params(r *model.Request) (sdk.ChatCompletionNewParams, error) {
	if err := m.peer.Check(r); err != nil {
		return sdk.ChatCompletionNewParams{}, err
	}
	p := sdk.ChatCompletionNewParams{
		Model:         m.cfg.Name,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
		Temperature:   opt(r.Temperature),
		TopP:          opt(r.TopP),
		Seed:          opt(r.Seed),
		Stop:          sdk.ChatCompletionNewParamsStopUnion{OfStringArray: r.Stop},
	}
	m.bound(&p, r.MaxTokens)
	for _, msg := range m.told(r) {
		p.Messages = append(p.Messages, m.message(&msg))
	}
	if err := m.tools(&p, r); err != nil {
		return p, err
	}
	if err := m.format(&p, r.Schema); err != nil {
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

func (m *Model) bound(p *sdk.ChatCompletionNewParams, tokens int) {
	if tokens == 0 {
		tokens = m.cfg.MaxTokens
	}
	switch {
	case tokens == 0:
	case m.cfg.Bound == MaxCompletionTokens:
		p.MaxCompletionTokens = param.NewOpt(int64(tokens))
	default:
		p.MaxTokens = param.NewOpt(int64(tokens))
	}
}

func (m *Model) tools(p *sdk.ChatCompletionNewParams, r *model.Request) error {
	for _, t := range r.Tools {
		schema, ok := wire.Object(t.Schema)
		if !ok {
			return m.peer.Error(model.Invalid, "the schema of the tool %q is no JSON object", t.Name)
		}
		f := shared.FunctionDefinitionParam{Name: t.Name, Parameters: schema}
		if t.Description != "" {
			f.Description = param.NewOpt(t.Description)
		}
		p.Tools = append(p.Tools, sdk.ChatCompletionToolUnionParam{OfFunction: &sdk.ChatCompletionFunctionToolParam{Function: f}})
	}
	if len(r.Tools) == 0 { // servers refuse the other fields then
		return nil
	}
	if r.OneCall {
		p.ParallelToolCalls = param.NewOpt(false)
	}
	switch named, ok := r.Choice.Named(); {
	case ok:
		p.ToolChoice.OfFunctionToolChoice = &sdk.ChatCompletionNamedToolChoiceParam{Function: sdk.ChatCompletionNamedToolChoiceFunctionParam{Name: named}}
	case r.Choice == model.ChoiceRequired:
		p.ToolChoice.OfAuto = param.NewOpt("required")
	case r.Choice == model.ChoiceNone:
		p.ToolChoice.OfAuto = param.NewOpt("none")
	}
	return nil
}

// format asks for an answer that fits a schema.
func (m *Model) format(p *sdk.ChatCompletionNewParams, s *model.Schema) error {
	switch {
	case s == nil:
		return nil
	case m.cfg.PlainJSON:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
		return nil
	}
	schema, ok := wire.Fields(s.Schema)
	if !ok {
		return m.peer.Error(model.Invalid, "the schema of the answer is no JSON object")
	}
	f := shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: s.Name, Schema: schema}
	if f.Name == "" {
		f.Name = "answer"
	}
	if m.cfg.Strict {
		f.Strict = param.NewOpt(true)
	}
	p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: f}
	return nil
}
