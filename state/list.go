package state

import "slices"

// List is a handle of a list that every writer of a step appends to, in task
// order. Appending costs the same whatever the list's length. A node that
// appends to the list in its own view of the state harms nobody; one that
// assigns to an element of it does (see the package comment).
// A List is immutable and safe for concurrent use.
type List[S, E any] struct {
	place[S, []E]
	col                *column
	one, many, replace *verb
}

// NewList makes the handle of the list that ref returns.
func NewList[S, E any](name string, ref func(*S) *[]E) *List[S, E] {
	return newList(newColumn(name, "list", ref), place[S, []E]{ref: ref})
}

func newList[S, E any](col *column, at place[S, []E]) *List[S, E] {
	f := &List[S, E]{place: at, col: col}
	col.vouch(typeOf[E]())
	col.code = f
	f.many = col.addVerb(VerbAppend, f.applyMany)
	f.one = col.addVerb(VerbAppend, f.applyOne)
	f.replace = col.addVerb(VerbReplace, f.applyReplace)
	col.usual = f.many
	return f
}

// Append adds elements at the end. The elements are copied: what the caller
// does to es later changes nothing.
func (f *List[S, E]) Append(es ...E) Write[S] {
	if len(es) == 1 {
		val, word := pack(es[0])
		return Write[S]{Change{verb: f.one, val: val, word: word}}
	}
	return Write[S]{Change{verb: f.many, val: slices.Clone(es)}}
}

// Replace makes a copy of es the whole list; what other tasks of the step
// append is dropped, and two tasks that replace are a conflict. Nil empties
// the list.
func (f *List[S, E]) Replace(es []E) Write[S] {
	return Write[S]{Change{verb: f.replace, val: slices.Clone(es)}}
}

// Name returns the field's name.
func (f *List[S, E]) Name() string { return f.col.name }

func (f *List[S, E]) columns(*S) []*column { return []*column{f.col} }

// tip is the growing array behind a list: the state holds a clipped window of
// it, so that views can be shared while the run goes on appending. What lies
// behind the tail's end has never been in any window.
type tip[E any] struct{ tail []E }

// grow returns the array to append to: the run's own if t is its newest
// window, else t itself, which is clipped and so copied by append.
func (f *List[S, E]) grow(sl *slot, t []E) (*tip[E], []E) {
	if sl == nil {
		return nil, slices.Clip(t)
	}
	own, ok := sl.tip.(*tip[E])
	if !ok {
		own = &tip[E]{}
		sl.tip = own
	}
	if n := len(t); n > 0 && n == len(own.tail) && &t[0] == &own.tail[0] {
		return own, own.tail
	}
	return own, slices.Clip(t)
}

func (f *List[S, E]) keep(s *S, own *tip[E], t []E) {
	if own != nil {
		own.tail = t
	}
	f.store(s, t[:len(t):len(t)])
}

func (f *List[S, E]) applyOne(st any, sl *slot, c *Change) error {
	if f.col.own {
		if err := prove[E](f.col, sl, c); err != nil {
			return err
		}
	}
	e, err := accepted(f.col, unpack[E](c))
	if err != nil {
		return err
	}
	s := st.(*S)
	if f.ref != nil && sl != nil && f.push(f.ref(s), sl, e) {
		return nil
	}
	own, t := f.grow(sl, f.load(s))
	f.keep(s, own, append(t, e))
	return nil
}

// push is the common case of an append: the list is the newest window of the
// run's array, and the array has room.
func (f *List[S, E]) push(p *[]E, sl *slot, e E) bool {
	own, ok := sl.tip.(*tip[E])
	n := len(*p)
	if !ok || n == 0 || n != len(own.tail) || n == cap(own.tail) || &(*p)[0] != &own.tail[0] {
		return false
	}
	own.tail = own.tail[:n+1]
	own.tail[n] = e
	*p = own.tail[: n+1 : n+1]
	return true
}

func (f *List[S, E]) applyMany(st any, sl *slot, c *Change) error {
	es, _ := c.val.([]E)
	es, err := acceptedItems(f.col, sl, es)
	if err != nil {
		return err
	}
	s := st.(*S)
	own, t := f.grow(sl, f.load(s))
	f.keep(s, own, append(t, es...))
	return nil
}

func (f *List[S, E]) applyReplace(st any, _ *slot, c *Change) error {
	es, _ := c.val.([]E)
	es, err := acceptedItems(f.col, nil, es)
	if err != nil {
		return err
	}
	f.store(st.(*S), slices.Clip(es))
	return nil
}

// items returns the elements that a change carries.
func (f *List[S, E]) items(c *Change) []E {
	if c.verb.variant == f.one.variant {
		return []E{unpack[E](c)}
	}
	es, _ := c.val.([]E)
	return es
}

// count returns how many elements a change carries.
func (f *List[S, E]) count(c *Change) int {
	if c.verb.variant == f.one.variant {
		return 1
	}
	es, _ := c.val.([]E)
	return len(es)
}

func (f *List[S, E]) encode(dst []byte, c *Change) ([]byte, error) {
	if c.verb.variant == f.one.variant {
		dst, err := appendCarried[E](append(dst, '['), f.col, c)
		return append(dst, ']'), err
	}
	return appendItems(dst, f.col, f.items(c))
}

func (f *List[S, E]) decode(v Verb, data []byte) (Change, error) {
	es, err := parseList[E](data)
	return Change{verb: f.col.verb(v), val: es}, err
}

func (f *List[S, E]) compact(cs []Change) []Change {
	cs = afterReplace(cs)
	if len(cs) == 1 {
		return cs
	}
	by := f.many
	if cs[0].verb.op == VerbReplace {
		by = f.replace
	}
	all := make([]E, 0, len(cs))
	for i := range cs {
		all = append(all, f.items(&cs[i])...)
	}
	return []Change{{verb: by, val: all}}
}

func (f *List[S, E]) save(dst []byte, st any) ([]byte, error) {
	return appendItems(dst, f.col, f.load(st.(*S)))
}

func (f *List[S, E]) whole(st any) Change {
	return Change{verb: f.replace, val: f.load(st.(*S))}
}

func (f *List[S, E]) holds(st any) bool { return f.set(st.(*S)) }

func (f *List[S, E]) clip(st any) {
	s := st.(*S)
	if t := f.load(s); len(t) != cap(t) {
		f.store(s, slices.Clip(t))
	}
}
