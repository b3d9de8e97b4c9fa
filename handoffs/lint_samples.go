package handoffs

import "slices"

// lintFields holds, for every fact that guards compare, values that stand for
// all: no comparison tells apart two values that the same one stands for.
type lintFields map[string][]any

// collectFields gathers the constants of all guards.
func (l *linting) collectFields() lintFields {
	constants := map[string][]any{}
	take := func(g *Guard) {
		if g == nil {
			return
		}
		for _, all := range g.Range {
			for _, c := range all {
				constants[c.Field] = append(constants[c.Field], c.Value)
			}
		}
	}
	for i := range l.rules {
		take(l.rules[i].When)
		for _, t := range l.rules[i].Triggers {
			constants["trigger"] = append(constants["trigger"], t)
		}
	}
	for i := range l.p.Edges {
		take(l.p.Edges[i].Guard)
	}
	if l.p.Rules != nil {
		for i := range l.p.Rules.Emits {
			take(l.p.Rules.Emits[i].When)
		}
	}
	out := lintFields{}
	for field, values := range constants {
		out[field] = lintSamples(values)
	}
	return out
}

// lintSamples returns the values themselves, one from every gap between them,
// and what is equal to none: nothing, and something of another type.
func lintSamples(values []any) []any {
	out := []any{nil, true, false, struct{}{}}
	var numbers, texts []any
	for _, v := range values {
		switch {
		case bigFact(v) != nil:
			numbers = append(numbers, v)
		case isText(v):
			texts = append(texts, v)
		case !slices.ContainsFunc(out, func(o any) bool { return sameFact(o, v) }):
			out = append(out, v)
		}
	}
	out = append(out, withGaps(numbers, numbersAround)...)
	return append(out, withGaps(texts, textsAround)...)
}

func isText(v any) bool { _, ok := v.(string); return ok }

// withGaps sorts values of one type and puts others between and around them.
func withGaps(values []any, around func(a, b any) []any) []any {
	slices.SortFunc(values, func(a, b any) int { order, _ := compareFacts(a, b); return order })
	values = slices.CompactFunc(values, sameFact)
	var out []any
	for i, v := range values {
		if i == 0 {
			out = append(out, around(nil, v)...)
		}
		out = append(out, v)
		if i+1 < len(values) {
			out = append(out, around(v, values[i+1])...)
		} else {
			out = append(out, around(v, nil)...)
		}
	}
	return out
}

// numbersAround returns a number between two, of which one may be missing.
func numbersAround(a, b any) []any {
	half := func(v any) float64 { f, _ := bigFact(v).Float64(); return f / 2 }
	switch {
	case a == nil:
		return lintGap(nil, 2*half(b)-1, b)
	case b == nil:
		return lintGap(a, 2*half(a)+1, nil)
	}
	return lintGap(a, half(a)+half(b), b)
}

// textsAround returns a text between two, of which one may be missing.
func textsAround(a, b any) []any {
	if a == nil {
		return lintGap(nil, "", b)
	}
	return lintGap(a, a.(string)+"\x00", b)
}

// lintGap returns v if it is between a and b.
func lintGap(a, v, b any) []any {
	above, _ := compareFacts(v, a)
	below, _ := compareFacts(v, b)
	if a != nil && above <= 0 || b != nil && below >= 0 {
		return nil
	}
	return []any{v}
}
