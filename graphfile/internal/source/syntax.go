package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// problem is what is wrong with the syntax, for a person to read.
type problem struct {
	at            Pos
	message, hint string
}

// syntax fails with an error of the YAML library.
func (t *tree) syntax(err error) {
	load := &yaml.LoadError{}
	if !errors.As(err, &load) {
		t.fail(Pos{}, "%v", err)
		return
	}
	p := t.file.explain(load)
	if end := t.file.end(); end.Less(p.at) {
		p.at = end
	}
	t.fail(p.at, "%s", p.message).Hint = p.hint
}

// explain says what an error of the library means for the text it stands in.
// What is not known here is said in the library's words.
func (f *File) explain(e *yaml.LoadError) problem {
	at, from := Pos{e.Mark.Line, e.Mark.Column}, Pos{e.ContextMark.Line, e.ContextMark.Column}
	const quotes = "if it is text, put it in quotes"
	switch message := e.Message; {
	case strings.HasPrefix(message, "did not find expected ',' or "):
		return f.noComma(at, from, message[len(message)-2:len(message)-1])
	case message == "found unexpected end of stream":
		return problem{from, "the text that starts here has no closing quote", ""}
	case message == "could not find expected ':'":
		return problem{from, "expected a key and ':'", "write a space behind the colon, or put text in quotes"}
	case strings.HasPrefix(message, "mapping values are not"):
		return problem{at, "a key cannot stand here", `put each key on a line of its own, indented like those beside it, close the brackets above it, and put text that holds ": " in quotes`}
	case strings.HasPrefix(message, "block sequence entries are not"):
		return problem{at, "a list cannot start here in the middle of a line", "put each '- ' on a line of its own, or text in quotes"}
	case message == "found character that cannot start any token":
		return f.badStart(at)
	case strings.Contains(message, "a tab character"):
		return problem{at, "a tab indents this line", "use spaces"}
	case message == "did not find expected node content":
		return problem{at, "a value is missing in front of " + f.found(at), "is a bracket above not closed?"}
	case message == "did not find expected key", message == "did not find expected <document start>":
		return f.stray(at)
	case message == "did not find expected '-' indicator":
		return problem{at, "an entry of the list above must start with '- '", ""}
	case message == "found unknown escape character":
		return problem{at, "unknown escape in a text in double quotes", `write a backslash as \\, or use single quotes`}
	case message == "did not find expected hexadecimal number":
		return problem{Pos{at.Line, at.Col - len(`\x`)}, "an escape needs 2 hexadecimal digits behind \\x, 4 behind \\u and 8 behind \\U", ""}
	case message == "did not find expected comment or line break":
		return problem{at, "behind '|' or '>' only '+', '-', a digit for the indent and a comment may stand", "the text starts on the next line; a text of one line that starts so needs quotes"}
	case message == "found invalid Unicode character escape code":
		return f.badEscape(Pos{at.Line, at.Col - len(`\x`)})
	case strings.HasSuffix(message, "alphabetic or numeric character"):
		return problem{from, "an anchor or alias needs a name of letters, digits, '-' and '_'", quotes}
	}
	if e.ContextMsg != "" && from.Known() {
		return problem{at, e.ContextMsg + " of " + from.String() + ": " + e.Message, ""}
	}
	return problem{at, e.Message, ""}
}

// rest is the text of a line from a place on.
func (f *File) rest(at Pos) string {
	_, behind := split(f.Line(at.Line), at.Col)
	return behind
}

// found is the character at a place, as messages show it.
func (f *File) found(at Pos) string {
	rest := f.rest(at)
	if rest == "" {
		return "the end of the line"
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return "'" + glyph(r) + "'"
}

func (f *File) noComma(at, open Pos, closing string) problem {
	if f.end().Less(at) || at == f.end() {
		return problem{open, fmt.Sprintf("this bracket is not closed: '%s' is missing", closing), ""}
	}
	p := problem{at: at, message: fmt.Sprintf("expected ',' or '%s', found %s", closing, f.found(at))}
	before, _ := split(f.Line(at.Line), at.Col)
	switch rest := f.rest(at); {
	case strings.HasSuffix(before, "$") && strings.HasPrefix(rest, "{"):
		p.hint = `inside brackets, text with ${…} needs quotes: "${…}"`
	case open.Line != at.Line:
		p.hint = fmt.Sprintf("is the bracket of %s closed?", open)
	case strings.HasPrefix(rest, ":"):
		p.hint = "is a ',' missing in front of the key?"
	}
	return p
}

func (f *File) badStart(at Pos) problem {
	if strings.HasPrefix(f.rest(at), "\t") {
		return problem{at, "a tab indents this line", "use spaces"}
	}
	return problem{at, "a text without quotes cannot start with " + f.found(at), "put the text in quotes"}
}

// stray is text where a key or the end must stand.
func (f *File) stray(at Pos) problem {
	word, _, _ := strings.Cut(f.rest(at), " ")
	before, _ := split(f.Line(at.Line), at.Col)
	if strings.TrimLeft(before, " ") == "" {
		return problem{at, excerpt(word) + " does not belong to what stands above it", "entries of one list or map start in the same column"}
	}
	return problem{at, excerpt(word) + " stands behind a value that is complete", "if it belongs to a text, put the whole text in quotes"}
}

// badEscape is an escape of a number that is no character. Half a surrogate
// pair may well be right in what is meant to be JSON, which then is not JSON for
// another reason.
func (f *File) badEscape(at Pos) problem {
	p := problem{at: at, message: "the escape names no character"}
	if !utf16.IsSurrogate(escapedUnit(f.rest(at))) {
		return p
	}
	p.hint = `write a character beyond U+FFFF as one escape: "\U0001F600"`
	if text := strings.TrimLeft(f.text, " \t\n"); text[0] != '{' && text[0] != '[' {
		return p
	}
	var bad *json.SyntaxError
	if errors.As(json.Unmarshal([]byte(f.text), new(any)), &bad) {
		p = problem{Pos{1, 1}.behind(f.text[:bad.Offset-1]), "not JSON: " + bad.Error(), ""}
	}
	return p
}
