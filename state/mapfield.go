package state

import (
	"maps"
	"slices"
)

// Map is a handle of a map that every writer of a step may change key by key;
// of two writers of one key the later task wins. The first Put of a step
// copies the map, so that what nodes hold does not change under them: its
// cost is the map's size. For maps of more than some tens of keys use a Dict.
// A Map is immutable and safe for concurrent use.
type Map[S any, K comparable, V any] struct {
	place[S, map[K]V]
	col               *column
	one, del, replace *verb
	odd               bool // keys are written differently in lists and in objects
}

// NewMap makes the handle of the map that ref returns. K must be a string, an
// integer or a type that marshals itself as text and reads itself back.
func NewMap[S any, K comparable, V any](name string, ref func(*S) *map[K]V) *Map[S, K, V] {
	return newMap(newColumn(name, "map", ref), place[S, map[K]V]{ref: ref})
}

func newMap[S any, K comparable, V any](col *column, at place[S, map[K]V]) *Map[S, K, V] {
	f := &Map[S, K, V]{place: at, col: col}
	col.vouch(typeOf[V]())
	col.code = f
	col.usual = col.addVerb(VerbPut, f.applyAll)
	f.one = col.addVerb(VerbPut, f.applyOne)
	f.del = col.addVerb(VerbDelete, f.applyDelete)
	f.odd = oddKeys(typeOf[K]())
	f.replace = col.addVerb(VerbReplace, f.applyReplace)
	return f
}

// Put sets one key.
func (f *Map[S, K, V]) Put(key K, value V) Write[S] {
	return Write[S]{Change{verb: f.one, val: entry[K, V]{key, value}}}
}

// PutAll sets every key of m, which is copied.
func (f *Map[S, K, V]) PutAll(m map[K]V) Write[S] {
	return Write[S]{Change{verb: f.col.usual, val: maps.Clone(m)}}
}

// Delete removes keys; those that are not there are passed over.
func (f *Map[S, K, V]) Delete(keys ...K) Write[S] {
	return Write[S]{Change{verb: f.del, val: slices.Clone(keys)}}
}

// Replace makes a copy of m the whole map; what other tasks of the step write
// to the field is dropped, and two tasks that replace are a conflict.
func (f *Map[S, K, V]) Replace(m map[K]V) Write[S] {
	return Write[S]{Change{verb: f.replace, val: maps.Clone(m)}}
}

// Name returns the field's name.
func (f *Map[S, K, V]) Name() string { return f.col.name }

func (f *Map[S, K, V]) columns(*S) []*column { return []*column{f.col} }

// own returns a map that this step may change: a copy at its first change.
// Without a slot every change copies.
func (f *Map[S, K, V]) own(s *S, sl *slot, more int) map[K]V {
	m := f.load(s)
	if sl != nil && sl.epoch == sl.now && m != nil {
		return m
	}
	fresh := make(map[K]V, len(m)+more)
	maps.Copy(fresh, m)
	f.store(s, fresh)
	if sl != nil {
		sl.epoch = sl.now
	}
	return fresh
}

func (f *Map[S, K, V]) applyOne(st any, sl *slot, c *Change) error {
	e := c.val.(entry[K, V])
	v, err := acceptedEntry(f.col, e.key, e.value)
	if err != nil {
		return err
	}
	f.own(st.(*S), sl, 1)[e.key] = v
	return nil
}

func (f *Map[S, K, V]) applyAll(st any, sl *slot, c *Change) error {
	m, err := acceptedEntries(f.col, asMap[K, V](c.val))
	if err != nil {
		return err
	}
	if len(m) > 0 {
		maps.Copy(f.own(st.(*S), sl, len(m)), m)
	}
	return nil
}

func (f *Map[S, K, V]) applyDelete(st any, sl *slot, c *Change) error {
	keys, _ := c.val.([]K)
	s := st.(*S)
	for _, k := range keys {
		if _, there := f.load(s)[k]; there {
			delete(f.own(s, sl, 0), k)
		}
	}
	return nil
}

// applyReplace puts the writer's map into the state. It stays the writer's
// too, so the next change of this step copies it.
func (f *Map[S, K, V]) applyReplace(st any, sl *slot, c *Change) error {
	m, err := acceptedEntries(f.col, asMap[K, V](c.val))
	if err != nil {
		return err
	}
	if sl != nil {
		sl.epoch = 0
	}
	f.store(st.(*S), m)
	return nil
}

func (f *Map[S, K, V]) encode(dst []byte, c *Change) ([]byte, error) {
	switch v := c.val.(type) {
	case entry[K, V]:
		return appendObject(dst, map[K]V{v.key: v.value})
	case []K:
		return appendList(dst, v)
	}
	return appendObject(dst, asMap[K, V](c.val))
}

func (f *Map[S, K, V]) decode(v Verb, data []byte) (Change, error) {
	if v == VerbDelete {
		keys, err := parseList[K](data)
		return Change{verb: f.del, val: keys}, err
	}
	m, err := parseObject[K, V](data)
	return Change{verb: f.col.verb(v), val: m}, err
}

func (f *Map[S, K, V]) decodeKeys(data []byte) (Change, error) {
	keys, err := parseKeys[K](data)
	return Change{verb: f.del, val: keys}, err
}

func (f *Map[S, K, V]) compact(cs []Change) []Change {
	cs = afterReplace(cs)
	if len(cs) == 1 {
		return cs
	}
	if cs[0].verb.op != VerbReplace {
		return netEffect[K, V](cs, f.col.usual, f.del)
	}
	m := maps.Clone(asMap[K, V](cs[0].val))
	if m == nil {
		m = map[K]V{}
	}
	for i := range cs[1:] {
		switch v := cs[i+1].val.(type) {
		case entry[K, V]:
			m[v.key] = v.value
		case []K:
			for _, k := range v {
				delete(m, k)
			}
		case map[K]V:
			maps.Copy(m, v)
		}
	}
	return []Change{{verb: f.replace, val: m}}
}

func (f *Map[S, K, V]) save(dst []byte, st any) ([]byte, error) {
	return appendObject(dst, f.load(st.(*S)))
}

func (f *Map[S, K, V]) whole(st any) Change {
	return Change{verb: f.replace, val: f.load(st.(*S))}
}

func (f *Map[S, K, V]) holds(st any) bool { return f.set(st.(*S)) }

func (f *Map[S, K, V]) clip(any) {}
