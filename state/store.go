package state

import "fmt"

// Store holds the state of one run and applies the updates of its steps. A
// step goes: Begin; Check for the update of every task; Apply for each, in
// task order; Commit. If anything fails in between, the state stays what it
// was. A Store belongs to the engine and is not safe for concurrent use; the
// state it returns may be read by many until the next Commit.
type Store struct {
	lay       *Layout
	cur, next any
	slots     []slot
	epoch     uint64
	writer    []uint64 // by field: epoch and task of the last write
	over      []uint64 // by field: epoch and task of the last replacement
	track     [][]Change
	tracking  bool
}

// NewStore returns a Store that begins with a copy of the state st.
func (l *Layout) NewStore(st any) *Store {
	s := &Store{
		lay: l, cur: l.Fresh(), next: l.Fresh(),
		slots: make([]slot, len(l.cols)), writer: make([]uint64, len(l.cols)), over: make([]uint64, len(l.cols)),
	}
	l.Copy(s.cur, st)
	return s
}

// Reset makes the Store begin anew with a copy of st, keeping its memory.
func (s *Store) Reset(st any) {
	s.lay.Copy(s.cur, st)
	clear(s.slots)
	s.tracking, s.track = false, nil
}

// State returns the state of the last Commit.
func (s *Store) State() any { return s.cur }

// Next returns the state as it would be committed now.
func (s *Store) Next() any { return s.next }

// Begin starts the updates of a step, dropping those of an unfinished one.
func (s *Store) Begin() {
	s.epoch++
	s.lay.Copy(s.next, s.cur)
}

// Check takes notice of a task's writes before any is applied. It returns a
// *ConflictError if two tasks, or one task twice, write a field that takes one
// writer a step, or if two tasks replace one field.
func (s *Store) Check(task int, u *Changes) error {
	mark := s.mark(task)
	for i := range u.Len() {
		v := u.At(i).verb
		f, err := s.lay.find(v)
		if err != nil {
			return err
		}
		col := v.field
		switch {
		case col.local:
			return fmt.Errorf("state: field %q is local: only a send may write it", col.name)
		case col.only:
			if s.writer[f]>>32 == s.epoch {
				return s.conflict(col, s.writer[f], task)
			}
		case v.op == VerbReplace:
			if s.over[f]>>32 == s.epoch && s.over[f] != mark {
				return s.conflict(col, s.over[f], task)
			}
			s.over[f] = mark
		}
		s.writer[f] = mark
	}
	return nil
}

func (s *Store) mark(task int) uint64 { return s.epoch<<32 | uint64(uint32(task)) }

func (s *Store) conflict(col *column, first uint64, second int) error {
	return &ConflictError{Field: col.name, First: int(uint32(first)), Second: second}
}

// Apply applies a task's writes to the next state. Of a field that a task of
// the step replaces, the other tasks' writes are dropped.
func (s *Store) Apply(task int, u *Changes) error {
	mark := s.mark(task)
	for i := range u.Len() {
		c := u.At(i)
		f, err := s.lay.find(c.verb)
		if err != nil {
			return err
		}
		if s.over[f]>>32 == s.epoch && s.over[f] != mark {
			continue
		}
		sl := &s.slots[f]
		sl.now = s.epoch
		if err := c.verb.apply(s.next, sl, c); err != nil {
			return fmt.Errorf("state: %w", err)
		}
		if s.tracking {
			s.note(f, c)
		}
	}
	return nil
}

// Commit makes the next state the current one.
func (s *Store) Commit() { s.cur, s.next = s.next, s.cur }

// Track makes the Store remember what is applied from now on, for Diff.
func (s *Store) Track() {
	s.tracking, s.track = true, make([][]Change, len(s.lay.cols))
}

// note remembers a change. Each doubling folds a field's changes, so that the
// memory is that of what remains, not of all that was ever written.
func (s *Store) note(f int, c *Change) {
	t := append(s.track[f], *c)
	if n := len(t); n >= 64 && n == cap(t) {
		t = c.verb.field.code.compact(t)
	}
	s.track[f] = t
}

// Diff returns what was written since Track, folded field by field, without
// what only led there: the update that takes a state from then to now.
func (s *Store) Diff() Changes {
	var u Changes
	for _, cs := range s.track {
		if len(cs) == 0 {
			continue
		}
		for _, c := range cs[0].verb.field.code.compact(cs) {
			u.Add(c)
		}
	}
	return u
}
