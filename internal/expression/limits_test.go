package expression_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/expression"
)

// budgeted is a scope and an environment with large values.
func budgeted() (expression.Scope, expression.Values) {
	list := func(n int) []any {
		values := make([]any, n)
		for i := range values {
			values[i] = int64(i)
		}
		return values
	}
	big := map[string]any{}
	for i := range 20_000 {
		big[fmt.Sprintf("key %d", i)] = int64(i)
	}
	var deep any = int64(1)
	for range 100_000 {
		deep = []any{deep}
	}
	env := expression.Values{
		"k1": list(1000), "k10": list(10_000), "k11": list(10_001), "k200": list(200_000),
		"text": strings.Repeat("a", 1_000_000), "map": big, "deep": deep, "n": int64(1 << 40), "s": "a",
	}
	scope := expression.Scope{}
	for name := range env {
		scope = scope.With(name, expression.Type{})
	}
	return scope, env
}

// TestLimits gives expressions that would cost too much; each must stop soon.
func TestLimits(t *testing.T) {
	t.Parallel()
	scope, env := budgeted()
	for _, text := range []string{
		`all(k11, true)`, `any(k11, false)`, `none(k11, false)`, `one(k11, true)`, `filter(k11, true)`, `map(k11, #)`,
		`find(k11, false)`, `findIndex(k11, false)`, `findLast(k11, true)`, `findLastIndex(k11, true)`,
		`count(k11, true)`, `sum(k11, #)`, `groupBy(k11, #)`, `sortBy(k11, #)`, `reduce(k11, #acc + #)`,
		`map(1..10001, #)`, `any([1], all(k11, true))`,
		`all(k10, all(k10, true))`, `map(k10, sum(k10))`, `map(k10, # in k200)`, `map(k10, len(text))`,
		`all(k10, k200 == concat(k200))`, `map(k10, text + "b")`, `map(k10, upper(text))`,
		`1..1000000000`, `1..n`, `-9223372036854775807..9223372036854775807`, `map(k10, 1..1000)`,
		`repeat("x", 1000000000)`, `repeat("x", 9223372036854775807)`, `repeat(text, 20)`, `repeat("abc", 6000000)`,
		`let a = text + text; let b = a + a; let c = b + b; let d = c + c; let e = d + d; e`,
		`reduce(k10, #acc + text, "")`, `reduce(k10, concat(#acc, k200), [])`,
		`join(map(k10, text))`, `join(map(1..100, text), "-")`, `map(k1, split(text, ""))`, `split(repeat(text, 2), "")`,
		`replace(text, "a", text)`, `replace(text, "", "abcdefghijklmnopqrst")`, `map(k10, replace(text, "a", "b"))`,
		`map(k10, toJSON(map))`, `map(k10, string(map))`, `map(k10, keys(map))`, `map(k10, values(map))`, `map(k10, toPairs(map))`,
		`map(k10, sort(k200))`, `map(k1, reverse(k200))`, `map(k10, uniq(k200))`, `map(k10, max(k200))`, `map(k10, median(k200))`,
		`map(k10, flatten([k200]))`, `map(k10, trim(text, "bcdefghij"))`, `map(k10, indexOf(text, "b"))`,
		`map(k10, text contains "b")`, `map(k10, text matches "(a|b)+c")`, `map(k10, text matches s + "+c")`,
		`text matches repeat("a?", 200) + repeat("a", 200)`, `s matches repeat("a", 600)`,
		`s matches "[a-z]{900}[a-z]{900}[a-z]{900}" + "[a-z]{900}"`, `map(k10, s matches "(x{100}){9}" + s)`,
		`fromJSON("[" + repeat("1,", 1000000) + "1]")`,
		`fromJSON(repeat("[", 300) + repeat("]", 300))`, `string(deep)`, `toJSON(deep)`, `flatten(deep)`, `max(deep)`,
		`map(k10, text[1:])`, `map(k10, toBase64(text))`, `map(k10, fromBase64(repeat("YWFh", 1000)) + text)`, `map(k10, text == repeat("a", 1000000))`,
		`map(k10, text < repeat("a", 1000000))`, `map(k10, hasPrefix(text, repeat("a", 1000000)))`,
		`map(k10, {{"a": map(k10, {{"b": 1, "c": 2}})}})`, `map(k10, groupBy(k10, #))`, `map(k10, sortBy(k10, -#))`,
		`map(k10, map(k10, [#, #]))`, `map(k10, fromPairs(toPairs(map)))`, `map(k10, sum(k200))`, `sort(map(k10, repeat("a", 20000)))`,
	} {
		template, err := expression.CompileTemplate("${"+text+"}", scope)
		if !assert.NoError(t, err, text) {
			continue
		}
		_, err = template.Value(env)
		assert.ErrorIs(t, err, expression.ErrLimit, text)
		assert.Len(t, expression.Problems(err), 1, text)
	}
}

