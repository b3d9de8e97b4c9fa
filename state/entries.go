package state

import (
	"bytes"
	"encoding"
	"fmt"
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
// so what remains is one deletion and one put of different keys.
func netEffect[K comparable, V any](cs []Change, put, del *verb) []Change {
	puts, gone := map[K]V{}, map[K]bool{}
	var order []K // of first deletions, for a result that does not vary
	for i := range cs {
		switch v := cs[i].val.(type) {
		case entry[K, V]:
			puts[v.key] = v.value
		case map[K]V:
			for k, e := range v {
				puts[k] = e
			}
		case []K:
			for _, k := range v {
				if delete(puts, k); !gone[k] {
					gone[k] = true
					order = append(order, k)
				}
			}
		}
	}
	dels := slices.DeleteFunc(order, func(k K) bool { _, back := puts[k]; return back })
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
