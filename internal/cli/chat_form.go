package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// formAsking asks for an object field by field. A line with a JSON object, where
// the first field is asked for, is the whole of it.
type formAsking struct {
	fields []formField
	at     int
	spare  string // what stands for an empty answer; "": nothing
	filled map[string]any
}

// formField is a property of the schema.
type formField struct {
	name, about, kind string // kind is the JSON type; "": any
	choices           []any
	needed            bool
}

// newFormAsking reads a question with the schema of an object; it is false for
// others. Needed fields come first, in their order, then the others by name.
func newFormAsking(m map[string]any) (*formAsking, bool) {
	schema, _ := m["schema"].(map[string]any)
	if schema == nil {
		schema, _ = m["form"].(map[string]any)
	}
	props, _ := schema["properties"].(map[string]any)
	needed := rulingWords(schema["required"])
	f := &formAsking{filled: map[string]any{}, spare: spareText(m)}
	for _, name := range needed {
		if prop, ok := props[name].(map[string]any); ok {
			f.fields = append(f.fields, newFormField(name, prop, true))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if prop, ok := props[name].(map[string]any); ok && !slices.Contains(needed, name) {
			f.fields = append(f.fields, newFormField(name, prop, false))
		}
	}
	return f, len(f.fields) > 0
}

func newFormField(name string, prop map[string]any, needed bool) formField {
	f := formField{name: name, needed: needed}
	f.kind, _ = prop["type"].(string)
	f.choices, _ = prop["enum"].([]any)
	for _, key := range []string{"description", "title"} {
		if text, ok := prop[key].(string); ok && f.about == "" {
			f.about = text
		}
	}
	return f
}

func (f *formAsking) next() string {
	one := &f.fields[f.at]
	text := "  " + one.name
	if one.about != "" {
		text += " – " + one.about
	}
	var hints []string
	if one.kind != "" && one.choices == nil {
		hints = append(hints, one.kind)
	}
	if !one.needed {
		hints = append(hints, "nothing leaves it out")
	}
	if f.at == 0 && len(f.fields) > 1 {
		hints = append(hints, "or all fields as a JSON object")
	}
	if f.at == 0 && f.spare != "" {
		hints = append(hints, "an empty line is "+oneLine(f.spare))
	}
	if hints != nil {
		text += " (" + strings.Join(hints, "; ") + ")"
	}
	if one.choices != nil {
		text += "\n" + strings.Join(choiceRows(one.choices), "\n")
	}
	return text
}

func (f *formAsking) take(line string) (bool, error) {
	line = strings.TrimSpace(line)
	one := &f.fields[f.at]
	if f.at == 0 && one.kind != "object" && strings.HasPrefix(line, "{") {
		v, err := state.ParseAny([]byte(line))
		if err != nil {
			return false, fmt.Errorf("not JSON: %w", err)
		}
		f.filled = v.(map[string]any)
		return true, nil
	}
	if f.at == 0 && line == "" && f.spare != "" {
		f.filled = nil
		return true, nil
	}
	if line != "" || one.needed {
		v, err := one.read(line)
		if err != nil {
			return false, err
		}
		f.filled[one.name] = v
	}
	f.at++
	return f.at == len(f.fields), nil
}

// read reads the value of a field.
func (o *formField) read(line string) (any, error) {
	if o.choices != nil {
		i, err := pick(line, o.choices)
		if err != nil {
			return nil, err
		}
		return o.choices[i], nil
	}
	if line == "" {
		return nil, fmt.Errorf("%s is needed", o.name)
	}
	v, err := state.ParseAny([]byte(line))
	switch o.kind {
	case "string":
		if text, ok := v.(string); err == nil && ok {
			return text, nil
		}
		return line, nil
	case "boolean":
		return yesNo(line)
	case "integer", "number":
		_, whole := v.(int64)
		_, part := v.(float64)
		if err != nil || !whole && (!part || o.kind == "integer") {
			return nil, fmt.Errorf("%q is no %s", line, o.kind)
		}
		return v, nil
	case "array", "object":
		if err != nil {
			return nil, fmt.Errorf("%s takes JSON: %w", o.name, err)
		}
		return v, nil
	}
	return typedAnswer(line), nil
}

func yesNo(line string) (any, error) {
	switch strings.ToLower(line) {
	case "y", "yes", "true":
		return true, nil
	case "n", "no", "false":
		return false, nil
	}
	return nil, errors.New("answer y or n")
}

func (f *formAsking) answer() any {
	if f.filled == nil {
		return nil
	}
	return f.filled
}
