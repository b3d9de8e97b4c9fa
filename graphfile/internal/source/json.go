package source

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader reads a text that is known to be valid JSON.
type jsonReader struct {
	*tree
	dec  *json.Decoder
	text string
	off  int // where the last token started, in bytes
	pos  Pos // the same place
}

func (t *tree) json(text string) *Node {
	r := &jsonReader{tree: t, dec: json.NewDecoder(strings.NewReader(text)), text: text, pos: Pos{1, 1}}
	r.dec.UseNumber()
	return r.value()
}

// token reads the next token and its place.
func (r *jsonReader) token() json.Token {
	start := int(r.dec.InputOffset())
	for strings.IndexByte(" \t\n,:", r.text[start]) >= 0 {
		start++
	}
	r.pos, r.off = r.pos.behind(r.text[r.off:start]), start
	tok, err := r.dec.Token()
	if err != nil {
		r.fail(r.pos, "%v", err)
	}
	return tok
}

// behind is the place behind a text that starts at p.
func (p Pos) behind(text string) Pos {
	if last := strings.LastIndexByte(text, '\n'); last >= 0 {
		p = Pos{p.Line + strings.Count(text, "\n"), 1}
		text = text[last+1:]
	}
	p.Col += utf8.RuneCountInString(text)
	return p
}

func (r *jsonReader) value() *Node {
	tok := r.token()
	n := r.node(Null, r.pos)
	switch v := tok.(type) {
	case json.Delim:
		r.collection(n, v)
	case string:
		n.Kind, n.Text, n.Quoted = String, r.unescaped(v), true
	case json.Number:
		n.Text = v.String()
		r.check(n)
	case bool:
		n.Kind, n.Bool, n.Text = Bool, v, strconv.FormatBool(v)
	default:
		n.Text = "null"
	}
	return n
}

// collection reads a list or map behind its opening bracket.
func (r *jsonReader) collection(n *Node, open json.Delim) {
	n.Kind = List
	if open == '{' {
		n.Kind = Map
	}
	if !r.enter(n.Pos) {
		return
	}
	defer r.leave()
	all := r.keys(n)
	for !r.failed && r.dec.More() {
		if n.Kind == List {
			n.Items = append(n.Items, r.value())
			continue
		}
		key, _ := r.token().(string)
		key, at := r.unescaped(key), r.pos
		all.add(key, at, r.value())
	}
	if !r.failed {
		r.token()
	}
}

// unescaped returns the text of the last token, and reports an escape in it
// that names no character, for which the decoder puts a replacement.
func (r *jsonReader) unescaped(text string) string {
	if !strings.Contains(text, "\ufffd") {
		return text
	}
	raw := r.text[r.off:r.dec.InputOffset()]
	if i := halfPair(raw); i >= 0 {
		d := r.rep.Errorf(r.pos.behind(raw[:i]), "the escape names no character: %s", raw[i:i+len(`\u0000`)])
		d.Hint = "it is half of a surrogate pair; the other half is missing"
	}
	return text
}

// halfPair finds the first escape of a JSON string that is half a surrogate
// pair, or returns -1.
func halfPair(raw string) int {
	const size = len(`\u0000`)
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		r := escapedUnit(raw[i:])
		switch {
		case r < 0:
			i++
		case !utf16.IsSurrogate(r):
			i += size - 1
		case utf16.DecodeRune(r, escapedUnit(raw[i+size:])) != utf8.RuneError:
			i += 2*size - 1
		default:
			return i
		}
	}
	return -1
}

// escapedUnit is what the escape \u0000 at the start of a text stands for, or
// -1 if there is none.
func escapedUnit(text string) rune {
	if !strings.HasPrefix(text, `\u`) || len(text) < len(`\u0000`) {
		return -1
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
