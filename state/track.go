package state

import "reflect"

// track is what a Store remembers for Diff.
type track struct {
	fields []past
}

// past is what was written to one field. When it has grown to twice of what
// the last folding left, it is folded again: its memory is that of what
// remains, not of all that was ever written, and a write costs O(1) amortised.
type past struct {
	changes []Change
	weight  int // parts that the changes carry
	limit   int
}

// Track makes the Store remember what is committed from now on, for Diff,
// beginning with nothing. Reset and Load turn it off.
func (s *Store) Track() {
	s.track = &track{fields: make([]past, len(s.lay.cols))}
	s.noting = true
}

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

// noted takes over what the committed step wrote.
func (s *Store) noted() {
	n := &s.notes
	if s.track != nil {
		for i, f := range n.fields {
			s.track.fields[f].add(&n.changes[i])
		}
	}
	if n.whole = s.journaled; !n.whole {
		n.drop()
	}
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
