package llmstub

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
)

type anthropicMessage struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	Role         string          `json:"role"`
	Model        string          `json:"model"`
	Content      []any           `json:"content"`
	Stop         *string         `json:"stop_reason"`
	StopSequence *string         `json:"stop_sequence"`
	Usage        *anthropicUsage `json:"usage,omitempty"`
}

type anthropicUsage struct {
	Input      int `json:"input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	Output     int `json:"output_tokens"`
}

// The blocks of an answer.
type (
	thinkingBlock struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	textBlock struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	toolUseBlock struct {
		Type  string          `json:"type"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
)

// signaturePrefix marks signatures that were made here.
const signaturePrefix = "llmstub-"

// signature is what a thinking block is signed with. A block that comes back
// with one of these must have the same thinking.
func signature(thinking string) string {
	sum := sha256.Sum256([]byte(thinking))
	return signaturePrefix + base64.RawStdEncoding.EncodeToString(sum[:12])
}

func (a *answer) anthropicUsage() *anthropicUsage {
	u := a.usage
	return &anthropicUsage{max(u.Input-u.CacheRead-u.CacheWrite, 0), u.CacheWrite, u.CacheRead, u.Output}
}

// anthropic is the answer as one body.
func (a *answer) anthropic() string {
	m := a.message()
	if a.reasoning != "" {
		m.Content = append(m.Content, thinkingBlock{"thinking", a.reasoning, signature(a.reasoning)})
	}
	if text := a.text + a.pad; text != "" {
		m.Content = append(m.Content, textBlock{"text", text})
	}
	for _, c := range a.calls {
		m.Content = append(m.Content, toolUseBlock{"tool_use", c.ID, c.Name, input(c.Args)})
	}
	if !a.fault.NoFinish {
		m.Stop = &a.stop
	}
	return asJSON(m)
}

// message is the answer without its content.
func (a *answer) message() anthropicMessage {
	m := anthropicMessage{ID: a.id, Type: "message", Role: "assistant", Model: a.model, Content: []any{}}
	if !a.fault.NoUsage {
		m.Usage = a.anthropicUsage()
	}
	return m
}

// input are arguments as a value; those that are no JSON become a text.
func input(args Args) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return json.RawMessage(asJSON(string(args)))
}
