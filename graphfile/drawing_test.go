package graphfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

// TestDrawing shows that gotos, sends and conditions reach drawings: each case
// is one outcome, with its condition.
func TestDrawing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"support", "everything"} {
		f, err := graphfile.Load("testdata/valid/"+name+".yaml", nil)
		require.NoError(t, err)
		text, err := f.Graph().Draw(graph.Mermaid, nil)
		require.NoError(t, err)
		golden(t, "testdata/valid/"+name+".mermaid", text)
	}
}
