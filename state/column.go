package state

import (
	"fmt"
	"reflect"
)

// column is a field without its types: what a handle, a schema and the engine
// share. It never changes after its constructor returned.
type column struct {
	name  string
	kind  string // what the handle is, for errors and fingerprints: "value", "list", …
	at    spot
	cell  int          // index in a record, unused for structs
	value reflect.Type // type of the whole field
	elem  reflect.Type // type of what a write carries
	only  bool         // at most one writer in a step
	local bool         // laid over a task by a send, never stored
	loose bool         // values hold `any` somewhere and are checked when written
	rule  *recordRule  // what a record's field accepts; nil for structs
	code  coder
	verbs []*verb
	usual *verb // the verb of a plain {"field": value} update
	err   error // why the handle cannot be used, told by NewSchema
}

// coder turns the values of one field into JSON and back. Every handle has
// one; st is always a *S.
type coder interface {
	encode(dst []byte, c *Change) ([]byte, error)
	decode(v Verb, data []byte) (Change, error)
	compact(cs []Change) []Change
	save(dst []byte, st any) ([]byte, error)
	load(st any, data []byte) error
	whole(st any) Change
	holds(st any) bool
	print(h *digest, st any)
}

func (col *column) addVerb(op Verb, apply func(st any, sl *slot, c *Change) error) *verb {
	v := &verb{field: col, op: op, variant: uint8(len(col.verbs)), apply: apply}
	col.verbs = append(col.verbs, v)
	return v
}

// byVariant returns the verb that a change of a like field becomes here.
func (col *column) byVariant(v *verb) (*verb, error) {
	if int(v.variant) < len(col.verbs) && col.verbs[v.variant].op == v.op {
		return col.verbs[v.variant], nil
	}
	return nil, fmt.Errorf("state: field %q cannot %s", col.name, v.op)
}

// newColumn describes a struct field.
func newColumn[S, V any](name, kind string, ref func(*S) *V) *column {
	at, err := locate(ref)
	col := &column{name: name, kind: kind, at: at, value: at.typ, elem: at.typ, err: err}
	if err == nil {
		col.loose = holdsAny(at.typ, nil)
	}
	return col
}

// Field is a handle, or several that belong together: the arguments of
// NewSchema. Only this package makes them.
type Field[S any] interface {
	columns(*S) []*column
}

// slot is what a run keeps for one field beside the state: the growing array
// of a list, the index of messages, the epoch in which a map was copied.
// Epochs count from 1 and pass with every step that is applied.
type slot struct {
	tip        any
	epoch, now uint64
}

// pack puts a value into a change: numbers and booleans without allocation.
func pack[V any](v V) (val any, word uint64) {
	switch x := any(v).(type) {
	case int:
		return nil, uint64(x)
	case int64:
		return nil, uint64(x)
	case float64:
		return nil, floatBits(x)
	case bool:
		if x {
			return nil, 1
		}
		return nil, 0
	}
	return v, 0
}

// unpack is the inverse of pack.
func unpack[V any](c *Change) (v V) {
	if c.val != nil {
		return c.val.(V)
	}
	switch p := any(&v).(type) {
	case *int:
		*p = int(c.word)
	case *int64:
		*p = int64(c.word)
	case *float64:
		*p = floatFrom(c.word)
	case *bool:
		*p = c.word != 0
	}
	return v
}
