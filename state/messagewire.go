package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// check tells what would keep a message from being read back.
func (m Message) check() error {
	switch m.Role {
	case RoleHuman, RoleAI, RoleSystem, RoleTool:
	default:
		return wrongRole(m.Role)
	}
	for i, c := range m.ToolCalls {
		if len(c.Args) == 0 {
			continue
		}
		if _, err := scan(c.Args, maxDepth/2); err != nil {
			return fmt.Errorf("arguments of tool call %d (%q): %w", i, c.Name, err)
		}
	}
	return nil
}

func wrongRole(r Role) error {
	return fmt.Errorf("%w: message type %q; want human, ai, system or tool", ErrValue, r)
}

// wireMessage is the flat form in which messages are read.
type wireMessage struct {
	Type       Role            `json:"type"`
	Role       Role            `json:"role"`
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []wireCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
	Status     string          `json:"status"`
	Time       time.Time       `json:"time"`
}

type wireCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// MarshalJSON writes the flat form.
func (m Message) MarshalJSON() ([]byte, error) { return m.append(nil) }

// append writes the flat form, quicker than encoding/json would.
func (m *Message) append(dst []byte) ([]byte, error) {
	if err := m.check(); err != nil {
		return dst, err
	}
	dst = append(append(append(dst, `{"type":"`...), m.Role...), '"')
	texts := [...]struct{ key, text string }{
		{`,"id":`, m.ID}, {`,"name":`, m.Name}, {`,"tool_call_id":`, m.ToolCallID}, {`,"status":`, m.Status},
	}
	var err error
	for _, t := range texts {
		if t.text == "" {
			continue
		}
		if dst, err = appendString(append(dst, t.key...), t.text); err != nil {
			return dst, err
		}
	}
	if dst, err = m.appendContent(append(dst, `,"content":`...)); err != nil {
		return dst, err
	}
	if dst, err = m.appendCalls(dst); err != nil {
		return dst, err
	}
	if !m.Time.IsZero() {
		if dst, err = appendMarshalled(append(dst, `,"time":`...), m.Time); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func (m *Message) appendContent(dst []byte) ([]byte, error) {
	switch {
	case len(m.Content) == 0:
		return append(dst, `""`...), nil
	case len(m.Content) == 1 && m.Content[0].isText():
		return appendString(dst, m.Content[0].Text)
	}
	return appendOther(dst, m.Content)
}

// isText reports whether the part is told by its text alone.
func (p Part) isText() bool {
	return p.Type == "text" && p.Text != "" && p.URL == "" && p.MIME == "" && p.Data == nil
}

func (m *Message) appendCalls(dst []byte) ([]byte, error) {
	if len(m.ToolCalls) == 0 {
		return dst, nil
	}
	dst = append(dst, `,"tool_calls":[`...)
	var err error
	for i, c := range m.ToolCalls {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		if c.ID != "" {
			if dst, err = appendString(append(dst, `"id":`...), c.ID); err != nil {
				return dst, err
			}
			dst = append(dst, ',')
		}
		if dst, err = appendString(append(dst, `"name":`...), c.Name); err != nil {
			return dst, err
		}
		args := c.Args
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		if dst, err = appendMarshalled(append(dst, `,"args":`...), args); err != nil {
			return dst, err
		}
		dst = append(dst, `,"type":"tool_call"}`...)
	}
	return append(dst, ']'), nil
}

// UnmarshalJSON reads the flat form, or a text as a human's message.
func (m *Message) UnmarshalJSON(data []byte) error {
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '"' {
		var text string
		err := json.Unmarshal(data, &text)
		*m = Text(RoleHuman, text)
		return err
	}
	if len(data) == 0 || data[0] != '{' {
		return wrongJSON("a message", data)
	}
	var w wireMessage
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("%w: message: %w", ErrValue, err)
	}
	role, err := readRole(w.Type, w.Role)
	if err != nil {
		return err
	}
	*m = Message{ID: w.ID, Role: role, Name: w.Name, ToolCallID: w.ToolCallID, Status: w.Status, Time: w.Time}
	for _, c := range w.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, ToolCall(c))
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
	return "", wrongRole(kind)
}

// readContent reads a text, or a list of parts and texts.
func readContent(data json.RawMessage) ([]Part, error) {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0 || bytes.Equal(data, []byte("null")) || bytes.Equal(data, []byte(`""`)):
		return nil, nil
	case data[0] == '"':
		p, err := readPart(data)
		return []Part{p}, err
	case data[0] != '[':
		return nil, wrongJSON("a message content of text or a list of parts", data)
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(data, &raws); err != nil {
		return nil, fmt.Errorf("%w: message content: %w", ErrValue, err)
	}
	var parts []Part
	for i, raw := range raws {
		p, err := readPart(raw)
		if err != nil {
			return nil, fmt.Errorf("message content, part %d: %w", i, err)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// readPart reads one part. A key that a Part has no place for is an error,
// for content must not be lost.
func readPart(data []byte) (p Part, err error) {
	if len(data) > 0 && data[0] == '"' {
		p.Type = "text"
		err = json.Unmarshal(data, &p.Text)
		return p, err
	}
	if len(data) == 0 || data[0] != '{' {
		return p, wrongJSON("a text or a part", data)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err = dec.Decode(&p); err != nil {
		err = fmt.Errorf("%w: %w", ErrValue, err)
	}
	return p, err
}
