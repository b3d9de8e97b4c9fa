package topo

import "strings"

// box is something a drawing in layers places: a spot, or a bend where a line passes
// through a layer.
type box struct {
	rows  []string // as they are painted, each of the same width; none for a bend
	width int      // columns, odd
	aside string   // a text to the right
	frame bool     // has a border
	// left and right are the columns that are kept free on both sides of the middle.
	left, right int
	layer       int
	x           int // the column of the middle
}

func (b *box) bend() bool { return len(b.rows) == 0 }

// inside returns the first and the last column at which a line can meet the box.
func (b *box) inside() (int, int) {
	half := b.width / 2
	if b.frame {
		half--
	}
	return b.x - half, b.x + half
}

// box makes the rows of a spot. It fails if an opened subgraph cannot be drawn.
func (a *artist) box(p *picture, at int) bool {
	s, b := p.sketch.spots[at], &p.boxes[at]
	least := p.ports(at)*2 + 3
	switch {
	case s.role == joins:
		b.rows = []string{centre(" all ", max(least, 11), "━")}
	case s.role != works:
		b.rows = []string{"(" + centre(s.node.Name, max(least, len(s.node.Name)+4)-2, " ") + ")"}
	default:
		lines, ok := a.content(s)
		if !ok {
			return false
		}
		b.rows, b.frame = frame(lines, least, s.node.Deferred), true
	}
	b.width = Columns(b.rows[0])
	b.aside = a.aside(p, at)
	return true
}

// content returns the lines that stand in a node's box.
func (a *artist) content(s spot) ([]string, bool) {
	var lines []string
	for _, c := range s.captions() {
		lines = append(lines, plain(c))
	}
	switch {
	case s.inner != nil:
		inner, ok := a.draw(s.inner)
		if !ok {
			return nil, false
		}
		lines = append(lines, "")
		lines = append(lines, level(inner)...)
	case s.node.Inner != nil:
		a.closed = true
		lines[0] += " ⊞"
	}
	return lines, true
}

// level pads lines to one width.
func level(lines []string) []string {
	width := 0
	for _, line := range lines {
		width = max(width, Columns(line))
	}
	padded := make([]string, len(lines))
	for i, line := range lines {
		padded[i] = line + strings.Repeat(" ", width-Columns(line))
	}
	return padded
}

// frame draws a border around centred lines; least is the smallest width of the whole.
func frame(lines []string, least int, dashed bool) []string {
	width := least - 2
	for _, line := range lines {
		width = max(width, Columns(line)+2)
	}
	width |= 1
	across, up := "─", "│"
	if dashed {
		across, up = "╌", "╎"
	}
	bar := strings.Repeat(across, width)
	rows := []string{"┌" + bar + "┐"}
	for _, line := range lines {
		rows = append(rows, up+centre(line, width, " ")+up)
	}
	return append(rows, "└"+bar+"┘")
}

// centre fills both sides of a text up to an odd width.
func centre(text string, width int, fill string) string {
	width |= 1
	free := max(0, width-Columns(text))
	return strings.Repeat(fill, free/2) + text + strings.Repeat(fill, free-free/2)
}
