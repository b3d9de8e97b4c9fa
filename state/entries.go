package state

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// entry is what a Put of one key carries.
type entry[K comparable, V any] struct {
	key   K
	value V
}

func asMap[K comparable, V any](v any) map[K]V {
	m, _ := v.(map[K]V)
	return m
}

// netEffect folds puts and deletions: of each key only the last change counts,
// so what remains is one deletion and one put of different keys. Deletions are in
// the order of the last of each key, whatever was folded before.
func netEffect[K comparable, V any](cs []Change, put, del *verb) []Change {
	puts, gone := map[K]V{}, map[K]int{}
	n := 0 // deletions, for an order that does not vary
	for i := range cs {
		switch v := cs[i].val.(type) {
		case entry[K, V]:
			puts[v.key] = v.value
			delete(gone, v.key)
		case map[K]V:
			for k, e := range v {
				puts[k] = e
				delete(gone, k)
			}
		case []K:
			for _, k := range v {
				n++
				delete(puts, k)
				gone[k] = n
			}
		}
	}
	dels := slices.SortedFunc(maps.Keys(gone), func(a, b K) int { return gone[a] - gone[b] })
	var out []Change
	if len(dels) > 0 {
		out = append(out, Change{verb: del, val: dels})
	}
	if len(puts) > 0 || len(out) == 0 {
		out = append(out, Change{verb: put, val: puts})
	}
	return out
}

// appendObject writes a map with sorted keys; nil is an empty one. Keys are
// written as encoding/json does, values as appendJSON does.
func appendObject[K comparable, V any](dst []byte, m map[K]V) ([]byte, error) {
	type member struct {
		name string
		key  K
	}
	members := make([]member, 0, len(m))
	for k := range m {
		name, err := keyText(k)
		if err != nil {
			return dst, err
		}
		members = append(members, member{name, k})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	dst = append(dst, '{')
	var err error
	for i, e := range members {
		if i > 0 {
			dst = append(dst, ',')
			if members[i-1].name == e.name {
				return dst, fmt.Errorf("%w: two keys are both written %q", ErrValue, e.name)
			}
		}
		if dst, err = appendString(dst, e.name); err != nil {
			return dst, err
		}
		if dst, err = appendJSON(append(dst, ':'), m[e.key]); err != nil {
			return dst, fmt.Errorf("key %q: %w", e.name, err)
		}
	}
	return append(dst, '}'), nil
}

func keyText[K comparable](k K) (string, error) {
	if s, ok := any(k).(string); ok {
		return s, nil
	}
	v := reflect.ValueOf(k)
	if v.Kind() == reflect.String {
		return v.String(), nil
	}
	if t, ok := any(k).(encoding.TextMarshaler); ok {
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return "", fmt.Errorf("%w: a nil key", ErrValue)
		}
		b, err := t.MarshalText()
		return string(b), err
	}
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), nil
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), nil
	}
	return "", fmt.Errorf("%w: JSON cannot keep map keys of type %T", ErrValue, k)
}

// parseObject reads a JSON object; null is an error, for it would hide a
// mistake.
func parseObject[K comparable, V any](data []byte) (map[K]V, error) {
	if m, ok := quickObject[K, V](data); ok {
		return m, nil
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return nil, wrongJSON("an object", data)
	}
	var m map[K]V
	found, err := parsePart[V](data, &m)
	if err != nil {
		return nil, err
	}
	if len(m) != found.members {
		return nil, fmt.Errorf("%w: two keys of the object are the same %v", ErrValue, reflect.TypeFor[K]())
	}
	return m, nil
}

// parseList reads a JSON list; null is an error, for it would hide a mistake.
func parseList[E any](data []byte) ([]E, error) {
	if es, ok := quickList[E](data); ok {
		return es, nil
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '[' {
		return nil, wrongJSON("a list", data)
	}
	var es []E
	if _, err := parsePart[E](data, &es); err != nil {
		return nil, err
	}
	return es, nil
}

// oddKeys reports whether encoding/json may write a key of type t differently
// as an element of a list and as the key of an object.
func oddKeys(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	switch text := typeOf[encoding.TextMarshaler](); {
	case p.Implements(typeOf[json.Marshaler]()):
		return true
	case p.Implements(text):
		return t.Kind() == reflect.String || !t.Implements(text)
	}
	return false
}

// parseKeys reads the keys of an object, sorted.
func parseKeys[K comparable](data []byte) ([]K, error) {
	m, err := parseObject[K, any](data)
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		x, _ := keyText(a) // which an object's key has
		y, _ := keyText(b)
		return strings.Compare(x, y)
	}), nil
}
