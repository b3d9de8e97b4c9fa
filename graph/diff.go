package graph

import (
	"bytes"
	"context"
	"encoding/json"
)

// FieldDiff is a field that two checkpoints have in different ways.
type FieldDiff struct {
	Field string          `json:"field"`
	From  json.RawMessage `json:"from,omitempty"` // absent: it has no value there
	To    json.RawMessage `json:"to,omitempty"`
}

// Diff returns the fields whose values differ between two checkpoints of a
// thread, in the schema's order; "" is the newest.
func (g *Graph[S]) Diff(ctx context.Context, thread, from, to string) ([]FieldDiff, error) {
	v, err := g.viewer(ctx, thread)
	if err != nil {
		return nil, err
	}
	a, err := v.fields(g.program, from)
	if err != nil {
		return nil, g.threadError(thread, err)
	}
	b, err := v.fields(g.program, to)
	if err != nil {
		return nil, g.threadError(thread, err)
	}
	var out []FieldDiff
	for _, name := range g.program.layout.Fields() {
		if !bytes.Equal(a[name], b[name]) {
			out = append(out, FieldDiff{name, a[name], b[name]})
		}
	}
	return out, nil
}

// fields returns the state of a checkpoint, field by field.
func (v *survey) fields(p *program, name string) (map[string]json.RawMessage, error) {
	log, err := v.at(name)
	if err != nil {
		return nil, err
	}
	st, err := p.rebuild(log)
	if err != nil {
		return nil, err
	}
	data, err := p.layout.AppendState(nil, st.State())
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	return fields, json.Unmarshal(data, &fields)
}
