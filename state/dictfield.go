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
	odd               bool // keys are written differently in lists and in objects
}

// NewDict makes the handle of the Dict that ref returns. K must be a string or
// an integer.
func NewDict[S any, K cmp.Ordered, V any](name string, ref func(*S) *Dict[K, V]) *DictField[S, K, V] {
	f := &DictField[S, K, V]{place: place[S, Dict[K, V]]{ref: ref}, col: newColumn(name, "dict", ref)}
	f.col.vouch(typeOf[V]())
	f.col.code = f
	f.col.usual = f.col.addVerb(VerbPut, f.applyAll)
	f.one = f.col.addVerb(VerbPut, f.applyOne)
	f.del = f.col.addVerb(VerbDelete, f.applyDelete)
	f.odd = oddKeys(typeOf[K]())
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

func (f *DictField[S, K, V]) applyOne(st any, _ *slot, c *Change) error {
	e := c.val.(entry[K, V])
	v, err := acceptedEntry(f.col, e.key, e.value)
	if err != nil {
		return err
	}
	s := st.(*S)
	f.store(s, f.load(s).With(e.key, v))
	return nil
}

func (f *DictField[S, K, V]) applyAll(st any, _ *slot, c *Change) error {
	m, err := acceptedEntries(f.col, asMap[K, V](c.val))
	if err != nil {
		return err
	}
	s := st.(*S)
	f.store(s, f.load(s).withAll(m))
	return nil
}

func (f *DictField[S, K, V]) applyDelete(st any, _ *slot, c *Change) error {
	keys, _ := c.val.([]K)
	s := st.(*S)
	f.store(s, f.load(s).withoutAll(keys))
	return nil
}

func (f *DictField[S, K, V]) applyReplace(st any, _ *slot, c *Change) error {
	d := c.val.(Dict[K, V])
	if f.col.checked() {
		m, err := acceptedEntries(f.col, d.plain())
		if err != nil {
			return err
		}
		d = Dict[K, V]{}.withAll(m)
	}
	f.store(st.(*S), d)
	return nil
}

func (f *DictField[S, K, V]) encode(dst []byte, c *Change) ([]byte, error) {
	switch v := c.val.(type) {
	case entry[K, V]:
		return appendObject(dst, map[K]V{v.key: v.value})
	case []K:
		return appendList(dst, v)
	case Dict[K, V]:
		return appendObject(dst, v.plain())
	}
	return appendObject(dst, asMap[K, V](c.val))
}

func (f *DictField[S, K, V]) decode(v Verb, data []byte) (Change, error) {
	if v == VerbDelete {
		keys, err := parseList[K](data)
		return Change{verb: f.del, val: keys}, err
	}
	m, err := parseObject[K, V](data)
	if v == VerbReplace {
		return Change{verb: f.replace, val: Dict[K, V]{}.withAll(m)}, err
	}
	return Change{verb: f.col.usual, val: m}, err
}

func (f *DictField[S, K, V]) decodeKeys(data []byte) (Change, error) {
	keys, err := parseKeys[K](data)
	return Change{verb: f.del, val: keys}, err
}

func (f *DictField[S, K, V]) compact(cs []Change) []Change {
	cs = afterReplace(cs)
	if len(cs) == 1 {
		return cs
	}
	d, whole := cs[0].val.(Dict[K, V])
	if !whole {
		return netEffect[K, V](cs, f.col.usual, f.del)
	}
	for i := range cs[1:] {
		switch v := cs[i+1].val.(type) {
		case entry[K, V]:
			d = d.With(v.key, v.value)
		case []K:
			d = d.withoutAll(v)
		case map[K]V:
			d = d.withAll(v)
		}
	}
	return []Change{{verb: f.replace, val: d}}
}

func (f *DictField[S, K, V]) save(dst []byte, st any) ([]byte, error) {
	return appendObject(dst, f.load(st.(*S)).plain())
}

func (f *DictField[S, K, V]) whole(st any) Change {
	return Change{verb: f.replace, val: f.load(st.(*S))}
}

func (f *DictField[S, K, V]) holds(any) bool { return true }

func (f *DictField[S, K, V]) clip(any) {}
