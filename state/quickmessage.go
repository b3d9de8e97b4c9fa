package state

import "encoding/json"

// quickMessage reads a message in the form in which Message.append writes those
// whose content is one text.
func quickMessage(data []byte, i int, m *Message) (int, bool) {
	if i >= len(data) || data[i] != '{' {
		return i, false
	}
	var seen [8]bool
	for {
		key, next, ok := quickKey(data, i+1)
		if !ok {
			return i, false
		}
		at := messageKey(key)
		if at < 0 || seen[at] {
			return i, false
		}
		seen[at] = true
		if next, ok = m.quickMember(data, next, at); !ok || next >= len(data) {
			return i, false
		}
		if data[next] == '}' {
			return next + 1, seen[0] && seen[1] // without them the strict way has its rules
		}
		if data[next] != ',' {
			return i, false
		}
		i = next
	}
}

// quickKey reads a key and its colon.
func quickKey(data []byte, i int) (string, int, bool) {
	key, next, ok := quickText(data, i)
	if !ok || next >= len(data) || data[next] != ':' {
		return "", i, false
	}
	return key, next + 1, true
}

// messageKey numbers the keys of a message, those that it must have first; -1
// is for others.
func messageKey(key string) int {
	switch key {
	case "type":
		return 0
	case "content":
		return 1
	case "id":
		return 2
	case "name":
		return 3
	case "tool_call_id":
		return 4
	case "status":
		return 5
	case "time":
		return 6
	case "tool_calls":
		return 7
	}
	return -1
}

// quickMember reads the value of a key into its field.
func (m *Message) quickMember(data []byte, i, key int) (int, bool) {
	if key == 7 {
		return m.quickCalls(data, i)
	}
	text, next, ok := quickText(data, i)
	if !ok {
		return i, false
	}
	switch key {
	case 0:
		role, err := readRole(Role(text), "")
		m.Role = role
		return next, err == nil && text != ""
	case 1:
		if text != "" {
			m.Content = []Part{{Type: "text", Text: text}}
		}
	case 2:
		m.ID = text
	case 3:
		m.Name = text
	case 4:
		m.ToolCallID = text
	case 5:
		m.Status = text
	case 6:
		return next, m.Time.UnmarshalJSON(data[i:next]) == nil
	}
	return next, true
}

// quickCalls reads a list of tool calls.
func (m *Message) quickCalls(data []byte, i int) (int, bool) {
	if i >= len(data) || data[i] != '[' {
		return i, false
	}
	for {
		var c ToolCall
		next, ok := c.quick(data, i+1)
		if !ok || next >= len(data) {
			return i, false
		}
		m.ToolCalls = append(m.ToolCalls, c)
		if data[next] == ']' {
			return next + 1, true
		}
		if data[next] != ',' {
			return i, false
		}
		i = next
	}
}

// quick reads a tool call as it is written.
func (c *ToolCall) quick(data []byte, i int) (int, bool) {
	if i >= len(data) || data[i] != '{' {
		return i, false
	}
	key, next, ok := quickKey(data, i+1)
	if ok && key == "id" {
		if c.ID, next, ok = quickText(data, next); ok && next < len(data) && data[next] == ',' {
			key, next, ok = quickKey(data, next+1)
		}
	}
	if !ok || key != "name" {
		return i, false
	}
	if c.Name, next, ok = quickText(data, next); !ok || !hasWord(data, next, `,"args":{`) {
		return i, false
	}
	start := next + len(`,"args":`)
	end := skipValue(data, start)
	const rest = `,"type":"tool_call"}`
	if !hasWord(data, end, rest) {
		return i, false
	}
	if _, err := scan(data[start:end], quickDepth); err != nil {
		return i, false
	}
	c.Args = append(json.RawMessage(nil), data[start:end]...)
	return end + len(rest), true
}
