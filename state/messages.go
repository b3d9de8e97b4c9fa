package state

import (
	"fmt"
	"slices"
)

// Messages is a handle of a conversation: a message whose id is in the list
// replaces the one there, others are appended in task order. Adding costs the
// same whatever the list's length; replacing and removing cost its length.
// A Messages is immutable and safe for concurrent use.
type Messages[S any] struct{ keyed[S, Message] }

// NewMessages makes the handle of the conversation that ref returns.
func NewMessages[S any](name string, ref func(*S) *[]Message) *Messages[S] {
	f := &Messages[S]{}
	f.keyed = keyed[S, Message]{
		place: place[S, []Message]{ref: ref},
		col:   newColumn(name, "messages", ref),
		id:    func(m Message) string { return m.ID },
	}
	f.build()
	return f
}

// Add adds messages, each in place of the one with its id, if there is one.
func (f *Messages[S]) Add(ms ...Message) Write[S] {
	return Write[S]{Change{verb: f.col.usual, val: slices.Clone(ms)}}
}

// Remove removes the messages with the given ids; an id that is not there
// fails the step, for it tells of a mistake.
func (f *Messages[S]) Remove(ids ...string) Write[S] {
	return Write[S]{Change{verb: f.del, val: slices.Clone(ids)}}
}

// Replace makes ms the whole conversation; what other tasks of the step write
// to the field is dropped, and two tasks that replace are a conflict. Nil
// empties it.
func (f *Messages[S]) Replace(ms []Message) Write[S] {
	return Write[S]{Change{verb: f.replace, val: slices.Clone(ms)}}
}

// Name returns the field's name.
func (f *Messages[S]) Name() string { return f.col.name }

func (f *Messages[S]) columns(*S) []*column { return []*column{f.col} }

// keyed is a list whose elements have ids: what Messages and the `messages`
// fields of records share.
type keyed[S, E any] struct {
	place[S, []E]
	col          *column
	del, replace *verb
	id           func(E) string
	removes      func(E) bool // an element that only says: remove my id
}

// index is what a run keeps of a keyed list: its growing array and where each
// id stands in it.
type index[E any] struct {
	tail []E
	at   map[string]int
}

func (f *keyed[S, E]) build() {
	f.col.code, f.col.elem = f, typeOf[E]()
	f.col.usual = f.col.addVerb(VerbPut, f.applyPut)
	f.del = f.col.addVerb(VerbDelete, f.applyDelete)
	f.replace = f.col.addVerb(VerbReplace, f.applyReplace)
}

// indexed returns the run's index of the list as it stands in s.
func (f *keyed[S, E]) indexed(s *S, sl *slot) *index[E] {
	t := f.place.load(s)
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
	s := st.(*S)
	es, _ := c.val.([]E)
	es, err := acceptedItems(f.col, es)
	if err != nil {
		return err
	}
	own := f.indexed(s, sl)
	for _, e := range es {
		if f.removes != nil && f.removes(e) {
			if own, err = f.without(own, sl, []string{f.id(e)}); err != nil {
				return err
			}
			continue
		}
		f.put(own, sl, e)
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
			return own, fmt.Errorf("field %q: no message has the id %q to remove", f.col.name, id)
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
	s := st.(*S)
	own, err := f.without(f.indexed(s, sl), sl, ids)
	if err != nil {
		return err
	}
	f.store(s, own.tail[:len(own.tail):len(own.tail)])
	return nil
}

func (f *keyed[S, E]) applyReplace(st any, sl *slot, c *Change) error {
	f.store(st.(*S), nil)
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
	if v == VerbReplace {
		return Change{verb: f.replace, val: es}, err
	}
	return Change{verb: f.col.usual, val: es}, err
}

func (f *keyed[S, E]) compact(cs []Change) []Change {
	cs = afterReplace(cs)
	out := cs[:1:1]
	for _, c := range cs[1:] {
		last := &out[len(out)-1]
		old, fine := last.val.([]E)
		more, also := c.val.([]E)
		if fine && also {
			*last = Change{verb: last.verb, val: slices.Concat(old, more)}
			continue
		}
		out = append(out, c)
	}
	return out
}

func (f *keyed[S, E]) save(dst []byte, st any) ([]byte, error) {
	return appendList(dst, f.place.load(st.(*S)))
}

func (f *keyed[S, E]) load(st any, data []byte) error {
	es, err := parseList[E](data)
	if err != nil {
		return err
	}
	f.store(st.(*S), slices.Clip(es))
	return nil
}

func (f *keyed[S, E]) whole(st any) Change {
	return Change{verb: f.replace, val: f.place.load(st.(*S))}
}

func (f *keyed[S, E]) holds(st any) bool { return f.set(st.(*S)) }

func (f *keyed[S, E]) print(h *digest, st any) { h.add(f.place.load(st.(*S))) }
