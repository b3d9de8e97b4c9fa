package graphfile

import (
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/internal/expression"
)

// program compiles a script. What is wrong is reported; the program is then
// not run.
func (t *tree) program(s *scriptSpec, scope expression.Scope) *program {
	// A node fails before it asks, so that no answer is known to its text.
	p := &program{sleep: s.sleep, away: s.parent, fail: s.fail.Compile(t.Page, scope)}
	p.asks, scope = task.CompileAsks(t.Page, s.asks, scope)
	if goal := t.goal(s); goal != nil {
		p.writes = t.writes(s.update, goal, scope)
		t.sendsOf(p, s, goal, scope)
	}
	p.routes, p.route = len(s.gotos) > 0, route(s.gotos)
	for _, c := range s.cases {
		p.cases = append(p.cases, t.choice(c, scope))
	}
	p.fix()
	return p
}

func (t *tree) choice(c *caseSpec, scope expression.Scope) choice {
	made := choice{then: t.program(&c.scriptSpec, scope)}
	if c.when != nil {
		made.when, _ = t.Condition(c.when, scope)
		made.place = t.At(c.when.Pos, "when")
	}
	return made
}

// fix makes the command of a program that always does the same.
func (p *program) fix() {
	if p.sleep > 0 || p.fail != nil || len(p.asks)+len(p.cases) > 0 {
		return
	}
	out := outcome{away: p.away}
	for i := range p.writes {
		if p.writes[i].fixed == nil {
			return
		}
	}
	for i := range p.packets {
		if p.packets[i].fixed == nil {
			return
		}
	}
	if err := p.act(&task.View{}, &out); err == nil {
		command := out.command()
		p.fixed = &command
	}
}

// route makes one command of gotos.
func route(to []ref) graph.Command[record] {
	var do graph.Commands[record]
	switch len(to) {
	case 0:
		return graph.Command[record]{}
	case 1:
		return do.Goto(to[0].name)
	}
	all := make([]graph.Command[record], len(to))
	for i, r := range to {
		all[i] = do.Goto(r.name)
	}
	return do.All(all...)
}

// writes compiles an update of the state of goal.
func (t *tree) writes(update []entrySpec, goal *tree, scope expression.Scope) []write {
	var out []write
	for _, e := range update {
		f := goal.fieldBy[e.name]
		if f == nil {
			if !goal.lost[e.name] {
				t.unknownField(goal, e)
			}
			t.Value(e.value, scope)
			continue
		}
		if f.kept {
			t.rep.Errorf(e.pos, "the field %q is written by handoffs alone", f.name)
		}
		w := write{field: f.name, last: f.last(), schema: goal.schema, place: t.At(e.value.Pos, fmt.Sprintf("update of %q", f.name))}
		if t.entry(&w, f, e, scope) {
			out = append(out, w)
		}
	}
	return out
}

func (t *tree) unknownField(goal *tree, e entrySpec) {
	names := make([]string, len(goal.fields))
	for i, f := range goal.fields {
		names[i] = f.name
	}
	d := t.rep.Unknown(e.pos, "field", e.name, names)
	if goal != t {
		d.Message += " of the parent graph's state"
	}
	if goal.isLocal[e.name] {
		d.Hint = "it is only an input of a send; declare it under \"state\" to write it"
	}
}

// entry compiles the value of a write and checks its type. The field is nil
// for a local name.
func (t *tree) entry(w *write, f *fieldSpec, e entrySpec, scope expression.Scope) bool {
	value, ok := t.Value(e.value, scope)
	if !ok {
		return false
	}
	w.value = value
	if f != nil {
		if wrong := f.refuses(value.Type(), w.whole); wrong != "" {
			t.rep.Errorf(e.value.Pos, "%s", wrong).Hint = conversion(f, value.Type())
			return false
		}
	}
	if !value.Constant() || w.schema == nil {
		return true
	}
	made, err := w.make(&task.View{})
	if err != nil {
		t.rep.Errorf(e.value.Pos, "field %q: %s", e.name, constantText(err))
		return false
	}
	w.fixed = &made
	return true
}

func constantText(err error) string {
	if e, ok := err.(*evalError); ok {
		return plain(e.Err)
	}
	return plain(err)
}

// conversion says how a value could be made one of the field's type.
func conversion(f *fieldSpec, t expression.Type) string {
	want := f.kind()
	if f.reduce() == "sum" {
		want = f.typ().Kind
	}
	switch {
	case want == expression.Int && t.Kind == expression.Float, want == expression.Int && t.Kind == expression.String,
		want == expression.Float && t.Kind == expression.String:
		return fmt.Sprintf("%s(…) in an expression makes %s of it", want, article(want))
	case want == expression.String:
		return "string(…) in an expression makes a string of it; a text is put in quotes"
	}
	return ""
}
