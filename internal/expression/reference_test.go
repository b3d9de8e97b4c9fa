package expression_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/expr-lang/expr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/expression"
)

func lines(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// sample is a scope and an environment for most tables.
func sample() (expression.Scope, expression.Values) {
	scope := expression.NewScope(map[string]expression.Type{
		"n": {Kind: expression.Int}, "x": {Kind: expression.Float}, "flag": {Kind: expression.Bool},
		"topic": {Kind: expression.String, Nullable: true}, "log": {Kind: expression.List},
		"nums": {Kind: expression.List}, "rows": {Kind: expression.List},
		"facts": {Kind: expression.Map}, "any": {},
		"unset": {Kind: expression.String, Nullable: true}, "un": {Kind: expression.Int, Nullable: true},
		"uf": {Kind: expression.Bool, Nullable: true}, "ul": {Kind: expression.List, Nullable: true},
		"um":       {Kind: expression.Map, Nullable: true},
		"my-field": {Kind: expression.Int}, "in": {Kind: expression.String}, "len": {Kind: expression.Int},
	})
	env := expression.Values{
		"n": int64(5), "x": 2.5, "flag": true, "topic": "ops", "log": []any{"a", "b"},
		"nums": []any{int64(1), int64(2), int64(3), int64(4), int64(5)},
		"rows": []any{
			map[string]any{"name": "ann", "age": int64(31), "team": "red"},
			map[string]any{"name": "bob", "age": int64(25), "team": "blue"},
			map[string]any{"name": "cy", "age": int64(40), "team": "red"},
		},
		"facts": map[string]any{"size": int64(3), "deep": map[string]any{"a": int64(1)}, "list": []any{int64(1), int64(2)}},
		"any":   "something", "unset": nil, "my-field": int64(7), "in": "word", "len": int64(9),
	}
	return scope, env
}

// plain makes a value of the reference comparable: its integers are int, and
// its lists have many types.
func plain(value any) any {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Int:
		return v.Int()
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i).Interface())
		}
		return list
	case reflect.Map:
		built := map[string]any{}
		for _, key := range v.MapKeys() {
			name, ok := key.Interface().(string)
			if !ok {
				return value
			}
			built[name] = plain(v.MapIndex(key).Interface())
		}
		return built
	}
	return value
}

// ints turns the int64 of an environment into the int that the reference
// works with, so that it compares deep values as equal.
func ints(value any) any {
	switch v := value.(type) {
	case int64:
		return int(v)
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = ints(element)
		}
		return list
	case map[string]any:
		built := map[string]any{}
		for key, element := range v {
			built[key] = ints(element)
		}
		return built
	}
	return value
}

// TestReference evaluates the same expressions with the reference
// implementation of the language and compares the values.
func TestReference(t *testing.T) {
	t.Parallel()
	scope, env := sample()
	theirs := map[string]any{}
	for _, name := range []string{"n", "x", "flag", "topic", "log", "nums", "rows", "facts"} {
		theirs[name] = ints(env[name])
	}
	for _, text := range lines(t, "testdata/language.txt") {
		program, err := expr.Compile(text, expr.Env(theirs))
		require.NoError(t, err, text)
		want, err := expr.Run(program, theirs)
		require.NoError(t, err, text)

		template, err := expression.CompileTemplate("${"+text+"\n}", scope)
		require.NoError(t, err, text)
		got, err := template.Value(env)
		require.NoError(t, err, text)
		assert.Equal(t, plain(want), got, text)
		fits(t, template.Type(), got, text)
	}
}

// fits checks a value against the type that was told at load.
func fits(t *testing.T, kind expression.Type, value any, text string) {
	t.Helper()
	if value == nil {
		assert.True(t, kind.MayBeNull(), "%s is null, its type was %s", text, kind)
		return
	}
	names := map[expression.Kind]string{
		expression.Bool: "bool", expression.Int: "int64", expression.Float: "float64", expression.String: "string",
		expression.List: "[]interface {}", expression.Map: "map[string]interface {}",
	}
	if kind.Kind != expression.Any {
		assert.Equal(t, names[kind.Kind], reflect.TypeOf(value).String(), "%s, its type was %s", text, kind)
	}
	if list, ok := value.([]any); ok && kind.Elem != expression.Any {
		for _, element := range list {
			fits(t, kind.Element(), element, text)
		}
	}
}

// TestConformanceExpressions compiles every expression of the recorded cases.
func TestConformanceExpressions(t *testing.T) {
	t.Parallel()
	scope := expression.NewScope(map[string]expression.Type{
		"log": {Kind: expression.List}, "n": {Kind: expression.Int}, "facts": {Kind: expression.Map},
		"topic": {Kind: expression.String, Nullable: true}, "items": {Kind: expression.List},
	})
	for _, name := range []string{"item", "it", "k", "a", "a0", "a1"} {
		scope = scope.With(name, expression.Type{})
	}
	env := expression.Values{
		"log": []any{"in"}, "n": int64(3), "items": []any{"x"}, "item": "x1", "it": "x1", "k": int64(2), "a": "yes", "a0": "no", "a1": int64(1),
	}
	seen := 0
	for _, line := range lines(t, "testdata/conformance.txt") {
		seen++
		if text, ok := strings.CutPrefix(line, "when "); ok {
			c, err := expression.CompileCondition(text, scope)
			require.NoError(t, err, text)
			_, err = c.Holds(env)
			require.NoError(t, err, text)
			continue
		}
		text := strings.TrimPrefix(line, "text ")
		template, err := expression.CompileTemplate(text, scope)
		require.NoError(t, err, text)
		value, err := template.Value(env)
		require.NoError(t, err, text)
		fits(t, template.Type(), value, text)
	}
	assert.Equal(t, 94, seen)
}
