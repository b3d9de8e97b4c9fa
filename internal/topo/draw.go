package topo

import "fmt"

// Format names a way to write a graph.
type Format string

// The formats of [Draw].
const (
	Mermaid Format = "mermaid" // a flowchart for Markdown pages
	DOT     Format = "dot"     // for Graphviz
	ASCII   Format = "ascii"   // a drawing with box characters in UTF-8
	JSON    Format = "json"    // for programs
)

// DrawOptions tells [Draw] what to write. Format is needed, the rest may be zero.
type DrawOptions struct {
	Format Format
	// Open is how many levels of subgraphs are shown with what is inside them: zero
	// shows each as one node, a negative number opens all.
	Open int
	// Width is the number of columns that an ASCII drawing may take before it becomes
	// a list: zero means 100, a negative number any width. The list, and texts below
	// the drawing, are never cut and may be wider.
	Width int
}

// defaultWidth is the width of an ASCII drawing in columns.
const defaultWidth = 100

// Draw writes the graph in one of the formats. The text ends with a newline, is the
// same for the same input, and holds every node and edge of the levels it opens.
//
// An unknown format gives an error that wraps [ErrFormat]. A nil graph, and one in
// which names are missing, reserved or used twice, edges lead nowhere, or subgraphs
// hold themselves, gives one that wraps [ErrShape] and names all that is wrong.
func Draw(g *Graph, opt DrawOptions) (string, error) {
	draw, ok := map[Format]func(*Graph, DrawOptions) (string, error){
		Mermaid: drawMermaid,
		DOT:     drawDOT,
		ASCII:   drawASCII,
		JSON:    drawJSON,
	}[opt.Format]
	if !ok {
		return "", unknownFormat(opt.Format)
	}
	if err := check(g, opt.Open); err != nil {
		return "", err
	}
	return draw(g, opt)
}

func unknownFormat(f Format) error {
	hint := ""
	if near, ok := Nearest(string(f), []string{"mermaid", "dot", "ascii", "json"}); ok {
		hint = fmt.Sprintf(" (did you mean %q?)", near)
	}
	return fmt.Errorf("topo: %w %q%s: use mermaid, dot, ascii or json", ErrFormat, string(f), hint)
}
