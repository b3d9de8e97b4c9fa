// Package params reads the shapes of values that models make: the arguments of a
// tool, an agent's answer. A shape is written key by key, {city: string, days:
// {type: int, optional: true}}, or as a JSON Schema.
package params

import (
	"encoding/json"
	"slices"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/internal/expression"
)

// Shape is what is known of a value.
type Shape struct {
	Schema json.RawMessage
	Type   string            // as JSON Schema names it; "": any
	Keys   *expression.Shape // of an object; never nil
}

// Read reads the shape under one of two keys, of which the first has it key by
// key and the second as a JSON Schema; nil if neither is there, or it is wrong.
func Read(p *page.Page, f *source.Fields, keys, schema string) *Shape {
	switch f.AtMostOne(keys, schema) {
	case keys:
		return byKey(p, f, keys)
	case schema:
		return bySchema(p, f.Take(schema), schema)
	}
	return nil
}

// None is the shape of an object without keys.
func None() *Shape { return made(nil, nil, &expression.Shape{}) }

// byKey reads {city: string, days: {type, optional, enum, items, description}}.
func byKey(p *page.Page, f *source.Fields, key string) *Shape {
	if n := f.Take(key); n.Kind == source.Null {
		return None()
	}
	entries := f.Entries(key)
	props, required := []property{}, []string{}
	known := &expression.Shape{Keys: map[string]expression.Type{}}
	for _, e := range entries {
		one := property{name: e.Key}
		optional := one.read(p, e)
		if !optional {
			required = append(required, e.Key)
		}
		props = append(props, one)
		t := expression.Type{Kind: one.kind()}
		t.Nullable = optional && t.Kind != expression.Any
		known.Keys[e.Key] = t
	}
	return made(props, required, known)
}

func made(props []property, required []string, known *expression.Shape) *Shape {
	object := map[string]any{"type": "object", "properties": map[string]any{}, "additionalProperties": false}
	for i := range props {
		object["properties"].(map[string]any)[props[i].name] = props[i].schema
	}
	if len(required) > 0 {
		object["required"] = required
	}
	data, err := json.Marshal(object)
	if err != nil { // of texts and numbers that were JSON before
		data = []byte(`{"type":"object"}`)
	}
	return &Shape{Schema: data, Type: "object", Keys: known}
}

// property is one key of an object.
type property struct {
	name, typ string
	schema    map[string]any
}

// types are the types of files with their names in JSON Schema.
func types() (files, schemas []string) {
	return []string{"any", "string", "int", "float", "bool", "list", "map"},
		[]string{"", "string", "integer", "number", "boolean", "array", "object"}
}

// read reads a type's name, or {type, optional, enum, items, description}.
func (o *property) read(p *page.Page, e source.Entry) (optional bool) {
	o.schema = map[string]any{}
	names, _ := types()
	if e.Value.Kind == source.String {
		o.typ, _ = p.Rep.OneOf(e.Value, `"`+e.Key+`"`, names...)
		o.typed()
		return false
	}
	f := p.Rep.Fields(e.Value, "a type")
	if f.Need("type") != nil {
		o.typ, _ = f.OneOf("type", names...)
	}
	o.typed()
	optional, _ = f.Bool("optional")
	if text, ok := f.Text("description"); ok {
		o.schema["description"] = text
	}
	if items, ok := f.Items("enum"); ok && f.Has("enum") {
		var all []any
		for _, n := range items {
			all = append(all, n.Any())
		}
		if o.schema["enum"] = all; len(all) == 0 {
			p.Rep.Errorf(f.KeyPos("enum"), `"enum" is empty`)
		}
	}
	if n := f.Take("items"); n != nil {
		inner := property{}
		inner.read(p, source.Entry{Key: "items", KeyPos: f.KeyPos("items"), Value: n})
		if o.schema["items"] = inner.schema; o.typ != "list" {
			p.Rep.Errorf(f.KeyPos("items"), `"items" is only for lists`)
		}
	}
	f.Done()
	return optional
}

func (o *property) typed() {
	files, schemas := types()
	if i := slices.Index(files, o.typ); i > 0 {
		o.schema["type"] = schemas[i]
	}
}

func (o *property) kind() expression.Kind { return kindNamed(o.typ) }

func kindNamed(name string) expression.Kind {
	kinds := []string{"any", "null", "bool", "int", "float", "string", "list", "map"}
	return expression.Kind(max(0, slices.Index(kinds, name)))
}
