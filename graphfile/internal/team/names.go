package team

import (
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
)

// The names that the scripts of agents have beside the fields of the state.
const (
	turnName  = "turn"
	agentName = "agent"
)

// scriptScope has the names of an agent's script.
func (r *reader) scriptScope() expression.Scope {
	return r.Scope.With(turnName, expression.Record(turnShape())).With(agentName, kindOf(expression.String))
}

// guardScope has the names of conditions about a handoff, whose payload has
// the shape given; nil: any.
func (r *reader) guardScope(payload *expression.Shape) expression.Scope {
	s := r.Scope.With("payload", expression.Type{Kind: expression.Map, Shape: payload})
	for _, name := range []string{"task", "reason", "source", "target"} {
		s = s.With(name, kindOf(expression.String))
	}
	return s
}

func kindOf(k expression.Kind) expression.Type { return expression.Type{Kind: k} }

func maybe(t expression.Type) expression.Type {
	t.Nullable = true
	return t
}

// shape makes the shape of maps with exactly these keys.
func shape(keys map[string]expression.Type) *expression.Shape { return &expression.Shape{Keys: keys} }

// turnShape is what is known of turn.
func turnShape() *expression.Shape {
	text, whole, yes := kindOf(expression.String), kindOf(expression.Int), kindOf(expression.Bool)
	signal := shape(map[string]expression.Type{
		"id": text, "type": text, "handoff": text, "agent": text, "reason": text, "payload": kindOf(expression.Map),
	})
	refusal := shape(map[string]expression.Type{
		"handoff": text, "target": text, "code": text, "codes": {Kind: expression.List, Elem: expression.String}, "message": text,
		"task": text, "payload": kindOf(expression.Map),
	})
	return shape(map[string]expression.Type{
		"number": whole, "attempt": whole, "from": text, "handoff": text, "frame": text, "called": yes,
		"task": text, "reason": text, "intent": text, "payload": kindOf(expression.Map),
		"results": expression.Records(resultShape()), "signals": expression.Records(signal),
		"expired": yes, "refused": maybe(expression.Record(refusal)), "grants": {Kind: expression.List, Elem: expression.String},
		"step": text, "branch": text, "messages": {Kind: expression.List, Elem: expression.Map},
	})
}

// resultShape is what is known of an element of turn.results.
func resultShape() *expression.Shape {
	text := kindOf(expression.String)
	outcome := expression.Record(shape(map[string]expression.Type{
		"status": text, "text": text, "value": {}, "outputs": kindOf(expression.Map), "error": text, "code": text,
		"retryable": kindOf(expression.Bool), "missing": {Kind: expression.List, Elem: expression.String}, "turns": kindOf(expression.Int),
	}))
	part := shape(map[string]expression.Type{
		"branch": text, "agent": text, "done": kindOf(expression.Bool), "outcome": outcome,
	})
	conflict := shape(map[string]expression.Type{"key": text, "values": kindOf(expression.Map), "winner": text})
	return shape(map[string]expression.Type{
		"handoff": text, "agent": text, "task": text, "outcome": outcome,
		"parts": expression.Records(part), "conflicts": expression.Records(conflict),
	})
}

// turnValue is what turn holds in a script.
func turnValue(t *handoffs.Turn) map[string]any {
	v := map[string]any{
		"number": int64(max(t.Number, 1)), "attempt": int64(max(t.Attempt, 1)),
		"from": t.From, "handoff": t.Handoff, "frame": t.Frame, "called": t.Called,
		"task": t.Task, "reason": string(t.Reason), "intent": t.Intent, "payload": orNone(t.Payload),
		"results": list(t.Results, resultValue), "signals": list(t.Signals, signalValue),
		"expired": t.Expired, "refused": nil, "grants": list(t.Grants, same), "step": t.Step, "branch": t.Branch,
	}
	if f := t.Refused; f != nil {
		v["refused"] = map[string]any{
			"handoff": f.Handoff, "target": f.Target, "code": string(f.Code), "codes": list(f.Codes, codeText), "message": f.Message,
			"task": f.Task, "payload": orNone(f.Payload),
		}
	}
	return v
}

func resultValue(c handoffs.CallResult) any {
	return map[string]any{
		"handoff": c.Handoff, "agent": c.Agent, "task": c.Task, "outcome": outcomeValue(c.Outcome),
		"parts": list(c.Parts, func(p handoffs.BranchResult) any {
			return map[string]any{"branch": p.Branch, "agent": p.Agent, "done": p.Done, "outcome": outcomeValue(p.Outcome)}
		}),
		"conflicts": list(c.Conflicts, func(c handoffs.Conflict) any {
			return map[string]any{"key": c.Key, "values": orNone(c.Values), "winner": c.Winner}
		}),
	}
}

func outcomeValue(o handoffs.Outcome) map[string]any {
	return map[string]any{
		"status": string(o.Status), "text": o.Text, "value": o.Value, "outputs": orNone(o.Outputs), "error": o.Error,
		"code": string(o.Code), "retryable": o.Retry, "missing": list(o.Missing, same), "turns": int64(o.Turns),
	}
}

func signalValue(s handoffs.Signal) any {
	return map[string]any{
		"id": s.ID, "type": s.Type, "handoff": s.Handoff, "agent": s.Agent, "reason": s.Reason, "payload": orNone(s.Payload),
	}
}

func list[E any](from []E, value func(E) any) []any {
	out := make([]any, len(from))
	for i, e := range from {
		out[i] = value(e)
	}
	return out
}

func same(text string) any         { return text }
func codeText(c handoffs.Code) any { return string(c) }
func orNone(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}
