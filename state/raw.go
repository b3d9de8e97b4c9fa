package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
)

// RawState is a state known only as JSON by fields, without a schema: for
// states that an older version of a schema wrote. It is loaded from what
// AppendState wrote, goes on by what AppendOps wrote, and its fields are then
// what a Migration takes. Fields keep the names under which they were written:
// what Renamed knows as one field may here be two. The zero RawState has no
// fields. It is not safe for concurrent use.
type RawState struct {
	fields map[string]json.RawMessage
	open   map[string]*rawField // those that operations have changed: newer than fields
}

// LoadRaw reads what AppendState wrote.
func LoadRaw(data []byte) (*RawState, error) {
	r := &RawState{fields: map[string]json.RawMessage{}}
	err := eachField(data, func(name string, value json.RawMessage) error {
		if _, err := scan(value, maxDepth+1); err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
		r.fields[name] = value
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Replay applies operations as Store.Replay does, each argument one list of
// them, with the same result for what AppendOps wrote. Whether "put" and
// "delete" mean entries of a map or messages is read off the values. A field
// that is not there begins empty, whatever start value a schema may give it.
// Operations that do not fit are errors; then the RawState is of no use any
// more.
func (r *RawState) Replay(ops ...[]byte) error {
	if r.fields == nil {
		r.fields = map[string]json.RawMessage{}
	}
	if r.open == nil {
		r.open = map[string]*rawField{}
	}
	var p problems
	return p.each(ops, func(n int, one *row) bool {
		if err := r.apply(one); err != nil {
			p.add(fmt.Errorf("operation %d: field %q: %w", n, one.name, err))
		}
		return !p.full()
	})
}

// Fields returns the fields by name. The map belongs to the RawState: changes
// of it, as those that Layout.Migrate makes, are changes of the state.
func (r *RawState) Fields() map[string]json.RawMessage {
	if r.fields == nil {
		r.fields = map[string]json.RawMessage{}
	}
	for name, f := range r.open {
		r.fields[name] = f.text()
	}
	clear(r.open)
	return r.fields
}

// Append appends the fields to dst as one object, sorted by name: what
// LoadState reads.
func (r *RawState) Append(dst []byte) ([]byte, error) {
	dst, err := appendObject(dst, r.Fields())
	if err != nil {
		return dst, fmt.Errorf("state: %w", err)
	}
	return dst, nil
}

func (r *RawState) apply(one *row) error {
	if _, err := scan(one.value, maxDepth+1); err != nil {
		return err
	}
	op, _ := ParseVerb(string(one.verb))
	switch name := string(one.name); op {
	case VerbSet, VerbReplace:
		delete(r.open, name)
		r.fields[name] = bytes.Clone(one.value)
		return nil
	case VerbAppend:
		return r.change(name, rawList, one.value, (*rawField).grow)
	case VerbPut:
		if one.value[0] == '{' {
			return r.change(name, rawEntries, one.value, (*rawField).put)
		}
		return r.change(name, rawMessages, one.value, (*rawField).add)
	case VerbDelete:
		if r.open[name] == nil && r.fields[name] == nil {
			return nil // whatever it is, it has nothing to lose
		}
		if form := r.form(name, one.value); form == rawMessages {
			return r.change(name, form, one.value, (*rawField).remove)
		}
		return r.change(name, rawEntries, one.value, (*rawField).drop)
	}
	return fmt.Errorf("%w: %q is no operation", ErrValue, one.verb)
}

// form says what a deletion is from: an object is, a list of messages else.
func (r *RawState) form(name string, value []byte) rawForm {
	if f := r.open[name]; f != nil {
		return f.form
	}
	if now := bytes.TrimSpace(r.fields[name]); value[0] == '[' && len(now) > 0 && now[0] == '[' {
		return rawMessages
	}
	return rawEntries
}

// change opens a field for one form of changes, and makes one.
func (r *RawState) change(name string, form rawForm, value []byte, apply func(*rawField, []byte) error) error {
	f := r.open[name]
	if f == nil || f.form != form {
		now := r.fields[name]
		if f != nil {
			now = f.text()
		}
		var err error
		if f, err = openRaw(form, now); err != nil {
			return err
		}
		r.open[name] = f
	}
	return apply(f, value)
}

// Clone returns a copy that goes on by itself.
func (r *RawState) Clone() *RawState { return &RawState{fields: maps.Clone(r.Fields())} }
