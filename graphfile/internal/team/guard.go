package team

import (
	"reflect"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
)

// facts are what guards, rules and contexts see, for expressions.
type facts handoffs.Facts

// Lookup finds a fact. The text types of package handoffs are texts.
func (f facts) Lookup(name string) (any, bool) {
	if f == nil {
		return nil, false
	}
	v, ok := f(name)
	switch v.(type) {
	case nil, bool, int64, float64, string, []any, map[string]any:
		return v, ok
	}
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.String:
		return r.String(), ok
	case r.CanInt():
		return r.Int(), ok
	}
	return v, ok
}

// guard compiles a condition about a handoff; nil of nil.
func (r *reader) guard(n *source.Node, scope expression.Scope) *handoffs.Guard {
	if n == nil {
		return nil
	}
	c, ok := r.Condition(n, scope)
	if !ok {
		return nil
	}
	why, place := c.Explainer(), r.At(n.Pos, "when")
	return &handoffs.Guard{
		Text:  c.String(),
		Range: rangeOf(c),
		Holds: func(f handoffs.Facts) (bool, string, error) {
			holds, err := c.Holds(facts(f))
			if err != nil {
				return false, "", &page.EvalError{Place: place, Err: err}
			}
			return holds, why.Because(facts(f)), nil
		},
	}
}

// rangeOf is a condition as package handoffs reasons about it.
func rangeOf(c *expression.Condition) [][]handoffs.Comparison {
	alternatives := c.Ranges()
	if alternatives == nil {
		return nil
	}
	out := [][]handoffs.Comparison{}
	for _, all := range alternatives {
		part := []handoffs.Comparison{}
		for _, one := range all {
			part = append(part, handoffs.Comparison{Field: one.Name, Op: one.Op, Value: one.Value})
		}
		out = append(out, part)
	}
	return out
}

// valueOf compiles a value that is computed from facts; nil of nil.
func (r *reader) valueOf(n *source.Node, what string, scope expression.Scope) *handoffs.Value {
	s := r.value(n, what, scope)
	if s == nil {
		return nil
	}
	return &handoffs.Value{Text: n.Text, Eval: func(f handoffs.Facts) (any, error) { return s.any(facts(f)) }}
}
