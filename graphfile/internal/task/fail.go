package task

import (
	"context"
	"math"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/state"
)

// FailError is what a task fails with that has the key fail.
type FailError struct {
	Text    string
	Attempt int // of the task, from 1
}

// Error is the text of the file.
func (e *FailError) Error() string { return e.Text }

// FailSpec is the key fail as the file has it.
type FailSpec struct {
	text     *source.Node
	attempts int // -1: always
}

// ReadFail reads the key fail; nil if it is not there or wrong.
func ReadFail(p *page.Page, f *source.Fields) *FailSpec {
	if !f.Has("fail") {
		return nil
	}
	spec := &FailSpec{attempts: -1}
	g := p.Rep.Fields(f.Take("fail"), `"fail"`)
	if text := g.Need("error"); text != nil {
		if _, ok := p.Rep.Text(text, `"error"`); ok {
			spec.text = text
		}
	}
	if n, ok := g.Int("attempts", 0, math.MaxInt32); ok {
		spec.attempts = int(n)
	}
	g.Done()
	if spec.text == nil {
		return nil
	}
	return spec
}

// Compile compiles its text; nil of nil.
func (s *FailSpec) Compile(p *page.Page, scope expression.Scope) *Failure {
	if s == nil {
		return nil
	}
	text, _ := p.Value(s.text, scope)
	return &Failure{text, p.At(s.text.Pos, "fail"), s.attempts}
}

// Failure fails as long as the file says so. A nil Failure never does.
type Failure struct {
	text     *expression.Value
	place    string
	attempts int // -1: always
}

// Check returns the FailError, or nil where the attempts that fail are over.
// Begun says how often the same work was begun in tasks of its own, this one
// included; of it and the attempts of this task the greater number counts.
func (f *Failure) Check(ctx context.Context, v *View, begun int) error {
	if f == nil {
		return nil
	}
	attempt, err := v.Attempt(ctx)
	if err != nil {
		return err
	}
	if attempt = max(attempt, begun); f.attempts >= 0 && attempt > f.attempts {
		return nil
	}
	value, err := f.text.Eval(v)
	if err != nil {
		return &page.EvalError{Place: f.place, Err: err}
	}
	text, err := TextOf(value)
	if err != nil {
		return &page.EvalError{Place: f.place, Err: err}
	}
	return &FailError{Text: text, Attempt: attempt}
}

// TextOf is a value as text: a text as it is, everything else as JSON.
func TextOf(value any) (string, error) {
	if text, ok := value.(string); ok {
		return text, nil
	}
	b, err := state.AppendAny(nil, value)
	return string(b), err
}
