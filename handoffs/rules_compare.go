package handoffs

import (
	"cmp"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// Comparison compares a fact with a constant.
type Comparison struct {
	// Field names a fact: a field of the state, or a key of something: "payload.service".
	Field string
	// Op is one of == != < <= > >=. Numbers are compared with numbers, texts
	// with texts; of other pairs none is less than the other.
	Op string
	// Value is as package state keeps it in any; nil: the fact is not set.
	Value any
}

// Compare makes a guard of comparisons: it holds if all of one alternative do.
// Its explanation tells the values that it saw. Without an alternative it
// never holds; an alternative without comparisons always does.
func Compare(alternatives ...[]Comparison) *Guard {
	if alternatives == nil {
		alternatives = [][]Comparison{}
	}
	g := &Guard{Text: rangeText(alternatives), Range: alternatives}
	g.Holds = func(f Facts) (bool, string, error) {
		return rangeHolds(alternatives, f), rangeBecause(alternatives, f), nil
	}
	return g
}

// test asks a guard; none, and one without a function, holds always. It tells
// why, as far as the guard does.
func (g *Guard) test(f Facts) (holds bool, because string, err error) {
	if g == nil || g.Holds == nil {
		return true, "", nil
	}
	holds, because, err = g.Holds(f)
	if because == "" && g.Text != "" {
		because = g.Text
		if !holds {
			because = "it needs " + g.Text
		}
	}
	return holds, because, err
}

func rangeHolds(alternatives [][]Comparison, f Facts) bool {
	for _, all := range alternatives {
		if !slices.ContainsFunc(all, func(c Comparison) bool { return !c.of(f) }) {
			return true
		}
	}
	return false
}

// of compares a fact.
func (c *Comparison) of(f Facts) bool {
	v, _ := factAt(f, c.Field)
	return c.with(v)
}

// with compares a value.
func (c *Comparison) with(v any) bool {
	if c.Op == "==" || c.Op == "!=" {
		return sameFact(v, c.Value) == (c.Op == "==")
	}
	order, ok := compareFacts(v, c.Value)
	if !ok {
		return false
	}
	switch c.Op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	return false
}

// String returns the comparison as people write it.
func (c *Comparison) String() string {
	switch {
	case c.Value != nil:
		return c.Field + " " + c.Op + " " + explainValue(c.Value)
	case c.Op == "==":
		return "no " + c.Field
	}
	return c.Field + " is set"
}

func rangeText(alternatives [][]Comparison) string {
	var out []string
	for _, all := range alternatives {
		var terms []string
		for i := range all {
			terms = append(terms, all[i].String())
		}
		out = append(out, strings.Join(terms, " and "))
	}
	return strings.Join(out, ", or ")
}

// rangeBecause tells the values of the facts that are compared, each once.
func rangeBecause(alternatives [][]Comparison, f Facts) string {
	if len(alternatives) == 0 {
		return "it never holds"
	}
	var room [8]string
	told := room[:0]
	var out []string
	for _, all := range alternatives {
		for i := range all {
			if name := all[i].Field; !slices.Contains(told, name) {
				v, _ := factAt(f, name)
				told, out = append(told, name), append(out, explainFact(name, v))
			}
		}
	}
	return strings.Join(out, ", ")
}

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
