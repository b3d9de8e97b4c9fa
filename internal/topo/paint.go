package topo

// paint puts a routed picture on a canvas and returns its lines, or false if a label
// has no room.
func (a *artist) paint(p *picture) ([]string, bool) {
	c := &canvas{}
	top := 0
	for i, layer := range p.layers {
		height := 1
		for _, b := range layer {
			height = max(height, len(p.boxes[b].rows))
		}
		for _, b := range layer {
			p.paintBox(c, b, top)
		}
		p.paintBundles(c, i, top, height)
		top += height
		if !a.paintLabels(p, c, i, top) {
			return nil, false
		}
		top += p.gaps[i].rows
	}
	return c.lines(), true
}

func (p *picture) paintBox(c *canvas, at, top int) {
	b := &p.boxes[at]
	for y, row := range b.rows {
		c.write(b.x-b.width/2, top+y, row)
	}
	if b.aside != "" {
		y := top
		if b.frame {
			y++
		}
		c.write(b.x+b.width/2+2, y, b.aside)
	}
}

// paintBundles draws the wires below a layer, the tracks first so that lines that run
// down pass over those of others.
func (p *picture) paintBundles(c *canvas, layer, top, height int) {
	g := &p.gaps[layer]
	first := top + height // of the gap
	last := first + g.rows - 1
	for i, b := range g.bundles {
		if b.track >= 0 {
			lo, hi := p.span(b)
			pen{c, i, b.kind}.across(first+b.track, lo, hi)
		}
	}
	for i, b := range g.bundles {
		draw := pen{c, i, b.kind}
		bottom := top + len(p.boxes[b.from].rows) // the row below the box
		draw.drop(b.out, bottom, first+max(b.track, 0))
		draw.mark(b.out, bottom, up)
		if p.boxes[b.from].frame {
			c.write(b.out, bottom-1, tee(b.kind))
		}
		for _, w := range b.wires {
			in := p.wires[w].in
			draw.drop(in, first+max(b.track, 0), last)
			draw.mark(in, last, down)
			if to := p.boxes[p.wires[w].to]; !to.bend() && !p.waits(p.wires[w].to) {
				c.write(in, last, "▼")
			}
		}
	}
}

// waits reports whether a box is the point of a waiting edge, which takes lines
// without arrow heads.
func (p *picture) waits(at int) bool { return p.sketch.spots[at].role == joins }

// tee is where a line leaves the border of a box.
func tee(k EdgeKind) string {
	if k == Sent {
		return "╥"
	}
	return "┬"
}

// paintLabels writes the labels beside the lines they belong to: to the right if there
// is room, otherwise to the left, otherwise as a mark for a note.
func (a *artist) paintLabels(p *picture, c *canvas, layer, first int) bool {
	g := &p.gaps[layer]
	y := first + g.rows - 2
	for _, w := range p.below(layer) {
		wire := p.wires[w]
		if wire.label == "" {
			continue
		}
		text := plain(wire.label)
		x, ok := c.vacant(wire.in, y, Columns(text))
		if !ok || Columns(text) > a.label {
			mark := a.note(p.sketch.spots[p.origin(w)].title() + " → " + p.sketch.spots[p.goal(w)].title() + ": " + text)
			text = mark
			if x, ok = c.vacant(wire.in, y, Columns(text)); !ok {
				return false
			}
		}
		c.write(x, y, text)
	}
	return true
}

// vacant finds room for a text beside a column, with a free column on each side of it.
// To the left of its line more must be free, so that nobody takes the text for the label
// of another line there.
func (c *canvas) vacant(column, y, width int) (int, bool) {
	if c.empty(y, column+1, column+width+2) {
		return column + 2, true
	}
	x := column - 1 - width
	return x, x >= 0 && c.empty(y, x-4, column-1)
}

// empty reports whether nothing stands between two columns of a row, both included.
func (c *canvas) empty(y, from, to int) bool {
	for x := max(from, 0); x <= to; x++ {
		if c.at(x, y).taken || c.at(x, y).lines != 0 {
			return false
		}
	}
	return true
}

// origin and goal follow a wire over its bends to the spots it connects.
func (p *picture) origin(w int) int {
	at := p.wires[w].from
	for p.boxes[at].bend() {
		at = p.wired(at, true)[0]
	}
	return at
}

func (p *picture) goal(w int) int {
	at := p.wires[w].to
	for p.boxes[at].bend() {
		at = p.wired(at, false)[0]
	}
	return at
}
