package graphfile

import (
	"maps"
	"slices"

	"github.com/graphrun/graphrun/internal/expression"
)

// mostRounds is how often the types of send inputs are looked at again, since
// they may depend on one another. What is not known then is any value.
const mostRounds = 4

// infer finds the types of what is sent, from the innermost graphs out.
func (t *tree) infer() {
	t.each((*tree).infer)
	types := map[string]expression.Type{}
	for name := range t.lost {
		types[name] = expression.Type{}
	}
	for name, is := range t.stray {
		if is {
			types[name] = expression.Type{}
		}
	}
	for _, f := range t.fields {
		types[f.name] = f.typ()
	}
	t.base = expression.NewScope(types)
	t.scopes = map[string]expression.Scope{}
	if len(t.locals) == 0 {
		return
	}
	t.inputs = t.round(nil)
	for range mostRounds {
		next := t.round(t.inputs)
		if maps.EqualFunc(t.inputs, next, maps.Equal[map[string]expression.Type, map[string]expression.Type]) {
			break
		}
		t.inputs = next
	}
	t.scopes = map[string]expression.Scope{}
}

// round finds the types of the local names of every node that is sent to. Nil
// types of an earlier round mean that all of them are any value, which gives
// types that hold whatever the others are; so does every further round.
func (t *tree) round(before map[string]map[string]expression.Type) map[string]map[string]expression.Type {
	t.inputs, t.scopes = before, map[string]expression.Scope{}
	next := map[string]map[string]expression.Type{}
	count := map[string]map[string]int{}
	sends := map[string]int{}
	for _, s := range t.sends {
		to := s.to.name
		sends[to]++
		if next[to] == nil {
			next[to], count[to] = map[string]expression.Type{}, map[string]int{}
		}
		for name, typ := range s.types(t, before != nil) {
			if count[to][name]++; count[to][name] > 1 {
				typ = join(next[to][name], typ)
			}
			next[to][name] = typ
		}
	}
	t.scopes = map[string]expression.Scope{}
	for to, types := range next {
		for name, typ := range types {
			types[name] = t.settled(to, typ, count[to][name] == sends[to])
		}
	}
	return next
}

// settled is the type of a local name where a node may be reached otherwise
// than by a send that gives it.
func (t *tree) settled(node string, typ expression.Type, always bool) expression.Type {
	switch {
	case t.open[node]:
		return expression.Type{}
	case t.entered[node] || !always:
		return join(typ, expression.Type{Kind: expression.Null})
	}
	return typ
}

// types are those of the local names that a send gives. What depends on the
// graph's own sends is any value as long as they are not known.
func (s *incoming) types(t *tree, known bool) map[string]expression.Type {
	types := map[string]expression.Type{}
	known = known || s.from != t
	scope := expression.Scope{}
	if known {
		scope = s.scope()
	}
	for _, in := range s.input {
		if !t.isLocal[in.name] {
			continue
		}
		types[in.name] = expression.Type{}
		if known {
			types[in.name] = typeOf(in, scope)
		}
	}
	return types
}

func typeOf(in entrySpec, scope expression.Scope) expression.Type {
	v, err := expression.CompileValue(in.value.Any(), scope)
	if err != nil {
		return expression.Type{}
	}
	return v.Type()
}

// scope has the names that the input of a send may use.
func (s *incoming) scope() expression.Scope {
	scope := s.from.scopeOf(s.node.name)
	for _, name := range s.bound {
		scope = scope.With(name, expression.Type{})
	}
	if s.each == nil {
		return scope
	}
	return scope.With("it", elementOf(s.sendSpec, scope))
}

// elementOf is the type of `it` in a send for each element of a list.
func elementOf(s *sendSpec, scope expression.Scope) expression.Type {
	v, err := expression.CompileValue(s.each.Any(), scope)
	if err != nil {
		return expression.Type{}
	}
	return v.Type().Element()
}

// scopeOf has the names that the script of a node may use: the fields and
// what is sent to it.
func (t *tree) scopeOf(node string) expression.Scope {
	scope, ok := t.scopes[node]
	if ok {
		return scope
	}
	scope = t.base
	types := t.inputs[node]
	for _, name := range slices.Sorted(maps.Keys(types)) {
		scope = scope.With(name, types[name])
	}
	t.scopes[node] = scope
	return scope
}

// join is the type of a value that is of one type or the other.
func join(a, b expression.Type) expression.Type {
	switch {
	case a.Kind == expression.Null:
		return nullable(b)
	case b.Kind == expression.Null:
		return nullable(a)
	case a.Kind != b.Kind:
		return expression.Type{}
	}
	if a.Elem != b.Elem {
		a.Elem = expression.Any
	}
	a.Nullable = a.Nullable || b.Nullable
	return a
}

func nullable(t expression.Type) expression.Type {
	if t.Kind != expression.Any && t.Kind != expression.Null {
		t.Nullable = true
	}
	return t
}
