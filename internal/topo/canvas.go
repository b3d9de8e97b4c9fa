package topo

import "strings"

// The directions in which lines leave a cell.
const (
	up = 1 << iota
	down
	left
	right
)

// cell is one column of one row: a character, or the lines that meet there.
type cell struct {
	text  string
	taken bool // by a text; the second column of a wide character has none of its own
	lines int
	kind  EdgeKind
	owner int
}

// canvas is a surface of cells that grows as it is written to.
type canvas struct{ rows [][]cell }

func (c *canvas) at(x, y int) *cell {
	for len(c.rows) <= y {
		c.rows = append(c.rows, nil)
	}
	for len(c.rows[y]) <= x {
		c.rows[y] = append(c.rows[y], cell{})
	}
	return &c.rows[y][x]
}

// write puts a text; characters without width join the one before.
func (c *canvas) write(x, y int, text string) {
	last := (*cell)(nil)
	for _, r := range text {
		n := RuneColumns(r)
		if n == 0 && last != nil {
			last.text += string(r)
			continue
		}
		for k := range max(n, 1) {
			*c.at(x+k, y) = cell{taken: true}
		}
		last = c.at(x, y)
		last.text = string(r)
		x += max(n, 1)
	}
}

// pen draws the lines of one bundle.
type pen struct {
	canvas *canvas
	owner  int
	kind   EdgeKind
}

// mark adds lines to a cell. A line of another bundle is passed over.
func (p pen) mark(x, y, lines int) {
	at := p.canvas.at(x, y)
	if at.lines == 0 || at.owner != p.owner {
		*at = cell{owner: p.owner, kind: p.kind}
	}
	at.lines |= lines
}

// across draws from a column to another one to the right of it.
func (p pen) across(y, from, to int) {
	for x := from; x < to; x++ {
		p.mark(x, y, right)
		p.mark(x+1, y, left)
	}
}

// drop draws from a row to one below it.
func (p pen) drop(x, from, to int) {
	for y := from; y < to; y++ {
		p.mark(x, y, down)
		p.mark(x, y+1, up)
	}
}

// lines returns the rows of the canvas.
func (c *canvas) lines() []string {
	lines := make([]string, len(c.rows))
	for y, row := range c.rows {
		var b strings.Builder
		for _, at := range row {
			b.WriteString(at.glyph())
		}
		lines[y] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// glyph returns the character for a cell. Corners and branchings of dotted lines are
// drawn like those of others.
func (at cell) glyph() string {
	switch {
	case at.taken:
		return at.text
	case at.kind == Conditional && at.lines == up|down:
		return "┆"
	case at.kind == Conditional && at.lines == left|right:
		return "┄"
	case at.kind == Declared && at.lines == up|down:
		return "┊"
	case at.kind == Declared && at.lines == left|right:
		return "┈"
	case at.kind == Sent:
		return string([]rune(" ║║║═╝╗╣═╚╔╠═╩╦╬")[at.lines])
	}
	return string([]rune(" ╵╷│╴┘┐┤╶└┌├─┴┬┼")[at.lines])
}
