package state

// Value is a handle of a field that holds the last value written. Two writers
// in one step are a conflict, which fails the step and names both tasks.
// What a value refers to (a slice's elements, a map's keys, what a pointer
// points to) belongs to the state once it is written: do not change it.
// A Value is immutable and safe for concurrent use.
type Value[S, V any] struct {
	place[S, V]
	col     *column
	replace *verb
	slice   bool
}

// NewValue makes the handle of the field that ref returns. The name is the
// field's name in stored updates, events and JSON. Mistakes (an accessor that
// follows a pointer, say) are told by NewSchema.
func NewValue[S, V any](name string, ref func(*S) *V) *Value[S, V] {
	return newValue(newColumn(name, "value", ref), place[S, V]{ref: ref})
}

func newValue[S, V any](col *column, at place[S, V]) *Value[S, V] {
	f := &Value[S, V]{place: at, col: col, slice: clips(col.value)}
	col.vouch(typeOf[V]())
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

func (f *Value[S, V]) apply(st any, sl *slot, c *Change) error {
	if f.col.own {
		if err := prove[V](f.col, sl, c); err != nil {
			return err
		}
	}
	v, err := accepted(f.col, unpack[V](c))
	if err != nil {
		return err
	}
	if f.slice {
		v = clipped(v)
	}
	f.store(st.(*S), v)
	return nil
}

func (f *Value[S, V]) encode(dst []byte, c *Change) ([]byte, error) {
	return appendCarried[V](dst, f.col, c)
}

func (f *Value[S, V]) decode(v Verb, data []byte) (Change, error) {
	var val V
	if err := parseJSON(data, &val); err != nil {
		return Change{}, err
	}
	return f.write(f.col.verb(v), val).change, nil
}

func (f *Value[S, V]) compact(cs []Change) []Change { return cs[len(cs)-1:] }

func (f *Value[S, V]) save(dst []byte, st any) ([]byte, error) {
	return appendHeld(dst, f.col, &f.place, st.(*S))
}

func (f *Value[S, V]) whole(st any) Change { return f.Replace(f.load(st.(*S))).change }

func (f *Value[S, V]) holds(st any) bool { return f.set(st.(*S)) }

func (f *Value[S, V]) clip(st any) {
	if f.slice {
		s := st.(*S)
		f.store(s, clipped(f.load(s)))
	}
}
