package state

import "reflect"

// track is what a Store remembers for Diff.
type track struct {
	pending []noted // of the step that is not committed yet
	fields  []past
}

type noted struct {
	field  int
	change Change
}

// past is what was written to one field. When it has grown to twice of what
// the last folding left, it is folded again: its memory is that of what
// remains, not of all that was ever written, and a write costs O(1) amortised.
type past struct {
	changes []Change
	weight  int // parts that the changes carry
	limit   int
}

// Track makes the Store remember what is committed from now on, for Diff.
func (s *Store) Track() { s.track = &track{fields: make([]past, len(s.lay.cols))} }

// Diff returns what was committed since Track, folded field by field, without
// what only led there: the update that takes a state from then to now. Fields
// come in the schema's order. A Store that does not track returns none.
func (s *Store) Diff() Changes {
	var u Changes
	if s.track == nil {
		return u
	}
	for i := range s.track.fields {
		cs := s.track.fields[i].changes
		if len(cs) == 0 {
			continue
		}
		for _, c := range cs[0].verb.field.code.compact(cs) {
			u.Add(c)
		}
	}
	return u
}

func (t *track) note(field int, c *Change) { t.pending = append(t.pending, noted{field, *c}) }

// drop forgets the step that was not committed.
func (t *track) drop() {
	clear(t.pending)
	t.pending = t.pending[:0]
}

// keep takes over what the committed step wrote.
func (t *track) keep() {
	for i := range t.pending {
		t.fields[t.pending[i].field].add(&t.pending[i].change)
	}
	t.drop()
}

func (p *past) add(c *Change) {
	if c.verb.field.only || c.verb.op == VerbReplace {
		clear(p.changes)
		p.changes, p.weight = p.changes[:0], 0
	}
	p.changes = append(p.changes, *c)
	if p.weight += parts(c); p.weight < max(p.limit, 64) {
		return
	}
	p.changes = c.verb.field.code.compact(p.changes)
	p.weight = 0
	for i := range p.changes {
		p.weight += parts(&p.changes[i])
	}
	p.limit = 2 * p.weight
}

// parts says how many elements or entries a change carries.
func parts(c *Change) int {
	if v := reflect.ValueOf(c.val); v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		return v.Len() + 1
	}
	return 1
}
