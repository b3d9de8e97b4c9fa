package handoffs

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestExplainValue(t *testing.T) {
	for _, c := range []struct {
		v     any
		want  string
		plain string
	}{
		{nil, "nothing", ""}, {"c1", `"c1"`, "c1"}, {int64(3), "3", "3"}, {3, "3", "3"}, {2.50, "2.5", "2.5"}, {1e9, "1000000000", "1000000000"}, {1.5e300, "1.5e+300", "1.5e+300"}, {true, "true", "true"},
		{90 * time.Second, "1m30s", "1m30s"}, {time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"},
		{[]any{int64(1), "a"}, `[1,"a"]`, `[1,"a"]`}, {map[string]any{"b": int64(2), "a": nil}, `{"a":null,"b":2}`, `{"a":null,"b":2}`},
		{struct{}{}, "something", "something"}, {Priority("high"), "something", "something"},
		{strings.Repeat("ä", 61), `"` + strings.Repeat("ä", 59) + `…"`, strings.Repeat("ä", 61)}, {strings.Repeat("ä", 60), `"` + strings.Repeat("ä", 60) + `"`, strings.Repeat("ä", 60)},
	} {
		require.Equal(t, c.want, explainValue(c.v))
		require.Equal(t, c.plain, explainPlain(c.v))
	}
	require.Equal(t, "quotes = 3", explainFact("quotes", int64(3)))
	require.Equal(t, "client_id is not set", explainFact("client_id", nil))
}

func TestExplainFill(t *testing.T) {
	look := factsOf(map[string]any{"a": "{b}", "b": int64(2), "c.d": "x", "none": nil})
	for in, want := range map[string]string{
		"": "", "plain": "plain", "{a}{b}": "{b}2", "{c.d}!": "x!", "{none}.": ".", "{q} {b": "{q} {b", "{{b}}": "{2}", "}{b}{": "}2{",
		"{}": "{}", "{1}": "{1}", "{b b}": "{b b}", "{ b}": "{ b}", "ü{b}ü": "ü2ü", "{\"k\": {b}}": "{\"k\": 2}",
	} {
		require.Equal(t, want, explainFill(in, look), in)
	}
}
