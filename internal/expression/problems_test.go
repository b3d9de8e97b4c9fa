package expression_test

import (
	"strings"
	"testing"

	"github.com/expr-lang/expr/builtin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/expression"
)

// TestLoadErrors gives expressions that must not compile, with the place, a
// part of the message and a part of the hint.
func TestLoadErrors(t *testing.T) {
	t.Parallel()
	scope, _ := sample()
	for _, r := range []struct {
		text          string
		offset        int
		message, hint string
	}{
		{``, 0, "is empty", ""},
		{"  \t", 0, "is empty", ""},
		{`tpic == "x"`, 0, `unknown name "tpic"`, `did you mean "topic"?`},
		{`n > 1 && Topic == "x"`, 9, `unknown name "Topic"`, `did you mean "topic"?`},
		{`zzzzzz`, 0, `unknown name "zzzzzz"`, ""},
		{`filter`, 0, `unknown name "filter"`, "called as filter(…)"},
		{`my-field > 2`, 0, `unknown name "my"`, `$env["my-field"]`},
		{`$env["nope"] == 1`, 5, `unknown name "nope"`, ""},
		{`$env["fact"] == 1`, 5, `unknown name "fact"`, `"facts"`},
		{`$env == 1`, 0, "$env is not a value", `$env["name"]`},
		{`$env[topic] == 1`, 4, "a name in quotes", ""},
		{`in == "x"`, 0, `unexpected "in"`, `$env["in"]`},
		{`topic == 3`, 6, "== compares string or null with int, which are never equal", ""},
		{`topic != n`, 6, "never equal", ""},
		{`log == "x"`, 4, "never equal", ""},
		{`facts == log`, 6, "never equal", ""},
		{`flag == 1`, 5, "never equal", ""},
		{`n < "x"`, 2, "< does not take int and string", ""},
		{`flag < true`, 5, "< does not take", ""},
		{`log > 1`, 4, "> does not take list and int", ""},
		{`n < nil`, 2, "< does not take int and null", ""},
		{`n + "a" == "5a"`, 2, "+ does not take int and string", "string(value)"},
		{`log + log == log`, 4, "+ does not take", "concat(a, b)"},
		{`n + nil == 1`, 2, "+ does not take int and null", ""},
		{`topic - 1 == 1`, 6, "- does not take", ""},
		{`x % 2 == 0`, 2, "% does not take float and int", ""},
		{`flag * 2 == 0`, 5, "* does not take", ""},
		{`-topic == "a"`, 0, "- needs a number", ""},
		{`!n`, 1, "! needs a bool, not int", ""},
		{`n && flag`, 0, "&& needs a bool, not int", ""},
		{`flag or topic`, 8, "or needs a bool", ""},
		{`n ? flag : flag`, 0, "needs a bool, not int", ""},
		{`n`, 0, "a condition is a bool, this is int", "compare it"},
		{`nil`, 0, "a condition is a bool, this is null", ""},
		{`log`, 0, "a condition is a bool, this is list", ""},
		{`"a" in topic`, 4, "in does not take", "contains"},
		{`1 in facts`, 2, "in does not take", "keys"},
		{`1 in ["a"]`, 2, "never in", ""},
		{`n in ["a", "b"]`, 2, "never in", ""},
		{`1 in n`, 2, "in does not take", ""},
		{`log contains "a"`, 4, "contains does not take", "value in list"},
		{`topic matches 3`, 6, "matches does not take", ""},
		{`topic matches "("`, 14, "not a regular expression", ""},
		{`topic matches "(((a{10}){10}){10}b{1000}){10}"`, 14, "not a regular expression", ""},
		{`topic matches "[a-z]{900}[a-z]{900}[a-z]{900}[a-z]{900}"`, 14, "repeats so much", ""},
		{`1.5..n == log`, 3, ".. does not take", ""},
		{`topic[0] == "a"`, 5, "a string has no elements", "text[0:1]"},
		{`log["a"] == 1`, 4, "named by an int, not string", ""},
		{`log.size == 1`, 4, "named by an int", ""},
		{`facts[1] == 1`, 6, "named by a string, not int", "string(key)"},
		{`n.a == 1`, 2, "int has no elements", ""},
		{`(nil).a == 1`, 6, "null has no elements", ""},
		{`(un) ?? 1 + 1 == 2`, 10, "?? stands beside", "(n ?? 0) + 1"},
		{`n[1:] == 1`, 1, "has no part", ""},
		{`log["a":] == log`, 4, "the ends of", ""},
		{`len(n) > 1`, 4, "len needs a string, list or map, not int", ""},
		{`len() > 1`, 0, "len takes 1 argument, not 0", ""},
		{`len(log, log) > 1`, 0, "len takes 1 argument, not 2", ""},
		{`len(nil) > 1`, 4, "len needs", ""},
		{`lne(log) > 1`, 0, `unknown function "lne"`, `"len"`},
		{`topic("x")`, 0, `"topic" is a value and cannot be called`, ""},
		{`topic.upper() == "x"`, 6, "values have no methods", "name(value)"},
		{`now() == 1`, 0, "no clock", ""},
		{`date("2020-01-01") == 1`, 0, "there is no date()", ""},
		{`duration("1h") == 1`, 0, "there is no duration()", ""},
		{`timezone("UTC") == 1`, 0, "there is no timezone()", ""},
		{`join(topic) == ""`, 5, "join needs a list", ""},
		{`split(topic) == log`, 0, "split takes 2 to 3 arguments", ""},
		{`concat() == log`, 0, "concat takes at least 1", ""},
		{`all(n, # > 1)`, 4, "all needs a list, not int", ""},
		{`all(facts, true)`, 4, "all needs a list, not map", ""},
		{`all(log, 1)`, 9, "needs a bool, not int", ""},
		{`sum([1], "a") > 1`, 9, "sum adds numbers", ""},
		{`sortBy(log, #, 1) == log`, 15, "the order of sortBy", "desc"},
		{`# > 1`, 0, `unexpected "#"`, "predicate"},
		{`#acc`, 0, "unexpected", ""},
		{`any(log, #acc == 1)`, 9, "unknown pointer #acc", ""},
		{`any(log, #nope == 1)`, 9, "unknown pointer #nope", ""},
		{`any(log, any(log, any(log, true)))`, 18, "predicates nest at most once", "let"},
		{`any(log, len(filter(log, len(map(log, #)) > 1)) > 1)`, 29, "nest at most once", ""},
		{`let n = 1; n > 0`, 4, `"n" is a name already`, ""},
		{`let len = 1; len > 0`, 4, "is a name already", ""},
		{`let a = 1; let a = 2; a > 0`, 15, "is a name already", ""},
		{`let a = b; a`, 8, `unknown name "b"`, ""},
		{`(let a = 1; a > 0) && a > 0`, 22, `unknown name "a"`, ""},
		{`b"abc" == topic`, 0, "no byte strings", ""},
		{`{"a": 1, "a": 2} == facts`, 9, `"a" stands twice`, ""},
		{`{(1): 2} == facts`, 2, "keys of a map are strings", ""},
		{`n = 1`, 2, `unexpected "="`, "=="},
		{`n &&`, 4, "ends too early", ""},
		{`(n > 1`, 6, "ends too early", ""},
		{`n > 1)`, 5, `unexpected ")"`, ""},
		{`"abc`, 4, "not terminated", ""},
		{"n > 1 /* x", 10, "unclosed comment", ""},
		{`n @ 1`, 2, "unrecognized character", ""},
		{`${n > 1}`, 1, `unexpected "{"`, "without ${ }"},
		{`n > 99999999999999999999`, 4, "the number 99999999999999999999", ""},
		{`1e999 > n`, 0, "the number 1e999", ""},
		{"\xff == n", 0, "not valid UTF-8", ""},
		{`"\377" == topic + "\xff"[0:1] && "é" == tpic`, 40, "unknown name", ""},
		{`"日本" == tpic`, 8, "unknown name", ""},
	} {
		_, err := expression.CompileCondition(r.text, scope)
		problems := expression.Problems(err)
		if !assert.Len(t, problems, 1, "%s: %v", r.text, err) {
			continue
		}
		assert.Contains(t, problems[0].Message, r.message, r.text)
		assert.Contains(t, problems[0].Hint, r.hint, r.text)
		assert.Equal(t, r.offset, problems[0].Offset, "%s: %s", r.text, problems[0])
	}
}

