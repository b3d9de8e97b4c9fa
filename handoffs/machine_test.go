package handoffs

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJetvisionTransitions: S3-53, and that nothing else is allowed.
func TestJetvisionTransitions(t *testing.T) {
	m := jetMachine()
	may := map[string][]string{
		"ANALYZING":            {"FETCHING_CLIENT_DATA", "SEARCHING_FLIGHTS", "FAILED"},
		"FETCHING_CLIENT_DATA": {"SEARCHING_FLIGHTS", "FAILED"},
		"SEARCHING_FLIGHTS":    {"AWAITING_QUOTES", "FAILED"},
		"AWAITING_QUOTES":      {"ANALYZING_PROPOSALS", "SEARCHING_FLIGHTS", "FAILED"},
		"ANALYZING_PROPOSALS":  {"GENERATING_EMAIL", "FAILED"},
		"GENERATING_EMAIL":     {"SENDING_PROPOSAL", "FAILED"},
		"SENDING_PROPOSAL":     {"COMPLETED", "GENERATING_EMAIL", "FAILED"},
		"COMPLETED":            {},
		"FAILED":               {"FETCHING_CLIENT_DATA", "SEARCHING_FLIGHTS", "SENDING_PROPOSAL", "GENERATING_EMAIL"},
	}
	require.Len(t, m.States, len(may))
	for from := range may {
		for to := range may {
			allowed := from == to || slices.Contains(may[from], to)
			require.Equal(t, allowed, m.CanMove(from, to), "%s -> %s", from, to)
			if !allowed {
				require.EqualError(t, m.move(from, to), "Invalid state transition: "+from+" -> "+to)
			}
		}
		require.False(t, m.CanMove(from, "LOST"))
		require.True(t, m.CanMove(from, ""))
	}
	require.True(t, m.CanMove("", "SEARCHING_FLIGHTS"))
	require.False(t, m.CanMove("", "COMPLETED"))
	require.False(t, m.CanMove("LOST", "COMPLETED"))
	require.Equal(t, flightSearch, m.Responsible("AWAITING_QUOTES"))
	require.Empty(t, m.Responsible("LOST"))
	require.Empty(t, m.Validate(jetAgents()))
}

func TestNoMachine(t *testing.T) {
	var m *Machine
	require.True(t, m.CanMove("a", "b"))
	require.Empty(t, m.Responsible("a"))
	require.False(t, (&Machine{Failed: ""}).CanMove("a", "b"))
}

func TestMachineValidate(t *testing.T) {
	ring := map[string][]string{"a": {"b"}, "b": {"a", "c"}, "END": {"d"}}
	for name, c := range map[string]struct {
		m    Machine
		want []string
	}{
		"good": {Machine{Start: "a", Final: []string{"c"}, States: map[string]string{"a": "x", "b": "", "c": ""}, Allowed: map[string][]string{"a": {"b"}, "b": {"c"}}}, nil},
		"unknown": {Machine{Start: "s", Final: []string{"f"}, Failed: "g", States: map[string]string{"a": "y"}, Allowed: map[string][]string{"a": {"h"}, "i": nil}}, []string{
			`start: there is no state "s"`, `final: there is no state "f"`, `failed: there is no state "g"`,
			`transition from a: there is no state "h"`, `transition: there is no state "i"`, `state a: there is no agent "y"`,
		}},
		"unreachable": {Machine{Start: "a", Final: []string{"c"}, States: map[string]string{"a": "", "b": "", "c": "", "END": "", "d": ""}, Allowed: ring}, []string{"no way leads from a to END, d"}},
		"dead end": {Machine{Start: "a", Final: []string{"c"}, States: map[string]string{"a": "", "b": "", "c": "", "d": ""}, Allowed: map[string][]string{"a": {"b"}, "b": {"c", "d"}}},
			[]string{"no way leads from d to a final state"}},
		"no end": {Machine{Start: "a", States: map[string]string{"a": "", "b": ""}, Allowed: map[string][]string{"a": {"b"}, "b": {"a"}}}, nil},
		"failed is a way": {Machine{Start: "a", Final: []string{"c", "bad"}, Failed: "bad", States: map[string]string{"a": "", "b": "", "c": "", "bad": ""},
			Allowed: map[string][]string{"a": {"b", "c"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range c.m.Validate(MustRegistry(Profile{ID: "x"})) {
				require.False(t, f.Warning)
				got = append(got, f.Message)
			}
			require.Equal(t, c.want, got)
		})
	}
	require.Empty(t, (&Machine{Start: "a", States: map[string]string{"a": "anybody"}}).Validate(nil))
}
