package nodes_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/state"
)

// askTool is a tool that asks a person.
func askTool(question string) nodes.Tool {
	return labTool("ask", func(ctx context.Context) (string, error) { return graph.Interrupt[string](ctx, "ask", question) })
}

// A person is asked about calls before they are made, and what was decided holds.
func TestReviews(t *testing.T) {
	t.Parallel()
	two := []state.ToolCall{labCall("1", "pay", `{"n":1}`), labCall("x", "look", `{}`), labCall("2", "pay", `{"n":2}`)}
	for name, tt := range map[string]struct {
		calls   []state.ToolCall
		answers []any // one behind another, until one can be used
		asked   int   // actions
		want    []string
		again   string // in the second question
	}{
		"approve":           {two[:1], []any{"approve"}, 1, []string{"paid 1"}, ""},
		"approve both":      {two, []any{"approve"}, 2, []string{"paid 1", "seen", "paid 2"}, ""},
		"one each":          {two, []any{map[string]any{"decisions": []any{map[string]any{"type": "approve"}, map[string]any{"type": "reject", "message": "too much"}}}}, 2, []string{"paid 1", "seen", "Error: A person has refused this call. too much"}, ""},
		"reject":            {two[:1], []any{map[string]any{"type": "reject"}}, 1, []string{"Error: A person has refused this call."}, ""},
		"edit":              {two[:1], []any{map[string]any{"type": "edit", "edited_action": map[string]any{"name": "pay", "args": map[string]any{"n": 7}}}}, 1, []string{"paid 7"}, ""},
		"edit, no fit":      {two[:1], []any{map[string]any{"type": "edit", "edited_action": map[string]any{"args": map[string]any{"n": "x"}}}}, 1, []string{"Error: the arguments do not fit: at '/n': got string, want integer"}, ""},
		"a list":            {two, []any{[]any{map[string]any{"type": "reject"}, map[string]any{"type": "approve"}}}, 2, []string{"Error: A person has refused this call.", "seen", "paid 2"}, ""},
		"a bad answer":      {two[:1], []any{"perhaps", "approve"}, 1, []string{"paid 1"}, `"perhaps" is no decision`},
		"a number":          {two[:1], []any{7, "approve"}, 1, []string{"paid 1"}, "the answer is"},
		"too few":           {two, []any{[]any{map[string]any{"type": "edit", "edited_action": map[string]any{"args": map[string]any{}}}}, "approve"}, 2, []string{"paid 1", "seen", "paid 2"}, "there are 1 decisions about 2 actions"},
		"another tool":      {two[:1], []any{map[string]any{"type": "edit", "edited_action": map[string]any{"name": "look", "args": map[string]any{}}}, "reject"}, 1, []string{"Error: A person has refused this call."}, `cannot make a call of "pay" one of "look"`},
		"twice bad":         {two[:1], []any{nil, map[string]any{"type": "edit"}, "approve"}, 1, []string{"paid 1"}, "the answer is"},
		"none for no fit":   {[]state.ToolCall{labCall("1", "pay", `{"n":"x"}`)}, nil, 0, []string{"Error: the arguments do not fit: at '/n': got string, want integer"}, ""},
		"none for a plain":  {two[1:2], nil, 0, []string{"seen"}, ""},
		"none for unknowns": {[]state.ToolCall{labCall("1", "nobody", `{}`)}, nil, 0, []string{`Error: there is no tool "nobody"; there are: pay, look`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := 0
			pay := nodes.Tool{Name: "pay", Description: "Pays.", Approve: true, Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
				Run: func(_ context.Context, args json.RawMessage) (string, error) {
					ran++
					var in struct{ N int }
					err := json.Unmarshal(args, &in)
					return "paid " + string(must(json.Marshal(in.N))), err
				}}
			m := labRounds(t, labCalls(tt.calls...), labSay("done"))
			store := labStore()
			open := func() *graph.Graph[labChat] { // as another process does
				return labAgent(t, nodes.AgentConfig[labChat]{Model: m, Parallel: 1, Tools: []nodes.Tool{pay, labFixed("look", "seen")}}, &graph.Config{Store: store})
			}
			cfg := &graph.RunConfig{Thread: "t"}
			res, err := open().Invoke(t.Context(), labHuman("Go."), cfg)
			for i, answer := range tt.answers {
				require.ErrorIs(t, err, graph.ErrInterrupted)
				require.Zero(t, ran, "nothing is done before it is decided")
				require.Len(t, res.Interrupts, 1)
				var q nodes.Review
				require.NoError(t, json.Unmarshal(must(json.Marshal(res.Interrupts[0].Value)), &q))
				require.Len(t, q.Actions, tt.asked)
				require.Len(t, q.Configs, tt.asked)
				require.Equal(t, "pay", q.Actions[0].Name)
				require.JSONEq(t, `{"n":1}`, string(q.Actions[0].Args))
				require.Equal(t, []nodes.DecisionKind{nodes.Approve, nodes.Edit, nodes.Reject}, q.Configs[0].Allowed)
				if i == 1 {
					require.Contains(t, q.Actions[0].Description, "Pays.\nThe last answer cannot be used: ")
					require.Contains(t, q.Actions[0].Description, tt.again)
				}
				res, err = open().Resume(t.Context(), graph.Answer(answer), cfg)
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, labResults(res.State.Messages))
			require.Len(t, m.requests(), 2, "the model is not asked again for it")
			labPaired(t, res.State.Messages)
		})
	}
}
