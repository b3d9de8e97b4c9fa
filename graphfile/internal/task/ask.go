package task

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/internal/expression"
)

// mostAsks is how many questions one script may ask in a row.
const mostAsks = 100

// AskSpec is one question of the key interrupt as the file has it.
type AskSpec struct {
	Into  string // the name of the answer; "": none
	value *source.Node
	pos   source.Pos
}

// ReadAsks reads the key interrupt. A question that is wrong keeps its name,
// which what follows may use.
func ReadAsks(p *page.Page, f *source.Fields) []AskSpec {
	var out []AskSpec
	list := f.OneOrMany("interrupt")
	if len(list) > mostAsks {
		p.Rep.Errorf(f.KeyPos("interrupt"), "\"interrupt\" has %d questions, at most %d are allowed", len(list), mostAsks)
		list = list[:mostAsks]
	}
	for _, n := range list {
		g := p.Rep.Fields(n, "an interrupt")
		a := AskSpec{value: g.Need("value"), pos: n.Pos}
		a.Into, _ = g.Text("into")
		if g.Has("into") && a.Into == "" && g.Take("into").Kind == source.String {
			p.Rep.Errorf(g.Take("into").Pos, "\"into\" needs a name")
		}
		g.Done()
		out = append(out, a)
	}
	return out
}

// CompileAsks compiles the questions, and returns the scope behind the last
// answer.
func CompileAsks(p *page.Page, specs []AskSpec, scope expression.Scope) ([]Ask, expression.Scope) {
	var out []Ask
	for _, a := range specs {
		if a.value != nil {
			value, _ := p.Value(a.value, scope)
			out = append(out, Ask{value, p.At(a.pos, "interrupt"), a.Into})
		}
		if a.Into != "" {
			scope = scope.With(a.Into, expression.Type{})
		}
	}
	return out, scope
}

// Ask is a question that stops the run until it is answered.
type Ask struct {
	value *expression.Value
	place string
	into  string
}

// Put asks the question and binds the answer.
func (a *Ask) Put(ctx context.Context, v *View) error {
	value, err := a.value.Eval(v)
	if err != nil {
		return &page.EvalError{Place: a.place, Err: err}
	}
	answer, err := graph.Interrupt[any](ctx, "", value)
	if errors.Is(err, graph.ErrNoStore) {
		return fmt.Errorf("%s: a run can wait for an answer only in a store: %w", a.place, err)
	}
	if err != nil {
		return err
	}
	if a.into != "" {
		v.Bind(a.into, answer)
	}
	return nil
}
