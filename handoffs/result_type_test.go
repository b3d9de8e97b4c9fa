package handoffs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
)

func gives(value any) handoffs.Command {
	return handoffs.Command{Kind: handoffs.Return, Result: &handoffs.Outcome{Value: value}}
}

// a transfer inside a call whose target returns something else than the
// call is owed is refused where the policy is made.
func TestTailCallsOfOtherTypesAreRefusedX45(t *testing.T) {
	edge := func(from, to, result string, kinds ...handoffs.Kind) handoffs.Edge {
		return handoffs.Edge{From: []string{from}, To: []string{to}, Result: result, Kinds: kinds}
	}
	call := edge("lead", "deploy", "", handoffs.Call)
	over := edge("deploy", "rollback", "", handoffs.Transfer)
	for name, c := range map[string]struct {
		deploy, rollback string
		edges            []handoffs.Edge
		says             string
	}{
		"the same":         {"receipt", "receipt", []handoffs.Edge{call, over}, ""},
		"another":          {"receipt", "note", []handoffs.Edge{call, over}, `deploy may be called for a result of the type "receipt", and hand over to rollback, which returns "note"`},
		"not called":       {"receipt", "note", []handoffs.Edge{over}, ""},
		"not told":         {"receipt", "", []handoffs.Edge{call, over}, ""},
		"whole for float":  {"float", "int", []handoffs.Edge{call, over}, ""},
		"float for whole":  {"int", "float", []handoffs.Edge{call, over}, `hand over to rollback`},
		"edge and target":  {"note", "", []handoffs.Edge{edge("lead", "deploy", "receipt", handoffs.Call)}, `edge lead->deploy expects a result of the type "receipt", and deploy returns "note"`},
		"edge and another": {"", "note", []handoffs.Edge{edge("lead", "deploy", "receipt", handoffs.Call), over}, `hand over to rollback`},
		"in two steps":     {"receipt", "", []handoffs.Edge{call, over, edge("rollback", "lead", "", handoffs.Transfer)}, `rollback may be called for a result of the type "receipt", and hand over to lead`},
		"everyone":         {"receipt", "note", nil, `deploy may be called for a result of the type "receipt"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := &handoffs.Policy{Entry: "lead", Limits: handoffs.Limits{Handoffs: 9}, Edges: c.edges, Registry: handoffs.MustRegistry(
				handoffs.Profile{ID: "lead", Result: "plan"}, handoffs.Profile{ID: "deploy", Result: c.deploy}, handoffs.Profile{ID: "rollback", Result: c.rollback})}
			_, err := handoffs.NewManager(p)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
		})
	}
}

// A result of another type is given back to the agent that returns it, which may
// mend it; one time too many fails its work.
func TestResultsAreOfTheirType(t *testing.T) {
	good := map[string]any{"id": "r-1", "amount": 40.0}
	called := func(a handoffs.Turn) []handoffs.Command {
		if len(a.Results) > 0 {
			return nil
		}
		return one(kind(handoffs.Call, "b"))
	}
	for name, c := range map[string]struct {
		result string
		b      bot
		route  string
		want   handoffs.Outcome
	}{
		"at once":      {"receipt", just(gives(good)), "a b a", handoffs.Outcome{Status: handoffs.Completed, Value: good, Turns: 1}},
		"mended":       {"receipt", then(one(gives(map[string]any{"id": "r-1"})), one(gives("r-1")), one(gives(good))), "a b b b a", handoffs.Outcome{Status: handoffs.Completed, Value: good, Turns: 3}},
		"silent":       {"receipt", then(nil, one(gives(good))), "a b b a", handoffs.Outcome{Status: handoffs.Completed, Value: good, Turns: 2}},
		"never":        {"receipt", just(gives(int64(3))), "a b b b a", handoffs.Outcome{Status: handoffs.Failed, Code: handoffs.CodePayload, Error: "The result must be of the type receipt: it is int. Return one that is.", Turns: 3}},
		"in parts":     {"receipt", just(handoffs.Command{Kind: handoffs.Return, Result: &handoffs.Outcome{Status: handoffs.Partial, Text: "half"}}), "a b a", handoffs.Outcome{Status: handoffs.Partial, Text: "half", Turns: 1}},
		"text":         {"string", just(), "a b a", handoffs.Outcome{Status: handoffs.Completed, Text: "b#1", Turns: 1}},
		"number":       {"float", then(one(gives("3")), one(gives(int64(3)))), "a b b a", handoffs.Outcome{Status: handoffs.Completed, Value: int64(3), Turns: 2}},
		"unknown name": {"poem", just(gives(true)), "a b a", handoffs.Outcome{Status: handoffs.Completed, Value: true, Turns: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			p := handoffs.Policy{Limits: handoffs.Limits{Handoffs: 9}, Misses: 2, Supervisor: "a", Results: map[string][]handoffs.PayloadField{
				"receipt": {{Key: "id", Type: "string"}, {Key: "amount", Type: "float"}},
			}}
			var got []handoffs.CallResult
			watch := func(turn handoffs.Turn) []handoffs.Command {
				got = append(got, turn.Results...)
				return called(turn)
			}
			r := newRig(t, p, map[string]bot{"a": watch, "b": c.b}, handoffs.Profile{ID: "a"}, handoffs.Profile{ID: "b", Result: c.result}).run()
			require.NoError(t, r.err)
			require.Equal(t, c.route, r.route())
			require.Len(t, got, 1)
			require.Equal(t, c.want, got[0].Outcome)
		})
	}
}

// Who takes over inside a call owes the call's result.
func TestTailCallsOweTheResult(t *testing.T) {
	p := handoffs.Policy{Limits: handoffs.Limits{Handoffs: 9}}
	a := func(turn handoffs.Turn) []handoffs.Command {
		if len(turn.Results) > 0 {
			require.Equal(t, int64(7), turn.Results[0].Outcome.Value)
			return nil
		}
		return one(kind(handoffs.Call, "b"))
	}
	r := newRig(t, p, map[string]bot{"a": a, "b": just(to("c")), "c": then(one(gives("seven")), one(gives(int64(7))))},
		handoffs.Profile{ID: "a"}, handoffs.Profile{ID: "b", Result: "int"}, handoffs.Profile{ID: "c"}).run()
	require.NoError(t, r.err)
	require.Equal(t, "a b c c a", r.route())
}
