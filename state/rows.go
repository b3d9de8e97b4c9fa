package state

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// row is one [field, verb, value] of a list. Its parts refer to the list's
// bytes unless they held escapes.
type row struct {
	name, verb []byte
	value      []byte // not looked at but for where it ends
}

// rowReader goes through a list of rows.
type rowReader struct {
	data []byte
	at   int
	one  row
}

// each visits the rows of the list, until a visit returns false. It looks only
// at what it passes over: values are for their decoders to judge.
func (r *rowReader) each(visit func(n int, one *row) bool) error {
	if !r.take('[') {
		return r.wrong("a list of [field, verb, value]")
	}
	for n := 0; ; n++ {
		if r.take(']') {
			break
		}
		if n > 0 && !r.take(',') {
			return r.wrong("a comma or the end of the list")
		}
		if err := r.row(&r.one); err != nil {
			return fmt.Errorf("operation %d: %w", n, err)
		}
		if !visit(n, &r.one) {
			return nil
		}
	}
	if r.space(); r.at < len(r.data) {
		return r.wrong("the end")
	}
	return nil
}

func (r *rowReader) row(one *row) (err error) {
	if !r.take('[') {
		return r.wrong("[field, verb, value]")
	}
	if one.name, err = r.text(); err != nil {
		return err
	}
	if !r.take(',') {
		return r.wrong("a comma and a verb")
	}
	if one.verb, err = r.text(); err != nil {
		return err
	}
	if !r.take(',') {
		return r.wrong("a comma and a value")
	}
	if one.value, err = r.value(); err != nil {
		return err
	}
	if !r.take(']') {
		return r.wrong("the end of [field, verb, value]")
	}
	return nil
}

// value passes over a value, which it does not judge.
func (r *rowReader) value() ([]byte, error) {
	r.space()
	end := skipValue(r.data, r.at)
	if end == r.at {
		return nil, r.wrong("a value")
	}
	value := r.data[r.at:end:end]
	r.at = end
	return value, nil
}

func (r *rowReader) space() {
	for r.at < len(r.data) && isSpace(r.data[r.at]) {
		r.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// take passes over c; false if something else comes.
func (r *rowReader) take(c byte) bool {
	if r.at < len(r.data) && r.data[r.at] == c {
		r.at++
		return true
	}
	r.space()
	if r.at < len(r.data) && r.data[r.at] == c {
		r.at++
		return true
	}
	return false
}

// text reads a field or a verb.
func (r *rowReader) text() ([]byte, error) {
	r.space()
	if r.at == len(r.data) || r.data[r.at] != '"' {
		return nil, r.wrong("a text")
	}
	end := skipText(r.data, r.at)
	raw := r.data[r.at:end]
	if len(raw) < 2 || raw[len(raw)-1] != '"' {
		return nil, r.wrong("a whole text")
	}
	if bytes.IndexFunc(raw, strange) < 0 {
		r.at = end
		return raw[1 : len(raw)-1], nil
	}
	var text string
	if err := parseJSON(raw, &text); err != nil {
		return nil, err
	}
	r.at = end
	return []byte(text), nil
}

func (r *rowReader) wrong(want string) error {
	return fmt.Errorf("at byte %d: %w", r.at, wrongJSON(want, r.data[r.at:]))
}

// strange reports what names are not written with: what JSON escapes, and what
// is not, or might not be, UTF-8.
func strange(c rune) bool { return c < ' ' || c == '\\' || c == utf8.RuneError }

// skipText returns where the text that begins at i ends.
func skipText(data []byte, i int) int {
	for from := i; ; {
		k := bytes.IndexByte(data[i+1:], '"')
		if k < 0 {
			return len(data)
		}
		i += k + 1
		slashes := 0
		for i-1-slashes > from && data[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// skipValue returns where the value that begins at i ends, if it is one; if
// there is none it returns i.
func skipValue(data []byte, i int) int {
	depth := 0
	for ; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = skipText(data, i) - 1
		case '[', '{':
			depth++
			continue
		case ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
			continue
		default:
			if depth > 0 || !endsScalar(data, i+1) {
				continue
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}

// endsScalar reports whether a number or word ends before i.
func endsScalar(data []byte, i int) bool {
	if i >= len(data) {
		return true
	}
	c := data[i]
	return c == ',' || c == ']' || c == '}' || isSpace(c)
}
