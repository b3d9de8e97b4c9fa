package expression_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/expression"
)

func BenchmarkCondition(b *testing.B) {
	scope := expression.NewScope(map[string]expression.Type{
		"n": {Kind: expression.Int}, "log": {Kind: expression.List}, "topic": {Kind: expression.String, Nullable: true},
	})
	env := expression.Values{"n": int64(4), "log": []any{"a", "b"}, "topic": "ops"}
	for _, text := range []string{"n < 6", `topic == "ops"`, "n < 6 && len(log) % 2 == 0", `any(log, # == "b")`} {
		c, err := expression.CompileCondition(text, scope)
		require.NoError(b, err)
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if holds, err := c.Holds(env); err != nil || !holds {
					b.Fatal(holds, err)
				}
			}
		})
	}
}

func BenchmarkTemplate(b *testing.B) {
	scope := expression.NewScope(map[string]expression.Type{"n": {Kind: expression.Int}})
	t, err := expression.CompileTemplate("publish@${n}", scope)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := t.Value(expression.Values{"n": int64(4)}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	scope := expression.NewScope(map[string]expression.Type{"n": {Kind: expression.Int}, "log": {Kind: expression.List}})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := expression.CompileCondition("n < 6 && len(log) % 2 == 0", scope); err != nil {
			b.Fatal(err)
		}
	}
}
