package expression_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/expression"
)

// TestConcurrent evaluates the same compiled values on many goroutines, each
// with values of its own, and all over one shared list.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	scope := expression.NewScope(map[string]expression.Type{
		"n": {Kind: expression.Int}, "list": {Kind: expression.List}, "facts": {Kind: expression.Map},
	})
	condition, err := expression.CompileCondition(`let twice = n * 2; any(list, # == n) && twice == n + n && 0 <= n < 1000`, scope)
	require.NoError(t, err)
	value, err := expression.CompileValue(map[string]any{
		"sorted": `${sort(list, "desc")}`, "text": "n=${n} ${facts}", "keys": "${keys(facts)}", "constant": []any{1, 2},
	}, scope)
	require.NoError(t, err)
	list := []any{}
	for i := range 100 {
		list = append(list, int64(i*37%100))
	}
	facts := map[string]any{"b": int64(1), "a": list[:3]}

	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			env := expression.Values{"n": int64(i), "list": list, "facts": facts}
			for range 100 {
				holds, err := condition.Holds(env)
				assert.NoError(t, err)
				assert.True(t, holds)
				made, err := value.Eval(env)
				assert.NoError(t, err)
				built := made.(map[string]any)
				assert.Equal(t, int64(99), built["sorted"].([]any)[0])
				assert.Equal(t, []any{"a", "b"}, built["keys"])
				assert.Contains(t, built["text"], `{"a":[0,37,74],"b":1}`)
			}
		})
	}
	group.Wait()
}
