package state

import (
	"fmt"
	"math"
)

// Number is what a Counter can count in.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64
}

// Counter is a handle of a number to which every writer of a step adds.
// A sum that does not fit the type fails the step instead of wrapping round.
// A Counter is immutable and safe for concurrent use.
type Counter[S any, N Number] struct {
	place[S, N]
	col     *column
	replace *verb
	float   bool
}

// NewCounter makes the handle of the number that ref returns.
func NewCounter[S any, N Number](name string, ref func(*S) *N) *Counter[S, N] {
	return newCounter(newColumn(name, "counter", ref), place[S, N]{ref: ref})
}

func newCounter[S any, N Number](col *column, at place[S, N]) *Counter[S, N] {
	half := 0.5
	f := &Counter[S, N]{place: at, col: col, float: N(half) != 0}
	col.code = f
	col.usual = col.addVerb(VerbAdd, f.applyAdd)
	f.replace = col.addVerb(VerbReplace, f.applyReplace)
	return f
}

// Add adds n, which may be negative.
func (f *Counter[S, N]) Add(n N) Write[S] {
	return Write[S]{Change{verb: f.col.usual, word: f.toWord(n)}}
}

// Replace gives the field the value n; what other tasks of the step add is
// dropped, and two tasks that replace are a conflict.
func (f *Counter[S, N]) Replace(n N) Write[S] {
	return Write[S]{Change{verb: f.replace, word: f.toWord(n)}}
}

// Name returns the field's name.
func (f *Counter[S, N]) Name() string { return f.col.name }

func (f *Counter[S, N]) columns(*S) []*column { return []*column{f.col} }

func (f *Counter[S, N]) toWord(n N) uint64 {
	if f.float {
		return floatBits(float64(n))
	}
	return uint64(n)
}

func (f *Counter[S, N]) fromWord(w uint64) N {
	if f.float {
		return N(floatFrom(w))
	}
	return N(w)
}

func (f *Counter[S, N]) applyAdd(st any, _ *slot, c *Change) error {
	s, n := st.(*S), f.fromWord(c.word)
	old := f.place.load(s)
	sum := old + n
	if n > 0 && sum < old || n < 0 && sum > old {
		return fmt.Errorf("field %q: %v + %v does not fit %v", f.col.name, old, n, f.col.value)
	}
	if f.float && (math.IsNaN(float64(sum)) || math.IsInf(float64(sum), 0)) {
		return fmt.Errorf("field %q: %v + %v is not a finite number", f.col.name, old, n)
	}
	f.store(s, sum)
	return nil
}

func (f *Counter[S, N]) applyReplace(st any, _ *slot, c *Change) error {
	f.store(st.(*S), f.fromWord(c.word))
	return nil
}

func (f *Counter[S, N]) encode(dst []byte, c *Change) ([]byte, error) {
	return appendJSON(dst, f.fromWord(c.word))
}

func (f *Counter[S, N]) decode(v Verb, data []byte) (Change, error) {
	var n N
	if err := parseJSON(data, &n); err != nil {
		return Change{}, err
	}
	if v == VerbReplace {
		return f.Replace(n).change, nil
	}
	return f.Add(n).change, nil
}

// compact sums what can be summed; a sum that overflows stays in parts.
func (f *Counter[S, N]) compact(cs []Change) []Change {
	cs = afterReplace(cs)
	var sum N
	for i := range cs {
		n := f.fromWord(cs[i].word)
		next := sum + n
		if n > 0 && next < sum || n < 0 && next > sum {
			return cs
		}
		sum = next
	}
	return []Change{{verb: cs[0].verb, word: f.toWord(sum)}}
}

func (f *Counter[S, N]) save(dst []byte, st any) ([]byte, error) {
	return appendJSON(dst, f.place.load(st.(*S)))
}

func (f *Counter[S, N]) load(st any, data []byte) error {
	var n N
	if err := parseJSON(data, &n); err != nil {
		return err
	}
	f.store(st.(*S), n)
	return nil
}

func (f *Counter[S, N]) whole(st any) Change { return f.Replace(f.place.load(st.(*S))).change }

func (f *Counter[S, N]) holds(st any) bool { return f.set(st.(*S)) }

func (f *Counter[S, N]) print(h *digest, st any) { h.add(f.place.load(st.(*S))) }

// afterReplace drops what a later replacement makes void. A replacement is
// first in what remains, if there is one.
func afterReplace(cs []Change) []Change {
	for i := len(cs) - 1; i > 0; i-- {
		if cs[i].verb.op == VerbReplace {
			return cs[i:]
		}
	}
	return cs
}
