package expression_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/expression"
)

// shaped is a scope with maps whose keys are known.
func shaped() expression.Scope {
	outcome := &expression.Shape{Keys: map[string]expression.Type{
		"status": {Kind: expression.String}, "outputs": {Kind: expression.Map},
	}}
	result := &expression.Shape{Keys: map[string]expression.Type{
		"agent": {Kind: expression.String}, "outcome": expression.Record(outcome),
	}}
	turn := &expression.Shape{Keys: map[string]expression.Type{
		"number":  {Kind: expression.Int},
		"results": expression.Records(result),
		"refused": {Kind: expression.Map, Nullable: true, Shape: result},
		"payload": {Kind: expression.Map, Shape: &expression.Shape{Keys: map[string]expression.Type{"n": {Kind: expression.Int}}, Open: true}},
	}}
	return expression.NewScope(map[string]expression.Type{"turn": expression.Record(turn), "flag": {Kind: expression.Bool}})
}

func TestKeysOfShapedMaps(t *testing.T) {
	t.Parallel()
	for _, r := range []struct{ text, message, hint string }{
		{`turn.number == 1`, "", ""},
		{`turn["number"] == 1`, "", ""},
		{`turn.results[0].outcome.status == "failed"`, "", ""},
		{`any(turn.results, .outcome.status == "failed")`, "", ""},
		{`filter(turn.results, .agent == "a")[0].outcome.outputs.x == 1`, "", ""},
		{`turn.refused?.agent == "a"`, "", ""},
		{`find(turn.results, .agent == "a")?.outcome.status == "x"`, "", ""},
		{`turn.payload.n == 1 and turn.payload.other == "x"`, "", ""},
		{`(flag ? turn.results[0] : turn.results[1]).agent == "a"`, "", ""},
		{`last(turn.results).agent == "a"`, "", ""},
		{`turn.nubmer == 1`, `"turn" has no "nubmer"`, `did you mean "number"?`},
		{`turn.number == "x"`, "never equal", ""},
		{`turn.results[0].outcome.state == "x"`, `"turn.results[0].outcome" has no "state"`, ""},
		{`any(turn.results, .agnt == "a")`, `has no "agnt"`, `did you mean "agent"?`},
		{`turn.refused.code == "x"`, `"turn.refused" has no "code"`, ""},
		{`last(turn.results).agnt == "a"`, `has no "agnt"`, ""},
		{`turn.payload.n == "x"`, "never equal", ""},
	} {
		_, err := expression.CompileCondition(r.text, shaped())
		if r.message == "" {
			assert.NoError(t, err, r.text)
			continue
		}
		problems := expression.Problems(err)
		require.Len(t, problems, 1, r.text)
		assert.Contains(t, problems[0].Message, r.message, r.text)
		assert.Contains(t, problems[0].Hint, r.hint, r.text)
	}
}

func TestBecauseTellsWhatAConditionLooksAt(t *testing.T) {
	t.Parallel()
	scope := expression.NewScope(map[string]expression.Type{
		"quotes": {Kind: expression.List}, "topic": {Kind: expression.String, Nullable: true},
		"n": {Kind: expression.Int}, "flag": {Kind: expression.Bool}, "long": {Kind: expression.String},
	})
	env := expression.Values{"quotes": []any{int64(1), int64(2)}, "n": int64(3), "flag": true, "long": string(make([]rune, 200))}
	for _, r := range []struct{ text, want string }{
		{`len(quotes) >= 3`, "len(quotes) = 2"},
		{`n > 2 and topic == "x"`, `n = 3, topic = null`},
		{`n > 2 && n < 9 || not flag`, `n = 3, flag = true`},
		{`1 < n < 5`, `n = 3`},
		{`true`, ``},
		{`any(quotes, # > 1)`, `any(quotes, # > 1) = true`},
		{`quotes[7] == 1 or n == 3`, `n = 3`},
		{`quotes == [1]`, `quotes = [1,2]`},
	} {
		c, err := expression.CompileCondition(r.text, scope)
		require.NoError(t, err, r.text)
		assert.Equal(t, r.want, c.Explainer().Because(env), r.text)
	}
	c, err := expression.CompileCondition(`long == ""`, scope)
	require.NoError(t, err)
	assert.LessOrEqual(t, len([]rune(c.Explainer().Because(env))), 70)
}
