package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// scalarText writes a text, in quotes if it would be read as something else;
// inside says that it stands within brackets.
func scalarText(text string, inside bool) string {
	if isPlain(text, inside) {
		return text
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return fmt.Sprintf("%q", text)
	}
	return escapeHidden(strings.TrimSuffix(b.String(), "\n"))
}

// escapeHidden writes characters that cannot be seen as escapes.
func escapeHidden(quoted string) string {
	if !strings.ContainsFunc(quoted, hidden) {
		return quoted
	}
	var b strings.Builder
	for _, r := range quoted {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// isPlain reports whether a text needs no quotes in YAML.
func isPlain(text string, inside bool) bool {
	switch {
	case text == "" || strings.TrimSpace(text) != text || strings.ContainsFunc(text, hidden):
		return false
	case strings.ContainsAny(text[:1], "-?:,[]{}#&*!|>'\"%@`=<~"):
		return false
	case strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":"):
		return false
	case inside && strings.ContainsAny(text, ",[]{}:?"):
		return false
	}
	return !isWord(text) && !looksNumeric(text)
}

// isWord reports whether some reader of YAML takes a text for null or a
// boolean.
func isWord(text string) bool {
	words := []string{"null", "true", "false", "yes", "no", "on", "off"}
	return slices.Contains(words, strings.ToLower(text))
}

// looksNumeric reports whether a text might be read as a number or a date.
func looksNumeric(text string) bool {
	if !strings.ContainsAny(text[:1], "0123456789+.") {
		return false
	}
	return strings.Trim(text, "0123456789abcdefABCDEFinINxXoO_+-.:TZ ") == ""
}

// isProse reports whether a text is best written as lines of text.
func isProse(text string) bool {
	return strings.Contains(text, "\n") && text[0] != '\n' && text[0] != ' ' &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && hidden(r) })
}
