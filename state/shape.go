package state

import (
	"encoding/json"
	"fmt"
	"strings"
)

// AppendShape appends what kind each field is, as a list of [name, kind, type],
// in the schema's order. It is for comparing with a later schema: ShapeChanges.
func (l *Layout) AppendShape(dst []byte) []byte {
	dst = append(dst, '[')
	for i, col := range l.cols {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		for k, text := range [...]string{col.name, col.kind, col.typeText()} {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst, _ = appendString(dst, strings.ToValidUTF8(text, "?"))
		}
		dst = append(dst, ']')
	}
	return append(dst, ']')
}

// ShapeChanges tells in which fields the schema differs from a stored shape,
// one sentence each, such as `field "x" was a list of string, is now a counter
// of int`. Fields that have another name now, by Renamed, and new ones are no
// differences. A shape that AppendShape did not write is an error.
func (l *Layout) ShapeChanges(stored []byte) ([]string, error) {
	var was [][3]string
	if err := json.Unmarshal(stored, &was); err != nil {
		return nil, fmt.Errorf("state: %w: a shape is a list of [name, kind, type]: %w", ErrValue, err)
	}
	var out []string
	for _, w := range was {
		i, there := l.byName[w[0]]
		if !there {
			out = append(out, fmt.Sprintf("field %q was %s, is now gone", w[0], noun(w[1], w[2])))
			continue
		}
		col := l.cols[i]
		if text := col.typeText(); w[1] != col.kind || w[2] != text {
			out = append(out, fmt.Sprintf("field %q was %s, is now %s", w[0], noun(w[1], w[2]), noun(col.kind, text)))
		}
	}
	return out, nil
}

// typeText names the type of the field's values.
func (col *column) typeText() string {
	if col.rule != nil {
		return col.rule.typ
	}
	return col.value.String()
}

// noun is a kind and a type in words.
func noun(kind, typ string) string {
	if rule, ok := strings.CutPrefix(kind, "reduced:"); ok {
		return fmt.Sprintf("a value of %s reduced by %q", typ, rule)
	}
	if rule, ok := strings.CutPrefix(kind, "record:"); ok {
		return fmt.Sprintf("%q of %s", rule, typ)
	}
	switch kind {
	case "list":
		return "a list of " + strings.TrimPrefix(typ, "[]")
	case "map", "dict":
		return "a " + typ
	case "messages":
		return "messages"
	}
	return fmt.Sprintf("a %s of %s", kind, typ)
}
