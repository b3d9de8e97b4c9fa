package expression_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/expression"
)

type row struct {
	text string
	want any
}

func checkValues(t *testing.T, rows []row) {
	t.Helper()
	scope, env := sample()
	for _, r := range rows {
		template, err := expression.CompileTemplate("${"+r.text+"}", scope)
		if !assert.NoError(t, err, r.text) {
			continue
		}
		for range 2 {
			got, err := template.Value(env)
			assert.NoError(t, err, r.text)
			assert.Equal(t, r.want, got, r.text)
			fits(t, template.Type(), got, r.text)
		}
	}
	_, fresh := sample()
	assert.Equal(t, fresh, env, "an evaluation changed its environment")
}

// TestNull covers fields that are not set yet.
func TestNull(t *testing.T) {
	t.Parallel()
	checkValues(t, []row{
		{`unset == "x"`, false},
		{`unset != "x"`, true},
		{`unset == nil`, true},
		{`unset == null`, true},
		{`null != unset`, false},
		{`topic == null`, false},
		{`un == 3`, false},
		{`un == 3.5`, false},
		{`un == un`, true},
		{`unset == any`, false},
		{`un < 5`, false},
		{`un > 5`, false},
		{`un <= 5`, false},
		{`un >= 5`, false},
		{`5 < un`, false},
		{`un <= un`, false},
		{`unset < "x"`, false},
		{`1 < un < 3`, false},
		{`unset ?? "none"`, "none"},
		{`topic ?? "none"`, "ops"},
		{`un ?? (1 + 1)`, int64(2)},
		{`(un ?? 1) + 1`, int64(2)},
		{`unset ?? unset ?? "x"`, "x"},
		{`unset`, nil},
		{`uf`, nil},
		{`!uf`, true},
		{`not uf`, true},
		{`uf && flag`, false},
		{`flag && uf`, false},
		{`uf || flag`, true},
		{`uf ? 1 : 2`, int64(2)},
		{`unset in ["a", "b"]`, false},
		{`unset in ["a", nil]`, true},
		{`unset in facts`, false},
		{`"a" in ul`, false},
		{`"a" in um`, false},
		{`unset contains "a"`, false},
		{`topic contains unset`, false},
		{`unset startsWith "a"`, false},
		{`unset endsWith "a"`, false},
		{`unset matches "a"`, false},
		{`topic matches unset`, false},
		{`um?.a`, nil},
		{`um?.a.b.c`, nil},
		{`um?.["a"]`, nil},
		{`ul?.[0]`, nil},
		{`facts.missing`, nil},
		{`facts["missing"]`, nil},
		{`facts.missing ?? 4`, int64(4)},
		{`facts.missing == 3`, false},
		{`facts.missing < 3`, false},
		{`get(facts.missing, "a")`, nil},
		{`get(um, "a")`, nil},
		{`string(unset)`, "null"},
		{`type(unset)`, "nil"},
		{`toJSON(unset)`, "null"},
		{`filter(rows, .done)`, []any{}},
		{`max([])`, nil},
		{`flag ? nil : 1`, nil},
	})
}

