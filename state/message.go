package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Role says who a message is from. The values are the wire names that
// LangGraph and its clients use.
type Role string

// The roles a message can have.
const (
	RoleHuman  Role = "human"
	RoleAI     Role = "ai"
	RoleSystem Role = "system"
	RoleTool   Role = "tool"
)

// Message is one message of a conversation. Its JSON form is LangGraph's flat
// one: {"type":"ai","id":…,"content":…,"tool_calls":[…]}; "role" and the
// role names "user" and "assistant" are understood when reading.
type Message struct {
	ID         string     // unique in its list; without one the message is only ever appended
	Role       Role       // required
	Name       string     // the agent or tool that speaks; may be empty
	Content    []Part     // text and other parts; one text part is written as a plain string
	ToolCalls  []ToolCall // what an AI message asks for
	ToolCallID string     // which call a tool message answers
	Status     string     // a tool message's "success" or "error"; may be empty
	Time       time.Time  // when it was made; zero: not told
}

// Part is one part of a message's content. Type says which fields matter:
// "text" has Text; others have URL, or Data with MIME.
type Part struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	URL  string `json:"url,omitempty"`
	MIME string `json:"mime_type,omitempty"`
	Data []byte `json:"data,omitempty"`
}

// ToolCall is a call that a model asks for. Args is a JSON object as text.
type ToolCall struct {
	ID   string
	Name string
	Args json.RawMessage
}

// Text makes a message with one text part.
func Text(role Role, text string) Message {
	return Message{Role: role, Content: []Part{{Type: "text", Text: text}}}
}

// Text returns the message's text parts, one after another.
func (m Message) Text() string {
	if len(m.Content) == 1 && m.Content[0].Type == "text" {
		return m.Content[0].Text
	}
	var b bytes.Buffer
	for _, p := range m.Content {
		if p.Type == "text" {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// wireMessage is the flat form in which messages are written and read.
type wireMessage struct {
	Type       Role            `json:"type,omitempty"`
	Role       Role            `json:"role,omitempty"`
	ID         string          `json:"id,omitempty"`
	Name       string          `json:"name,omitempty"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []wireCall      `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Status     string          `json:"status,omitempty"`
	Time       *time.Time      `json:"time,omitempty"`
}

type wireCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	Type string          `json:"type,omitempty"`
}

// MarshalJSON writes the flat form.
func (m Message) MarshalJSON() ([]byte, error) {
	w := wireMessage{Type: m.Role, ID: m.ID, Name: m.Name, ToolCallID: m.ToolCallID, Status: m.Status}
	var err error
	if w.Content, err = m.content(); err != nil {
		return nil, err
	}
	for _, c := range m.ToolCalls {
		args := c.Args
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		w.ToolCalls = append(w.ToolCalls, wireCall{c.ID, c.Name, args, "tool_call"})
	}
	if !m.Time.IsZero() {
		w.Time = &m.Time
	}
	return appendMarshalled(nil, w)
}

func (m Message) content() (json.RawMessage, error) {
	switch {
	case len(m.Content) == 0:
		return json.RawMessage(`""`), nil
	case len(m.Content) == 1 && m.Content[0].Type == "text" && m.Content[0].Text != "":
		return appendString(nil, m.Content[0].Text)
	}
	return appendMarshalled(nil, m.Content)
}

// UnmarshalJSON reads the flat form.
func (m *Message) UnmarshalJSON(data []byte) error {
	var w wireMessage
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	role, err := readRole(w.Type, w.Role)
	if err != nil {
		return err
	}
	*m = Message{ID: w.ID, Role: role, Name: w.Name, ToolCallID: w.ToolCallID, Status: w.Status}
	if w.Time != nil {
		m.Time = *w.Time
	}
	for _, c := range w.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, ToolCall{c.ID, c.Name, c.Args})
	}
	m.Content, err = readContent(w.Content)
	return err
}

func readRole(kind, role Role) (Role, error) {
	if kind == "" {
		kind = role
	}
	switch kind {
	case RoleHuman, "user":
		return RoleHuman, nil
	case RoleAI, "assistant":
		return RoleAI, nil
	case RoleSystem, RoleTool:
		return kind, nil
	}
	return "", fmt.Errorf("%w: message type %q; want human, ai, system or tool", ErrValue, kind)
}

func readContent(data json.RawMessage) ([]Part, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || bytes.Equal(data, []byte("null")) || bytes.Equal(data, []byte(`""`)) {
		return nil, nil
	}
	if data[0] == '"' {
		var text string
		err := json.Unmarshal(data, &text)
		return []Part{{Type: "text", Text: text}}, err
	}
	var parts []Part
	if err := json.Unmarshal(data, &parts); err != nil {
		return nil, fmt.Errorf("%w: message content: %w", ErrValue, err)
	}
	return parts, nil
}
