package handoffs

import (
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

// test evaluates a guard, and tells its text where it does not say why.
func (g *Guard) test(f Facts) (holds bool, because string, err error) {
	holds, because, err = g.evaluate(f)
	if g != nil && because == "" && g.Text != "" {
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
