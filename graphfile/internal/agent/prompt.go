package agent

import (
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/internal/expression"
)

// mentions tells that a text names the messages of the turn.
func mentions(text string) bool { return strings.Contains(text, "messages") }

// Compile reads the expressions of the instructions.
func (s *Spec) Compile(p *page.Page, scope expression.Scope) {
	if s.text != nil {
		s.value, _ = p.Value(s.text, scope)
	}
}

// Reads reports whether the instructions name the messages of the turn.
func (s *Spec) Reads() bool { return s.reads }

// Prompt makes the instructions for what their expressions see.
func (s *Spec) Prompt(env expression.Env) (string, error) {
	if s.value == nil {
		return "", nil
	}
	v, err := s.value.Eval(env)
	if err == nil && v == nil {
		return "", nil
	}
	text := ""
	if err == nil {
		text, err = task.TextOf(v)
	}
	if err != nil {
		return "", &page.EvalError{Place: s.place, Err: err}
	}
	return text, nil
}