// TestAllProblems checks that one compilation tells them all, in order.
func TestAllProblems(t *testing.T) {
	t.Parallel()
	scope, _ := sample()
	_, err := expression.CompileCondition(`tpic == "x" && topic == 3 || lne(log) > 1`, scope)
	problems := expression.Problems(err)
	require.Len(t, problems, 3)
	assert.Equal(t, []int{0, 21, 29}, []int{problems[0].Offset, problems[1].Offset, problems[2].Offset})
	assert.Equal(t, 3, strings.Count(err.Error(), "expression: "))

	_, err = expression.CompileTemplate("a ${b} c ${n + flag} ${é}", scope)
	problems = expression.Problems(err)
	require.Len(t, problems, 3)
	assert.Equal(t, []int{4, 13, 23}, []int{problems[0].Offset, problems[1].Offset, problems[2].Offset})

	_, err = expression.CompileCondition(strings.Repeat("zz + ", 50)+"1 > 0", scope)
	assert.Len(t, expression.Problems(err), 10)
	assert.Empty(t, expression.Problems(nil))
	assert.Empty(t, expression.Problems(assert.AnError))

	_, err = expression.CompileTemplate("${"+strings.Repeat(" ", 5000)+"} ${zz}", scope)
	var first *expression.Error
	require.ErrorAs(t, err, &first)
	assert.Contains(t, first.Message, "at most 4096")
	_, err = expression.CompileValue([]any{"${zz}", deepList(300)}, scope)
	assert.ErrorIs(t, err, expression.ErrLimit)

	_, err = expression.CompileCondition(strings.Repeat("z", 1000), scope)
	assert.Less(t, len(err.Error()), 200)

	_, err = expression.CompileCondition("zz", expression.Scope{})
	assert.EqualError(t, err, `expression: unknown name "zz" (at offset 0); no names are known here`)
}

