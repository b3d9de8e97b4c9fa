package cli

import (
	"strings"

	"github.com/graphrun/graphrun/internal/topo"
)

// table writes rows in columns. The first row has their names.
type table struct {
	ink  ink
	rows [][]string
}

// String returns the lines of the table.
func (t *table) String() string {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], topo.Columns(cell))
		}
	}
	var b strings.Builder
	for n, row := range t.rows {
		for i, cell := range row {
			if i < len(row)-1 {
				cell = pad(cell, widths[i]+2)
			}
			if n == 0 {
				cell = t.ink.dim(cell)
			} else if i == 0 {
				cell = t.ink.bold(cell)
			}
			b.WriteString(cell)
		}
		b.WriteString("\n")
	}
	return trimLines(b.String())
}

// trimLines takes the spaces off the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
