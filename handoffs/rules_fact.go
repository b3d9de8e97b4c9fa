package handoffs

import (
	"cmp"
	"math/big"
	"reflect"
	"strings"
)

// factAt returns a fact by its name, or a key inside of one by its path. A
// fact that is nil is none.
func factAt(f Facts, path string) (any, bool) {
	if f == nil {
		return nil, false
	}
	if v, ok := f(path); ok {
		return v, v != nil
	}
	name, rest, more := strings.Cut(path, ".")
	if !more {
		return nil, false
	}
	v, _ := f(name)
	for more {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[rest]; ok {
			return v, v != nil
		}
		name, rest, more = strings.Cut(rest, ".")
		v = m[name]
	}
	return nil, false
}

// sameFact reports whether two values are equal; numbers are by their amount.
func sameFact(a, b any) bool {
	if order, ok := compareFacts(a, b); ok {
		return order == 0
	}
	return reflect.DeepEqual(a, b)
}

// compareFacts orders two numbers or two texts.
func compareFacts(a, b any) (int, bool) {
	if x, ok := a.(string); ok {
		y, ok := b.(string)
		return strings.Compare(x, y), ok
	}
	if x, ok := explainWhole(a); ok {
		if y, ok := explainWhole(b); ok {
			return cmp.Compare(x, y), true
		}
	}
	x, y := bigFact(a), bigFact(b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Cmp(y), true
}

// bigFact is a number without loss; nil: it is none.
func bigFact(v any) *big.Float {
	if n, ok := explainWhole(v); ok {
		return new(big.Float).SetInt64(n)
	}
	if f, ok := v.(float64); ok && f == f {
		return big.NewFloat(f)
	}
	return nil
}

// explainWhole returns a whole number of any type that fits.
func explainWhole(v any) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case int:
		return int64(x), true
	}
	if v == nil {
		return 0, false
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return r.Int(), true
	case r.CanUint() && r.Uint() < 1<<63:
		return int64(r.Uint()), true
	}
	return 0, false
}
