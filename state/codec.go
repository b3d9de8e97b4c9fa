package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// DecodeUpdate reads an update in the form {"field": value}: each value is
// written with its field's usual verb, as Set, Append, Add, Put or Reduce
// would. A list field also takes a single element. All problems are told at
// once; unknown fields are ErrUnknownField, unfit values ErrValue.
func (s *Schema[S]) DecodeUpdate(data []byte) ([]Write[S], error) {
	u, err := s.layout.DecodeUpdate(data)
	return writesOf[S](&u), err
}

// EncodeWrites writes updates as they are stored: a list of [field, verb,
// value], which DecodeWrites gives back.
func (s *Schema[S]) EncodeWrites(writes ...Write[S]) ([]byte, error) {
	u := ChangesOf(writes)
	return s.layout.AppendChanges(nil, &u)
}

// DecodeWrites reads what EncodeWrites wrote.
func (s *Schema[S]) DecodeWrites(data []byte) ([]Write[S], error) {
	u, err := s.layout.DecodeChanges(data)
	return writesOf[S](&u), err
}

func writesOf[S any](u *Changes) []Write[S] {
	var out []Write[S]
	for i := range u.Len() {
		out = append(out, Write[S]{*u.At(i)})
	}
	return out
}

// DecodeUpdate is Schema.DecodeUpdate for the engine.
func (l *Layout) DecodeUpdate(data []byte) (Changes, error) {
	var u Changes
	seen := map[*column]bool{}
	err := eachField(data, func(name string, value json.RawMessage) error {
		col, err := l.stored(name)
		if err != nil {
			return err
		}
		if seen[col] {
			return fmt.Errorf("%w: field %q comes twice, as %q too", ErrValue, col.name, name)
		}
		seen[col] = true
		c, err := col.decode(col.usual.op, oneAsList(col, value))
		if err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
		u.Add(c)
		return nil
	})
	return u, err
}

// oneAsList lets a list field take one element where a list is meant. Null is
// not taken for an element.
func oneAsList(col *column, value json.RawMessage) json.RawMessage {
	list := col.rule == nil && (col.usual.op == VerbAppend || col.kind == "messages")
	if v := bytes.TrimSpace(value); list && len(v) > 0 && v[0] != '[' && v[0] != 'n' {
		return append(append(json.RawMessage{'['}, v...), ']')
	}
	return value
}

func (l *Layout) stored(name string) (*column, error) {
	i, ok := l.byName[name]
	if !ok {
		return nil, l.unknown(name)
	}
	if l.cols[i].local {
		return nil, onlyBySend(l.cols[i])
	}
	return l.cols[i], nil
}

// AppendChanges is Schema.EncodeWrites for the engine.
func (l *Layout) AppendChanges(dst []byte, u *Changes) ([]byte, error) {
	dst = append(dst, '[')
	for i := range u.Len() {
		c := u.At(i)
		if l.find(c.verb) < 0 {
			return nil, l.foreign(c.verb)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendChange(dst, c); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendChange(dst []byte, c *Change) ([]byte, error) {
	dst, err := c.verb.field.code.encode(append(dst, c.verb.row...), c)
	if err != nil {
		return nil, fmt.Errorf("state: field %q: %w", c.Field(), err)
	}
	return append(dst, ']'), nil
}

// DecodeChanges is Schema.DecodeWrites for the engine. Local fields are
// decoded too: it is the applying that refuses them outside of sends.
func (l *Layout) DecodeChanges(data []byte) (Changes, error) {
	var u Changes
	var rows [][]json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		return u, fmt.Errorf("state: %w: an update is a list of [field, verb, value]: %w", ErrValue, err)
	}
	if rows == nil {
		return u, fmt.Errorf("state: %w", wrongJSON("a list of [field, verb, value]", data))
	}
	var problems []error
	for i, row := range rows {
		c, err := l.decodeRow(row)
		if err != nil {
			problems = append(problems, fmt.Errorf("state: write %d: %w", i, err))
			continue
		}
		u.Add(c)
	}
	return u, errors.Join(problems...)
}

func (l *Layout) decodeRow(row []json.RawMessage) (Change, error) {
	if len(row) != 3 {
		return Change{}, fmt.Errorf("%w: want [field, verb, value], got %d parts", ErrValue, len(row))
	}
	var name, verb string
	if json.Unmarshal(row[0], &name) != nil || json.Unmarshal(row[1], &verb) != nil {
		return Change{}, fmt.Errorf("%w: field and verb must be text", ErrValue)
	}
	i, ok := l.byName[name]
	if !ok {
		return Change{}, l.unknown(name)
	}
	op, ok := ParseVerb(verb)
	if !ok || l.cols[i].verb(op) == nil {
		return Change{}, fmt.Errorf("%w: field %q has no verb %q", ErrValue, name, verb)
	}
	c, err := l.cols[i].decode(op, row[2])
	if err != nil {
		return c, fmt.Errorf("field %q: %w", name, err)
	}
	return c, nil
}

// AppendShown writes an update as people and events see it: {"field": value},
// with the writes of one field folded into one value where that is possible,
// else shown as a list. It does not tell verbs apart; AppendChanges does.
func (l *Layout) AppendShown(dst []byte, u *Changes) ([]byte, error) {
	for i := range u.Len() {
		if v := u.At(i).verb; l.find(v) < 0 {
			return nil, l.foreign(v)
		}
	}
	dst = append(dst, '{')
	for k, cs := range u.byField() {
		if k > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendString(dst, cs[0].Field()); err != nil {
			return nil, err
		}
		if dst, err = appendFolded(append(dst, ':'), cs); err != nil {
			return nil, fmt.Errorf("state: field %q: %w", cs[0].Field(), err)
		}
	}
	return append(dst, '}'), nil
}

func appendFolded(dst []byte, cs []Change) ([]byte, error) {
	code := cs[0].verb.field.code
	cs = code.compact(cs)
	if len(cs) == 1 {
		return code.encode(dst, &cs[0])
	}
	dst = append(dst, '[')
	var err error
	for i := range cs {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = code.encode(dst, &cs[i]); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// byField groups an update's writes by field, in the order of their first
// writes. The groups are copies.
func (u *Changes) byField() [][]Change {
	var groups [][]Change
	for i := range u.Len() {
		c := u.At(i)
		k := 0
		for k < len(groups) && groups[k][0].verb.field != c.verb.field {
			k++
		}
		if k == len(groups) {
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], *c)
	}
	return groups
}
