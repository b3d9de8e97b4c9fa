package langchain

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/nodes/model"
)

// options are the options of a request, but for streaming.
func (m *Model) options(r *model.Request) ([]llms.CallOption, error) {
	f := m.cfg.Kind.features()
	tools, err := m.tools(r)
	if err != nil {
		return nil, err
	}
	var out []llms.CallOption
	if f.temperature != 0 {
		out = append(out, llms.WithTemperature(f.temperature))
	}
	out = append(out, m.cfg.Options...)
	if m.cfg.Name != "" && m.cfg.Kind != GoogleAI {
		out = append(out, llms.WithModel(m.cfg.Name))
	}
	if r.MaxTokens > 0 {
		out = append(out, llms.WithMaxTokens(r.MaxTokens))
	}
	if r.Temperature != nil {
		out = append(out, llms.WithTemperature(*r.Temperature))
	}
	if r.TopP != nil {
		out = append(out, llms.WithTopP(*r.TopP))
	}
	if len(r.Stop) > 0 {
		out = append(out, llms.WithStopWords(r.Stop))
	}
	if r.Seed != nil {
		out = append(out, llms.WithSeed(int(*r.Seed)))
	}
	if f.json && r.Schema != nil && len(tools) == 0 && isObject(r.Schema.Schema) {
		out = append(out, llms.WithJSONMode())
	}
	return append(out, llms.WithTools(tools), llms.WithToolChoice(choice(r.Choice, len(tools) > 0 && f.choice))), nil
}

// choice is the choice as the clients take it; nil: nothing is said.
func choice(c model.Choice, sent bool) any {
	if !sent {
		return nil
	}
	switch c {
	case model.ChoiceAuto:
		return nil
	case model.ChoiceNone:
		return "none"
	case model.ChoiceRequired:
		return "required"
	}
	return llms.ToolChoice{Type: "function", Function: &llms.FunctionReference{Name: string(c)}}
}

// tools are the tools as the clients take them; none where none is to be called
// and that cannot be said otherwise.
func (m *Model) tools(r *model.Request) ([]llms.Tool, error) {
	if r.Choice == model.ChoiceNone && !m.cfg.Kind.features().choice {
		return nil, nil
	}
	var out []llms.Tool
	for _, t := range r.Tools {
		schema, err := object(t.Schema)
		if err != nil {
			return nil, m.failure(model.Invalid, fmt.Sprintf("the schema of the tool %q is no JSON object: %v", t.Name, err))
		}
		f := &llms.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: schema}
		if m.cfg.Kind == GoogleAI && !plain(schema) {
			f.Description += "\nThe arguments must fit this JSON Schema: " + string(t.Schema)
		}
		out = append(out, llms.Tool{Type: "function", Function: f})
	}
	return out, nil
}

// object is the schema of a tool as a map, with what some clients require.
func object(schema json.RawMessage) (map[string]any, error) {
	out := map[string]any{}
	if len(bytes.TrimSpace(schema)) > 0 {
		dec := json.NewDecoder(bytes.NewReader(schema))
		dec.UseNumber()
		if err := dec.Decode(&out); err != nil {
			return nil, err
		}
	}
	if out == nil {
		out = map[string]any{}
	}
	if out["type"] == nil {
		out["type"] = "object"
	}
	if out["type"] == "object" && out["properties"] == nil {
		out["properties"] = map[string]any{}
	}
	return out, nil
}

// plain says that GoogleAI's client keeps all of a schema.
func plain(schema map[string]any) bool {
	for key, value := range schema {
		switch key {
		case "type", "description", "required":
		case "items":
			if items, ok := value.(map[string]any); !ok || !plain(items) {
				return false
			}
		case "properties":
			fields, _ := value.(map[string]any)
			for _, f := range fields {
				if field, ok := f.(map[string]any); !ok || !plain(field) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

func isObject(schema json.RawMessage) bool {
	var head struct{ Type any }
	return json.Unmarshal(schema, &head) == nil && head.Type == "object"
}