// TestNumbers covers what differs between ints and floats.
func TestNumbers(t *testing.T) {
	t.Parallel()
	checkValues(t, []row{
		{`n + 1`, int64(6)},
		{`n + 1.0`, 6.0},
		{`6 / 2`, 3.0},
		{`7 / 2`, 3.5},
		{`7 % 2`, int64(1)},
		{`2 ** 2`, 4.0},
		{`1 == 1.0`, true},
		{`9007199254740993 == 9007199254740992.0`, false},
		{`9007199254740993 > 9007199254740992.0`, true},
		{`9007199254740992.0 < 9007199254740993`, true},
		{`9223372036854775807 < 9223372036854775808.0`, true},
		{`9223372036854775807 == 9223372036854775807.0`, false},
		{`9223372036854775806 + 1`, int64(9223372036854775807)},
		{`-9223372036854775807 - 1`, int64(-9223372036854775808)},
		{`(-9223372036854775807 - 1) % -1`, int64(0)},
		{`4611686018427387904 * -2`, int64(-9223372036854775808)},
		{`3037000499 * 3037000499`, int64(9223372030926249001)},
		{`[1, 2] == nums[:2]`, true},
		{`[1.0, 2] == nums[:2]`, true},
		{`{"a": [1]} == {"a": [1.0]}`, true},
		{`1 in nums`, true},
		{`1.0 in nums`, true},
		{`uniq([1, 1.0, 2, "1"])`, []any{int64(1), int64(2), "1"}},
		{`uniq([[1], [1.0], {"a": 1}, {"a": 1}, nil, nil])`, []any{[]any{int64(1)}, map[string]any{"a": int64(1)}, nil}},
		{`int("-12")`, int64(-12)},
		{`int(2.9)`, int64(2)},
		{`round(2.5)`, 3.0},
		{`int(round(2.5))`, int64(3)},
		{`sum([1, 2])`, int64(3)},
		{`sum([1, 2.0])`, 3.0},
		{`sum([1, 2.5, 3, -1])`, 5.5},
		{`sum([9223372036854775807, 0.5, 1])`, 9223372036854775808.0},
		{`sum([-1, -9223372036854775807])`, int64(-9223372036854775808)},
		{`[1, 2] == [1, 3]`, false},
		{`[1] == [1, 2]`, false},
		{`[1] == any`, false},
		{`{"a": 1} == {"a": 2}`, false},
		{`{"a": 1} == {"b": 1}`, false},
		{`{"a": 1} == {"a": 1, "b": 2}`, false},
		{`facts == any`, false},
		{`true == any`, false},
		{`1 == any`, false},
		{`2.5 < 3 && 3 > 2.5 && 2.5 <= x`, true},
		{`uniq([1e300, 1e300, 1.5])`, []any{1e300, 1.5}},
		{`replace("aaa", "a", "b", 0)`, "aaa"},
		{`repeat("", 99)`, ""},
		{`take(nums, 0)`, []any{}},
		{`fromJSON("1")`, int64(1)},
		{`fromJSON("1.0")`, 1.0},
		{`fromJSON("{\"a\": [9007199254740993]}").a[0]`, int64(9007199254740993)},
		{`len(nums)`, int64(5)},
		{`map(["a", "b"], #index)`, []any{int64(0), int64(1)}},
		{`split("a b", " ")`, []any{"a", "b"}},
		{`1..3`, []any{int64(1), int64(2), int64(3)}},
		{`bitshl(1, 64)`, int64(0)},
	})
}

// TestText covers how values become text, and characters that take more than
// one byte.
func TestText(t *testing.T) {
	t.Parallel()
	checkValues(t, []row{
		{`string(1.0)`, "1"},
		{`string(2.50)`, "2.5"},
		{`string(1e21)`, "1e+21"},
		{`string(1e-7)`, "1e-7"},
		{`string(123456789012345680000.0)`, "123456789012345680000"},
		{`string(-0.000001)`, "-0.000001"},
		{`string([1, "a", nil, true, 1.5])`, `[1,"a",null,true,1.5]`},
		{`string({"b": 1, "a": {"d": 1, "c": "<é>"}})`, `{"a":{"c":"<é>","d":1},"b":1}`},
		{`toJSON({"b": 1, "a": [2]})`, "{\n  \"a\": [\n    2\n  ],\n  \"b\": 1\n}"},
		{`len("日本")`, int64(2)},
		{`"日本語"[1:2]`, "本"},
		{`"日本語"[-1:]`, "語"},
		{`indexOf("日本語", "語")`, int64(2)},
		{`"日本語"[indexOf("日本語", "本"):]`, "本語"},
	})
}

// TestMaps covers that what comes out of a map comes in the order of its keys.
func TestMaps(t *testing.T) {
	t.Parallel()
	checkValues(t, []row{
		{`keys({"b": 1, "a": 2, "c": 3})`, []any{"a", "b", "c"}},
		{`values({"b": 1, "a": 2, "c": 3})`, []any{int64(2), int64(1), int64(3)}},
		{`toPairs({"b": 1, "a": 2})`, []any{[]any{"a", int64(2)}, []any{"b", int64(1)}}},
		{`fromPairs(toPairs(facts)) == facts`, true},
		{`groupBy(nums, # % 2)`, map[string]any{
			"0": []any{int64(2), int64(4)}, "1": []any{int64(1), int64(3), int64(5)},
		}},
		{`groupBy(rows, .team == "red") | keys()`, []any{"false", "true"}},
		{`keys(groupBy([nil, 1.5, "x"], #))`, []any{"1.5", "null", "x"}},
		{`facts.in`, nil},
		{`{"in": 1, "not": 2}.in`, int64(1)},
	})
}

