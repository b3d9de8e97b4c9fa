package handoffs

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestContextHash is S2-16 and the hash's part in X-22.
func TestContextHash(t *testing.T) {
	t.Parallel()
	base := func() *Command {
		c := NewCommand("b", CapabilityMatch, "why")
		c.Task = "find it"
		c.Payload = map[string]any{
			"query": "x", "n": int64(1), "list": []any{int64(1), map[string]any{"timestamp": int64(1), "k": "v"}},
			"metrics": map[string]any{"tokens_used": int64(10), "time_elapsed": 1.5, "deepwiki_used": true},
		}
		return &c
	}
	want := contextHash(base(), "a", "b", nil)
	require.Equal(t, "b0fb2cfbdbb8df51896e09febf8c073c", want, "logs that are stored have hashes: this one must not change")
	metrics := func(c *Command) map[string]any { return c.Payload["metrics"].(map[string]any) }
	for name, same := range map[string]func(*Command){
		"nothing changed":     func(*Command) {},
		"tokens":              func(c *Command) { metrics(c)["tokens_used"] = int64(99) },
		"tokens gone":         func(c *Command) { delete(metrics(c), "tokens_used") },
		"time":                func(c *Command) { metrics(c)["time_elapsed"] = "an hour" },
		"timestamp in a list": func(c *Command) { c.Payload["list"].([]any)[1].(map[string]any)["timestamp"] = 2.5 },
		"timestamp":           func(c *Command) { c.Payload["timestamp"] = "now" },
		"float":               func(c *Command) { c.Payload["n"] = 1.0 },
		"int":                 func(c *Command) { c.Payload["n"] = 1 },
		"explanation":         func(c *Command) { c.Explanation, c.Reason = "other words", Delegation },
	} {
		c := base()
		same(c)
		require.Equal(t, want, contextHash(c, "a", "b", nil), name)
	}
	for name, other := range map[string]func(*Command){
		"task":        func(c *Command) { c.Task = "find that" },
		"payload":     func(c *Command) { c.Payload["query"] = "y" },
		"more":        func(c *Command) { c.Payload["more"] = nil },
		"number":      func(c *Command) { c.Payload["n"] = 1.5 },
		"text number": func(c *Command) { c.Payload["n"] = "1" },
		"flag":        func(c *Command) { metrics(c)["deepwiki_used"] = false },
		"list":        func(c *Command) { c.Payload["list"] = []any{} },
		"nested list": func(c *Command) { c.Payload["list"].([]any)[0] = []any{int64(1)} },
		"branches":    func(c *Command) { c.Branches = []Branch{{}} },
		"request id":  func(c *Command) { c.Payload["requestId"] = "7" },
	} {
		c := base()
		other(c)
		require.NotEqual(t, want, contextHash(c, "a", "b", nil), name)
	}
	require.NotEqual(t, want, contextHash(base(), "b", "a", nil))
	require.NotEqual(t, want, contextHash(base(), "a", "b", []string{}), "nothing is volatile")
}

func TestContextHashOfVolatileKeys(t *testing.T) {
	t.Parallel()
	hash := func(volatile []string, payload map[string]any) string {
		return contextHash(&Command{Payload: payload}, "a", "b", volatile)
	}
	deep := func(v any) map[string]any {
		return map[string]any{"a": map[string]any{"b": []any{map[string]any{"c": v}}}, "c": "x"}
	}
	require.Equal(t, hash([]string{"a.b.c"}, deep(1)), hash([]string{"a.b.c"}, deep(2)))
	require.Equal(t, hash([]string{"c"}, deep(1)), hash([]string{"c"}, deep(2)))
	require.NotEqual(t, hash([]string{"b.c"}, deep(1)), hash([]string{"b.c"}, deep(2)), "paths begin at the top")
	require.Equal(t, hash([]string{"a"}, deep(1)), hash([]string{"a"}, map[string]any{"c": "x"}))
	require.Equal(t, hash(nil, nil), hash(nil, map[string]any{}))
	require.NotEqual(t, hash(nil, map[string]any{"a": map[string]any{"b": "c"}}), hash(nil, map[string]any{"a.b": "c"}))
}

func TestContextHashOfNumbersAndOddValues(t *testing.T) {
	t.Parallel()
	hash := func(v any) string { return contextHash(&Command{Payload: map[string]any{"v": v}}, "", "", nil) }
	require.Equal(t, hash(uint16(7)), hash(7.0))
	require.Equal(t, hash(float32(0.5)), hash(0.5))
	require.Equal(t, hash(0.0), hash(math.Copysign(0, -1)))
	require.Equal(t, hash(-(1 << 63)), hash(-math.Exp2(63)))
	require.NotEqual(t, hash(int64(math.MaxInt64)), hash(math.Exp2(63)))
	require.NotEqual(t, hash(1e300), hash(1e301))
	require.NotEqual(t, hash("a"), hash([]any{"a"}))
	require.NotEqual(t, hash(nil), hash("null"))
	require.Equal(t, hash(make(chan int)), hash(func() {}), "what cannot be kept is refused elsewhere")
	require.NotEmpty(t, hash(math.NaN()))
	require.NotEmpty(t, hash(math.Inf(1)))
	around := map[string]any{}
	around["one"], around["two"], around["list"] = around, around, []any{around, around}
	require.NotEmpty(t, hash(around), "it ends")
}

func BenchmarkContextHash(b *testing.B) {
	b.ReportAllocs()
	c := typicalCommand()
	for b.Loop() {
		contextHash(&c, "bc-agent", "rag-agent", nil)
	}
}
