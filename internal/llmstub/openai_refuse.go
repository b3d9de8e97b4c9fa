package llmstub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// refuse says why OpenAI would not take the body; nil: it would.
func (b *openaiBody) refuse() *problem {
	if b.Model == "" {
		return &problem{text: "you must provide a model parameter"}
	}
	if len(b.Messages) == 0 {
		return emptyArray("messages")
	}
	if b.StreamOptions != nil && !b.Stream {
		return &problem{text: "The 'stream_options' parameter is only allowed when 'stream' is enabled.", param: "stream_options"}
	}
	if why := b.refuseTools(); why != nil {
		return why
	}
	for i, m := range b.Messages {
		if why := m.refuse(fmt.Sprintf("messages[%d]", i)); why != nil {
			return why
		}
	}
	return b.refuseResults()
}

func emptyArray(param string) *problem {
	return &problem{text: fmt.Sprintf("Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", param), param: param, code: "empty_array"}
}

func (b *openaiBody) refuseTools() *problem {
	if b.Tools != nil && len(b.Tools) == 0 {
		return emptyArray("tools")
	}
	if b.Tools == nil && !isNull(b.ToolChoice) {
		return needsTools("tool_choice")
	}
	if b.Tools == nil && b.Parallel != nil {
		return needsTools("parallel_tool_calls")
	}
	for i, t := range b.Tools {
		param := fmt.Sprintf("tools[%d]", i)
		if t.Type != "function" {
			return &problem{text: fmt.Sprintf("Invalid value: '%s'. Supported values are: 'function' and 'custom'.", t.Type), param: param + ".type", code: "invalid_value"}
		}
		if why := refuseName(t.Function.Name, param+".function.name"); why != nil {
			return why
		}
		if why := t.refuseSchema(param + ".function.parameters"); why != nil {
			return why
		}
	}
	return nil
}

func needsTools(param string) *problem {
	return &problem{text: fmt.Sprintf("Invalid value for '%s': '%s' is only allowed when 'tools' are specified.", param, param), param: param}
}

func isName(name string, limit int) bool {
	strange := func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-')
	}
	return name != "" && len(name) <= limit && !strings.ContainsFunc(name, strange)
}

func refuseName(name, param string) *problem {
	switch {
	case name == "":
		return &problem{text: fmt.Sprintf("Missing required parameter: '%s'.", param), param: param, code: "missing_required_parameter"}
	case len(name) > 64:
		return &problem{text: fmt.Sprintf("Invalid '%s': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", param, len(name)), param: param, code: "string_above_max_length"}
	case !isName(name, 64):
		return &problem{text: fmt.Sprintf("Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", param), param: param, code: "invalid_value"}
	}
	return nil
}

// refuseSchema wants a schema of an object with properties; none at all is fine.
func (t *openaiTool) refuseSchema(param string) *problem {
	if isNull(t.Function.Parameters) {
		return nil
	}
	wrong := func(why string) *problem {
		return &problem{text: fmt.Sprintf("Invalid schema for function '%s': %s.", t.Function.Name, why), param: param, code: "invalid_function_parameters"}
	}
	var schema struct{ Type, Properties json.RawMessage }
	if json.Unmarshal(t.Function.Parameters, &schema) != nil {
		return wrong("schema must be a JSON Schema of 'type: \"object\"', got " + kindOf(t.Function.Parameters))
	}
	if string(schema.Type) != `"object"` {
		got := `"None"`
		if !isNull(schema.Type) {
			got = string(schema.Type)
		}
		return wrong("schema must be a JSON Schema of 'type: \"object\"', got 'type: " + got + "'")
	}
	if isNull(schema.Properties) {
		return wrong("In context=(), object schema missing properties")
	}
	return nil
}

var openaiRoles = []string{"system", "assistant", "user", "function", "tool", "developer"}

// refuse looks at a message by itself.
func (m *openaiMessage) refuse(at string) *problem {
	if !slices.Contains(openaiRoles, m.Role) {
		return &problem{text: fmt.Sprintf("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role), param: at + ".role", code: "invalid_value"}
	}
	if _, err := contentText(m.Content); err != nil {
		return &problem{text: fmt.Sprintf("Invalid type for '%s.content': %v instead.", at, err), param: at + ".content", code: "invalid_type"}
	}
	if m.Calls != nil && len(m.Calls) == 0 {
		return emptyArray(at + ".tool_calls")
	}
	says := m.Role == "assistant" && (len(m.Calls) > 0 || m.Refusal != "")
	if !says && (isNull(m.Content) || string(m.Content) == "[]") {
		return &problem{text: "Invalid value for 'content': expected a string, got " + kindOf(m.Content) + ".", param: at + ".content"}
	}
	for i, c := range m.Calls {
		if why := c.refuse(fmt.Sprintf("%s.tool_calls[%d]", at, i)); why != nil {
			return why
		}
	}
	return nil
}

func (c *openaiCall) refuse(at string) *problem {
	for _, need := range []struct{ param, value string }{{at + ".id", c.ID}, {at + ".type", c.Type}} {
		if need.value == "" {
			return &problem{text: fmt.Sprintf("Missing required parameter: '%s'.", need.param), param: need.param, code: "missing_required_parameter"}
		}
	}
	var args string
	if isNull(c.Function.Args) || json.Unmarshal(c.Function.Args, &args) != nil {
		param := at + ".function.arguments"
		return &problem{text: fmt.Sprintf("Invalid type for '%s': expected a string, but got %s instead.", param, kindOf(c.Function.Args)), param: param, code: "invalid_type"}
	}
	return refuseName(c.Function.Name, at+".function.name")
}
