package state

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
)

// Number is what a Counter can count in.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64
}

// Counter is a handle of a number to which every writer of a step adds.
// A sum that does not fit the type fails the step, as ErrValue, instead of
// wrapping round. A Counter is immutable and safe for concurrent use.
type Counter[S any, N Number] struct {
	place[S, N]
	col     *column
	replace *verb
	float   bool
	plain   bool // a whole number that JSON shows as such
}

// NewCounter makes the handle of the number that ref returns.
func NewCounter[S any, N Number](name string, ref func(*S) *N) *Counter[S, N] {
	return newCounter(newColumn(name, "counter", ref), place[S, N]{ref: ref})
}

func newCounter[S any, N Number](col *column, at place[S, N]) *Counter[S, N] {
	half := 0.5
	f := &Counter[S, N]{place: at, col: col, float: N(half) != 0}
	col.code = f
	f.plain = !f.float && !marshals(typeOf[N]())
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
	n := f.fromWord(c.word)
	if f.ref == nil {
		s := st.(*S)
		sum, err := f.sum(f.load(s), n)
		if err == nil {
			f.store(s, sum)
		}
		return err
	}
	p := f.ref(st.(*S))
	sum, err := f.sum(*p, n)
	if err == nil {
		*p = sum
	}
	return err
}

// sum adds two numbers, or tells that the sum does not fit.
func (f *Counter[S, N]) sum(a, b N) (N, error) {
	sum := a + b
	if b > 0 && sum < a || b < 0 && sum > a || f.float && !finite(sum) {
		return a, fmt.Errorf("field %q: %w: %v + %v does not fit %v", f.col.name, ErrValue, a, b, f.col.value)
	}
	return sum, nil
}

func finite[N Number](n N) bool {
	f := float64(n)
	return !math.IsNaN(f) && !math.IsInf(f, 0)
}

func (f *Counter[S, N]) applyReplace(st any, _ *slot, c *Change) error {
	n := f.fromWord(c.word)
	if f.float && !finite(n) {
		return fmt.Errorf("field %q: %w: %v is not a number JSON can hold", f.col.name, ErrValue, n)
	}
	f.store(st.(*S), n)
	return nil
}

func (f *Counter[S, N]) encode(dst []byte, c *Change) ([]byte, error) {
	return f.appendNumber(dst, f.fromWord(c.word))
}

func (f *Counter[S, N]) decode(v Verb, data []byte) (Change, error) {
	n, ok := f.quick(data)
	if !ok {
		if err := parseJSON(data, &n); err != nil {
			return Change{}, err
		}
	}
	return Change{verb: f.col.verb(v), word: f.toWord(n)}, nil
}

// quick reads a plain whole number that fits.
func (f *Counter[S, N]) quick(data []byte) (N, bool) {
	if !f.plain {
		return 0, false
	}
	v, next, ok := quickInt(data, 0)
	n := N(v)
	return n, ok && next == len(data) && int64(n) == v && (n < 0) == (v < 0)
}

// compact sums what is added. A sum that does not fit is left in as many parts
// as it needs; floats are then left as they were added.
func (f *Counter[S, N]) compact(cs []Change) []Change {
	cs = afterReplace(cs)
	total := f.fromWord(cs[0].word)
	for i := range cs[1:] {
		sum, err := f.sum(total, f.fromWord(cs[i+1].word))
		if err != nil {
			return f.inParts(cs)
		}
		total = sum
	}
	return []Change{{verb: cs[0].verb, word: f.toWord(total)}}
}

// inParts sums whole numbers whose sum may not fit. What comes out depends on
// the sum alone, so that it is the same if a part was summed before.
func (f *Counter[S, N]) inParts(cs []Change) []Change {
	if f.float || cs[0].verb.op == VerbReplace {
		return cs
	}
	total := new(big.Int)
	for i := range cs {
		total.Add(total, f.toBig(f.fromWord(cs[i].word)))
	}
	var out []Change
	most, least := f.limits()
	for part := new(big.Int); len(out) == 0 || total.Sign() != 0; total.Sub(total, part) {
		switch part.Set(total); {
		case part.Cmp(most) > 0:
			part.Set(most)
		case part.Cmp(least) < 0:
			part.Set(least)
		}
		n := Change{verb: f.col.usual, word: uint64(part.Int64())}
		if part.Sign() > 0 {
			n.word = part.Uint64()
		}
		out = append(out, n)
	}
	return out
}

func (f *Counter[S, N]) toBig(n N) *big.Int {
	if n > 0 {
		return new(big.Int).SetUint64(uint64(n))
	}
	return big.NewInt(int64(n))
}

// limits returns the greatest and the least whole number of the type.
func (f *Counter[S, N]) limits() (most, least *big.Int) {
	bits := uint(f.col.value.Bits())
	one := big.NewInt(1)
	if f.col.value.Kind() >= reflect.Uint {
		return new(big.Int).Sub(new(big.Int).Lsh(one, bits), one), new(big.Int)
	}
	half := new(big.Int).Lsh(one, bits-1)
	return new(big.Int).Sub(half, one), new(big.Int).Neg(half)
}

func (f *Counter[S, N]) save(dst []byte, st any) ([]byte, error) {
	return f.appendNumber(dst, f.load(st.(*S)))
}

func (f *Counter[S, N]) appendNumber(dst []byte, n N) ([]byte, error) {
	switch {
	case !f.plain:
		return appendJSON(dst, n)
	case n < 0:
		return strconv.AppendInt(dst, int64(n), 10), nil
	}
	return strconv.AppendUint(dst, uint64(n), 10), nil
}

func (f *Counter[S, N]) whole(st any) Change { return f.Replace(f.load(st.(*S))).change }

func (f *Counter[S, N]) holds(st any) bool { return f.set(st.(*S)) }

func (f *Counter[S, N]) clip(any) {}

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
