package expression

import (
	"strings"
	"unicode/utf8"
)

// Template is a string with ${…} in it. It is immutable and may be used by
// many goroutines at once.
type Template struct {
	pieces []piece
	text   string
}

// piece is a constant part of a template, or an expression.
type piece struct {
	text    string
	program *program
	offset  int
}

// CompileTemplate checks and compiles a string. $${ in it stands for the two
// characters ${. Its error is an *Error, or Errors where there are several
// problems.
func CompileTemplate(text string, s Scope) (*Template, error) {
	t, problems := compileTemplate(text, s)
	if len(problems) > 0 {
		return nil, problems.err()
	}
	return t, nil
}

func compileTemplate(text string, s Scope) (*Template, Errors) {
	if !utf8.ValidString(text) {
		return nil, Errors{{Message: "the text is not valid UTF-8"}}
	}
	parts, problem := scan(text)
	if problem != nil {
		return nil, Errors{problem}
	}
	t := &Template{text: text}
	var problems Errors
	for _, p := range parts {
		if !p.expression {
			t.pieces = append(t.pieces, piece{text: p.text})
			continue
		}
		program, failed := compile(p.text, s)
		for _, problem := range failed {
			problem.Offset += p.offset
			problems = append(problems, problem)
		}
		t.pieces = append(t.pieces, piece{program: program, offset: p.offset})
	}
	return t, problems
}

// lone says whether the template is one ${…} and nothing else.
func (t *Template) lone() bool {
	return len(t.pieces) == 1 && t.pieces[0].program != nil
}

// Type is the type of the value: that of the expression where the text is one
// ${…} and nothing else, a string otherwise.
func (t *Template) Type() Type {
	if t.lone() {
		return t.pieces[0].program.kind
	}
	return Type{Kind: String}
}

// Constant says whether the value is the same in every Env.
func (t *Template) Constant() bool {
	for _, p := range t.pieces {
		if p.program != nil && !p.program.constant {
			return false
		}
	}
	return true
}

// String gives the text of the template.
func (t *Template) String() string { return t.text }

// Value evaluates the template. The value may share lists and maps with the
// Env and with other values of this template: it is for reading only. Errors
// are of type *Error.
func (t *Template) Value(env Env) (any, error) {
	return t.value(newFrame(env))
}

func (t *Template) value(f *frame) (any, error) {
	if t.lone() {
		value, err := t.pieces[0].program.in(f)
		return value, shifted(err, t.pieces[0].offset)
	}
	if len(t.pieces) == 1 {
		return t.pieces[0].text, nil
	}
	var text strings.Builder
	for _, p := range t.pieces {
		written, err := p.write(f)
		if err != nil {
			return nil, shifted(err, p.offset)
		}
		text.WriteString(written)
	}
	return text.String(), nil
}

// write gives a piece as text and pays for it.
func (p *piece) write(f *frame) (string, error) {
	if p.program == nil {
		return p.text, at(0, f.budget.take(len(p.text)))
	}
	value, err := p.program.in(f)
	if err != nil {
		return "", err
	}
	text, err := textOf(&f.budget, value)
	if err != nil {
		return "", at(0, err)
	}
	return text, at(0, f.budget.take(len(text)))
}
