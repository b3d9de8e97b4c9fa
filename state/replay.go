package state

import (
	"errors"
	"fmt"
)

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
	p := problems{}
	r := replay{store: s, problems: &p}
	for i, list := range ops {
		if p.where = ""; len(ops) > 1 {
			p.where = fmt.Sprintf("list %d: ", i)
		}
		if err := eachRow(list, r.row); err != nil {
			p.add(err)
			break
		}
	}
	if err := p.join(); err != nil {
		s.Begin() // what was applied is dropped
		return err
	}
	s.cur, s.next = s.next, s.cur
	return nil
}

// replay is one call of Replay.
type replay struct {
	store *Store
	*problems
}

// row applies one operation. After the first problem it only looks for more of
// them.
func (r *replay) row(n int, one *row) bool {
	s := r.store
	f, c, err := s.lay.operation(one)
	if err == nil && r.none() {
		sl := &s.slots[f]
		sl.now = s.epoch
		err = c.verb.apply(s.next, sl, &c)
	}
	if err != nil {
		r.add(fmt.Errorf("operation %d: %w", n, err))
	}
	return !r.full()
}

// operation reads a row as a change of a field, which is one without a reducer.
func (l *Layout) operation(one *row) (field int, c Change, err error) {
	field, ok := l.byName[string(one.name)]
	if !ok {
		return 0, c, l.unknown(string(one.name))
	}
	col := l.cols[field]
	if col.local {
		return 0, c, onlyBySend(col)
	}
	by := col.operation(one.verb)
	if by == nil {
		return 0, c, fmt.Errorf("%w: field %q has no operation %q", ErrValue, one.name, one.verb)
	}
	if c, err = col.decodeOperation(by, one.value); err != nil {
		return 0, c, fmt.Errorf("field %q: %w", one.name, err)
	}
	return field, c, nil
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

// problems collects errors, up to a number that can be read.
type problems struct {
	where string // before each error
	found []error
	more  int
}

const maxProblems = 20

func (p *problems) add(err error) {
	if len(p.found) == maxProblems {
		p.more++
		return
	}
	p.found = append(p.found, fmt.Errorf("state: %s%w", p.where, err))
}

func (p *problems) none() bool { return len(p.found) == 0 }

func (p *problems) full() bool { return p.more > 0 }

func (p *problems) join() error {
	if p.full() {
		return errors.Join(append(p.found, errors.New("state: and more"))...)
	}
	return errors.Join(p.found...)
}