// TestWithinLimits gives expressions that are large and still fine.
func TestWithinLimits(t *testing.T) {
	t.Parallel()
	scope, env := budgeted()
	for _, text := range []string{
		`all(k10, # >= 0)`, `all(k1, all(k1, # >= 0))`, `len(map(1..10000, # * 2)) == 10000`, `sum(k200) > 0`,
		`len(k200) == 200000`, `len(text) == 1000000`, `len(filter(k10, # in k1)) == 1000`, `len(keys(map)) == 20000`,
		`len(toJSON(map)) > 100000`, `len(repeat("x", 1000000)) == 1000000`, `len(1..500000) == 500000`,
		`text matches "^a+$"`, `len(sort(k200)) == 200000`, `len(uniq(k200)) == 200000`, `len(split(repeat("a,", 100000), ",")) == 100001`,
		`k200 == concat(k200)`, `len(replace(text, "a", "b")) == 1000000`, `len(sortBy(k10, -#)) == 10000`,
		`200001 not in k200`,
	} {
		c, err := expression.CompileCondition(text, scope)
		require.NoError(t, err, text)
		holds, err := c.Holds(env)
		assert.NoError(t, err, text)
		assert.True(t, holds, text)
	}
}

// TestLongTexts gives the compiler texts made to hurt it: what is not linear in
// them does not come to an end.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	scope, _ := sample()
	for _, piece := range []string{"(", "!", "-", "[", "{a:", "n?", "n?n:", "any(log,", "not ", "log[", "sort(", "trim(", "let a=", "if n {", "n<", "(n<", "a.", "#", "{(", "\"", "/*", "n??", "n.."} {
		for _, size := range []int{100_000, expression.MaxLength} {
			text := strings.Repeat(piece, size/len(piece))
			_, err := expression.CompileCondition(text, scope)
			assert.Error(t, err, piece)
		}
	}
	for _, half := range [][2]string{
		{"(", ")"}, {"!(", ")"}, {"-(", ")"}, {"[", "]"}, {"{a:", "}"}, {"sort(", ")"}, {"trim(", ",\"a\")"}, {"(any<{a:", "}.a<any)"},
		{"[any<", "<any][0]"}, {"flag?(", "):any"}, {"(any??", ")"}, {"concat(", ",any)"}, {"any[", "]"},
	} {
		n := expression.MaxLength/(len(half[0])+len(half[1])) - 2
		text := "${" + strings.Repeat(half[0], n) + "any" + strings.Repeat(half[1], n) + "}"
		if template, err := expression.CompileTemplate(text, scope); err == nil {
			_, _ = template.Value(expression.Values{"any": []any{}})
		}
	}
	_, err := expression.CompileCondition(strings.Repeat(" ", expression.MaxLength)+"flag", scope)
	assert.ErrorContains(t, err, "at most 4096")
	_, err = expression.CompileCondition(strings.Repeat(" ", expression.MaxLength-4)+"flag", scope)
	assert.NoError(t, err)
	_, err = expression.CompileTemplate(strings.Repeat("${n} ", 20_000), scope)
	assert.NoError(t, err)
	_, err = expression.CompileTemplate(strings.Repeat("${", 50_000), scope)
	assert.Error(t, err)
}

// TestSharedBudget checks that the parts of one text share a budget.
func TestSharedBudget(t *testing.T) {
	t.Parallel()
	scope, env := budgeted()
	part := `${len(filter(k10, # % 2 == 0 && any(k1, # > 100))) > 0}`
	one, err := expression.CompileTemplate("x"+part, scope)
	require.NoError(t, err)
	value, err := one.Value(env)
	require.NoError(t, err)
	assert.Equal(t, "xtrue", value)
	many, err := expression.CompileTemplate(strings.Repeat(part, 30), scope)
	require.NoError(t, err)
	_, err = many.Value(env)
	assert.ErrorIs(t, err, expression.ErrLimit)
	parts := make([]any, 30)
	for i := range parts {
		parts[i] = part
	}
	whole, err := expression.CompileValue(parts, scope)
	require.NoError(t, err)
	_, err = whole.Eval(env)
	assert.ErrorIs(t, err, expression.ErrLimit)
	assert.Regexp(t, `^\[\d+\]$`, expression.Problems(err)[0].Path)
}
