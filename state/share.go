package state

import "fmt"

// Shared is a field that two layouts have in common: the mapping between a
// graph and its subgraph.
type Shared struct {
	outer, inner *column
}

// Share pairs the fields of two layouts that have one name. Fields that have
// one name but do not fit each other are problems, all returned.
func Share(outer, inner *Layout) (pairs []Shared, problems []error) {
	for _, in := range inner.cols {
		i, ok := outer.byName[in.name]
		if !ok || in.local || outer.cols[i].local {
			continue
		}
		pair, err := pairUp(outer.cols[i], in)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		pairs = append(pairs, pair)
	}
	return pairs, problems
}

// ShareField pairs one field of outer with one of inner, by their handles.
func ShareField[P, C any](outer Field[P], inner Field[C]) (Shared, error) {
	o, i := columnsOf(outer, nil), columnsOf(inner, nil)
	if len(o) != 1 || len(i) != 1 {
		return Shared{}, fmt.Errorf("%w: share fields one by one, not as groups", ErrSchema)
	}
	for _, col := range []*column{o[0], i[0]} {
		if col.err != nil {
			return Shared{}, fmt.Errorf("%w: field %q cannot be shared: %w", ErrSchema, col.name, col.err)
		}
		if col.local {
			return Shared{}, fmt.Errorf("%w: field %q is local and cannot be shared", ErrSchema, col.name)
		}
	}
	return pairUp(o[0], i[0])
}

func pairUp(outer, inner *column) (Shared, error) {
	if outer.kind != inner.kind || outer.value != inner.value || !outer.rule.fits(inner.rule) {
		return Shared{}, fmt.Errorf("%w: field %q (%s of %v) cannot be shared with %q (%s of %v)",
			ErrSchema, outer.name, outer.kind, outer.value, inner.name, inner.kind, inner.value)
	}
	return Shared{outer, inner}, nil
}

// In returns the write that gives the inner field the value that the outer
// one has in st, which must be a state of the outer layout; false if it has
// none there. The value is shared, not copied: lists grow and maps change by
// copies, so neither state sees what the other does.
func (p Shared) In(st any) (Change, bool) {
	if !p.outer.code.holds(st) {
		return Change{}, false
	}
	c := p.outer.code.whole(st)
	c.verb = p.inner.verbs[c.verb.variant]
	return c, true
}

// Out turns a write of the inner field into one of the outer; false if c is
// of another field.
func (p Shared) Out(c Change) (Change, bool) {
	if c.verb == nil || c.verb.field != p.inner {
		return Change{}, false
	}
	c.verb = p.outer.verbs[c.verb.variant]
	return c, true
}

// Names returns the names of the outer and of the inner field.
func (p Shared) Names() (outer, inner string) { return p.outer.name, p.inner.name }
