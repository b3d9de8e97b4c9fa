package graph

import "github.com/graphrun/graphrun/internal/topo"

// Format names a way to draw a graph.
type Format = topo.Format

// The formats of Draw.
const (
	Mermaid Format = topo.Mermaid // a flowchart for Markdown pages
	DOT     Format = topo.DOT     // for Graphviz
	ASCII   Format = topo.ASCII   // box characters, for a terminal
	JSON    Format = topo.JSON    // nodes and edges, for programs
)

// DrawConfig holds what a drawing can be given. Nil means its zero value.
type DrawConfig struct {
	Open  int // levels of subgraphs that are opened; 0: none; less: all
	Width int // columns an ASCII drawing may take; 0: 100; less: any
}

// Draw writes the graph with its conditional edges and declared targets. The
// text is the same for the same graph.
func (g *Graph[S]) Draw(f Format, cfg *DrawConfig) (string, error) {
	if cfg == nil {
		cfg = &DrawConfig{}
	}
	return topo.Draw(g.program.shape, topo.DrawOptions{Format: f, Open: cfg.Open, Width: cfg.Width})
}
