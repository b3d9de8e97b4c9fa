package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

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

// LoadState reads what AppendState wrote. Unknown fields, fields that come
// twice and values that do not fit are errors, all told at once; fields that
// are not in data keep their start value.
func (l *Layout) LoadState(data []byte) (any, error) {
	st := l.Fresh()
	seen := make([]bool, len(l.cols))
	err := eachMember(data, func(name string, value []byte) error {
		i, ok := l.byName[name]
		if !ok || l.cols[i].local {
			return l.unknown(name)
		}
		col := l.cols[i]
		if seen[i] {
			return fmt.Errorf("%w: field %q comes twice, as %q too", ErrValue, col.name, name)
		}
		seen[i] = true
		c, err := col.decode(VerbReplace, value)
		if err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
		return c.verb.apply(st, nil, &c)
	})
	if err != nil {
		return nil, err
	}
	return st, nil
}

// eachMember visits the members of one JSON object in order, and returns all
// errors of the visits. Their values are for the visits to judge: it looks only
// for where they end, so that a large state is read once.
func eachMember(data []byte, visit func(name string, value []byte) error) error {
	r := rowReader{data: data}
	if !r.take('{') {
		return fmt.Errorf("state: %w", r.wrong("an object of fields"))
	}
	var problems []error
	for n := 0; !r.take('}'); n++ {
		if n > 0 && !r.take(',') {
			return fmt.Errorf("state: %w", r.wrong("a comma or the end of the object"))
		}
		name, err := r.text()
		if err != nil {
			return fmt.Errorf("state: %w", err)
		}
		if !r.take(':') {
			return fmt.Errorf("state: %w", r.wrong("a colon"))
		}
		value, err := r.value()
		if err != nil {
			return fmt.Errorf("state: %w", err)
		}
		if err := visit(string(name), value); err != nil {
			problems = append(problems, fmt.Errorf("state: %w", err))
		}
	}
	if r.space(); r.at < len(data) {
		return fmt.Errorf("state: %w", r.wrong("the end"))
	}
	return errors.Join(problems...)
}

// decode makes a change of an encoded value, checked against a record's rule.
func (col *column) decode(op Verb, data []byte) (Change, error) {
	if col.rule == nil || op == VerbDelete {
		return col.code.decode(op, data)
	}
	var v any
	err := parseJSON(data, &v)
	if err != nil {
		return Change{}, err
	}
	return col.rule.admit(col, v, op == VerbReplace)
}

// eachField visits the members of one JSON object in order, and returns all
// errors of the visits.
func eachField(data []byte, visit func(name string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("state: %w", wrongJSON("an object of fields", data))
	}
	seen := map[string]bool{}
	var problems []error
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return brokenJSON(err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return brokenJSON(err)
		}
		name := t.(string)
		if seen[name] {
			problems = append(problems, fmt.Errorf("state: %w: field %q comes twice", ErrValue, name))
			continue
		}
		seen[name] = true
		if err := visit(name, value); err != nil {
			problems = append(problems, fmt.Errorf("state: %w", err))
		}
	}
	if _, err := dec.Token(); err != nil {
		return brokenJSON(err)
	}
	if len(bytes.TrimSpace(data[dec.InputOffset():])) > 0 {
		return fmt.Errorf("state: %w: more than one JSON value", ErrValue)
	}
	return errors.Join(problems...)
}

func brokenJSON(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("state: %w: %w", ErrValue, err)
}
