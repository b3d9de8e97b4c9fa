package graphfile

import (
	"slices"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/state"
)

// fieldSpec is a field of a graph's state.
type fieldSpec struct {
	ref
	decl   state.RecordField
	schema *state.RecordSchema // of this field alone
	kept   bool                // the agents' own nodes write it, no others
}

// fieldTypes are the types that a field can be declared with.
func fieldTypes() []string {
	return []string{"any", "string", "int", "float", "bool", "list", "map"}
}

func reducers() []string {
	var names []string
	for _, r := range state.Reductions() {
		names = append(names, string(r))
	}
	return names
}

// mostNames is how many fields a state may have, and how many names beside
// them the inputs of its sends.
const mostNames = 4096

// fields reads the section "state".
func (d *decoder) fields(g *graphSpec, n *source.Node) {
	entries := d.rep.Entries(n, `"state"`)
	if len(entries) > mostNames {
		d.rep.Errorf(n.Pos, "the state has %d fields, at most %d are allowed", len(entries), mostNames)
		entries = entries[:mostNames]
	}
	for _, e := range entries {
		f := d.field(e)
		if f == nil {
			g.lost[e.Key] = true
			continue
		}
		g.fields = append(g.fields, f)
	}
}

func (d *decoder) field(e source.Entry) *fieldSpec {
	decl := state.RecordField{Name: e.Key}
	keys := d.rep.Fields(orEmpty(e.Value), "a field of the state")
	ok := keys.Node != nil
	if keys.Has("reduce") {
		name, known := keys.OneOf("reduce", reducers()...)
		decl.Reduce, ok = state.Reduction(name), ok && known
	}
	if keys.Has("type") {
		name, known := keys.OneOf("type", fieldTypes()...)
		decl.Type, ok = name, ok && known
	}
	def := keys.Take("default")
	keys.Done()
	if !ok {
		return nil
	}
	f := &fieldSpec{ref: ref{name: e.Key, pos: e.KeyPos}, decl: decl}
	if !d.settle(f, def) {
		return nil
	}
	return f
}

// settle takes the start value and makes the field's own schema.
func (d *decoder) settle(f *fieldSpec, def *source.Node) bool {
	at := f.pos
	if def != nil && def.Kind != source.Null {
		value, ok := d.constant(def)
		if !ok {
			return false
		}
		if _, err := state.NewRecordSchema(f.decl); err == nil {
			at = def.Pos
		}
		f.decl.Default = value
	}
	schema, err := state.NewRecordSchema(f.decl)
	if err != nil {
		d.rep.Errorf(at, "field %q: %s", f.name, plainField(f.name, err))
		return false
	}
	f.schema = schema
	return true
}

// constant makes a value whose strings may hold expressions without names.
func (d *decoder) constant(n *source.Node) (any, bool) {
	v, ok := d.Value(n, expression.Scope{})
	if !ok {
		return nil, false
	}
	value, err := v.Eval(nil)
	if err != nil {
		d.rep.Errorf(n.Pos, "%s", plain(err))
		return nil, false
	}
	return value, true
}

// orEmpty takes a value that was left out for an empty map.
func orEmpty(n *source.Node) *source.Node {
	if n != nil && n.Kind == source.Null {
		return &source.Node{Kind: source.Map, Pos: n.Pos}
	}
	return n
}

// reduce is the field's reducer, never empty.
func (f *fieldSpec) reduce() state.Reduction {
	if f.decl.Reduce == "" {
		return state.ReduceLast
	}
	return f.decl.Reduce
}

// kind is the declared type; for lists and maps that of what is in them.
func (f *fieldSpec) kind() expression.Kind {
	return expression.Kind(max(0, slices.Index([]string{"any", "null", "bool", "int", "float", "string", "list", "map"}, f.decl.Type)))
}

// inner is the kind of the elements of a list field or the values of a map
// field.
func (f *fieldSpec) inner() expression.Kind {
	switch {
	case f.reduce() == state.ReduceMessages:
		return expression.Map
	case f.reduce() == state.ReduceMerge && f.kind() == expression.Map,
		f.reduce() != state.ReduceMerge && f.kind() == expression.List:
		return expression.Any
	}
	return f.kind()
}

// typ is the type of the field's value in expressions. A field without a
// start value is null until it is written, and a last field may be set to
// null at any time.
func (f *fieldSpec) typ() expression.Type {
	switch f.reduce() {
	case state.ReduceAppend, state.ReduceUnion, state.ReduceMessages:
		return expression.Type{Kind: expression.List, Elem: f.inner()}
	case state.ReduceMerge:
		return expression.Type{Kind: expression.Map}
	case state.ReduceSum:
		if f.kind() == expression.Any {
			return expression.Type{Kind: expression.Int}
		}
		return expression.Type{Kind: f.kind()}
	}
	return expression.Type{Kind: f.kind(), Nullable: true}
}

// String is the declaration as it could be written.
func (f *fieldSpec) String() string {
	typ := f.decl.Type
	if typ == "" {
		typ = "any"
	}
	return "{type: " + typ + ", reduce: " + string(f.reduce()) + "}"
}

// last says that two tasks of one step must not both write the field, and
// that a task's later write counts.
func (f *fieldSpec) last() bool { return f.reduce() == state.ReduceLast }
