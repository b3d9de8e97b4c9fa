package llmstub

import (
	"encoding/json"
	"fmt"
	"strings"
)

// openaiBody is the body of a request, as far as it is looked at.
type openaiBody struct {
	Model         string          `json:"model"`
	Messages      []openaiMessage `json:"messages"`
	Tools         []openaiTool    `json:"tools"`
	ToolChoice    json.RawMessage `json:"tool_choice"`
	Parallel      *bool           `json:"parallel_tool_calls"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type openaiMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Reasoning string          `json:"reasoning_content"`
	Refusal   string          `json:"refusal"`
	Calls     []openaiCall    `json:"tool_calls"`
	CallID    string          `json:"tool_call_id"`
}

type openaiCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"arguments"`
	} `json:"function"`
}

type openaiTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

func (openaiWire) read(r *Request, body []byte) *problem {
	r.Wire = OpenAI
	var b openaiBody
	if err := json.Unmarshal(body, &b); err != nil {
		return openaiUnread(body, err)
	}
	r.Model, r.Stream = b.Model, b.Stream
	r.includeUsage = b.StreamOptions != nil && b.StreamOptions.IncludeUsage
	for _, t := range b.Tools {
		r.Tools = append(r.Tools, Tool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	for _, m := range b.Messages {
		r.addOpenAI(m)
	}
	return b.refuse()
}

// openaiUnread tells of a body that is no JSON or has a wrong type in it.
func openaiUnread(body []byte, err error) *problem {
	if !json.Valid(body) {
		return &problem{text: "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"}
	}
	return &problem{text: "Invalid type: " + err.Error(), code: "invalid_type"}
}

func (r *Request) addOpenAI(m openaiMessage) {
	text, _ := contentText(m.Content)
	if m.Role == "system" || m.Role == "developer" {
		r.addSystem(text)
		return
	}
	out := Message{Role: m.Role, Text: text, Reasoning: m.Reasoning, CallID: m.CallID}
	for _, c := range m.Calls {
		var args string
		_ = json.Unmarshal(c.Function.Args, &args) // refused later if it is no text
		out.Calls = append(out.Calls, Call{c.ID, c.Function.Name, Args(args)})
	}
	r.Messages = append(r.Messages, out)
}

func (r *Request) addSystem(text string) {
	if r.System != "" && text != "" {
		r.System += "\n\n"
	}
	r.System += text
}

// contentText is the text of a content: a text or a list of parts. The content
// null and one that is not there have none.
func contentText(content json.RawMessage) (string, error) {
	var text string
	if isNull(content) || json.Unmarshal(content, &text) == nil {
		return text, nil
	}
	var parts []struct{ Type, Text, Refusal string }
	if err := json.Unmarshal(content, &parts); err != nil {
		return "", fmt.Errorf("expected a string or an array of content parts, but got %s", kindOf(content))
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text + p.Refusal)
	}
	return b.String(), nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// kindOf names the type of a JSON value as OpenAI's errors do.
func kindOf(raw json.RawMessage) string {
	if isNull(raw) {
		return "null"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}
