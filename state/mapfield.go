package state

import (
	"bytes"
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
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// NewMap makes the handle of the map that ref returns. K must be a string, an
// integer or a type that marshals itself as text.
func NewMap[S any, K comparable, V any](name string, ref func(*S) *map[K]V) *Map[S, K, V] {
	return newMap(newColumn(name, "map", ref), place[S, map[K]V]{ref: ref})
}

func newMap[S any, K comparable, V any](col *column, at place[S, map[K]V]) *Map[S, K, V] {
	f := &Map[S, K, V]{place: at, col: col}
	col.code = f
	col.usual = col.addVerb(VerbPut, f.applyAll)
	f.one = col.addVerb(VerbPut, f.applyOne)
	f.del = col.addVerb(VerbDelete, f.applyDelete)
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
	m := f.place.load(s)
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
	v, err := acceptedItem(f.col, e.value)
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
	maps.Copy(f.own(st.(*S), sl, len(m)), m)
	return nil
}

func (f *Map[S, K, V]) applyDelete(st any, sl *slot, c *Change) error {
	keys, _ := c.val.([]K)
	m := f.own(st.(*S), sl, 0)
	for _, k := range keys {
		delete(m, k)
	}
	return nil
}

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
		return f.Delete(keys...).change, err
	}
	m, err := parseObject[K, V](data)
	if err != nil {
		return Change{}, err
	}
	if v == VerbReplace {
		return f.Replace(m).change, nil
	}
	return f.PutAll(m).change, nil
}

// compact folds runs of puts; deletions keep their place between them.
func (f *Map[S, K, V]) compact(cs []Change) []Change {
	cs = afterReplace(cs)
	if len(cs) == 1 {
		return cs
	}
	var out []Change
	var open map[K]V
	for i := range cs {
		c := &cs[i]
		if c.verb.op != VerbPut {
			m, _ := c.val.(map[K]V)
			open = nil
			if c.verb.op == VerbReplace {
				open = make(map[K]V, len(m))
				maps.Copy(open, m)
				out = append(out, Change{verb: c.verb, val: open})
				continue
			}
			out = append(out, *c)
			continue
		}
		if open == nil {
			open = map[K]V{}
			out = append(out, Change{verb: c.verb.field.usual, val: open})
		}
		if e, ok := c.val.(entry[K, V]); ok {
			open[e.key] = e.value
		} else {
			maps.Copy(open, asMap[K, V](c.val))
		}
	}
	return out
}

func (f *Map[S, K, V]) save(dst []byte, st any) ([]byte, error) {
	return appendObject(dst, f.place.load(st.(*S)))
}

func (f *Map[S, K, V]) load(st any, data []byte) error {
	m, err := parseObject[K, V](data)
	if err != nil {
		return err
	}
	f.store(st.(*S), m)
	return nil
}

func (f *Map[S, K, V]) whole(st any) Change {
	return Change{verb: f.replace, val: f.place.load(st.(*S))}
}

func (f *Map[S, K, V]) holds(st any) bool { return f.set(st.(*S)) }

func (f *Map[S, K, V]) print(h *digest, st any) { h.add(f.place.load(st.(*S))) }

func asMap[K comparable, V any](v any) map[K]V {
	m, _ := v.(map[K]V)
	return m
}

// appendObject writes a map with sorted keys; nil is an empty one.
func appendObject[K comparable, V any](dst []byte, m map[K]V) ([]byte, error) {
	if len(m) == 0 {
		return append(dst, "{}"...), nil
	}
	return appendJSON(dst, m)
}

func parseObject[K comparable, V any](data []byte) (map[K]V, error) {
	var m map[K]V
	if data = bytes.TrimSpace(data); len(data) == 0 || data[0] != '{' {
		return nil, wrongJSON("an object", data)
	}
	if err := parseJSON(data, &m); err != nil {
		return nil, err
	}
	return m, nil
}
