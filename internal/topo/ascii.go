package topo

import (
	"fmt"
	"strings"
)

// The bounds of a drawing in layers; a graph beyond them becomes a list.
const (
	maxSpots  = 30 // on one level
	maxBoxes  = 90 // on one level, bends included
	maxBends  = 3  // for each spot
	maxAside  = 36 // columns of a text beside a box; a longer one becomes a note
	markWidth = 4  // columns kept for the mark of a note
	keptWidth = 24 // columns of a label for which boxes move apart
)

// drawASCII draws the graph in layers, or as a list where that does not fit.
func drawASCII(g *Graph, opt DrawOptions) (string, error) {
	width := opt.Width
	if width == 0 {
		width = defaultWidth
	}
	sk := sketchOf(g, opt.Open)
	lines, ok := []string(nil), false
	for _, label := range []int{80, 8, 0} { // ever more labels become notes
		if !ok {
			lines, ok = sk.layered(label, width)
		}
	}
	if !ok {
		lines = (&lister{}).list(sk)
	}
	if g.Name != "" {
		lines = append([]string{plain(g.Name), ""}, lines...)
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// layered draws a sketch in layers, with labels of so many columns beside their lines,
// or returns false if it does not fit.
func (sk *sketch) layered(label, width int) ([]string, bool) {
	a := &artist{label: label}
	lines, ok := a.draw(sk)
	if !ok || !fits(lines, width) {
		return nil, false
	}
	return append(lines, a.legend()...), true
}

// fits reports whether no line is wider than width; a negative width is without end.
func fits(lines []string, width int) bool {
	for _, line := range lines {
		if width >= 0 && Columns(line) > width {
			return false
		}
	}
	return true
}

// artist draws the levels of one graph and gathers what its legend has to explain.
type artist struct {
	label  int // columns of a label; a longer one becomes a note
	notes  []string
	kinds  [Joined + 1]bool
	backs  bool
	closed bool
}

// draw returns the lines of one level, or false if it cannot be drawn in layers.
func (a *artist) draw(sk *sketch) ([]string, bool) {
	if len(sk.spots) == 0 {
		return []string{"(no nodes)"}, true
	}
	p, ok := a.compose(sk)
	if !ok {
		return nil, false
	}
	return a.paint(p)
}

// compose places the boxes of a level and routes its wires. It fails for a level that
// is too large or too tangled.
func (a *artist) compose(sk *sketch) (*picture, bool) {
	if len(sk.spots) > maxSpots {
		return nil, false
	}
	p := newPicture(sk)
	if n := len(p.boxes); n > maxBoxes || n > (1+maxBends)*len(sk.spots) {
		return nil, false
	}
	for i := range sk.spots {
		if !a.box(p, i) {
			return nil, false
		}
	}
	p.reserve(min(a.label, keptWidth))
	p.arrange()
	if p.crossings() > len(p.links) {
		return nil, false
	}
	p.place()
	for i := range p.layers {
		if !p.route(i) {
			return nil, false
		}
	}
	for _, l := range p.links {
		a.kinds[l.kind] = true
	}
	return p, true
}

// note keeps a text for the end and returns its mark.
func (a *artist) note(text string) string {
	a.notes = append(a.notes, text)
	return fmt.Sprintf("[%d]", len(a.notes))
}

// legend explains the lines and marks that were used, and tells the notes.
func (a *artist) legend() []string {
	var parts []string
	explain := func(used bool, text string) {
		if used {
			parts = append(parts, text)
		}
	}
	explain(a.kinds[Conditional], "┄┄ conditional")
	explain(a.kinds[Declared], "┈┈ goto")
	explain(a.kinds[Sent], "══ send")
	explain(a.kinds[Joined], "━━ all ━━ waits for all")
	explain(a.backs, "↺ goes back to")
	explain(a.closed, "⊞ subgraph")
	var lines []string
	if len(parts) > 0 {
		lines = append(lines, "", strings.Join(parts, "   "))
	}
	if len(a.notes) > 0 {
		lines = append(lines, "")
	}
	for i, n := range a.notes {
		lines = append(lines, fmt.Sprintf("[%d] %s", i+1, n))
	}
	return lines
}

// aside returns the text beside a box that names where its edges lead back to.
func (a *artist) aside(p *picture, at int) string {
	var targets []string
	for _, l := range p.backs {
		if l.from != at {
			continue
		}
		target := p.sketch.spots[l.to].title()
		if l.label != "" {
			target += " (" + plain(l.label) + ")"
		}
		targets = append(targets, l.asideMark()+target)
		a.kinds[l.kind] = true
	}
	if len(targets) == 0 {
		return ""
	}
	a.backs = true
	text := strings.Join(targets, ", ")
	if Columns(text) > maxAside {
		text = a.note(text)
	}
	return "↺ " + text
}

// asideMark tells the kind of an edge that leads back.
func (l link) asideMark() string {
	switch l.kind {
	case Conditional:
		return "┄ "
	case Declared:
		return "┈ "
	case Sent:
		return "═ "
	}
	return ""
}

// title returns the name of a spot in one line.
func (s spot) title() string {
	if s.role == joins {
		return "all → " + plain(s.node.Name)
	}
	return plain(s.node.Name)
}
