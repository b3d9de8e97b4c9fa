package expression

import (
	"strings"
	"unicode/utf8"
)

// span is a part of a template: text between expressions, or the text of one.
type span struct {
	text       string
	expression bool
	offset     int
}

// scan takes a template apart. Texts that follow one another are one part.
func scan(text string) ([]span, *Error) {
	var parts []span
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			parts = append(parts, span{text: plain.String()})
			plain.Reset()
		}
	}
	counted, runes := 0, 0
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "$${"):
			plain.WriteString("${")
			i += len("$${")
		case strings.HasPrefix(text[i:], "${"):
			flush()
			start := i + len("${")
			size := expressionEnd(text[start:])
			if size < 0 {
				return nil, unterminated(text, i)
			}
			runes += utf8.RuneCountInString(text[counted:start])
			counted = start
			parts = append(parts, span{text: text[start : start+size], expression: true, offset: runes})
			i = start + size + len("}")
		default:
			plain.WriteByte(text[i])
			i++
		}
	}
	flush()
	if len(parts) == 0 {
		parts = []span{{}}
	}
	return parts, nil
}

func unterminated(text string, i int) *Error {
	return &Error{
		Offset:  utf8.RuneCountInString(text[:i]),
		Message: "${ is not closed by }",
		Hint:    "write $${ for the characters ${ themselves",
	}
}

// expressionEnd is where the } is that closes an expression, in bytes, or -1.
// Braces in strings and comments do not count.
func expressionEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case rest[0] == '}' && depth == 0:
			return i
		case rest[0] == '}':
			depth--
		case rest[0] == '{':
			depth++
		case rest[0] == '"' || rest[0] == '\'' || rest[0] == '`':
			size := stringEnd(rest)
			if size < 0 {
				return -1
			}
			i += size
			continue
		case strings.HasPrefix(rest, "//"):
			size := strings.IndexByte(rest, '\n')
			if size < 0 {
				return -1
			}
			i += size
		case strings.HasPrefix(rest, "/*"):
			size := strings.Index(rest[2:], "*/")
			if size < 0 {
				return -1
			}
			i += size + len("/**/")
			continue
		}
		i++
	}
	return -1
}

// stringEnd is the length of the string literal a text begins with, in bytes,
// or -1. A backquote within backquotes is written twice, which reads as two
// literals here and comes to the same.
func stringEnd(text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i + 1
		case text[i] == '\\' && quote != '`':
			i++
		}
	}
	return -1
}
