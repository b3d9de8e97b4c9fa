package state

import (
	"cmp"
	"maps"
	"slices"
)

// DictField is a handle of a Dict, which every writer of a step may change
// key by key; of two writers of one key the later task wins. A write costs
// O(log n). A DictField is immutable and safe for concurrent use.
type DictField[S any, K cmp.Ordered, V any] struct {
	place[S, Dict[K, V]]
	col               *column
	one, del, replace *verb
}

// NewDict makes the handle of the Dict that ref returns.
func NewDict[S any, K cmp.Ordered, V any](name string, ref func(*S) *Dict[K, V]) *DictField[S, K, V] {
	f := &DictField[S, K, V]{place: place[S, Dict[K, V]]{ref: ref}, col: newColumn(name, "dict", ref)}
	f.col.loose = holdsAny(typeOf[V](), nil)
	f.col.elem = typeOf[map[K]V]()
	f.col.code = f
	f.col.usual = f.col.addVerb(VerbPut, f.applyAll)
	f.one = f.col.addVerb(VerbPut, f.applyOne)
	f.del = f.col.addVerb(VerbDelete, f.applyDelete)
	f.replace = f.col.addVerb(VerbReplace, f.applyReplace)
	return f
}

// Put sets one key.
func (f *DictField[S, K, V]) Put(key K, value V) Write[S] {
	return Write[S]{Change{verb: f.one, val: entry[K, V]{key, value}}}
}

// PutAll sets every key of m, which is copied.
func (f *DictField[S, K, V]) PutAll(m map[K]V) Write[S] {
	return Write[S]{Change{verb: f.col.usual, val: maps.Clone(m)}}
}

// Delete removes keys; those that are not there are passed over.
func (f *DictField[S, K, V]) Delete(keys ...K) Write[S] {
	return Write[S]{Change{verb: f.del, val: slices.Clone(keys)}}
}

// Replace makes d the whole field; what other tasks of the step write to it
// is dropped, and two tasks that replace are a conflict.
func (f *DictField[S, K, V]) Replace(d Dict[K, V]) Write[S] {
	return Write[S]{Change{verb: f.replace, val: d}}
}

// Name returns the field's name.
func (f *DictField[S, K, V]) Name() string { return f.col.name }

func (f *DictField[S, K, V]) columns(*S) []*column { return []*column{f.col} }

func (f *DictField[S, K, V]) put(s *S, key K, value V) error {
	v, err := acceptedItem(f.col, value)
	if err == nil {
		f.store(s, f.place.load(s).With(key, v))
	}
	return err
}

func (f *DictField[S, K, V]) applyOne(st any, _ *slot, c *Change) error {
	e := c.val.(entry[K, V])
	return f.put(st.(*S), e.key, e.value)
}

func (f *DictField[S, K, V]) applyAll(st any, _ *slot, c *Change) error {
	m := asMap[K, V](c.val)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if err := f.put(st.(*S), k, m[k]); err != nil {
			return err
		}
	}
	return nil
}

func (f *DictField[S, K, V]) applyDelete(st any, _ *slot, c *Change) error {
	keys, _ := c.val.([]K)
	d := f.place.load(st.(*S))
	for _, k := range keys {
		d = d.Without(k)
	}
	f.store(st.(*S), d)
	return nil
}

func (f *DictField[S, K, V]) applyReplace(st any, _ *slot, c *Change) error {
	f.store(st.(*S), Dict[K, V]{})
	for k, v := range c.val.(Dict[K, V]).All() {
		if err := f.put(st.(*S), k, v); err != nil {
			return err
		}
	}
	return nil
}

func (f *DictField[S, K, V]) encode(dst []byte, c *Change) ([]byte, error) {
	switch v := c.val.(type) {
	case entry[K, V]:
		return appendObject(dst, map[K]V{v.key: v.value})
	case []K:
		return appendList(dst, v)
	case Dict[K, V]:
		return appendJSON(dst, v)
	}
	return appendObject(dst, asMap[K, V](c.val))
}

func (f *DictField[S, K, V]) decode(v Verb, data []byte) (Change, error) {
	switch v {
	case VerbDelete:
		keys, err := parseList[K](data)
		return f.Delete(keys...).change, err
	case VerbReplace:
		var d Dict[K, V]
		err := parseJSON(data, &d)
		return f.Replace(d).change, err
	}
	m, err := parseObject[K, V](data)
	return f.PutAll(m).change, err
}

// compact leaves puts and deletions as they are: they are small and ordered.
func (f *DictField[S, K, V]) compact(cs []Change) []Change { return afterReplace(cs) }

func (f *DictField[S, K, V]) save(dst []byte, st any) ([]byte, error) {
	return appendJSON(dst, f.place.load(st.(*S)))
}

func (f *DictField[S, K, V]) load(st any, data []byte) error {
	var d Dict[K, V]
	if err := parseJSON(data, &d); err != nil {
		return err
	}
	f.store(st.(*S), d)
	return nil
}

func (f *DictField[S, K, V]) whole(st any) Change {
	return Change{verb: f.replace, val: f.place.load(st.(*S))}
}

func (f *DictField[S, K, V]) holds(any) bool { return true }

func (f *DictField[S, K, V]) print(h *digest, st any) { h.add(f.place.load(st.(*S))) }
