package state

import (
	"errors"
	"fmt"
	"hash/maphash"
	"reflect"
	"strings"
)

// Layout is a schema without its state type: what the engine works with.
// States are passed to it as `any` and are always pointers to the schema's
// state type. A Layout is immutable and safe for concurrent use.
type Layout struct {
	typ      reflect.Type
	ops      stateOps
	cols     []*column
	byName   map[string]int // aliases included
	ids      []uint16       // by position: column number + 1
	lists    []coder        // of the columns whose values may need clipping
	versions versions
}

// maxFields is how many fields the table of a Layout can number.
const maxFields = 1<<16 - 2

// stateOps makes and copies states of one type.
type stateOps interface {
	fresh() any
	copy(dst, src any)
	admit(st any) error
}

// index builds the table from a column's position to its number.
func (l *Layout) index() {
	for i, col := range l.cols {
		if need := col.pos + 1 - len(l.ids); need > 0 {
			l.ids = append(l.ids, make([]uint16, need)...)
		}
		l.ids[col.pos] = uint16(i + 1)
		if clips(col.value) {
			l.lists = append(l.lists, col.code)
		}
	}
}

// find returns the number of the change's field in this layout, -1 if it is
// not of this layout.
func (l *Layout) find(v *verb) int {
	if v == nil {
		return -1
	}
	if uint(v.pos) < uint(len(l.ids)) {
		if i := int(l.ids[v.pos]) - 1; i >= 0 && l.cols[i] == v.field {
			return i
		}
	}
	return -1
}

// foreign makes the error about a change that find does not know.
func (l *Layout) foreign(v *verb) error {
	if v == nil {
		return fmt.Errorf("state: %w: a zero Write names no field; make writes by the methods of handles", ErrUnknownField)
	}
	if _, same := l.byName[v.field.name]; same {
		return fmt.Errorf("state: %w: the schema of %v has another handle of the name %q; use the one that it was made with", ErrUnknownField, l.typ, v.field.name)
	}
	return fmt.Errorf("state: %w: the handle %q is not part of the schema of %v", ErrUnknownField, v.field.name, l.typ)
}

// unknown makes the error about a name that no field has.
func (l *Layout) unknown(name string) error {
	names := l.Fields()
	more := ""
	if len(names) > 12 {
		more = fmt.Sprintf(" and %d more", len(names)-12)
		names = names[:12]
	}
	return fmt.Errorf("%w %q; the fields of %v are %s%s", ErrUnknownField, name, l.typ, strings.Join(names, ", "), more)
}

// Type returns the state type.
func (l *Layout) Type() reflect.Type { return l.typ }

// Fields returns the names of all fields, local ones included, in order.
func (l *Layout) Fields() []string {
	names := make([]string, len(l.cols))
	for i, col := range l.cols {
		names[i] = col.name
	}
	return names
}

// FieldInfo describes a field for checks, drawings and fingerprints.
type FieldInfo struct {
	Name  string
	Kind  string       // "value", "list", "counter", "map", "dict", "messages", "local", "reduced:NAME", "record:REDUCTION"
	Type  reflect.Type // of the whole field
	Only  bool         // two writers in one step are a conflict
	Local bool         // written by sends only
}

// Info returns the description of a field by its name or one of its old
// names; false if there is none.
func (l *Layout) Info(name string) (FieldInfo, bool) {
	i, ok := l.byName[name]
	if !ok {
		return FieldInfo{}, false
	}
	col := l.cols[i]
	return FieldInfo{col.name, col.kind, col.value, col.only, col.local}, true
}

// Fresh returns a new state with the start values of all fields.
func (l *Layout) Fresh() any { return l.ops.fresh() }

// Copy makes dst a copy of src that can be changed through this package
// without src changing. Of a Record that is not of this layout it takes the
// fields that fit.
func (l *Layout) Copy(dst, src any) { l.ops.copy(dst, src) }

// Admit makes a state that came from outside fit to be held: it checks the
// values that writes would be checked for, normalises the numbers in `any`,
// and clips the lists. It changes st in its fields, not what they refer to.
// All problems are returned at once; a Record of another schema is one.
func (l *Layout) Admit(st any) error {
	if err := l.ops.admit(st); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	var problems []error
	for _, col := range l.cols {
		if col.rule != nil {
			continue
		}
		c := col.code.whole(st)
		if err := c.verb.apply(st, nil, &c); err != nil {
			problems = append(problems, fmt.Errorf("state: %w", err))
		}
	}
	return errors.Join(problems...)
}

// clip makes every list of a state end where its array ends.
func (l *Layout) clip(st any) {
	for _, list := range l.lists {
		list.clip(st)
	}
}

// Overlay makes dst a copy of src with the writes laid over it, by the rules
// of the fields' reducers. Local fields may be written. Several goroutines
// may lay over one src at once. After an error dst must not be used.
func (l *Layout) Overlay(dst, src any, writes []Change) error {
	l.ops.copy(dst, src)
	for i := range writes {
		c := &writes[i]
		if l.find(c.verb) < 0 {
			return l.foreign(c.verb)
		}
		if err := c.verb.apply(dst, nil, c); err != nil {
			return fmt.Errorf("state: %w", err)
		}
	}
	return nil
}

// Digest returns a fingerprint of a state's stored fields that is the same for
// equal states within one process and seed. It finds out whether a node
// changed what it was given. A value that cannot be stored is an error.
func (l *Layout) Digest(seed maphash.Seed, st any) (uint64, error) {
	b, err := l.AppendState(nil, st)
	if err != nil {
		return 0, err
	}
	return maphash.Bytes(seed, b), nil
}
