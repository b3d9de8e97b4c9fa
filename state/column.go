package state

import (
	"errors"
	"reflect"
)

// column is a field without its types: what a handle, a schema and the engine
// share. It never changes after its constructor returned.
type column struct {
	name  string
	kind  string // what the handle is, for errors and fingerprints: "value", "list", …
	pos   int    // where it lies: offset in a struct, index in a record
	at    spot   // unset for records
	value reflect.Type
	only  bool        // at most one writer in a step
	local bool        // laid over a task by a send, never stored
	loose bool        // values hold `any` somewhere and are checked when written
	own   bool        // values are Encoders, which check and write themselves
	rule  *recordRule // what a record's field accepts; nil for structs
	code  coder
	verbs []*verb
	grow  *verb // of a union: the verb of its operations; else nil
	usual *verb // the verb of a plain {"field": value} update
	err   error // why the handle cannot be used, told by NewSchema
}

// coder is what the engine does with one field besides writing it. Every
// handle is one; st is always a *S.
type coder interface {
	// encode writes the value that c carries as JSON.
	encode(dst []byte, c *Change) ([]byte, error)
	// decode makes a change of encoded JSON; the field has the verb.
	decode(v Verb, data []byte) (Change, error)
	// outcome appends the operations that came of a step's changes of the field,
	// with commas between them, and reports whether they are also its writes.
	outcome(dst []byte, o *outcome) ([]byte, bool, error)
	// compact folds changes of the field into fewer that do the same. It
	// changes neither cs nor what cs refers to.
	compact(cs []Change) []Change
	// save writes the field's value as JSON.
	save(dst []byte, st any) ([]byte, error)
	// whole returns the replacement that writes the field's value.
	whole(st any) Change
	// holds reports whether the field has a value: a record's may not.
	holds(st any) bool
	// clip makes lists end where their arrays end, so that nobody who appends
	// to what he sees of the state writes into an array that others see.
	clip(st any)
}

func (col *column) addVerb(op Verb, apply func(st any, sl *slot, c *Change) error) *verb {
	v := col.newVerb(op, apply)
	col.verbs = append(col.verbs, v)
	return v
}

// newVerb makes a verb that writes do not have. Names that cannot be written
// are refused by the schema.
func (col *column) newVerb(op Verb, apply func(st any, sl *slot, c *Change) error) *verb {
	v := &verb{field: col, pos: col.pos, op: op, variant: uint8(len(col.verbs)), apply: apply}
	if name, err := appendString([]byte{'['}, col.name); err == nil {
		v.row = string(name) + `,"` + op.String() + `",`
	}
	return v
}

// verb returns the field's first verb of a kind; nil if it has none.
func (col *column) verb(op Verb) *verb {
	for _, v := range col.verbs {
		if v.op == op {
			return v
		}
	}
	return nil
}

// newColumn describes a struct field.
func newColumn[S, V any](name, kind string, ref func(*S) *V) *column {
	at, err := locate(ref)
	col := &column{name: name, kind: kind, pos: int(at.offset), at: at, value: at.typ, err: err}
	if err == nil {
		col.loose = holdsAny(at.typ, nil)
	}
	return col
}

// Field is a handle, or several that belong together: the arguments of
// NewSchema. Only this package makes them; see Group for joining them.
type Field[S any] interface {
	columns(*S) []*column
}

// Group joins fields to one argument of NewSchema. A package that owns a part
// of the state embeds the result in a struct beside its handles.
func Group[S any](fields ...Field[S]) Field[S] { return group[S](fields) }

type group[S any] []Field[S]

func (g group[S]) columns(s *S) []*column {
	var cols []*column
	for _, f := range g {
		cols = append(cols, columnsOf(f, s)...)
	}
	return cols
}

// errNotMade is told of handles that no constructor made.
var errNotMade = errors.New("it is nil or was not made by its constructor")

// columnsOf returns a field's columns, and one that tells the mistake where a
// handle is nil or a zero value.
func columnsOf[S any](f Field[S], s *S) []*column {
	v := reflect.ValueOf(f)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return []*column{{err: errNotMade}}
	}
	cols := f.columns(s)
	for i, col := range cols {
		if col == nil {
			cols[i] = &column{err: errNotMade}
		}
	}
	return cols
}

// slot is what a run keeps for one field beside the state: the growing array
// of a list, the index of messages, the epoch in which a map was copied, what
// Encoders have written.
// Epochs count from 1 and pass with every step that is applied.
type slot struct {
	tip        any
	epoch, now uint64
	texts      *[]byte // of the step's Encoders; nil: nobody asks for operations
	written    written
}
