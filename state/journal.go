package state

import "errors"

// journal is what a Store notes of the writes of one step: for the operations
// that are stored, and for Diff. Its memory is used again by the next step.
type journal struct {
	fields  []int32  // of each change
	changes []Change // in the order in which they were applied
	marks   []mark   // by field, for grouping; nil without Journal
	next    []int32  // by change: the next one of the same field
	group   []Change // those of one field
	texts   []byte   // what Encoders wrote
	round   uint64
	whole   bool // the step was committed
	found   outcome
}

// mark says where the changes of a field begin and end, in one round.
type mark struct {
	round      uint64
	head, tail int32
}

// outcome is what a step did to one field, valid during one call. Between
// Commit and Begin the store's next state is the one before the step.
type outcome struct {
	changes []Change // of the field, in the order in which they were applied
	field   int32
	store   *Store
}

// errNoStep is told where operations are asked for that are not there.
var errNoStep = errors.New("state: no step has been committed since the journal was turned on or another step begun")

// Journal says whether the Store notes what the steps from now on write, for
// AppendOps and AppendWrites. Reset and Load turn it off. It must not be called
// between Begin and Commit.
func (s *Store) Journal(on bool) {
	s.journaled = on
	s.noting = on || s.track != nil
	s.notes.drop()
	if on && s.notes.marks == nil {
		s.notes.marks = make([]mark, len(s.lay.cols))
		s.notes.found.store = s
	}
	for i := range s.slots {
		if s.slots[i].texts = nil; on {
			s.slots[i].texts = &s.notes.texts
		}
	}
}

// AppendOps appends the operations of the last committed step to dst: a list
// of [field, verb, value] that Replay reads. They say what came of the step's
// writes, not what was written, so that no reducer is needed to replay them:
// "set" and "replace" give a field a whole new value, "append" adds to the end
// of a list, "put" and "delete" change entries by key, or messages by id. Each
// field that was written has its operations in one place, in the order in
// which the fields were first written; local fields have none.
//
// It reports as exact whether the operations are also the step's writes, in the
// sense that Recall may be given the one for the other. They are not where a
// reducer has made a value of what was written, as a Counter does.
//
// It must be called between Commit and the next Begin, of a Store whose
// Journal is on; otherwise it is an error. A value that could not be read back
// as it is is ErrValue. After an error nothing of what follows dst is of use.
func (s *Store) AppendOps(dst []byte) (out []byte, exact bool, err error) {
	n := &s.notes
	if !s.journaled || !n.whole {
		return dst, false, errNoStep
	}
	dst = append(dst, '[')
	if n.distinct() {
		out, exact, err = n.appendEach(dst, s.lay)
	} else {
		out, exact, err = n.appendGroups(dst, s.lay)
	}
	n.found.changes = nil
	if err != nil {
		return dst, false, err
	}
	return append(out, ']'), exact, nil
}

// AppendWrites appends what the last committed step wrote, in the order in
// which it was applied, in the form of AppendChanges. What a replacement
// dropped is not there. It has the conditions of AppendOps.
func (s *Store) AppendWrites(dst []byte) ([]byte, error) {
	n := &s.notes
	if !s.journaled || !n.whole {
		return dst, errNoStep
	}
	dst = append(dst, '[')
	for i := range n.changes {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendChange(dst, &n.changes[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func (n *journal) note(field int, c *Change) {
	n.fields = append(n.fields, int32(field))
	n.changes = append(n.changes, *c)
}

// drop forgets the step. A few changes are left for the next steps to write
// over, for clearing costs more than making them.
func (n *journal) drop() {
	if len(n.changes) > 8 {
		clear(n.changes[8:])
	}
	n.fields, n.changes, n.texts, n.whole = n.fields[:0], n.changes[:0], n.texts[:0], false
}

// distinct reports whether the step wrote few fields, and each once.
func (n *journal) distinct() bool {
	if len(n.fields) > 8 {
		return false
	}
	for i, f := range n.fields {
		for _, g := range n.fields[:i] {
			if f == g {
				return false
			}
		}
	}
	return true
}

func (n *journal) appendEach(dst []byte, l *Layout) (out []byte, exact bool, err error) {
	exact = true
	for i, f := range n.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		n.found.changes, n.found.field = n.changes[i:i+1:i+1], f
		same := false
		if dst, same, err = l.cols[f].code.outcome(dst, &n.found); err != nil {
			return dst, false, l.unsaved(int(f), err)
		}
		exact = exact && same
	}
	return dst, exact, nil
}

// appendGroups joins the changes of one field before it writes what came of
// them.
func (n *journal) appendGroups(dst []byte, l *Layout) (out []byte, exact bool, err error) {
	n.link()
	exact = true
	defer func() { clear(n.group[:cap(n.group)]) }()
	for i, f := range n.fields {
		m := n.marks[f]
		if m.head != int32(i) {
			continue
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		n.group = n.group[:0]
		for k := m.head; k >= 0; k = n.next[k] {
			n.group = append(n.group, n.changes[k])
		}
		n.found.changes, n.found.field = n.group, f
		same := false
		if dst, same, err = l.cols[f].code.outcome(dst, &n.found); err != nil {
			return dst, false, l.unsaved(int(f), err)
		}
		exact = exact && same
	}
	return dst, exact, nil
}

// link chains the changes of each field.
func (n *journal) link() {
	n.round++
	n.next = n.next[:0]
	for i, f := range n.fields {
		n.next = append(n.next, -1)
		m := &n.marks[f]
		if m.round != n.round {
			*m = mark{n.round, int32(i), int32(i)}
			continue
		}
		n.next[m.tail], m.tail = int32(i), int32(i)
	}
}
