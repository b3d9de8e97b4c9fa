package state

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"
)

// maxDepth is how deep lists and maps may be nested in one value.
const maxDepth = 1000

// outline is what a scan finds out about a value's outermost level.
type outline struct {
	null    bool // the value is null
	nulls   bool // a part of the outermost list or object is null
	members int  // keys of the outermost object
}

// scanner looks through JSON for what encoding/json reads without a word,
// though it loses something: keys that come twice, text that is no UTF-8,
// halves of surrogate pairs. It keeps one set of keys for each open object.
type scanner struct {
	data  []byte
	open  []level
	limit int
	found outline
}

type level struct {
	object bool
	keys   []string
	many   map[string]bool // instead of keys, where there are many
}

// scan checks exactly one JSON value.
func scan(data []byte, limit int) (outline, error) {
	if !utf8.Valid(data) {
		return outline{}, fmt.Errorf("%w: text is not valid UTF-8", ErrValue)
	}
	s := scanner{data: data, limit: limit}
	for i := 0; i < len(data); {
		next, err := s.token(i)
		if err != nil {
			return outline{}, err
		}
		i = next
	}
	// Depth is limited by now, so encoding/json is safe to judge the grammar.
	if !json.Valid(data) {
		return outline{}, wrongJSON("one JSON value", data)
	}
	return s.found, nil
}

// token passes over what stands at i and returns where the next thing begins.
func (s *scanner) token(i int) (int, error) {
	switch s.data[i] {
	case '{', '[':
		if len(s.open) == s.limit {
			return i, fmt.Errorf("%w: nested deeper than %d levels", ErrValue, maxDepth)
		}
		s.open = append(s.open, level{object: s.data[i] == '{'})
	case '}', ']':
		if len(s.open) > 0 {
			s.open = s.open[:len(s.open)-1]
		}
	case '"':
		return s.text(i)
	case 'n':
		s.found.null = s.found.null || len(s.open) == 0
		s.found.nulls = s.found.nulls || len(s.open) == 1
	}
	return i + 1, nil
}

// text passes over the string at i, and notes it if it is a key.
func (s *scanner) text(start int) (int, error) {
	escaped := false
	i := start + 1
	for i < len(s.data) && s.data[i] != '"' {
		if s.data[i] != '\\' {
			i++
			continue
		}
		escaped = true
		if half(s.data[i:]) {
			return i, fmt.Errorf("%w: %s is half of a surrogate pair", ErrValue, s.data[i:i+6])
		}
		i += escapeLen(s.data[i:])
	}
	end := min(i+1, len(s.data))
	if len(s.open) == 0 || !s.open[len(s.open)-1].object || !isKey(s.data[end:]) {
		return end, nil
	}
	key := string(s.data[start+1 : max(end-1, start+1)])
	if escaped {
		if err := json.Unmarshal(s.data[start:end], &key); err != nil {
			return end, fmt.Errorf("%w: %w", ErrValue, err)
		}
	}
	if len(s.open) == 1 {
		s.found.members++
	}
	if !s.open[len(s.open)-1].add(key) {
		return end, fmt.Errorf("%w: the key %q comes twice", ErrValue, key)
	}
	return end, nil
}

func isKey(rest []byte) bool {
	for _, c := range rest {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return c == ':'
	}
	return false
}

// escapeLen returns the length of the escape at the begin of b; surrogate
// pairs count as one.
func escapeLen(b []byte) int {
	if isSurrogate(b, 0xD8) {
		return 12
	}
	return 2
}

// half reports whether b begins with an escaped surrogate without its partner.
func half(b []byte) bool {
	if isSurrogate(b, 0xDC) {
		return true
	}
	return isSurrogate(b, 0xD8) && !isSurrogate(b[6:], 0xDC)
}

// isSurrogate reports whether b begins with \uXXXX of the 1024 code points
// from first<<8 on.
func isSurrogate(b []byte, first byte) bool {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return false
	}
	hi, lo := hexDigit(b[2]), hexDigit(b[3])
	return hi >= 0 && lo >= 0 && byte(hi<<4|lo)&0xFC == first && hexDigit(b[4]) >= 0 && hexDigit(b[5]) >= 0
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// add notes a key; false if it was there.
func (l *level) add(key string) bool {
	if l.many == nil {
		if slices.Contains(l.keys, key) {
			return false
		}
		if l.keys = append(l.keys, key); len(l.keys) <= 16 {
			return true
		}
		l.many = make(map[string]bool, 64)
		for _, k := range l.keys {
			l.many[k] = true
		}
		return true
	}
	if l.many[key] {
		return false
	}
	l.many[key] = true
	return true
}

// holdsNull reports whether JSON's null is a value of t.
func holdsNull(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return reflect.PointerTo(t).Implements(typeOf[json.Unmarshaler]())
}

// replaced is what encoding/json writes for a byte that is no UTF-8.
var replaced = []byte(`\ufffd`)

// validTexts reports whether all texts in v that encoding/json writes by
// itself are UTF-8.
func validTexts(v reflect.Value, depth int) bool {
	if depth > maxDepth || v.IsValid() && v.Kind() != reflect.Pointer && codesItself(v.Type()) {
		return true
	}
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || validTexts(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if !validTexts(v.Field(i), depth+1) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !validTexts(v.Index(i), depth+1) {
				return false
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if !validTexts(it.Key(), depth+1) || !validTexts(it.Value(), depth+1) {
				return false
			}
		}
	}
	return true
}
