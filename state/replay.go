package state

import "fmt"

// Replay changes the state of the last Commit by operations that AppendOps
// wrote, each argument one list of them. No reducer of a user's is called, and
// neither Diff nor AppendOps tells of it. Fields may have the names that they
// had before. Operations that do not fit are errors that say which they are,
// several at once; then the state is what it was.
//
// Replay costs what the operations touch. Besides, each map and each
// conversation whose messages change in place is copied once in a call: it is
// better to give many lists to one call than one to each of many.
func (s *Store) Replay(ops ...[]byte) error {
	s.Begin()
	r := replay{store: s}
	if err := r.each(ops, r.row); err != nil {
		s.Begin() // what was applied is dropped
		return err
	}
	s.cur, s.next = s.next, s.cur
	return nil
}

// replay is one call of Replay.
type replay struct {
	store *Store
	problems
	change Change // of the operation at hand
}

// row applies one operation. After the first problem it only looks for more of
// them.
func (r *replay) row(n int, one *row) bool {
	s := r.store
	f, err := s.lay.operation(one, &r.change)
	if err == nil && r.none() {
		sl := &s.slots[f]
		sl.now = s.epoch
		err = r.change.verb.apply(s.next, sl, &r.change)
	}
	if err != nil {
		r.add(fmt.Errorf("operation %d: %w", n, err))
	}
	return !r.full()
}

// operation reads a row as a change of a field, which is one without a reducer.
func (l *Layout) operation(one *row, c *Change) (field int, err error) {
	field, ok := l.byName[string(one.name)]
	if !ok {
		return 0, l.unknown(string(one.name))
	}
	col := l.cols[field]
	if col.local {
		return 0, onlyBySend(col)
	}
	by := col.operation(one.verb)
	if by == nil {
		return 0, fmt.Errorf("%w: field %q has no operation %q", ErrValue, one.name, one.verb)
	}
	if *c, err = col.decodeOperation(by, one.value); err != nil {
		return 0, fmt.Errorf("field %q: %w", one.name, err)
	}
	return field, nil
}

// operation returns the verb of an operation's name; nil if operations have no
// such verb.
func (col *column) operation(name []byte) *verb {
	op, ok := ParseVerb(string(name))
	switch {
	case !ok || op == VerbAdd || op == VerbReduce:
		return nil
	case op == VerbAppend && col.grow != nil:
		return col.grow
	}
	return col.verb(op)
}

// keysDecoder is the coder of a field whose keys may be told as an object's.
type keysDecoder interface {
	decodeKeys(data []byte) (Change, error)
}

func (col *column) decodeOperation(by *verb, data []byte) (Change, error) {
	if d, ok := col.code.(keysDecoder); ok && by.op == VerbDelete && data[0] == '{' {
		return d.decodeKeys(data)
	}
	if by != col.grow {
		return col.decode(by.op, data)
	}
	l, err := parseList[any](data)
	if err != nil {
		return Change{}, err
	}
	l, err = listOf(col.rule, l)
	return Change{verb: by, val: l}, err
}
