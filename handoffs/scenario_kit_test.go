package handoffs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// scenarioRun runs a graph file of testdata/handoffs on a store.
type scenarioRun struct {
	*testing.T
	file  *graphfile.File
	graph *graph.Graph[state.Record]
}

func scenarioOf(t *testing.T, name string, store checkpoint.Store) *scenarioRun {
	t.Helper()
	path := filepath.Join("..", "testdata", "handoffs", name+".yaml")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err := graphfile.Parse(name+".yaml", data, nil)
	require.NoError(t, err)
	return &scenarioRun{t, f, f.Graph().On(store, nil)}
}

// run runs the file on a thread and returns where the handoffs stand then.
func (r *scenarioRun) run(thread, input string) (handoffs.Sight, error) {
	r.Helper()
	in, err := r.file.Input([]byte(input))
	require.NoError(r, err)
	_, failed := r.graph.Invoke(r.Context(), in, &graph.RunConfig{Thread: thread})
	return r.sight(thread), failed
}

func (r *scenarioRun) sight(thread string) handoffs.Sight {
	r.Helper()
	snap, err := r.graph.State(r.Context(), thread, "")
	require.NoError(r, err)
	look, err := handoffs.Records{Schema: r.file.Schema()}.Look(&snap.Values)
	require.NoError(r, err)
	return look
}
