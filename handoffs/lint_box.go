package handoffs

import (
	"slices"
	"strings"
)

// lintBox is what is known of facts: the values that each may have, as marks
// on its lintFields. A fact that is absent may have any.
type lintBox map[string][]bool

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
