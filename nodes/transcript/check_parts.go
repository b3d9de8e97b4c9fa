package transcript

import (
	"encoding/json"
	"regexp"
	"unicode"

	"github.com/graphrun/graphrun/state"
)

var word = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// content refuses parts and names that a message may not have.
func (c *checker) content(m *state.Message) {
	if m.Name != "" && m.Role != state.RoleTool {
		if !c.p.Names {
			c.refuse("a name, %q", m.Name)
		} else if len(m.Name) > 64 || !word.MatchString(m.Name) {
			c.refuse("the name %q is no word of at most 64 letters", m.Name)
		}
	}
	if len(m.Content) == 0 && len(m.ToolCalls) == 0 && m.Role != state.RoleTool && !c.p.EmptyText {
		c.refuse("an empty message")
	}
	reasons := false
	for i, p := range m.Content {
		switch p.Type {
		case "text":
			if !c.p.EmptyText && !says(p.Text) {
				c.refuse("part %d is an empty text", i)
			}
		case "reasoning":
			if reasons = reasons || i == 0; !reasons {
				c.refuse("reasoning in part %d is not at the front", i)
				reasons = true
			}
			c.reasoning(m, i)
		default:
			c.media(m.Role, i, p)
		}
	}
}

// reasoning refuses reasoning without a signature or without a call.
func (c *checker) reasoning(m *state.Message, i int) {
	if p := m.Content[i]; len(p.Data) == 0 || c.p.Reasoning == "" || p.MIME != c.p.Reasoning {
		c.refuse("reasoning in part %d is not signed by the provider", i)
	}
	if m.Role != state.RoleAI || len(m.ToolCalls) == 0 {
		c.refuse("reasoning in part %d stands beside no call", i)
	}
}

// media refuses parts that are no text where they may not be, or with nothing in them.
func (c *checker) media(role state.Role, i int, p state.Part) {
	if role == state.RoleSystem || role == state.RoleAI && !c.p.MediaFromAI || role == state.RoleTool && !c.p.MediaInResults {
		c.refuse("part %d, of type %q, in a message of role %q", i, p.Type, role)
	}
	if p.Type == "" || p.URL == "" && (len(p.Data) == 0 || p.MIME == "") {
		c.refuse("part %d, of type %q, has nothing to show", i, p.Type)
	}
}

// calls refuses calls that cannot be sent; the results of all are owed.
func (c *checker) calls(calls []state.ToolCall) {
	for i, call := range calls {
		if call.Name == "" || len(call.Name) > 64 || !c.tool(call.Name) {
			c.refuse("call %d: %q is no name of a tool", i, call.Name)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(call.Args, &fields); len(call.Args) > 0 && (err != nil || fields == nil) {
			c.refuse("call %d: the arguments are no JSON object", i)
		}
		if !c.p.FreeIDs {
			c.id(i, call.ID)
		}
	}
	c.owed = append(c.owed, calls...)
}

func (c *checker) id(i int, id string) {
	if !word.MatchString(id) {
		c.refuse("call %d: the id %q is no word", i, id)
	}
	limit := 40
	if c.p.IDMax != 0 {
		limit = max(c.p.IDMax, 9)
	}
	if c.p.IDMax >= 0 && len(id) > limit {
		c.refuse("call %d: the id %q has more than %d letters", i, id, limit)
	}
	if c.ids[id] {
		c.refuse("call %d: the id %q was used before", i, id)
	}
	c.ids[id] = true
}

// tool reports whether a tool's name is made of what the provider allows.
func (c *checker) tool(name string) bool {
	allowed := map[rune]bool{}
	for _, r := range c.p.ToolChars {
		allowed[r] = r != unicode.ReplacementChar
	}
	for _, r := range name {
		if !allowed[r] && !word.MatchString(string(r)) {
			return false
		}
	}
	return true
}

// says reports whether a text has anything but space.
func says(text string) bool {
	for _, r := range text {
		if !unicode.IsSpace(r) {
			return true
		}
	}
	return false
}
