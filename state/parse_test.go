package state_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// Values of any deep inside of other types keep the kinds of their numbers, and
// what a field would refuse is refused.
func TestParseInto(t *testing.T) {
	t.Parallel()
	type part struct {
		Value any            `json:"value"`
		More  map[string]any `json:"more"`
	}
	var v struct{ Parts []part }
	require.NoError(t, state.ParseInto([]byte(`{"Parts": [{"value": 17, "more": {"a": [1, 2.0, {"b": 3e2}]}}, {"value": 4.5}]}`), &v))
	require.Equal(t, []part{{int64(17), map[string]any{"a": []any{int64(1), 2.0, map[string]any{"b": 300.0}}}}, {Value: 4.5}}, v.Parts)
	for text, want := range map[string]string{
		`{"Parts": [], "more": 1}`:                     "unknown field",
		`{"Parts": [], "Parts": []}`:                   "twice",
		`{"Parts": [{"value": 99999999999999999999}]}`: "does not fit 64 bits",
		`{"Parts": []} 1`:                              "",
		``:                                             "",
	} {
		err := state.ParseInto([]byte(text), &v)
		require.ErrorIs(t, err, state.ErrValue, text)
		require.ErrorContains(t, err, want, text)
	}
}
