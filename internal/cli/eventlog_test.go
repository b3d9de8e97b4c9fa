package cli_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// record is a line of the event log.
type record struct {
	V       int             `json:"v"`
	Type    string          `json:"type"`
	NS      []string        `json:"ns"`
	Pos     []int           `json:"pos"`
	Step    *int            `json:"step"`
	Node    string          `json:"node"`
	Data    json.RawMessage `json:"data"`
	Kind    string          `json:"kind"`
	Message string          `json:"message"`
	Status  string          `json:"status"`
	Next    []string        `json:"next"`
}

// records reads an event log and checks what every line must have.
func records(t *testing.T, log string) []record {
	t.Helper()
	var out []record
	for line := range strings.Lines(log) {
		var has map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(line), &has), "line %q", line)
		require.Contains(t, has, "type")
		require.NotEqual(t, "null", string(has["ns"]), "line %q", line)
		require.Contains(t, has, "ns")
		var r record
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		require.Equal(t, 1, r.V)
		out = append(out, r)
	}
	return out
}

// inOrder sorts the lines of an event log by their place, since tasks that run
// at once are told as they come.
func inOrder(t *testing.T, log string) string {
	t.Helper()
	if log == "" {
		return ""
	}
	lines := strings.SplitAfter(strings.TrimSuffix(log, "\n"), "\n")
	places := map[string][]int{}
	for i, r := range records(t, log) {
		places[strings.TrimSuffix(lines[i], "\n")] = r.Pos
	}
	slices.SortStableFunc(lines, func(a, b string) int {
		return slices.Compare(places[strings.TrimSuffix(a, "\n")], places[strings.TrimSuffix(b, "\n")])
	})
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\n") + "\n"
	}
	return strings.Join(lines, "")
}
