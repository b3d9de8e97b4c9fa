package topo_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/topo"
)

var update = flag.Bool("update", false, "write the golden files anew")

// extension is the ending of golden files in a format.
func extension(f topo.Format) string {
	return map[topo.Format]string{topo.Mermaid: "mmd", topo.DOT: "dot", topo.ASCII: "txt", topo.JSON: "json"}[f]
}

func formats() []topo.Format {
	return []topo.Format{topo.Mermaid, topo.DOT, topo.ASCII, topo.JSON}
}

func TestDrawGolden(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		for _, f := range formats() {
			t.Run(s.name+"/"+string(f), func(t *testing.T) {
				t.Parallel()
				got, err := topo.Draw(s.graph, topo.DrawOptions{Format: f, Open: s.open})
				require.NoError(t, err)
				file := filepath.Join("testdata", s.name+"."+extension(f))
				if *update {
					require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, string(want), got)
			})
		}
	}
}
