package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// messagesIn reads the conversation of a state.
func messagesIn(r *state.Record, field string) ([]state.Message, error) {
	value, ok := r.Get(field)
	if !ok || value == nil {
		return nil, nil
	}
	data, err := state.AppendAny(nil, value)
	if err != nil {
		return nil, err
	}
	var talk []state.Message
	if err := json.Unmarshal(data, &talk); err != nil {
		return nil, fmt.Errorf("the field %s cannot be read: %w", field, err)
	}
	return talk, nil
}

// messageKey tells messages apart: by their ids, those without one by what they
// say.
func messageKey(m *state.Message) string {
	if m.ID != "" {
		return "id " + m.ID
	}
	key := strings.Join([]string{"is", string(m.Role), m.Name, m.ToolCallID, m.Text()}, "\x00")
	for _, c := range m.ToolCalls {
		key += "\x00" + c.ID
	}
	return key
}

// committed shows what a step has added to the conversation.
func (s *chatShow) committed(st any) {
	r, ok := st.(*state.Record)
	if !ok {
		return
	}
	talk, err := messagesIn(r, s.field)
	if err != nil {
		s.err = err
		return
	}
	results := resultsOf(talk)
	before := s.known
	s.know(talk)
	seen := map[string]int{}
	for i := range talk {
		key := messageKey(&talk[i])
		if seen[key]++; seen[key] > before[key] {
			s.added(&talk[i], results)
		}
	}
}

// heard notes that a question is shown, which a node may add to the conversation
// as what it has said.
func (s *chatShow) heard(q *inquiry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[askedText(&q.open[q.at])] = true
}

// resultsOf are the results of tools by the ids of their calls.
func resultsOf(talk []state.Message) map[string]*state.Message {
	out := map[string]*state.Message{}
	for i := range talk {
		if m := &talk[i]; m.Role == state.RoleTool {
			out[m.ToolCallID] = m
		}
	}
	return out
}

// added shows a message that is new, unless it was streamed.
func (s *chatShow) added(m *state.Message, results map[string]*state.Message) {
	switch m.Role {
	case state.RoleSystem:
		if text := m.Text(); !s.refused[text] {
			s.aside(text)
		}
	case state.RoleAI:
		if m.ID != "" && s.streams.byID[m.ID] != nil {
			return
		}
		if text := spoken(m.Text()); strings.TrimSpace(text) != "" && !s.asked[m.Text()] {
			s.voice(m.Name)
			s.write(strings.TrimRight(text, "\n") + "\n")
			s.begun = false
		}
		for _, line := range callLines(m, results, s.tools) {
			s.aside(line)
		}
	}
}

// callLines are the calls of a message that were not shown, without those by
// which agents hand over or ask.
func callLines(m *state.Message, results map[string]*state.Message, shown map[string]*toolShown) (lines []string) {
	for _, c := range m.ToolCalls {
		if t := shown[c.ID]; c.Name == handoffs.ToolName || c.Name == askTool || t != nil && t.told {
			continue
		}
		end := ""
		switch r := results[c.ID]; {
		case r == nil:
		case r.Status == "error":
			end = " error: " + clip(oneLine(r.Text()), faultWidth)
		default:
			end = " ok"
		}
		lines = append(lines, toolText(c.Name, string(c.Args))+end)
	}
	return lines
}

// transcript is a conversation as it was.
func (c *cast) transcript(k ink, talk []state.Message) string {
	var b strings.Builder
	results := resultsOf(talk)
	for i := range talk {
		m := &talk[i]
		text := strings.TrimRight(spoken(m.Text()), "\n")
		switch {
		case m.Role == state.RoleTool || text == "" && m.Role != state.RoleAI:
			continue
		case m.Role == state.RoleHuman:
			b.WriteString(k.bold("you:") + " " + text + "\n")
		case m.Role == state.RoleSystem:
			b.WriteString(k.dim("  "+oneLine(text)) + "\n")
		case text != "":
			b.WriteString(c.label(k, m.Name) + " " + text + "\n")
		}
		for _, line := range callLines(m, results, nil) {
			b.WriteString(k.dim("  "+line) + "\n")
		}
	}
	return b.String()
}
