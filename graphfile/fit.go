package graphfile

import (
	"fmt"

	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/state"
)

// fits says whether a value of a type can be one of a kind.
func fits(t expression.Type, want expression.Kind) bool {
	switch {
	case want == expression.Any, t.Kind == expression.Any, t.Kind == want:
		return true
	}
	return want == expression.Float && t.Kind == expression.Int
}

// refuses says why a field cannot take any value of a type, "" if it can take
// some. Whole is true for values that replace the field's value.
func (f *fieldSpec) refuses(t expression.Type, whole bool) string {
	want := ""
	switch f.reduce() {
	case state.ReduceAppend, state.ReduceUnion, state.ReduceMessages:
		want = f.refusesItems(t)
	case state.ReduceMerge:
		if !fits(t, expression.Map) {
			want = "a map"
		}
	case state.ReduceSum:
		if kind := f.typ().Kind; !fits(t, kind) {
			want = article(kind)
		}
	default:
		if t.Kind != expression.Null && !fits(t, f.kind()) {
			want = article(f.kind())
		}
	}
	if want == "" {
		return ""
	}
	how := "takes"
	if whole {
		how = "holds"
	}
	return fmt.Sprintf("the field %q %s %s, this is %s", f.name, how, want, t)
}

func (f *fieldSpec) refusesItems(t expression.Type) string {
	elem := t
	if t.Kind == expression.List {
		elem = t.Element()
	}
	if fits(elem, f.inner()) {
		return ""
	}
	return article(f.inner()) + " or a list of them"
}

func article(k expression.Kind) string {
	if k == expression.Int {
		return "an " + k.String()
	}
	return "a " + k.String()
}
