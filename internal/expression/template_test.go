package expression_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/expression"
)

func TestTemplateText(t *testing.T) {
	t.Parallel()
	scope, env := sample()
	for _, r := range []row{
		{"", ""},
		{"plain", "plain"},
		{"a $ b $n {n} }", "a $ b $n {n} }"},
		{"n is ${n}", "n is 5"},
		{"${n}", int64(5)},
		{"${ n }", int64(5)},
		{"${n} ", "5 "},
		{"${n}${x}", "52.5"},
		{"${topic}:${flag}", "ops:true"},
		{"→${topic}←", "→ops←"},
		{"[${unset}]", "[null]"},
		{"${unset}", nil},
		{"[${log}]", `[["a","b"]]`},
		{"${log}", []any{"a", "b"}},
		{"f ${facts}", `f {"deep":{"a":1},"list":[1,2],"size":3}`},
		{"${6 / 2} of ${1e21} and ${0.1 + 0.2}", "3 of 1e+21 and 0.30000000000000004"},
		{"$${n}", "${n}"},
		{"$${n} is ${n}", "${n} is 5"},
		{"$$${n}", "$${n}"},
		{"${'$'}${n}", "$5"},
		{"${\"${n}\"}", "${n}"},
		{"${ {\"a\": 1}[\"a\"] }", int64(1)},
		{"${{\"a\": {\"b\": 2}}}", map[string]any{"a": map[string]any{"b": int64(2)}}},
		{"${\"}\"}", "}"},
		{"${'}'}{", "}{"},
		{"${`}`}", "}"},
		{"${`a``}`}", "a`}"},
		{`${"\"}"}`, `"}`},
		{`${'\'}'}`, `'}`},
		{"${n /* } */}", int64(5)},
		{"${n // }\n}", int64(5)},
		{"${n\n+\n1}", int64(6)},
		{"${filter(nums, {# > 4})}", []any{int64(5)}},
		{"${map([1], {{a: #}})}!", `[{"a":1}]!`},
		{"${if flag { 1 } else { 2 }}", int64(1)},
		{"${n / 2 }", 2.5},
	} {
		template, err := expression.CompileTemplate(r.text, scope)
		if !assert.NoError(t, err, r.text) {
			continue
		}
		value, err := template.Value(env)
		assert.NoError(t, err, r.text)
		assert.Equal(t, r.want, value, r.text)
		assert.Equal(t, r.text, template.String())
		fits(t, template.Type(), value, r.text)
	}
}

func TestTemplateConstant(t *testing.T) {
	t.Parallel()
	scope, _ := sample()
	for text, want := range map[string]bool{
		"": true, "plain": true, "$${n}": true, "${1 + 2}": true, "a ${\"b\"}": true, "${map([1], # + 1)}": true,
		"${n}": false, "a ${1} ${n}": false, "${len(log)}": false, "${$env[\"my-field\"]}": false,
	} {
		template, err := expression.CompileTemplate(text, scope)
		require.NoError(t, err, text)
		assert.Equal(t, want, template.Constant(), text)
	}
}

func TestTemplateErrors(t *testing.T) {
	t.Parallel()
	scope, env := sample()
	for _, r := range []struct {
		text    string
		offset  int
		message string
	}{
		{"a ${n", 2, "is not closed"},
		{"é${", 1, "is not closed"},
		{"${\"}", 0, "is not closed"},
		{"${'a\\'}", 0, "is not closed"},
		{"${`}", 0, "is not closed"},
		{"${n /* }", 0, "is not closed"},
		{"${n // }", 0, "is not closed"},
		{"${{}", 0, "is not closed"},
		{"${n} ${", 5, "is not closed"},
		{"${}", 2, "is empty"},
		{"a ${ } b", 4, "is empty"},
		{"é ${tpic}", 4, "unknown name"},
		{"${n}${n +}", 9, "ends too early"},
		{"${a}}", 2, "unknown name"},
		{"x ${n ${n} }", 6, `unexpected "${`[:11]},
		{"\xff", 0, "not valid UTF-8"},
	} {
		_, err := expression.CompileTemplate(r.text, scope)
		problems := expression.Problems(err)
		if assert.Len(t, problems, 1, r.text) {
			assert.Contains(t, problems[0].Message, r.message, r.text)
			assert.Equal(t, r.offset, problems[0].Offset, "%s: %s", r.text, err)
		}
	}
	template, err := expression.CompileTemplate("é ${n} ${un + 1}", scope)
	require.NoError(t, err)
	_, err = template.Value(env)
	assert.EqualError(t, err, `expression: "un" is null, + needs a value (at offset 12); give it one with ??, as in (name ?? 0)`)
}

