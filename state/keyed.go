package state

import (
	"fmt"
	"slices"
)

// keyed is a list whose elements have ids: what Messages and the `messages`
// fields of records share.
type keyed[S, E any] struct {
	place[S, []E]
	col          *column
	del, replace *verb
	id           func(E) string
	check        func(E) error // nil: elements were checked before
	removes      func(E) bool  // an element that only says: remove my id; may be nil
}

// index is what a run keeps of a keyed list: its growing array and where each
// id stands in it.
type index[E any] struct {
	tail []E
	at   map[string]int
}

func (f *keyed[S, E]) build() {
	f.col.code = f
	f.col.usual = f.col.addVerb(VerbPut, f.applyPut)
	f.del = f.col.addVerb(VerbDelete, f.applyDelete)
	f.replace = f.col.addVerb(VerbReplace, f.applyReplace)
}

// indexed returns the run's index of the list as it stands in s.
func (f *keyed[S, E]) indexed(s *S, sl *slot) *index[E] {
	t := f.load(s)
	if sl == nil {
		return f.reindex(slices.Clip(t))
	}
	own, ok := sl.tip.(*index[E])
	if n := len(t); ok && n == len(own.tail) && (n == 0 || &t[0] == &own.tail[0]) {
		return own
	}
	own = f.reindex(slices.Clip(t))
	sl.tip, sl.epoch = own, 0
	return own
}

func (f *keyed[S, E]) reindex(t []E) *index[E] {
	own := &index[E]{tail: t, at: make(map[string]int, len(t))}
	for i, e := range t {
		if id := f.id(e); id != "" {
			own.at[id] = i
		}
	}
	return own
}

func (f *keyed[S, E]) applyPut(st any, sl *slot, c *Change) error {
	es, _ := c.val.([]E)
	if f.check != nil {
		for i, e := range es {
			if err := f.check(e); err != nil {
				return fmt.Errorf("field %q: message %d: %w", f.col.name, i, err)
			}
		}
	}
	s := st.(*S)
	own := f.indexed(s, sl)
	for _, e := range es {
		if f.removes == nil || !f.removes(e) {
			f.put(own, sl, e)
			continue
		}
		var err error
		if own, err = f.without(own, sl, []string{f.id(e)}); err != nil {
			return err
		}
	}
	f.store(s, own.tail[:len(own.tail):len(own.tail)])
	return nil
}

// put replaces or appends one element. The first replacement of a step copies
// the array, for views share it.
func (f *keyed[S, E]) put(own *index[E], sl *slot, e E) {
	id := f.id(e)
	i, there := own.at[id]
	if id == "" || !there {
		own.tail = append(own.tail, e)
		if id != "" {
			own.at[id] = len(own.tail) - 1
		}
		return
	}
	if sl == nil || sl.epoch != sl.now {
		own.tail = slices.Clone(own.tail)
		if sl != nil {
			sl.epoch = sl.now
		}
	}
	own.tail[i] = e
}

func (f *keyed[S, E]) without(own *index[E], sl *slot, ids []string) (*index[E], error) {
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		if _, there := own.at[id]; !there {
			return own, fmt.Errorf("field %q: %w: no message has the id %q to remove", f.col.name, ErrValue, id)
		}
		gone[id] = true
	}
	kept := make([]E, 0, len(own.tail))
	for _, e := range own.tail {
		if !gone[f.id(e)] {
			kept = append(kept, e)
		}
	}
	own = f.reindex(kept)
	if sl != nil {
		sl.tip, sl.epoch = own, sl.now
	}
	return own, nil
}

func (f *keyed[S, E]) applyDelete(st any, sl *slot, c *Change) error {
	ids, _ := c.val.([]string)
	if len(ids) == 0 {
		return nil
	}
	s := st.(*S)
	own, err := f.without(f.indexed(s, sl), sl, ids)
	if err != nil {
		return err
	}
	f.store(s, own.tail[:len(own.tail):len(own.tail)])
	return nil
}

func (f *keyed[S, E]) applyReplace(st any, sl *slot, c *Change) error {
	f.store(st.(*S), []E{})
	if sl != nil {
		sl.tip = nil
	}
	return f.applyPut(st, sl, c)
}

func (f *keyed[S, E]) encode(dst []byte, c *Change) ([]byte, error) {
	if ids, ok := c.val.([]string); ok {
		return appendList(dst, ids)
	}
	es, _ := c.val.([]E)
	return appendList(dst, es)
}

func (f *keyed[S, E]) decode(v Verb, data []byte) (Change, error) {
	if v == VerbDelete {
		ids, err := parseList[string](data)
		return Change{verb: f.del, val: ids}, err
	}
	es, err := parseList[E](data)
	return Change{verb: f.col.verb(v), val: es}, err
}

// compact joins runs of puts; of several with one id only the last remains,
// in the place of the first. Removals keep their place between them.
func (f *keyed[S, E]) compact(cs []Change) []Change {
	cs = afterReplace(cs)
	out := make([]Change, 0, 1)
	for i := 0; i < len(cs); {
		run := i + 1
		if _, puts := cs[i].val.([]E); puts {
			for run < len(cs) && cs[run].verb.op == VerbPut {
				run++
			}
		}
		if run == i+1 {
			out = append(out, cs[i])
		} else {
			out = append(out, Change{verb: cs[i].verb, val: f.joined(cs[i:run])})
		}
		i = run
	}
	return out
}

func (f *keyed[S, E]) joined(puts []Change) []E {
	var all []E
	at := map[string]int{}
	for i := range puts {
		es, _ := puts[i].val.([]E)
		for _, e := range es {
			if f.removes != nil && f.removes(e) {
				clear(at)
				all = append(all, e)
				continue
			}
			id := f.id(e)
			if k, there := at[id]; there && id != "" {
				all[k] = e
				continue
			}
			at[id] = len(all)
			all = append(all, e)
		}
	}
	return all
}

func (f *keyed[S, E]) save(dst []byte, st any) ([]byte, error) {
	return appendList(dst, f.load(st.(*S)))
}

func (f *keyed[S, E]) whole(st any) Change {
	return Change{verb: f.replace, val: f.load(st.(*S))}
}

func (f *keyed[S, E]) holds(st any) bool { return f.set(st.(*S)) }

func (f *keyed[S, E]) clip(st any) {
	s := st.(*S)
	if t := f.load(s); len(t) != cap(t) {
		f.store(s, slices.Clip(t))
	}
}
