package expression_test

import (
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/internal/expression"
)

func scope() expression.Scope {
	return expression.NewScope(map[string]expression.Type{
		"n":     {Kind: expression.Int},
		"log":   {Kind: expression.List},
		"topic": {Kind: expression.String, Nullable: true},
		"facts": {Kind: expression.Map},
	})
}

func ExampleCompileCondition() {
	c, err := expression.CompileCondition(`n < 6 && topic != "done"`, scope())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Holds(expression.Values{"n": int64(3)}))
	fmt.Println(c.Holds(expression.Values{"n": int64(3), "topic": "done"}))
	// Output:
	// true <nil>
	// false <nil>
}

func ExampleCompileCondition_mistakes() {
	_, err := expression.CompileCondition(`tpic == "done" || topic == 3`, scope())
	for _, problem := range expression.Problems(err) {
		fmt.Printf("%d: %s %s\n", problem.Offset, problem.Message, problem.Hint)
	}
	// Output:
	// 0: unknown name "tpic" did you mean "topic"?
	// 24: == compares string or null with int, which are never equal
}

func ExampleCompileTemplate() {
	env := expression.Values{"n": int64(3), "log": []any{"a", "b"}}
	for _, text := range []string{"publish ${n} of ${log}?", "${n + len(log)}", "$${n}"} {
		t, err := expression.CompileTemplate(text, scope())
		if err != nil {
			fmt.Println(err)
			return
		}
		value, err := t.Value(env)
		fmt.Printf("%v %T %v\n", value, value, err)
	}
	// Output:
	// publish 3 of ["a","b"]? string <nil>
	// 5 int64 <nil>
	// ${n} string <nil>
}

func ExampleCompileValue() {
	v, err := expression.CompileValue(map[string]any{
		"log":   []any{"triage@${n}"},
		"facts": map[string]any{"size": "${len(log)}"},
	}, scope())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Eval(expression.Values{"n": int64(3), "log": []any{"in"}}))
	// Output: map[facts:map[size:1] log:[triage@3]] <nil>
}

func ExampleScope_With() {
	item := expression.Type{Kind: expression.List, Elem: expression.String}.Element()
	_, outside := expression.CompileTemplate("${it}", scope())
	t, err := expression.CompileTemplate("${it}", scope().With("it", item))
	fmt.Println(outside)
	fmt.Println(t.Type(), err)
	// Output:
	// expression: unknown name "it" (at offset 2)
	// string <nil>
}

func ExampleErrLimit() {
	t, err := expression.CompileTemplate("${map(1..20000, # * 2)}", scope())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = t.Value(expression.Values{})
	fmt.Println(errors.Is(err, expression.ErrLimit))
	fmt.Println(err)
	// Output:
	// true
	// expression: map loops over a list of at most 10000 elements, the value has 20000 (at offset 2)
}

func ExampleCondition_Holds_null() {
	for _, text := range []string{`topic == "ops"`, `topic != "ops"`, `topic == nil`, `topic < "z"`, `(topic ?? "none") == "none"`} {
		c, err := expression.CompileCondition(text, scope())
		if err != nil {
			fmt.Println(err)
			return
		}
		holds, err := c.Holds(expression.Values{"topic": nil})
		fmt.Println(text, holds, err)
	}
	// Output:
	// topic == "ops" false <nil>
	// topic != "ops" true <nil>
	// topic == nil true <nil>
	// topic < "z" false <nil>
	// (topic ?? "none") == "none" true <nil>
}
