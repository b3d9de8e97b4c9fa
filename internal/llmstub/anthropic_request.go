package llmstub

import (
	"encoding/json"
	"fmt"
	"strings"
)

// anthropicBody is the body of a request, as far as it is looked at.
type anthropicBody struct {
	Model      string          `json:"model"`
	MaxTokens  *int            `json:"max_tokens"`
	System     contents        `json:"system"`
	Messages   []turn          `json:"messages"`
	Tools      []anthropicTool `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	Stream     bool            `json:"stream"`
}

type anthropicTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

// turn is one message as it came.
type turn struct {
	Role    string   `json:"role"`
	Content contents `json:"content"`
}

// contents is a list of blocks, or a text, which is one block and none if it is
// empty. It is nil if nothing came.
type contents []block

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   contents        `json:"content"`
	IsError   bool            `json:"is_error"`
}

// UnmarshalJSON reads both shapes.
func (c *contents) UnmarshalJSON(raw []byte) error {
	var text string
	list := []block{}
	switch {
	case isNull(raw):
		list = nil
	case json.Unmarshal(raw, &text) != nil:
		if err := json.Unmarshal(raw, &list); err != nil {
			return fmt.Errorf("content: Input should be a valid string or list: %w", err)
		}
	case text != "":
		list = append(list, block{Type: "text", Text: text})
	}
	*c = list
	return nil
}

// text is all text of the blocks.
func (c contents) text() string {
	var b strings.Builder
	for _, part := range c {
		b.WriteString(part.Text)
	}
	return b.String()
}

func (anthropicWire) read(r *Request, body []byte) *problem {
	r.Wire = Anthropic
	var b anthropicBody
	if err := json.Unmarshal(body, &b); err != nil {
		if !json.Valid(body) {
			return &problem{text: "The request body is not valid JSON: " + err.Error()}
		}
		return &problem{text: err.Error()}
	}
	r.Model, r.Stream = b.Model, b.Stream
	for _, part := range b.System {
		r.addSystem(part.Text)
	}
	for _, t := range b.Tools {
		r.Tools = append(r.Tools, Tool{t.Name, t.Description, t.Schema})
	}
	for _, m := range b.Messages {
		r.addAnthropic(m)
	}
	return b.refuse()
}

func (r *Request) addAnthropic(t turn) {
	m := Message{Role: t.Role, Text: t.Content.text()}
	results := 0
	for _, b := range t.Content {
		switch b.Type {
		case "thinking":
			m.Reasoning += b.Thinking
		case "tool_use":
			m.Calls = append(m.Calls, Call{b.ID, b.Name, Args(b.Input)})
		case "tool_result":
			results++
			r.Messages = append(r.Messages, Message{Role: "tool", Text: b.Content.text(), CallID: b.ToolUseID, IsError: b.IsError})
		}
	}
	if results == 0 || m.Text != "" {
		r.Messages = append(r.Messages, m)
	}
}
