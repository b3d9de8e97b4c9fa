package handoffs_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/graph"
)

// crashFiles are graph files with the inputs that they are run with.
var crashFiles = map[string]string{
	"jetvision":    `{"clientName": "Ada"}`,
	"X-25":         `{}`,
	"X-25-arbiter": `{}`,
	"X-25-partial": `{}`,
	"X-39":         `{"messages": [{"type": "human", "content": "Deploy, but run the tests first."}]}`,
}

// TestEveryCallOfTheStoreFailsInGraphFilesX50 is the crash matrix of graph files:
// each call of the store fails once, before it was carried out and behind it.
func TestEveryCallOfTheStoreFailsInGraphFilesX50(t *testing.T) {
	for name, input := range crashFiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := scenarioOf(t, name, nil)
			want, calls := strikeFile(file, input, 0, false)
			for n := 1; n <= calls; n++ {
				for _, after := range []bool{false, true} {
					got, _ := strikeFile(file, input, n, after)
					require.Equal(t, want, got, "call %d, carried out %v", n, after)
				}
			}
			t.Log(calls, "calls")
		})
	}
}

// strikeFile runs a graph file, whose store fails at the n-th call, to its end. It
// returns what the thread and the rows for SQL are then, and how many calls there were.
func strikeFile(t *scenarioRun, input string, n int, after bool) (left []string, calls int) {
	store := &crashStore{Store: checkpoint.NewMemory(nil), rows: map[string]string{}}
	faulty := checkpointtest.NewFailing(store)
	faulty.FailAt(n, errCrash, after)
	g, cfg := t.graph.On(store, nil), &graph.RunConfig{Thread: crashThread}
	in, err := t.file.Input([]byte(input))
	require.NoError(t, err)
	_, err = t.graph.On(faulty, nil).Invoke(t.Context(), in, cfg)
	calls = faulty.Count()
	if err != nil {
		require.ErrorIs(t, err, errCrash)
		require.NoError(t, store.release())
		if _, err = g.Resume(t.Context(), graph.Answers{}, cfg); errors.Is(err, graph.ErrUnknown) {
			_, err = g.Invoke(t.Context(), in, cfg)
		}
		require.NoError(t, err)
	}
	snap, err := g.State(t.Context(), crashThread, "")
	require.NoError(t, err)
	require.Empty(t, snap.Tasks)
	return append(store.table(), rndJSON(snap.Values)), calls
}
