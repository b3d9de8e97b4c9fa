package state

import "fmt"

// Reducer is a user's rule for a field: how a write changes its value.
// Combine must be pure, for it may run again with the same arguments, and
// must not change what cur refers to. An error or a panic fails the step.
type Reducer[V any] struct {
	Name    string // stored with the graph's fingerprint; required
	Combine func(cur, upd V) (V, error)
}

// Reduced is a handle of a field with a reducer of the user's. Writes are
// combined in task order. A Reduced is immutable and safe for concurrent use.
type Reduced[S, V any] struct {
	place[S, V]
	col     *column
	rule    Reducer[V]
	replace *verb
}

// NewReduced makes the handle of the field that ref returns.
func NewReduced[S, V any](name string, rule Reducer[V], ref func(*S) *V) *Reduced[S, V] {
	return newReduced(newColumn(name, "reduced", ref), rule, place[S, V]{ref: ref})
}

func newReduced[S, V any](col *column, rule Reducer[V], at place[S, V]) *Reduced[S, V] {
	f := &Reduced[S, V]{place: at, col: col, rule: rule}
	if col.err == nil && (rule.Name == "" || rule.Combine == nil) {
		col.err = fmt.Errorf("its reducer needs a name and a function")
	}
	col.kind += ":" + rule.Name
	col.code = f
	col.usual = col.addVerb(VerbReduce, f.applyReduce)
	f.replace = col.addVerb(VerbReplace, f.applyReplace)
	return f
}

// Reduce combines the field with v.
func (f *Reduced[S, V]) Reduce(v V) Write[S] { return f.write(f.col.usual, v) }

// Replace gives the field the value v past its reducer; what other tasks of
// the step write is dropped, and two tasks that replace are a conflict.
func (f *Reduced[S, V]) Replace(v V) Write[S] { return f.write(f.replace, v) }

// Name returns the field's name.
func (f *Reduced[S, V]) Name() string { return f.col.name }

func (f *Reduced[S, V]) columns(*S) []*column { return []*column{f.col} }

func (f *Reduced[S, V]) write(by *verb, v V) Write[S] {
	val, word := pack(v)
	return Write[S]{Change{verb: by, val: val, word: word}}
}

func (f *Reduced[S, V]) applyReduce(st any, _ *slot, c *Change) (err error) {
	upd, err := accepted(f.col, unpack[V](c))
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("field %q: reducer %q panicked: %v", f.col.name, f.rule.Name, r)
		}
	}()
	s := st.(*S)
	v, err := f.rule.Combine(f.place.load(s), upd)
	if err != nil {
		return fmt.Errorf("field %q: reducer %q: %w", f.col.name, f.rule.Name, err)
	}
	f.store(s, v)
	return nil
}

func (f *Reduced[S, V]) applyReplace(st any, _ *slot, c *Change) error {
	v, err := accepted(f.col, unpack[V](c))
	if err != nil {
		return err
	}
	f.store(st.(*S), v)
	return nil
}

func (f *Reduced[S, V]) encode(dst []byte, c *Change) ([]byte, error) {
	return appendJSON(dst, unpack[V](c))
}

func (f *Reduced[S, V]) decode(v Verb, data []byte) (Change, error) {
	var val V
	if err := parseJSON(data, &val); err != nil {
		return Change{}, err
	}
	if v == VerbReplace {
		return f.Replace(val).change, nil
	}
	return f.Reduce(val).change, nil
}

// compact keeps every operand: only the reducer knows how they combine.
func (f *Reduced[S, V]) compact(cs []Change) []Change { return afterReplace(cs) }

func (f *Reduced[S, V]) save(dst []byte, st any) ([]byte, error) {
	return appendJSON(dst, f.place.load(st.(*S)))
}

func (f *Reduced[S, V]) load(st any, data []byte) error {
	var v V
	if err := parseJSON(data, &v); err != nil {
		return err
	}
	f.store(st.(*S), v)
	return nil
}

func (f *Reduced[S, V]) whole(st any) Change { return f.Replace(f.place.load(st.(*S))).change }

func (f *Reduced[S, V]) holds(st any) bool { return f.set(st.(*S)) }

func (f *Reduced[S, V]) print(h *digest, st any) { h.add(f.place.load(st.(*S))) }
