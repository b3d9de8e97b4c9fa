package team

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/internal/expression"
)

// slot is a value of the file that may hold expressions, with its place for
// errors of runs. A nil slot is one that is not there.
type slot struct {
	value *expression.Value
	place string
	allow []string // the texts it may give; nil: any
}

// dynamic tells that a text holds expressions, so that it is known in the run
// only.
func dynamic(n *source.Node) bool {
	return n != nil && n.Kind == source.String && strings.Contains(n.Text, "${")
}

// value compiles any value; nil if it is not there or wrong.
func (r *reader) value(n *source.Node, what string, scope expression.Scope) *slot {
	if n == nil {
		return nil
	}
	v, ok := r.Value(n, scope)
	if !ok {
		return nil
	}
	return &slot{value: v, place: r.At(n.Pos, what)}
}

// valueAt compiles the value of a key that takes one of some kinds.
func (r *reader) valueAt(f *source.Fields, key string, scope expression.Scope, kinds ...expression.Kind) *slot {
	n := f.Take(key)
	s := r.value(n, key, scope)
	if s == nil || slices.ContainsFunc(kinds, func(k expression.Kind) bool { return accepts(s.value.Type(), k) }) {
		return s
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	r.Rep.Errorf(n.Pos, "%s takes %s, this is %s", quote(key), strings.Join(names, " or "), s.value.Type())
	return nil
}

func accepts(t expression.Type, want expression.Kind) bool {
	return t.Kind == want || t.Kind == expression.Any || want == expression.Any
}

// numberAt compiles a whole number of at least 0.
func (r *reader) numberAt(f *source.Fields, key string, scope expression.Scope) *slot {
	s := r.valueAt(f, key, scope, expression.Int)
	if s == nil || !s.value.Constant() {
		return s
	}
	if n, err := s.any(nil); err == nil && n.(int64) < 0 {
		r.Rep.Errorf(f.Take(key).Pos, "%s: %d is less than 0", quote(key), n)
	}
	return s
}

// textAt compiles a text.
func (r *reader) textAt(f *source.Fields, key string, scope expression.Scope) *slot {
	if n := f.Take(key); n != nil && n.Kind != source.String {
		r.Rep.Text(n, quote(key))
		return nil
	}
	return r.value(f.Take(key), key, scope)
}

// wordAt compiles a text that is one of some words, which is checked at once
// where it holds no expression.
func (r *reader) wordAt(f *source.Fields, key string, scope expression.Scope, words ...string) *slot {
	n := f.Take(key)
	if n == nil {
		return nil
	}
	if !dynamic(n) {
		if _, ok := f.OneOf(key, words...); !ok {
			return nil
		}
	}
	s := r.textAt(f, key, scope)
	if s != nil {
		s.allow = words
	}
	return s
}

// targetAt compiles the name of an agent. One that holds an expression is
// looked up when the handoff is made.
func (r *reader) targetAt(f *source.Fields, key string, scope expression.Scope) *slot {
	n := f.Take(key)
	if n != nil && !dynamic(n) && r.agentName(n, quote(key)) == "" {
		return nil
	}
	return r.textAt(f, key, scope)
}

func (s *slot) fail(err error) error { return &page.EvalError{Place: s.place, Err: err} }

// any gives the value; nil of nil.
func (s *slot) any(env expression.Env) (any, error) {
	if s == nil {
		return nil, nil
	}
	v, err := s.value.Eval(env)
	if err != nil {
		return nil, s.fail(err)
	}
	return v, nil
}

// text gives the value as text, "" for null and for what is not there.
func (s *slot) text(env expression.Env) (string, error) {
	v, err := s.any(env)
	if v == nil || err != nil {
		return "", err
	}
	text, err := task.TextOf(v)
	switch {
	case err != nil:
		return "", s.fail(err)
	case s.allow != nil && !slices.Contains(s.allow, text):
		return "", s.fail(fmt.Errorf("%q is none of %s", text, strings.Join(s.allow, ", ")))
	}
	return text, nil
}

// object gives the value as a map, nil for null and for what is not there.
func (s *slot) object(env expression.Env) (map[string]any, error) {
	v, err := s.any(env)
	if v == nil || err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, s.fail(fmt.Errorf("a map is needed, this is %T", v))
	}
	return m, nil
}

// number gives the value as a whole number that is not negative.
func (s *slot) number(env expression.Env) (int, error) {
	v, err := s.any(env)
	if v == nil || err != nil {
		return 0, err
	}
	n, ok := v.(int64)
	if !ok || n < 0 {
		return 0, s.fail(fmt.Errorf("a whole number of at least 0 is needed, this is %v", v))
	}
	return int(n), nil
}

// items gives the value as a list.
func (s *slot) items(env expression.Env) ([]any, error) {
	v, err := s.any(env)
	if v == nil || err != nil {
		return nil, err
	}
	l, ok := v.([]any)
	if !ok {
		return nil, s.fail(fmt.Errorf("a list is needed, this is %T", v))
	}
	return l, nil
}
