package jsonwrite

import (
	"fmt"
	"math"
	"strconv"

	"github.com/graphrun/graphrun/state"
)

// Value writes a value of any: nil, bool, int64, float64, string, and []any and
// map[string]any of these. Others are a problem, but for what Loose takes. nil is
// left out.
func (w *Writer) Value(key string, v any) {
	if v == nil {
		return
	}
	w.Put(key)
	w.Into(key)
	w.any(v)
	w.Out()
}

// Values writes a map of such values that is not empty.
func (w *Writer) Values(key string, m map[string]any) {
	if len(m) > 0 {
		w.MustValues(key, m)
	}
}

// MustValues writes a map of values of any; nil is null.
func (w *Writer) MustValues(key string, m map[string]any) {
	if m == nil {
		w.Put(key)
		w.Put("null")
		return
	}
	w.object(key, m)
}

func (w *Writer) object(key string, m map[string]any) {
	var room [8]Member[any]
	start := w.Open(key)
	if !w.full { // else it may be without end
		for _, e := range Sorted(room[:0], m) {
			w.Key(e.Key)
			w.any(e.Value)
			w.Out()
		}
	}
	w.Shut(start)
}

func (w *Writer) any(v any) {
	switch x := v.(type) {
	case nil:
		w.Put("null")
	case string:
		w.Must("", x)
	case bool:
		w.MustFlag("", x)
	case int64:
		w.MustWhole("", x)
	case float64:
		w.float(x)
	case []any:
		w.list(x)
	case map[string]any:
		w.object("", x) // nil comes back as an empty one
	default:
		w.other(v)
	}
}

func (w *Writer) list(list []any) {
	if !w.full { // else it may be without end
		w.MustList("", len(list), func(i int) { w.any(list[i]) })
	}
}

func (w *Writer) float(f float64) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		w.Fail("", strconv.FormatFloat(f, 'g', -1, 64)+" is not a number that JSON can hold")
	case !w.Look:
		w.Buf = AppendFloat(w.Buf, f)
	}
}

// other writes a value that does not come back as it was.
func (w *Writer) other(v any) {
	n, whole := v.(int)
	switch {
	case w.Loose && whole:
		w.MustWhole("", int64(n))
	case w.Loose:
		w.Stated("", v)
	case whole:
		w.Fail("", fmt.Sprintf("int %d comes back as int64: write int64(%d)", n, n))
	default:
		w.Fail("", fmt.Sprintf("a %T in `any` does not come back as it was; use nil, bool, int64, float64, string, []any or map[string]any", v))
	}
}

// Stated writes a value as state.AppendAny does: 1e-9 for 1e-09, and of a problem
// inside of it the place is not told. nil is null.
func (w *Writer) Stated(key string, v any) {
	w.Put(key)
	out, err := state.AppendAny(w.Buf, v)
	switch {
	case err != nil:
		w.Fail(key, err.Error())
	case !w.Look:
		w.Buf = out
	}
}
