package state

import "fmt"

// unsaved makes the error about a field whose outcome cannot be written.
func (l *Layout) unsaved(field int, err error) error {
	return fmt.Errorf("state: field %q: %w", l.cols[field].name, err)
}

// replaces reports whether a change replaces the whole value.
func replaces(cs []Change) bool {
	for i := range cs {
		if cs[i].verb.op == VerbReplace {
			return true
		}
	}
	return false
}

// appendRow writes a change as it stands.
func appendRow(dst []byte, code coder, c *Change) ([]byte, error) {
	dst, err := code.encode(append(dst, c.verb.row...), c)
	return append(dst, ']'), err
}

// appendWhole writes the field's value in a state as a replacement.
func appendWhole(dst []byte, code coder, by *verb, st any) ([]byte, error) {
	dst, err := code.save(append(dst, by.row...), st)
	return append(dst, ']'), err
}

func (f *Value[S, V]) outcome(dst []byte, o *outcome) ([]byte, bool, error) {
	c := &o.changes[len(o.changes)-1]
	if text, ok := o.written(); ok {
		return append(append(append(dst, c.verb.row...), text...), ']'), true, nil
	}
	dst, err := appendRow(dst, f, c)
	return dst, true, err
}

func (f *Counter[S, N]) outcome(dst []byte, o *outcome) ([]byte, bool, error) {
	dst, err := f.save(append(dst, f.replace.row...), o.store.cur)
	return append(dst, ']'), replaces(o.changes), err
}

func (f *List[S, E]) outcome(dst []byte, o *outcome) ([]byte, bool, error) {
	if c := &o.changes[0]; len(o.changes) == 1 && c.verb.variant == f.one.variant && !f.col.own {
		dst, err := appendRow(dst, f, c)
		return dst, true, err
	}
	if replaces(o.changes) {
		dst, err := appendWhole(dst, f, f.replace, o.store.cur)
		return dst, true, err
	}
	if text, ok := o.written(); ok {
		dst = append(append(append(dst, f.many.row...), '['), text...)
		return append(dst, "]]"...), true, nil
	}
	added := 0
	for i := range o.changes {
		added += f.count(&o.changes[i])
	}
	all := f.load(o.store.cur.(*S)) // which ends with what was added
	dst, err := appendItems(append(dst, f.many.row...), f.col, all[len(all)-added:])
	return append(dst, ']'), true, err
}

func (f *Map[S, K, V]) outcome(dst []byte, o *outcome) ([]byte, bool, error) {
	if replaces(o.changes) {
		dst, err := appendWhole(dst, f, f.replace, o.store.cur)
		return dst, true, err
	}
	return appendEntries[K](dst, f, o.changes, f.odd)
}

func (f *DictField[S, K, V]) outcome(dst []byte, o *outcome) ([]byte, bool, error) {
	if replaces(o.changes) {
		dst, err := appendWhole(dst, f, f.replace, o.store.cur)
		return dst, true, err
	}
	return appendEntries[K](dst, f, o.changes, f.odd)
}

// appendEntries writes what remains of changes by key. Odd keys are deleted as
// those of an object, so that they can be found without knowing their type.
func appendEntries[K comparable](dst []byte, code coder, cs []Change, odd bool) (out []byte, exact bool, err error) {
	exact = true
	cs = compacted(code, cs)
	for i := range cs {
		if i > 0 {
			dst = append(dst, ',')
		}
		c := &cs[i]
		keys, gone := c.val.([]K)
		if !odd || !gone {
			if dst, err = appendRow(dst, code, c); err != nil {
				return dst, false, err
			}
			continue
		}
		exact = false
		names := make(map[K]any, len(keys))
		for _, k := range keys {
			names[k] = nil
		}
		if dst, err = appendObject(append(dst, c.verb.row...), names); err != nil {
			return dst, false, err
		}
		dst = append(dst, ']')
	}
	return dst, exact, nil
}

func compacted(code coder, cs []Change) []Change {
	if len(cs) == 1 {
		return cs
	}
	return code.compact(cs)
}

// outcome of a user's reducer is its result.
func (f *Reduced[S, V]) outcome(dst []byte, o *outcome) ([]byte, bool, error) {
	rest := afterReplace(o.changes)
	anew := rest[0].verb.op == VerbReplace
	if f.grow != nil && !anew {
		dst, err := f.appendGrown(dst, o)
		return dst, false, err
	}
	dst, err := appendWhole(dst, f, f.replace, o.store.cur)
	return dst, anew && (f.folds || len(rest) == 1), err
}

// appendGrown writes what a union added: it is at the end of its list.
func (f *Reduced[S, V]) appendGrown(dst []byte, o *outcome) ([]byte, error) {
	was, _ := any(f.load(o.store.next.(*S))).([]any)
	is, _ := any(f.load(o.store.cur.(*S))).([]any)
	dst, err := appendList(append(dst, f.grow.row...), is[len(was):])
	return append(dst, ']'), err
}

func (f *keyed[S, E]) outcome(dst []byte, o *outcome) ([]byte, bool, error) {
	if replaces(o.changes) {
		dst, err := appendWhole(dst, f, f.replace, o.store.cur)
		return dst, f.asWritten(o), err
	}
	plain, exact := f.plain(o.changes)
	plain = compacted(f, plain)
	for i := range plain {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendRow(dst, f, &plain[i]); err != nil {
			return dst, false, err
		}
	}
	return dst, exact, nil
}

// asWritten reports whether a replaced list is just what was written: without
// removals, and without elements that stand for others.
func (f *keyed[S, E]) asWritten(o *outcome) bool {
	rest := afterReplace(o.changes)
	if len(rest) > 1 {
		rest = f.compact(rest)
	}
	es, _ := rest[0].val.([]E)
	return len(rest) == 1 && len(es) == len(f.load(o.store.cur.(*S)))
}

// plain returns changes in which elements that only say which message to
// remove are deletions, and whether there were none.
func (f *keyed[S, E]) plain(cs []Change) ([]Change, bool) {
	if f.removes == nil || !f.removal(cs) {
		return cs, true
	}
	var out []Change
	for i := range cs {
		es, puts := cs[i].val.([]E)
		if !puts {
			out = append(out, cs[i])
			continue
		}
		from := 0
		for k, e := range es {
			if !f.removes(e) {
				continue
			}
			if from < k {
				out = append(out, Change{verb: f.col.usual, val: es[from:k]})
			}
			out = append(out, Change{verb: f.del, val: []string{f.id(e)}})
			from = k + 1
		}
		if from < len(es) {
			out = append(out, Change{verb: f.col.usual, val: es[from:]})
		}
	}
	return out, false
}

func (f *keyed[S, E]) removal(cs []Change) bool {
	for i := range cs {
		es, _ := cs[i].val.([]E)
		for _, e := range es {
			if f.removes(e) {
				return true
			}
		}
	}
	return false
}
