package graphfile

import (
	"encoding/json"

	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// output makes what holds the answer to a shape; nil: any text will do.
func (t *tree) output(s *agent.Spec) *nodes.Output[record] {
	if s.Output == nil {
		return nil
	}
	if s.Into.Name != "" && !t.takesValue(s.Into, expression.Type{Kind: s.Output.Kind()}) {
		return nil
	}
	out, err := nodes.JSONSchema("answer", s.Output.Schema, func(value json.RawMessage) ([]state.Write[record], error) {
		if s.Into.Name == "" {
			return nil, nil
		}
		v, err := state.ParseAny(value)
		if err != nil {
			return nil, err
		}
		w, err := t.schema.Write(s.Into.Name, v)
		return []state.Write[record]{w}, err
	})
	if err != nil {
		t.rep.Errorf(s.Pos, "the output: %s", plain(err))
	}
	return out
}

// takesValue looks that a field can take what an agent writes, and reports it if
// not.
func (t *tree) takesValue(to agent.Field, typ expression.Type) bool {
	f := t.fieldBy[to.Name]
	switch {
	case f == nil && t.lost[to.Name]:
		return false
	case f == nil:
		t.unknownField(t, entrySpec{ref: ref{name: to.Name, pos: to.Pos}})
		return false
	case f.kept || f.reduce() == state.ReduceMessages:
		t.rep.Errorf(to.Pos, "the field %q is written by agents for their conversation and handoffs alone", to.Name)
		return false
	}
	if wrong := f.refuses(typ, false); wrong != "" {
		t.rep.Errorf(to.Pos, "%s", wrong)
		return false
	}
	return true
}

// usage makes what counts the tokens in a field; nil: nothing does.
func (t *tree) usage(s *agent.Spec) func(model.Usage, int) []state.Write[record] {
	if s.Usage.Name == "" || !t.takesValue(s.Usage, expression.Type{Kind: expression.Int}) {
		return nil
	}
	if f := t.fieldBy[s.Usage.Name]; f.reduce() != state.ReduceSum {
		t.rep.Errorf(s.Usage.Pos, "the field %q does not add up what it is given, as \"usage\" needs it", f.name).Hint = "declare it {type: int, reduce: sum}"
		return nil
	}
	return func(u model.Usage, _ int) []state.Write[record] {
		w, err := t.schema.Write(s.Usage.Name, int64(u.Total()))
		if err != nil { // the type was looked at
			return nil
		}
		return []state.Write[record]{w}
	}
}
