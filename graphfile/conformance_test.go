package graphfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/conformance"
)

// recordedCases reads all of them.
func recordedCases(t *testing.T) []*conformance.Case {
	t.Helper()
	all, err := conformance.Read("../testdata/conformance", "*-[0-9]*")
	require.NoError(t, err)
	require.Len(t, all, 400)
	return all
}

// TestConformance plays the recorded cases on the library: every way of
// saving, on every store, with a graph that lives on or is read anew.
func TestConformance(t *testing.T) {
	t.Parallel()
	all := recordedCases(t)
	for _, v := range []struct {
		name string
		mode graph.Durability
		anew bool
	}{
		{name: "memory"},
		{name: "memory, read anew", anew: true},
		{name: "memory, async", mode: graph.DurabilityAsync},
		{name: "memory, exit", mode: graph.DurabilityExit},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			histories := conformance.OneRowAStep
			if v.mode == graph.DurabilityExit {
				histories = conformance.OneRowARun
			}
			passed := 0
			for _, c := range all {
				if t.Run(c.Name, func(t *testing.T) {
					d := &library{name: c.Name, text: c.Graph, store: checkpoint.NewMemory(nil), mode: v.mode, anew: v.anew}
					require.NoError(t, c.Play(d, histories))
				}) {
					passed++
				}
			}
			t.Logf("%d of %d recorded cases agree", passed, len(all))
		})
	}
}
