package state

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// recordRule is what a record's field accepts.
type recordRule struct {
	reduce Reduction
	typ    string // "any", "string", …: of elements or values where the field is a list or map
}

func (r *recordRule) fits(other *recordRule) bool {
	return r == nil && other == nil || r != nil && other != nil && *r == *other
}

// whole accepts the value of a field that is not changed by elements.
func (r *recordRule) whole(v any) (any, error) {
	if r.reduce == ReduceUnion {
		l, err := listOf(r, v)
		if err != nil {
			return nil, err
		}
		return union(nil, l)
	}
	return r.item(v)
}

// item accepts a value of the declared type, or one element of it.
func (r *recordRule) item(v any) (any, error) {
	if r.reduce == ReduceMessages {
		return r.message(v)
	}
	if v == nil && (r.reduce == ReduceLast || r.typ == "any") {
		return nil, nil
	}
	got := typeName(v)
	switch {
	case r.typ == "any" || r.typ == got:
		return v, nil
	case r.typ == "float" && got == "int":
		return float64(v.(int64)), nil
	}
	return nil, fmt.Errorf("%w: want %s, got %s", ErrValue, r.typ, shown(v))
}

// message accepts a map; a plain text is a human's message.
func (r *recordRule) message(v any) (any, error) {
	if text, ok := v.(string); ok {
		return map[string]any{"type": string(RoleHuman), "content": text}, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: a message is a map or a text, got %s", ErrValue, shown(v))
	}
	if id, there := m["id"]; there && id != nil {
		if _, text := id.(string); !text {
			return nil, fmt.Errorf("%w: a message's id is text, got %s", ErrValue, shown(id))
		}
	}
	return v, nil
}

// listOf accepts a list of elements, or one element.
func listOf(r *recordRule, v any) ([]any, error) {
	if v == nil {
		return nil, fmt.Errorf("%w: want a list or an element, got null", ErrValue)
	}
	l, ok := v.([]any)
	if !ok {
		l = []any{v}
	}
	out := make([]any, len(l))
	for i := range l {
		e, err := r.item(l[i])
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = e
	}
	return out, nil
}

// change makes the change that writes v to the column.
func (r *recordRule) change(col *column, v any, whole bool) (Change, error) {
	v, err := normal(v, nil)
	if err != nil {
		return Change{}, err
	}
	return r.admit(col, v, whole)
}

// admit is change for a value in normal form, which the change keeps.
func (r *recordRule) admit(col *column, v any, whole bool) (Change, error) {
	by := col.usual
	if whole {
		by = col.verb(VerbReplace)
	}
	switch r.reduce {
	case ReduceAppend, ReduceMessages:
		l, err := listOf(r, v)
		return Change{verb: by, val: l}, err
	case ReduceMerge:
		return r.entries(by, v)
	case ReduceSum:
		return r.number(by, v)
	}
	v, err := r.whole(v)
	return Change{verb: by, val: v}, err
}

func (r *recordRule) entries(by *verb, v any) (Change, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return Change{}, fmt.Errorf("%w: want a map, got %s", ErrValue, shown(v))
	}
	out := make(map[string]any, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fits, err := r.item(m[k])
		if err != nil {
			return Change{}, fmt.Errorf("key %q: %w", k, err)
		}
		out[k] = fits
	}
	return Change{verb: by, val: out}, nil
}

func (r *recordRule) number(by *verb, v any) (Change, error) {
	switch n := v.(type) {
	case int64:
		if r.typ == "float" {
			return Change{verb: by, word: floatBits(float64(n))}, nil
		}
		return Change{verb: by, word: uint64(n)}, nil
	case float64:
		if r.typ == "float" {
			return Change{verb: by, word: floatBits(n)}, nil
		}
	}
	return Change{}, fmt.Errorf("%w: want %s, got %s", ErrValue, r.typ, shown(v))
}

// typeName returns the graph files' name of a value's type.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "bool"
	case int64:
		return "int"
	case float64:
		return "float"
	case string:
		return "string"
	case []any:
		return "list"
	case map[string]any:
		return "map"
	}
	return fmt.Sprintf("%T", v)
}

// shown is a short form of a value for errors.
func shown(v any) string {
	b, err := appendAny(nil, v)
	if err != nil || len(b) > 40 {
		return "a " + typeName(v)
	}
	return fmt.Sprintf("%s %s", typeName(v), b)
}

// compareValues orders numbers and texts for max and min.
func compareValues(a, b any) (int, error) {
	switch x := a.(type) {
	case int64:
		switch y := b.(type) {
		case int64:
			return cmp.Compare(x, y), nil
		case float64:
			return compareMixed(x, y), nil
		}
	case float64:
		switch y := b.(type) {
		case int64:
			return -compareMixed(y, x), nil
		case float64:
			return cmp.Compare(x, y), nil
		}
	case string:
		if y, ok := b.(string); ok {
			return cmp.Compare(x, y), nil
		}
	}
	return 0, fmt.Errorf("%w: %s and %s have no order", ErrValue, shown(a), shown(b))
}

// compareMixed orders an integer and a float without rounding either.
func compareMixed(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	whole := math.Trunc(f)
	if c := cmp.Compare(i, int64(whole)); c != 0 {
		return c
	}
	return cmp.Compare(whole, f)
}