func deepList(depth int) any {
	var deep any = "x"
	for range depth {
		deep = []any{deep}
	}
	return deep
}

// TestFunctionNames checks that every function of the language is known, or
// refused with a reason.
func TestFunctionNames(t *testing.T) {
	t.Parallel()
	for _, name := range builtin.Names {
		_, err := expression.CompileTemplate("${"+name+"()}", expression.Scope{})
		require.Error(t, err, name)
		message := expression.Problems(err)[0].Message
		assert.NotContains(t, message, "unknown", name)
		_, err = expression.CompileTemplate("${"+name+"x(1)}", expression.Scope{})
		require.Error(t, err, name)
		problem := expression.Problems(err)[0]
		assert.Contains(t, problem.Message, "unknown function", name)
		if !strings.Contains("now date duration timezone", name) {
			assert.Contains(t, problem.Hint, "did you mean", name)
		}
	}
}

// TestRunErrors gives expressions that compile and then fail.
func TestRunErrors(t *testing.T) {
	t.Parallel()
	scope, env := sample()
	env["odd"] = struct{}{}
	scope = scope.With("odd", expression.Type{})
	for _, r := range []struct {
		text          string
		offset        int
		message, hint string
	}{
		{`un + 1`, 3, `"un" is null, + needs a value`, "??"},
		{`1 - un`, 2, `"un" is null, - needs a value`, "??"},
		{`-un`, 0, `"un" is null`, "??"},
		{`facts.missing * 2`, 14, `"facts.missing" is null`, "??"},
		{`rows[0].nope + 1`, 13, `"rows[0].nope" is null`, "??"},
		{`len(unset)`, 0, `len needs a string, list or map, but "unset" is null`, "??"},
		{`upper(unset)`, 0, `upper needs a string, but "unset" is null`, "??"},
		{`all(ul, true)`, 0, `all needs a list, but "ul" is null`, ""},
		{`all(facts.size, true)`, 0, `"facts.size" is int`, ""},
		{`um.a`, 3, `"um" is null and has no element "a"`, "?."},
		{`facts.missing.more`, 14, `"facts.missing" is null`, "?."},
		{`facts.size.more`, 11, "int has no elements", ""},
		{`log[2]`, 3, "index 2 is outside the list of 2", "get("},
		{`log[-3]`, 3, "index -3 is outside", ""},
		{`ul[0]`, 2, `"ul" is null`, ""},
		{`ul[0:1]`, 2, `"ul" is null`, ""},
		{`n / 0`, 2, "division by zero", ""},
		{`n / (x - 2.5)`, 2, "division by zero", ""},
		{`n % 0`, 2, "division by zero", ""},
		{`any % 2`, 4, "% needs two ints, not string and int", ""},
		{`any + 2`, 4, "+ needs two numbers or two strings, not string and int", ""},
		{`any - 2`, 4, "- needs two numbers", ""},
		{`any < 2`, 4, "string and int have no order", ""},
		{`any && flag`, 0, `&& needs a bool, but "any" is string`, ""},
		{`any ? 1 : 2`, 0, `needs a bool, but "any" is string`, ""},
		{`any.a`, 4, "a string has no elements", ""},
		{`-any`, 0, "needs a number", ""},
		{`facts[any] + facts[log[0]] + facts[facts.size]`, 11, "is null", ""},
		{`facts[facts.size]`, 5, "named by a string, not int", ""},
		{`facts.list["a"]`, 10, "named by an int", ""},
		{`facts.size in facts`, 11, "keys of a map are strings", ""},
		{`1 in any`, 2, "in needs a list or a map", ""},
		{`any contains facts.size`, 4, "needs two strings", ""},
		{`facts.size matches "a"`, 11, "matches needs a string", ""},
		{`topic matches facts.size`, 6, "matches needs a pattern", ""},
		{`topic matches topic + "("`, 6, "not a regular expression", ""},
		{`1..facts.deep`, 1, ".. needs two ints", ""},
		{`9223372036854775807 + 1`, 20, "does not fit into a 64-bit integer", "float"},
		{`-9223372036854775807 - 2`, 21, "does not fit", ""},
		{`9223372036854775807 - -1`, 20, "does not fit", ""},
		{`4611686018427387904 * 2`, 20, "does not fit", ""},
		{`(-9223372036854775807 - 1) * -1`, 27, "does not fit", ""},
		{`-(-9223372036854775807 - 1)`, 0, "does not fit", ""},
		{`abs(-9223372036854775807 - 1)`, 0, "does not fit", ""},
		{`sum([9223372036854775807, 1])`, 0, "does not fit", ""},
		{`int(1e300)`, 0, "does not fit", ""},
		{`int("1.5")`, 0, "is not an integer", ""},
		{`float("x")`, 0, "is not a number", ""},
		{`float("NaN")`, 0, "not a finite", ""},
		{`float("0x1p4")`, 0, "is not a number", ""},
		{`1e308 * 10`, 6, "not a finite number", ""},
		{`10 ** 400`, 3, "not a finite number", ""},
		{`(-1) ** 0.5`, 5, "not a finite number", ""},
		{`nums[any:]`, 5, "the ends of", ""},
		{`facts.size[0:1]`, 10, "int has no part", ""},
		{`any ** 2`, 4, "** needs two numbers", ""},
		{`any * 2`, 4, "* needs two numbers", ""},
		{`any / 2`, 4, "/ needs two numbers", ""},
		{`any == odd || odd == any`, 7, "holds a struct {}", ""},
		{`sum(log, any)`, 0, "sum adds numbers, not string", ""},
		{`sum(nums, # + 9223372036854775806)`, 12, "does not fit", ""},
		{`get(nums, "a")`, 0, "named by an int", ""},
		{`get(facts, 1)`, 0, "named by a string", ""},
		{`sortBy(nums, #, any)`, 0, `"asc" or "desc"`, ""},
		{`[1, un + 1]`, 7, "is null", ""},
		{`{"a": un + 1}`, 9, "is null", ""},
		{`un + 1; 2`, 3, "is null", ""},
		{`let a = un + 1; 2`, 11, "is null", ""},
		{`filter(nums, un + # > 1)`, 16, "is null", ""},
		{`map(nums, un + #)`, 13, "is null", ""},
		{`count(nums, un + # > 1)`, 15, "is null", ""},
		{`findLast(nums, un + # > 1)`, 18, "is null", ""},
		{`groupBy(nums, un + #)`, 17, "is null", ""},
		{`sort([1, "a"])`, 0, "have no order", ""},
		{`sort([1, nil])`, 0, "have no order", ""},
		{`sort([1], "up")`, 0, `"asc" or "desc"`, ""},
		{`sortBy(rows, .nope)`, 0, "null and null have no order", ""},
		{`reduce([], #acc)`, 0, "no value to start with", "#acc"},
		{`sum(["a"])`, 0, "sum adds numbers", ""},
		{`max(["a"])`, 0, "a number or a list of numbers", ""},
		{`join([1])`, 0, "element 0 is int", "string(#)"},
		{`repeat("a", -1)`, 0, "cannot repeat", ""},
		{`take(log, -1)`, 0, "cannot take", ""},
		{`count([1])`, 0, "list of bools", ""},
		{`bitshl(1, -1)`, 0, "cannot shift", ""},
		{`fromJSON("{")`, 0, "is not JSON", ""},
		{`fromJSON("1 2")`, 0, "more behind", ""},
		{`fromJSON("99999999999999999999")`, 0, "does not fit", ""},
		{`fromJSON("1e999")`, 0, "does not fit", ""},
		{`fromBase64("?")`, 0, "is not Base64", ""},
		{`fromBase64("/w==")`, 0, "not UTF-8", ""},
		{`fromPairs([[1, 2]])`, 0, "keys of a map are strings", ""},
		{`fromPairs([1])`, 0, "[key, value]", ""},
		{`{(any + "x"): 1, (facts.size): 2}`, 24, "keys of a map are strings", ""},
		{`groupBy(nums, [#])`, 0, "groupBy needs", ""},
		{`odd == 1`, 0, "holds a struct {}", ""},
		{`filter(log, # == "a" ? 1 / 0 > 1 : true)`, 25, "division by zero", ""},
	} {
		template, err := expression.CompileTemplate("→${"+r.text+"}", scope)
		if !assert.NoError(t, err, r.text) {
			continue
		}
		_, err = template.Value(env)
		problems := expression.Problems(err)
		if !assert.Len(t, problems, 1, "%s: %v", r.text, err) {
			continue
		}
		assert.Contains(t, problems[0].Message, r.message, r.text)
		assert.Contains(t, problems[0].Hint, r.hint, r.text)
		assert.Equal(t, r.offset+3, problems[0].Offset, "%s: %s", r.text, problems[0])
		assert.NotErrorIs(t, err, expression.ErrLimit, r.text)
	}
}

// TestConditionValue covers conditions whose type is not known at load.
func TestConditionValue(t *testing.T) {
	t.Parallel()
	scope, env := sample()
	for text, want := range map[string]bool{
		"flag": true, "uf": false, "facts.missing": false, "n > 4": true, "any == \"something\"": true,
	} {
		c, err := expression.CompileCondition(text, scope)
		require.NoError(t, err, text)
		assert.Equal(t, text, c.String())
		holds, err := c.Holds(env)
		require.NoError(t, err, text)
		assert.Equal(t, want, holds, text)
	}
	c, err := expression.CompileCondition("any", scope)
	require.NoError(t, err)
	_, err = c.Holds(env)
	assert.EqualError(t, err, "expression: a condition is a bool, this gave string (at offset 0)")
}
