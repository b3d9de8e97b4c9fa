package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"reflect"
)

// Layout is a schema without its state type: what the engine works with.
// States are passed to it as `any` and are always pointers to the schema's
// state type. A Layout is immutable and safe for concurrent use.
type Layout struct {
	typ    reflect.Type
	ops    stateOps
	cols   []*column
	byName map[string]int // aliases included
	ids    []uint16       // by place: column number + 1
}

// stateOps makes and copies states of one type.
type stateOps interface {
	fresh() any
	copy(dst, src any)
}

// index builds the table from a column's place to its number.
func (l *Layout) index() {
	for i, col := range l.cols {
		at := col.where()
		if need := at + 1 - len(l.ids); need > 0 {
			l.ids = append(l.ids, make([]uint16, need)...)
		}
		l.ids[at] = uint16(i + 1)
	}
}

func (col *column) where() int {
	if col.at.owner == nil {
		return col.cell
	}
	return int(col.at.offset)
}

// find returns the number of the change's field in this layout.
func (l *Layout) find(v *verb) (int, error) {
	if v == nil {
		return 0, fmt.Errorf("%w: a zero Write names no field", ErrUnknownField)
	}
	if at := v.field.where(); at < len(l.ids) {
		if i := int(l.ids[at]) - 1; i >= 0 && l.cols[i] == v.field {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w: the handle %q is not part of the schema of %v", ErrUnknownField, v.field.name, l.typ)
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
	Kind  string       // "value", "list", "counter", "map", "dict", "messages", "local", "reduced:NAME"
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
// without src changing.
func (l *Layout) Copy(dst, src any) { l.ops.copy(dst, src) }

// Overlay makes dst a copy of src with the writes laid over it, by the rules
// of the fields' reducers. Local fields may be written. Several goroutines
// may lay over one src at once.
func (l *Layout) Overlay(dst, src any, u *Changes) error {
	l.ops.copy(dst, src)
	for i := range u.Len() {
		c := u.At(i)
		if _, err := l.find(c.verb); err != nil {
			return err
		}
		if err := c.verb.apply(dst, nil, c); err != nil {
			return fmt.Errorf("state: %w", err)
		}
	}
	return nil
}

// AppendState writes all stored fields of a state as one JSON object.
func (l *Layout) AppendState(dst []byte, st any) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	for _, col := range l.cols {
		if col.local || !col.code.holds(st) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		var err error
		if dst, err = appendString(dst, col.name); err != nil {
			return nil, err
		}
		if dst, err = col.code.save(append(dst, ':'), st); err != nil {
			return nil, fmt.Errorf("state: field %q: %w", col.name, err)
		}
	}
	return append(dst, '}'), nil
}

// LoadState reads what AppendState wrote.
func (l *Layout) LoadState(data []byte) (any, error) {
	st := l.Fresh()
	err := eachField(data, func(name string, value json.RawMessage) error {
		i, ok := l.byName[name]
		if !ok || l.cols[i].local {
			return fmt.Errorf("%w %q", ErrUnknownField, name)
		}
		if err := l.cols[i].code.load(st, value); err != nil {
			return fmt.Errorf("state: field %q: %w", name, err)
		}
		return nil
	})
	return st, err
}

// eachField walks the members of one JSON object in order.
func eachField(data []byte, visit func(name string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return wrongJSON("an object of fields", data)
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrValue, err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("%w: %w", ErrValue, err)
		}
		if err := visit(t.(string), value); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("%w: %w", ErrValue, err)
	}
	if len(bytes.TrimSpace(data[dec.InputOffset():])) > 0 {
		return fmt.Errorf("%w: more than one JSON value", ErrValue)
	}
	return nil
}

// Digest returns a fingerprint of a state's fields that is the same for equal
// states within one process and seed.
func (l *Layout) Digest(seed maphash.Seed, st any) (uint64, error) {
	var d digest
	d.hash.SetSeed(seed)
	for _, col := range l.cols {
		col.code.print(&d, st)
	}
	return d.hash.Sum64(), d.err
}
