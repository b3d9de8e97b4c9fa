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
	slice   bool
	grow    *verb // of a union: how its operations are replayed; else nil
	folds   bool  // Combine is associative: operands may be combined beforehand
}

// NewReduced makes the handle of the field that ref returns.
func NewReduced[S, V any](name string, rule Reducer[V], ref func(*S) *V) *Reduced[S, V] {
	return newReduced(newColumn(name, "reduced", ref), rule, place[S, V]{ref: ref})
}

func newReduced[S, V any](col *column, rule Reducer[V], at place[S, V]) *Reduced[S, V] {
	f := &Reduced[S, V]{place: at, col: col, rule: rule, slice: clips(col.value)}
	col.vouch(typeOf[V]())
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

func (f *Reduced[S, V]) applyReduce(st any, _ *slot, c *Change) error {
	upd, err := f.accepted(unpack[V](c))
	if err != nil {
		return err
	}
	s := st.(*S)
	v, err := f.combine(f.load(s), upd)
	if err != nil {
		return err
	}
	if v, err = f.accepted(v); err != nil {
		return fmt.Errorf("result of reducer %q: %w", f.rule.Name, err)
	}
	f.put(s, v)
	return nil
}

// accepted is that of other fields, also for Encoders: what a reducer makes of
// them is carried by no change.
func (f *Reduced[S, V]) accepted(v V) (V, error) {
	if !f.col.own {
		return accepted(f.col, v)
	}
	return prepared(f.col, v)
}

// combine calls the reducer; its panic is an error.
func (f *Reduced[S, V]) combine(cur, upd V) (v V, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("field %q: reducer %q panicked: %v", f.col.name, f.rule.Name, r)
		}
	}()
	if v, err = f.rule.Combine(cur, upd); err != nil {
		err = fmt.Errorf("field %q: reducer %q: %w", f.col.name, f.rule.Name, err)
	}
	return v, err
}

func (f *Reduced[S, V]) put(s *S, v V) {
	if f.slice {
		v = clipped(v)
	}
	f.store(s, v)
}

func (f *Reduced[S, V]) applyReplace(st any, _ *slot, c *Change) error {
	v, err := f.accepted(unpack[V](c))
	if err != nil {
		return err
	}
	f.put(st.(*S), v)
	return nil
}

func (f *Reduced[S, V]) encode(dst []byte, c *Change) ([]byte, error) {
	return appendCarried[V](dst, f.col, c)
}

func (f *Reduced[S, V]) decode(v Verb, data []byte) (Change, error) {
	var val V
	if err := parseJSON(data, &val); err != nil {
		return Change{}, err
	}
	return f.write(f.col.verb(v), val).change, nil
}

// compact keeps every operand of a user's reducer, for only it knows how they
// combine.
func (f *Reduced[S, V]) compact(cs []Change) []Change {
	cs = afterReplace(cs)
	if !f.folds || len(cs) == 1 {
		return cs
	}
	v := unpack[V](&cs[0])
	for i := range cs[1:] {
		var err error
		if v, err = f.combine(v, unpack[V](&cs[i+1])); err != nil {
			return cs
		}
	}
	return []Change{f.write(cs[0].verb, v).change}
}

func (f *Reduced[S, V]) save(dst []byte, st any) ([]byte, error) {
	return appendHeld(dst, f.col, &f.place, st.(*S))
}

func (f *Reduced[S, V]) whole(st any) Change { return f.Replace(f.load(st.(*S))).change }

func (f *Reduced[S, V]) holds(st any) bool { return f.set(st.(*S)) }

func (f *Reduced[S, V]) clip(st any) {
	if f.slice {
		s := st.(*S)
		f.store(s, clipped(f.load(s)))
	}
}
