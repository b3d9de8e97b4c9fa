package state

import "fmt"

// Store holds the state of one run and applies the updates of its steps. A
// step goes: Begin; Check for the update of every task; Apply for each, in
// task order; Commit. If anything fails in between, the state stays what it
// was. A Store belongs to the engine and is not safe for concurrent use; the
// state it returns may be read by many until the Begin after the next Commit.
type Store struct {
	lay       *Layout
	cur, next any
	slots     []slot
	epoch     uint64
	writer    []stamp // by field: the last write of a field with one writer
	over      []stamp // by field: the last replacement
	replaced  bool    // there is one in this step
	noting    bool    // somebody reads the notes: Diff or AppendOps
	journaled bool    // AppendOps does
	notes     journal // of the step
	track     *track
}

// stamp says which task did something, and in which epoch.
type stamp struct {
	epoch uint64
	task  int
}

// NewStore returns a Store that begins with a copy of the state st.
func (l *Layout) NewStore(st any) *Store {
	s := &Store{
		lay: l, cur: l.Fresh(), next: l.Fresh(), epoch: 1,
		slots: make([]slot, len(l.cols)), writer: make([]stamp, len(l.cols)), over: make([]stamp, len(l.cols)),
	}
	s.Reset(st)
	return s
}

// Reset makes the Store begin anew with a copy of st, keeping its memory. It
// tracks and notes nothing until it is told to again.
func (s *Store) Reset(st any) {
	s.lay.Copy(s.cur, st)
	s.lay.clip(s.cur)
	s.forget()
}

// Load makes the Store begin anew, as Reset does, with the state that LoadState reads from
// data. After an error the Store is what it was.
func (s *Store) Load(data []byte) error {
	st, err := s.lay.LoadState(data)
	if err != nil {
		return err
	}
	s.cur = st
	s.lay.clip(s.cur)
	s.forget()
	return nil
}

// forget drops what belongs to an earlier state.
func (s *Store) forget() {
	clear(s.slots)
	if s.noting {
		clear(s.notes.changes[:cap(s.notes.changes)])
		s.notes.drop()
	}
	s.track, s.noting, s.journaled = nil, false, false
}

// State returns the state of the last Commit.
func (s *Store) State() any { return s.cur }

// Next returns the state as it would be committed now.
func (s *Store) Next() any { return s.next }

// Begin starts the updates of a step, dropping those of an unfinished one.
func (s *Store) Begin() {
	s.epoch++
	s.replaced = false
	s.lay.ops.copy(s.next, s.cur)
	if s.noting {
		s.notes.drop()
	}
}

// Check takes notice of a task's writes before any is applied. It returns a
// *ConflictError if two tasks, or one task twice, write a field that takes one
// writer a step, or if two tasks replace one field. Writes of handles that are
// not in the schema are ErrUnknownField, writes of local fields errors.
func (s *Store) Check(task int, u *Changes) error {
	for i := range u.Len() {
		v := u.At(i).verb
		f := s.lay.find(v)
		if f < 0 {
			return s.lay.foreign(v)
		}
		col := v.field
		switch {
		case col.local:
			return fmt.Errorf("state: %w", onlyBySend(col))
		case col.only:
			if w := &s.writer[f]; w.epoch == s.epoch {
				return &ConflictError{Field: col.name, First: w.task, Second: task}
			}
			s.writer[f] = stamp{s.epoch, task}
		case v.op == VerbReplace:
			if w := &s.over[f]; w.epoch == s.epoch && w.task != task {
				return &ConflictError{Field: col.name, First: w.task, Second: task}
			}
			s.over[f] = stamp{s.epoch, task}
			s.replaced = true
		}
	}
	return nil
}

// CheckAlone tells of writes that a task cannot make even if it is alone in its
// step, as ApplyAlone does, without a Store: so that it is the task that fails
// and not the step, whoever runs it. Handles of other schemas are left to
// Overlay, which applies the writes.
func (l *Layout) CheckAlone(u *Changes) error {
	for i := range u.Len() {
		v := u.At(i).verb
		if l.find(v) < 0 {
			continue
		}
		if v.field.local {
			return onlyBySend(v.field)
		}
		for j := 0; j < i && v.field.only; j++ {
			if w := u.At(j).verb; w != nil && w.field == v.field {
				return &ConflictError{Field: v.field.name}
			}
		}
	}
	return nil
}

func onlyBySend(col *column) error {
	return fmt.Errorf("field %q is local: only a send may write it", col.name)
}

// Apply applies a task's writes to the next state. Of a field that a task of
// the step replaces, the other tasks' writes are dropped. After an error the
// step must be given up: the next call is Begin or Reset.
func (s *Store) Apply(task int, u *Changes) error {
	for i := range u.Len() {
		c := u.At(i)
		f := s.lay.find(c.verb)
		if f < 0 {
			return s.lay.foreign(c.verb)
		}
		if w := &s.over[f]; s.replaced && w.epoch == s.epoch && w.task != task {
			continue
		}
		sl := &s.slots[f]
		sl.now = s.epoch
		if err := c.verb.apply(s.next, sl, c); err != nil {
			return fmt.Errorf("state: %w", err)
		}
		if s.noting {
			s.notes.note(f, c)
		}
	}
	return nil
}

// ApplyAlone is Begin, Check and Apply for the update of a step's only task.
func (s *Store) ApplyAlone(u *Changes) error {
	s.Begin()
	for i := range u.Len() {
		c := u.At(i)
		f := s.lay.find(c.verb)
		if f < 0 {
			return s.lay.foreign(c.verb)
		}
		sl := &s.slots[f]
		switch col := c.verb.field; {
		case col.local:
			return onlyBySend(col)
		case col.only && s.writer[f].epoch == s.epoch:
			return &ConflictError{Field: col.name}
		case col.only:
			s.writer[f] = stamp{epoch: s.epoch}
		}
		sl.now = s.epoch
		if err := c.verb.apply(s.next, sl, c); err != nil {
			return fmt.Errorf("state: %w", err)
		}
		if s.noting {
			s.notes.note(f, c)
		}
	}
	return nil
}

// Commit makes the next state the current one. It may be called once for
// each Begin.
func (s *Store) Commit() {
	s.cur, s.next = s.next, s.cur
	if s.noting {
		s.noted()
	}
}
