package handoffs

import "strings"

// text returns the policy's message for a code. Vars are names and what stands
// for them in braces: "target", "b". {code} is always known; other names that
// are not given stay as they are. What is put in is not looked at again.
func (p *Policy) text(code Code, vars ...string) string {
	if p != nil {
		if own, ok := p.Texts[code]; ok {
			return fillText(own, code, vars)
		}
	}
	t, ok := defaultTexts[code]
	if !ok {
		t.plain = "The handoff was not carried out ({code})."
	}
	if t.full != "" && allGiven(t.full, vars) {
		return fillText(t.full, code, vars)
	}
	return fillText(t.plain, code, vars)
}

// fillText puts values in the places of names in braces.
func fillText(text string, code Code, vars []string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(text, "{")
		b.WriteString(before)
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			b.WriteString(text[len(before):])
			return b.String()
		}
		value, ok := textVar(name, vars)
		switch {
		case ok:
			b.WriteString(value)
			text = after
		case name == "code":
			b.WriteString(string(code))
			text = after
		default:
			b.WriteByte('{')
			text = rest
		}
	}
}

func textVar(name string, vars []string) (string, bool) {
	for i := 0; i+1 < len(vars); i += 2 {
		if vars[i] == name {
			return vars[i+1], true
		}
	}
	return "", false
}

// allGiven reports whether everything that a default text names has a value.
func allGiven(text string, vars []string) bool {
	for _, part := range strings.Split(text, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		if value, _ := textVar(name, vars); value == "" {
			return false
		}
	}
	return true
}
