package state

import (
	"bytes"
	"encoding/json"
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
// role names "user" and "assistant" are understood when reading, and a plain
// text is read as a human's message. Keys of the wire form that a Message has no
// place for, as "response_metadata", are passed over when reading.
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

// ToolCall is a call that a model asks for.
type ToolCall struct {
	ID   string
	Name string
	Args json.RawMessage // JSON as text, mostly an object; none is read back as {}
}

// Text makes a message with one text part; without any if there is no text.
func Text(role Role, text string) Message {
	if text == "" {
		return Message{Role: role}
	}
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