// TestNames covers fields that are named as words of the language are, and
// those that are no words.
func TestNames(t *testing.T) {
	t.Parallel()
	names := []string{
		"len", "count", "now", "n", "map", "in", "not", "let", "if", "true", "nil", "it", "and",
		"my-field", "a b", "9", "größe", "filter", "null", "string", "$env", "all",
	}
	scope, env := expression.Scope{}, expression.Values{"log": []any{"x"}}
	for i, name := range names {
		scope = scope.With(name, expression.Type{Kind: expression.Int})
		env[name] = int64(i)
	}
	scope = scope.With("log", expression.Type{Kind: expression.List})
	for i, name := range names {
		template, err := expression.CompileTemplate(`${$env["`+name+`"]}`, scope)
		require.NoError(t, err, name)
		value, err := template.Value(env)
		require.NoError(t, err, name)
		assert.Equal(t, int64(i), value, name)
		if !expression.Direct(name) {
			continue
		}
		template, err = expression.CompileTemplate(`${`+name+` + 0}`, scope)
		require.NoError(t, err, name)
		value, err = template.Value(env)
		require.NoError(t, err, name)
		assert.Equal(t, int64(i), value, name)
	}
	// A field does not hide the function of the same name.
	for text, want := range map[string]any{
		`len(log) + len`:               int64(1),
		`count(log, # == "x") + count`: int64(2),
		`map(log, map)`:                []any{int64(4)},
		`log | filter(filter > 0)`:     []any{"x"},
	} {
		template, err := expression.CompileTemplate("${"+text+"}", scope)
		require.NoError(t, err, text)
		value, err := template.Value(env)
		require.NoError(t, err, text)
		assert.Equal(t, want, value, text)
	}
	assert.False(t, expression.Direct("in"))
	assert.False(t, expression.Direct(""))
	assert.False(t, expression.Direct("9a"))
	assert.True(t, expression.Direct("a9"))
}

// TestTypes covers what is told of a template before it is evaluated.
func TestTypes(t *testing.T) {
	t.Parallel()
	scope, _ := sample()
	for text, want := range map[string]string{
		"plain": "string", "": "string", "${n}": "int", " ${n}": "string", "${n}${n}": "string",
		"${n + 1}": "int", "${n + x}": "float", "${n / 2}": "float", "${unset}": "string or null",
		"${unset ?? \"a\"}": "string", "${unset ?? nil}": "string or null", "${any}": "any", "${nil}": "null",
		"${facts}": "map", "${facts.a}": "any", "${log}": "list", "${[1, 2]}": "list of int", "${[1, nil]}": "list",
		"${1..n}": "list of int", "${keys(facts)}": "list of string", "${map(log, n > 1)}": "list of bool",
		"${flag ? 1 : nil}": "int or null", "${flag ? 1 : \"a\"}": "any", "${topic + \"x\"}": "string",
		"${find([1], # > 0)}": "int or null", "${first([\"a\"])}": "string or null", "${sum([1])}": "int",
		"${any + 1}": "any", "${any + \"a\"}": "string", "${sort([2, 1])}": "list of int", "${log[1:]}": "list",
		"${len(log)}": "int", "${n < 2}": "bool", "${filter([1], true)}": "list of int", "${-x}": "float",
		"${reduce([1], #acc + #, 0)}": "any", "${let a = 1; a}": "int", "${1; \"a\"}": "string",
	} {
		template, err := expression.CompileTemplate(text, scope)
		require.NoError(t, err, text)
		assert.Equal(t, want, template.Type().String(), text)
	}
	assert.Equal(t, "int", expression.Type{Kind: expression.List, Elem: expression.Int}.Element().String())
	assert.Equal(t, "any", expression.Type{Kind: expression.Map}.Element().String())
	assert.Equal(t, "unknown", expression.Kind(99).String())
}
