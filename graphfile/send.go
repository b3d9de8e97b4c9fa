package graphfile

import (
	"fmt"

	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/state"
)

// sendsOf compiles the sends of a script to nodes of goal.
func (t *tree) sendsOf(p *program, s *scriptSpec, goal *tree, scope expression.Scope) {
	for _, send := range s.sends {
		made := packets{to: send.to.name}
		inner := scope
		if send.each != nil {
			inner = scope.With("it", t.eachOf(&made, send, scope))
		}
		constant := send.each == nil
		for _, e := range send.input {
			w, ok := t.inputOf(send.to.name, e, goal, inner)
			constant = constant && ok && w.fixed != nil
			if ok {
				made.input = append(made.input, w)
			}
		}
		if constant {
			if all, err := made.one(&task.View{}, nil); err == nil {
				made.fixed = &all[0]
			}
		}
		p.packets = append(p.packets, made)
	}
}

// eachOf compiles the list of a send and returns the type of its elements.
func (t *tree) eachOf(p *packets, s *sendSpec, scope expression.Scope) expression.Type {
	each, ok := t.Value(s.each, scope)
	if !ok {
		return expression.Type{}
	}
	p.each, p.place = each, t.At(s.each.Pos, "each")
	if typ := each.Type(); !fits(typ, expression.List) {
		t.rep.Errorf(s.each.Pos, "\"each\" needs a list, this is %s", typ)
		return expression.Type{}
	}
	return each.Type().Element()
}

// inputOf compiles one key of a send's input: a value for a field of the
// state, or for a name that only the receiver sees.
func (t *tree) inputOf(to string, e entrySpec, goal *tree, scope expression.Scope) (write, bool) {
	if goal.lost[e.name] {
		t.Value(e.value, scope)
		return write{}, false
	}
	w := write{
		field: e.name, schema: goal.schema, whole: true,
		place: t.At(e.value.Pos, fmt.Sprintf("input %q of the send to %q", e.name, to)),
	}
	f := goal.fieldBy[e.name]
	if f == nil {
		if kid := goal.kid(to); kid != nil {
			if f = kid.fieldBy[e.name]; f != nil {
				w.taker = f.schema
			}
		}
	}
	return w, t.entry(&w, f, e, scope)
}

// kid returns the subgraph of a node; nil if it has none.
func (t *tree) kid(node string) *tree {
	for i, n := range t.nodes {
		if n.name == node {
			return t.kids[i]
		}
	}
	return nil
}

// takes returns what gives a subgraph the inputs of sends that are fields of
// its own state but not of the state around; nil if there are none.
func (t *tree) takes(kid *tree, node string) func(record) []state.Write[record] {
	var names []string
	for _, f := range kid.fields {
		if _, sent := t.inputs[node][f.name]; sent && t.isLocal[f.name] {
			names = append(names, f.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return func(r record) []state.Write[record] {
		var writes []state.Write[record]
		for _, name := range names {
			if value, ok := r.Get(name); ok {
				// A value that does not fit was refused where it was sent; what Go
				// code sends past that gives an empty write, which the engine refuses.
				w, _ := kid.schema.Replace(name, value)
				writes = append(writes, w)
			}
		}
		return writes
	}
}
