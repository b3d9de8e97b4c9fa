package state

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
)

// Record is a state without a struct: its fields are declared at run time, as
// in graph files. It works with the same reducers as structs. A Record is a
// view: what Get returns must not be changed. The zero Record stands for the
// start values of whatever schema takes it.
type Record struct {
	layout *Layout
	cells  []any
}

// Get returns the value of a field: nil, bool, int64, float64, string, []any
// or map[string]any. It is false if there is no such field or it has no value.
func (r Record) Get(name string) (any, bool) {
	if r.layout == nil {
		return nil, false
	}
	i, ok := r.layout.byName[name]
	if !ok || r.cells[i] == nil {
		return nil, false
	}
	return r.cells[i], true
}

// All yields the fields that have a value, in the schema's order.
func (r Record) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for i, v := range r.cells {
			if v != nil && !yield(r.layout.cols[i].name, v) {
				return
			}
		}
	}
}

// MarshalJSON writes the record as Schema.EncodeState does.
func (r Record) MarshalJSON() ([]byte, error) {
	if r.layout == nil {
		return []byte("{}"), nil
	}
	return r.layout.AppendState(nil, &r)
}

// Reduction names the reducer of a record's field.
type Reduction string

// The reducers of records, named as in graph files.
const (
	ReduceLast     Reduction = "last"     // the last value; one writer a step
	ReduceAppend   Reduction = "append"   // a list that grows
	ReduceSum      Reduction = "sum"      // a number that is added to
	ReduceMerge    Reduction = "merge"    // a map, changed key by key
	ReduceMessages Reduction = "messages" // a list whose elements are replaced by id
	ReduceMax      Reduction = "max"      // the greatest value written
	ReduceMin      Reduction = "min"      // the least value written
	ReduceUnion    Reduction = "union"    // a list without equal elements
)

// Reductions returns all reducers of records.
func Reductions() []Reduction {
	return []Reduction{ReduceLast, ReduceAppend, ReduceSum, ReduceMerge, ReduceMessages, ReduceMax, ReduceMin, ReduceUnion}
}

// RecordField declares a field of a Record.
type RecordField struct {
	Name   string
	Reduce Reduction // "" means ReduceLast
	// Type is "any" (also if empty), "string", "int", "float", "bool", "list"
	// or "map". Of append, union and messages fields a scalar type is that of
	// the elements, of merge fields that of the values.
	Type    string
	Default any  // the start value; nil: [] for lists, 0 for sums, {} for maps, else none
	Local   bool // written by sends only
}

// RecordSchema is the schema of a Record, with writes by name.
type RecordSchema struct{ *Schema[Record] }

// NewRecordSchema declares a record and returns all problems at once.
func NewRecordSchema(fields ...RecordField) (*RecordSchema, error) {
	l := &Layout{typ: reflect.TypeFor[Record](), byName: map[string]int{}}
	ops := &recordOps{layout: l}
	l.ops = ops
	var problems []error
	for i, f := range fields {
		col, start, err := recordColumn(i, f)
		if err != nil {
			problems = append(problems, fmt.Errorf("%w: field %q: %w", ErrSchema, f.Name, err))
			continue
		}
		for _, err := range l.add([]*column{col}, nil) {
			problems = append(problems, fmt.Errorf("%w: field %d: %w", ErrSchema, i+1, err))
		}
		ops.start = append(ops.start, start)
	}
	if len(fields) > maxFields {
		problems = append(problems, fmt.Errorf("%w: %d fields are more than %d", ErrSchema, len(fields), maxFields))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	l.index()
	return &RecordSchema{&Schema[Record]{l}}, nil
}

// Write makes a write of the field's usual verb: last sets, append appends
// one element or all of a list, sum adds, merge and messages put. The value is
// checked when it is made.
func (s *RecordSchema) Write(field string, value any) (Write[Record], error) {
	return s.write(field, value, false)
}

// Replace makes a write that gives the field a whole new value past its
// reducer. It is how a send lays a value over a field.
func (s *RecordSchema) Replace(field string, value any) (Write[Record], error) {
	return s.write(field, value, true)
}

func (s *RecordSchema) write(field string, value any, whole bool) (Write[Record], error) {
	i, ok := s.layout.byName[field]
	if !ok {
		return Write[Record]{}, fmt.Errorf("state: %w", s.layout.unknown(field))
	}
	c, err := s.layout.cols[i].rule.change(s.layout.cols[i], value, whole)
	if err != nil {
		return Write[Record]{}, fmt.Errorf("state: field %q: %w", field, err)
	}
	return Write[Record]{c}, nil
}

// recordOps makes and copies records. A copy gets cells of its own.
type recordOps struct {
	layout *Layout
	start  []any
}

func (o *recordOps) fresh() any {
	return &Record{layout: o.layout, cells: slices.Clone(o.start)}
}

func (o *recordOps) copy(dst, src any) {
	d, s := dst.(*Record), src.(*Record)
	cells := make([]any, len(o.start))
	if s.layout == o.layout {
		copy(cells, s.cells)
	} else {
		copy(cells, o.start)
		o.take(cells, s)
	}
	d.layout, d.cells = o.layout, cells
}

// take copies what fits from a record of another layout.
func (o *recordOps) take(cells []any, s *Record) {
	if s.layout == nil {
		return
	}
	for i, col := range o.layout.cols {
		k, there := s.layout.byName[col.name]
		if there && s.layout.cols[k].kind == col.kind && col.rule.fits(s.layout.cols[k].rule) {
			cells[i] = s.cells[k]
		}
	}
}

// admit refuses records that were made by another schema; a zero Record gets
// the start values.
func (o *recordOps) admit(st any) error {
	r := st.(*Record)
	switch {
	case r.layout == nil:
		*r = *o.fresh().(*Record)
	case r.layout != o.layout:
		return fmt.Errorf("%w: the record was made by another schema", ErrValue)
	}
	return nil
}
