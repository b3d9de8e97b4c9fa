package planning

import (
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/internal/expression"
)

// Names are those that the expressions of steps know beside the fields.
func Names() []string { return []string{"goal", "steps", "result"} }

// Compile looks at the expressions of all steps. The fields are those of the
// state that they may name.
func (s *Section) Compile(fields expression.Scope) {
	scope := fields.With("goal", kindOf(expression.String)).With("steps", kindOf(expression.Map))
	for _, st := range s.steps {
		s.compile(st, scope)
	}
	if s.Script == nil {
		return
	}
	for _, e := range s.Script.entries {
		for _, st := range e.steps {
			s.compile(st, scope)
		}
	}
	s.Script.compile(s)
}

// compile looks at the expressions of a step.
func (s *Section) compile(st *step, scope expression.Scope) {
	for _, key := range []string{"task", "input"} {
		if n := st.f.Take(key); n != nil && (n.Kind == source.String || n.Kind == source.Map) {
			_, ok := s.Value(n, scope)
			st.bad[key] = !ok
		}
	}
	if n := st.f.Take("accept").Get("if"); n != nil && n.Kind == source.String {
		if _, ok := s.Condition(n, scope.With("result", expression.Record(resultShape()))); !ok {
			st.bad["accept"] = true
		}
	}
}

// resultShape is what is known of a step's result.
func resultShape() *expression.Shape {
	text := kindOf(expression.String)
	return &expression.Shape{Keys: map[string]expression.Type{
		"text": text, "value": {}, "outputs": kindOf(expression.Map), "agent": text, "status": text,
	}}
}

func kindOf(k expression.Kind) expression.Type { return expression.Type{Kind: k} }
