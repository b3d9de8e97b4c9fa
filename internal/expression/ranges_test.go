package expression_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/expression"
)

func TestRangesOfConditions(t *testing.T) {
	t.Parallel()
	scope := expression.NewScope(map[string]expression.Type{
		"n": {Kind: expression.Int}, "x": {Kind: expression.Float}, "flag": {Kind: expression.Bool}, "topic": {Kind: expression.String, Nullable: true},
		"payload": {Kind: expression.Map}, "items": {Kind: expression.List},
	})
	for _, r := range []struct{ text, want string }{
		{"n > 2", "[[{n > 2}]]"},
		{"2 >= n", "[[{n <= 2}]]"},
		{"n > -2 and x < 1.5", "[[{n > -2} {x < 1.5}]]"},
		{"1 < n < 5", "[[{n > 1} {n < 5}]]"},
		{"flag or topic != nil", "[[{flag == true}] [{topic != <nil>}]]"},
		{"not flag", "[[{flag != true}]]"},
		{"topic == null", "[[{topic == <nil>}]]"},
		{`not (topic == "a")`, "[[{topic != a}]]"},
		{`payload.kind == "a" && (n == 1 || n == 2)`, "[[{payload.kind == a} {n == 1}] [{payload.kind == a} {n == 2}]]"},
		{"len(items) >= 3", "[[{len(items) >= 3}]]"},
		{"true", "[[]]"},
		{"false", "[]"},
		{"not (n > 2)", "nil"},
		{"n + 1 > 2", "nil"},
		{"n > x", "nil"},
		{"items[0] == 1", "nil"},
		{"any(items, # > 1)", "nil"},
		{"n > 2 and any(items, # > 1)", "nil"},
		{"topic contains \"a\"", "nil"},
	} {
		c, err := expression.CompileCondition(r.text, scope)
		require.NoError(t, err, r.text)
		got := "nil"
		if ranges := c.Ranges(); ranges != nil {
			got = fmt.Sprint(ranges)
		}
		assert.Equal(t, r.want, got, r.text)
	}
}
