package expression_test

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/expression"
)

// inside checks that every problem has its place in the text.
func inside(t *testing.T, text string, err error) {
	t.Helper()
	for _, problem := range expression.Problems(err) {
		require.GreaterOrEqual(t, problem.Offset, 0, "%q: %v", text, err)
		require.LessOrEqual(t, problem.Offset, utf8.RuneCountInString(text), "%q: %v", text, err)
		require.NotEmpty(t, problem.Message, "%q", text)
	}
}

// known checks that a value is made of the kinds that expressions know.
func known(t *testing.T, value any, text string) {
	t.Helper()
	switch v := value.(type) {
	case nil, bool, int64, float64, string:
	case []any:
		for _, element := range v {
			known(t, element, text)
		}
	case map[string]any:
		for _, element := range v {
			known(t, element, text)
		}
	default:
		require.Failf(t, "unknown value", "%q gives a %T", text, value)
	}
}

func FuzzCondition(f *testing.F) {
	for _, text := range lines(f, "testdata/language.txt") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		scope, env := sample()
		began := time.Now()
		c, err := expression.CompileCondition(text, scope)
		inside(t, text, err)
		if err != nil {
			require.NotEmpty(t, expression.Problems(err))
			return
		}
		first, err := c.Holds(env)
		inside(t, text, err)
		second, again := c.Holds(env)
		require.Equal(t, first, second, text)
		require.Equal(t, err, again, text)
		require.Less(t, time.Since(began), 20*time.Second, text)
	})
}

func FuzzTemplate(f *testing.F) {
	for _, text := range lines(f, "testdata/language.txt") {
		f.Add("${" + text + "}")
		f.Add("a $${b} ${" + text + "} é ${n}")
	}
	f.Fuzz(func(t *testing.T, text string) {
		scope, env := sample()
		began := time.Now()
		template, err := expression.CompileTemplate(text, scope)
		inside(t, text, err)
		if err != nil {
			require.NotEmpty(t, expression.Problems(err))
			return
		}
		first, err := template.Value(env)
		inside(t, text, err)
		second, again := template.Value(env)
		require.Equal(t, err, again, text)
		if err == nil {
			require.Equal(t, first, second, text)
			known(t, first, text)
			fits(t, template.Type(), first, text)
		}
		_, fresh := sample()
		assert.Equal(t, fresh, env, "%q changed its environment", text)
		require.Less(t, time.Since(began), 20*time.Second, text)
	})
}
