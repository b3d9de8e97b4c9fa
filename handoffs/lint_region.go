package handoffs

import (
	"slices"
	"strings"
)

// lintFields holds, for every fact that guards compare, values that stand for
// all: no comparison tells apart two values that the same one stands for.
type lintFields map[string][]any

// lintBox is what is known of facts: the values that each may have, as marks
// on its lintFields. A fact that is absent may have any.
type lintBox map[string][]bool

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

// boxes returns the alternatives of a guard that can hold. A guard that
// nothing is known of is one without conditions.
func (f lintFields) boxes(g *Guard) []lintBox {
	if g == nil || g.Range == nil {
		return []lintBox{{}}
	}
	var out []lintBox
	for _, all := range g.Range {
		box := lintBox{}
		possible := true
		for i := range all {
			possible = possible && box.keep(f.matching(&all[i]), all[i].Field)
		}
		if possible {
			out = append(out, box)
		}
	}
	return out
}

// matching marks the values of a fact for which a comparison holds.
func (f lintFields) matching(c *Comparison) []bool {
	marks := make([]bool, len(f[c.Field]))
	for i, v := range f[c.Field] {
		marks[i] = c.with(v)
	}
	return marks
}

// keep narrows a fact of the box to the marked values, and reports whether one
// is left.
func (b lintBox) keep(marks []bool, field string) bool {
	old, narrowed := b[field]
	both := slices.Clone(marks)
	for i := range both {
		both[i] = both[i] && (!narrowed || old[i])
	}
	b[field] = both
	return slices.Contains(both, true)
}

// with returns what is known if both boxes are true, and whether they can be.
func (b lintBox) with(o lintBox) (lintBox, bool) {
	out := lintBox{}
	for field, marks := range b {
		out[field] = marks
	}
	for field, marks := range o {
		if !out.keep(marks, field) {
			return nil, false
		}
	}
	return out, true
}

// narrow returns the boxes that go together with what is known.
func narrowBoxes(boxes []lintBox, known lintBox) []lintBox {
	var out []lintBox
	for _, b := range boxes {
		if both, ok := known.with(b); ok {
			out = append(out, both)
		}
	}
	return out
}

// within reports whether a box says all that another one does.
func (b lintBox) within(o lintBox) bool {
	for field, marks := range o {
		mine, narrowed := b[field]
		for i, may := range marks {
			if !may && (!narrowed || mine[i]) {
				return false
			}
		}
	}
	return true
}

// widen adds what another box allows, and reports whether that was new.
func (b lintBox) widen(o lintBox) (changed bool) {
	for _, field := range sortedKeys(b) {
		other, narrowed := o[field]
		if !narrowed {
			delete(b, field)
			changed = true
			continue
		}
		wider := slices.Clone(b[field])
		for i, may := range other {
			if may && !wider[i] {
				wider[i], changed = true, true
			}
		}
		b[field] = wider
	}
	return changed
}

// hull is what several boxes allow together.
func hull(boxes []lintBox) lintBox {
	out := lintBox{}
	for field, marks := range boxes[0] {
		out[field] = marks
	}
	for _, b := range boxes[1:] {
		out.widen(b)
	}
	return out
}

// onTrigger narrows boxes to one trigger.
func (f lintFields) onTrigger(boxes []lintBox, trigger string) []lintBox {
	if len(f["trigger"]) == 0 {
		return boxes
	}
	c := Comparison{Field: "trigger", Op: "==", Value: trigger}
	return narrowBoxes(boxes, lintBox{"trigger": f.matching(&c)})
}

// lasting reports whether a fact, or what a function makes of one as in
// len(quotes), stays as it is from turn to turn unless the state changes: those
// of a command and of the workflow do not.
func lasting(field string) bool {
	name, _, _ := strings.Cut(field[strings.LastIndexByte(field, '(')+1:], ".")
	name = strings.TrimSuffix(name, ")")
	switch name {
	case "trigger", "payload", "task", "reason", "source", "target", "workflow", "fired":
		return false
	}
	return true
}
