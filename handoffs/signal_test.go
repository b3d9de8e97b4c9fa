package handoffs

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a signal brings comes to the agent with its types.
func TestSignalsKeepTheirTypes(t *testing.T) {
	want := Signal{ID: "1", Type: "quote", Handoff: "h", Agent: "a", Reason: "r", Payload: map[string]any{
		"price": 3.0, "seats": int64(3), "tags": []any{"a", nil, true, 0.5}, "of": map[string]any{"big": int64(math.MaxInt64)},
	}}
	data, err := want.encode()
	require.NoError(t, err)
	got, err := readSignal(data)
	require.NoError(t, err)
	require.Equal(t, want, got)

	want.Payload = map[string]any{"price": math.NaN()}
	_, err = want.encode()
	require.ErrorContains(t, err, "payload")
	want.Payload = map[string]any{"n": 3} // plain ints are not values of a state
	_, err = want.encode()
	require.NoError(t, err)
}
