package llmstub

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

func refused(format string, args ...any) *problem {
	return &problem{text: fmt.Sprintf(format, args...)}
}

// refuse says why Anthropic would not take the body; nil: it would.
func (b *anthropicBody) refuse() *problem {
	switch {
	case b.Model == "":
		return refused("model: Field required")
	case b.MaxTokens == nil:
		return refused("max_tokens: Field required")
	case *b.MaxTokens < 1:
		return refused("max_tokens: Input should be greater than or equal to 1")
	case len(b.Messages) == 0:
		return refused("messages: at least one message is required")
	case !isNull(b.ToolChoice) && len(b.Tools) == 0:
		return refused("tool_choice: may only be specified while providing `tools`.")
	}
	if why := b.refuseSystem(); why != nil {
		return why
	}
	if why := b.refuseTools(); why != nil {
		return why
	}
	for i, m := range b.Messages {
		if why := m.refuse(i, i == len(b.Messages)-1); why != nil {
			return why
		}
	}
	if b.Messages[0].Role != "user" {
		return refused("messages: first message must use the \"user\" role")
	}
	return refuseUses(merged(b.Messages))
}

func (b *anthropicBody) refuseSystem() *problem {
	for i, part := range b.System {
		if part.Type != "text" {
			return refused("system.%d.type: Input should be 'text'", i)
		}
		if part.Text == "" {
			return refused("system: text content blocks must be non-empty")
		}
	}
	return nil
}

func (b *anthropicBody) refuseTools() *problem {
	seen := map[string]bool{}
	for i, t := range b.Tools {
		if t.Type != "" && t.Type != "custom" {
			continue // a tool of the provider's own
		}
		at := fmt.Sprintf("tools.%d.custom", i)
		if !isName(t.Name, 128) {
			return refused("%s.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", at)
		}
		if seen[t.Name] {
			return refused("tools: Tool names must be unique.")
		}
		seen[t.Name] = true
		if isNull(t.Schema) {
			return refused("%s.input_schema: Field required", at)
		}
		var schema struct{ Type json.RawMessage }
		if json.Unmarshal(t.Schema, &schema) != nil {
			return refused("%s.input_schema: Input should be a valid dictionary", at)
		}
		if isNull(schema.Type) {
			return refused("%s.input_schema.type: Field required", at)
		}
		if string(schema.Type) != `"object"` {
			return refused("%s.input_schema.type: Input should be 'object'", at)
		}
	}
	return nil
}

// refuse looks at the i-th message by itself.
func (t turn) refuse(i int, last bool) *problem {
	switch {
	case t.Role == "system":
		return refused("messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.")
	case t.Role != "user" && t.Role != "assistant":
		return refused("messages.%d.role: Input should be 'user' or 'assistant'", i)
	case t.Content == nil:
		return refused("messages.%d.content: Field required", i)
	}
	final := last && t.Role == "assistant"
	if !final && len(t.Content) == 0 {
		return refused("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
	}
	for n, b := range t.Content {
		if why := b.refuse(fmt.Sprintf("messages.%d.content.%d", i, n), t.Role); why != nil {
			return why
		}
	}
	if text := t.Content.text(); final && strings.TrimRightFunc(text, unicode.IsSpace) != text {
		return refused("messages: final assistant content cannot end with trailing whitespace")
	}
	return nil
}

// refuse looks at a block by itself.
func (b block) refuse(at, role string) *problem {
	switch b.Type {
	case "text":
		if b.Text == "" {
			return refused("messages: text content blocks must be non-empty")
		}
		if strings.TrimSpace(b.Text) == "" {
			return refused("messages: text content blocks must contain non-whitespace text")
		}
	case "thinking":
		return b.refuseThinking(at, role)
	case "tool_use":
		return b.refuseUse(at, role)
	case "tool_result":
		return b.refuseResult(at, role)
	case "image", "document", "search_result", "redacted_thinking":
	default:
		return refused("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, b.Type)
	}
	return nil
}

func (b block) refuseThinking(at, role string) *problem {
	switch {
	case role != "assistant":
		return refused("%s: `thinking` blocks can only be in `assistant` messages", at)
	case b.Signature == "":
		return refused("%s.thinking.signature: Field required", at)
	case strings.HasPrefix(b.Signature, signaturePrefix) && b.Signature != signature(b.Thinking):
		return refused("%s: Invalid `signature` in `thinking` block", at)
	}
	return nil
}

func (b block) refuseUse(at, role string) *problem {
	var fields map[string]json.RawMessage
	switch {
	case role != "assistant":
		return refused("%s: `tool_use` blocks can only be in `assistant` messages", at)
	case !isName(b.ID, len(b.ID)):
		return refused("%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", at)
	case !isName(b.Name, 200):
		return refused("%s.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'", at)
	case isNull(b.Input):
		return refused("%s.tool_use.input: Field required", at)
	case json.Unmarshal(b.Input, &fields) != nil:
		return refused("%s.tool_use.input: Input should be a valid dictionary", at)
	}
	return nil
}

func (b block) refuseResult(at, role string) *problem {
	switch {
	case role != "user":
		return refused("%s: `tool_result` blocks can only be in `user` messages", at)
	case b.ToolUseID == "":
		return refused("%s.tool_result.tool_use_id: Field required", at)
	}
	for _, part := range b.Content {
		if part.Type == "text" && part.Text == "" {
			return refused("messages: text content blocks must be non-empty")
		}
	}
	return nil
}