func TestValue(t *testing.T) {
	t.Parallel()
	scope, env := sample()
	for _, r := range []struct {
		value any
		want  any
		kind  string
		fixed bool
	}{
		{nil, nil, "null", true},
		{true, true, "bool", true},
		{3, int64(3), "int", true},
		{uint64(3), int64(3), "int", true},
		{int32(3), int64(3), "int", true},
		{float32(1.5), 1.5, "float", true},
		{"a", "a", "string", true},
		{"${n}", int64(5), "int", false},
		{[]any{}, []any{}, "list", true},
		{[]any{1, 2}, []any{int64(1), int64(2)}, "list of int", true},
		{[]any{1, "${n}"}, []any{int64(1), int64(5)}, "list of int", false},
		{[]any{1, "n ${n}"}, []any{int64(1), "n 5"}, "list", false},
		{map[string]any{}, map[string]any{}, "map", true},
		{
			map[string]any{"${n}": "$${n}", "a": []any{map[string]any{"b": "${log}"}, nil}},
			map[string]any{"${n}": "${n}", "a": []any{map[string]any{"b": []any{"a", "b"}}, nil}}, "map", false,
		},
	} {
		v, err := expression.CompileValue(r.value, scope)
		require.NoError(t, err, r.value)
		assert.Equal(t, r.kind, v.Type().String(), r.value)
		assert.Equal(t, r.fixed, v.Constant(), r.value)
		for range 2 {
			got, err := v.Eval(env)
			require.NoError(t, err, r.value)
			assert.Equal(t, r.want, got)
		}
	}
}

func TestValueErrors(t *testing.T) {
	t.Parallel()
	scope, env := sample()
	_, err := expression.CompileValue(map[string]any{
		"log":   []any{"ok ${n}", "bad ${nn}", map[string]any{"deep key": "${1 + flag} ${"}},
		"when":  struct{}{},
		"big":   uint64(1 << 63),
		"facts": map[string]any{"size": "${len(topik)}"},
	}, scope)
	problems := expression.Problems(err)
	require.Len(t, problems, 5)
	var paths []string
	for _, problem := range problems {
		paths = append(paths, problem.Path)
	}
	assert.Equal(t, []string{"big", "facts.size", "log[1]", `log[2]["deep key"]`, "when"}, paths)
	assert.EqualError(t, problems[1], `expression: facts.size: unknown name "topik" (at offset 6); did you mean "topic"?`)
	assert.Contains(t, problems[0].Message, "9223372036854775808 does not fit")
	assert.Contains(t, problems[4].Message, "struct {}")

	var deep any = "x"
	for range 1000 {
		deep = []any{deep}
	}
	_, err = expression.CompileValue(deep, scope)
	assert.ErrorContains(t, err, "nested more than 200 deep")
	assert.ErrorIs(t, err, expression.ErrLimit)

	v, err := expression.CompileValue(map[string]any{"a": []any{"x", "n: ${un + 1}"}}, scope)
	require.NoError(t, err)
	_, err = v.Eval(env)
	assert.EqualError(t, err, `expression: a[1]: "un" is null, + needs a value (at offset 8); give it one with ??, as in (name ?? 0)`)
}

// TestNoEnv checks that a missing environment is one without names.
func TestNoEnv(t *testing.T) {
	t.Parallel()
	scope, _ := sample()
	template, err := expression.CompileTemplate("${topic}${1 + 1}", scope)
	require.NoError(t, err)
	value, err := template.Value(nil)
	require.NoError(t, err)
	assert.Equal(t, "null2", value)
}

func TestScope(t *testing.T) {
	t.Parallel()
	types := map[string]expression.Type{"b": {Kind: expression.Int}, "a": {}}
	scope := expression.NewScope(types)
	types["c"] = expression.Type{}
	inner := scope.With("it", expression.Type{Kind: expression.String}).With("b", expression.Type{Kind: expression.Bool})
	assert.Equal(t, []string{"a", "b"}, scope.Names())
	assert.Equal(t, []string{"a", "b", "it"}, inner.Names())
	b, ok := scope.Lookup("b")
	assert.True(t, ok)
	assert.Equal(t, expression.Int, b.Kind)
	b, _ = inner.Lookup("b")
	assert.Equal(t, expression.Bool, b.Kind)
	_, ok = scope.Lookup("it")
	assert.False(t, ok)
	assert.Empty(t, expression.Scope{}.Names())
}
