package state

// Value is a handle of a field that holds the last value written. Two writers
// in one step are a conflict, which fails the step and names both tasks.
// A Value is immutable and safe for concurrent use.
type Value[S, V any] struct {
	place[S, V]
	col     *column
	replace *verb
}

// NewValue makes the handle of the field that ref returns. The name is the
// field's name in stored updates, events and JSON. Mistakes (an accessor that
// follows a pointer, say) are told by NewSchema.
func NewValue[S, V any](name string, ref func(*S) *V) *Value[S, V] {
	return newValue(newColumn(name, "value", ref), place[S, V]{ref: ref})
}

func newValue[S, V any](col *column, at place[S, V]) *Value[S, V] {
	f := &Value[S, V]{place: at, col: col}
	col.only, col.code = true, f
	col.usual = col.addVerb(VerbSet, f.apply)
	f.replace = col.addVerb(VerbReplace, f.apply)
	return f
}

// Set gives the field a new value.
func (f *Value[S, V]) Set(v V) Write[S] { return f.write(f.col.usual, v) }

// Replace does what Set does: every handle has it, so that code which
// replaces fields need not know their reducers.
func (f *Value[S, V]) Replace(v V) Write[S] { return f.write(f.replace, v) }

// Name returns the field's name.
func (f *Value[S, V]) Name() string { return f.col.name }

func (f *Value[S, V]) columns(*S) []*column { return []*column{f.col} }

func (f *Value[S, V]) write(by *verb, v V) Write[S] {
	val, word := pack(v)
	return Write[S]{Change{verb: by, val: val, word: word}}
}

func (f *Value[S, V]) apply(st any, _ *slot, c *Change) error {
	v, err := accepted(f.col, unpack[V](c))
	if err != nil {
		return err
	}
	if any(v) == nil {
		f.clear(st.(*S))
		return nil
	}
	f.store(st.(*S), v)
	return nil
}

func (f *Value[S, V]) encode(dst []byte, c *Change) ([]byte, error) {
	return appendJSON(dst, unpack[V](c))
}

func (f *Value[S, V]) decode(v Verb, data []byte) (Change, error) {
	var val V
	if err := parseJSON(data, &val); err != nil {
		return Change{}, err
	}
	if v == VerbReplace {
		return f.Replace(val).change, nil
	}
	return f.Set(val).change, nil
}

func (f *Value[S, V]) compact(cs []Change) []Change { return cs[len(cs)-1:] }

func (f *Value[S, V]) save(dst []byte, st any) ([]byte, error) {
	return appendJSON(dst, f.place.load(st.(*S)))
}

func (f *Value[S, V]) load(st any, data []byte) error {
	var v V
	if err := parseJSON(data, &v); err != nil {
		return err
	}
	f.store(st.(*S), v)
	return nil
}

func (f *Value[S, V]) whole(st any) Change { return f.Replace(f.place.load(st.(*S))).change }

func (f *Value[S, V]) holds(st any) bool { return f.set(st.(*S)) }

func (f *Value[S, V]) print(h *digest, st any) { h.add(f.place.load(st.(*S))) }
