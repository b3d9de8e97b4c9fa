package topo

import (
	"cmp"
	"slices"
)

// gap is the room between a layer and the next, in which wires run: rows of tracks,
// then the labels, then the arrow heads.
type gap struct {
	bundles []bundle
	tracks  int
	rows    int
	owner   map[int]int // the bundle that runs down in a column
}

// bundle is the wires of one kind that leave a box. They leave it as one line and
// share one track.
type bundle struct {
	from  int
	kind  EdgeKind
	wires []int
	out   int // the column at which it leaves
	track int // -1 if it runs straight down
}

// route finds the columns and tracks of the wires below a layer. No column is used by
// two bundles, so lines of different bundles cross but never run together. It fails if
// there is no room for that.
func (p *picture) route(layer int) bool {
	g := &p.gaps[layer]
	p.bundle(g, layer)
	if len(g.bundles) == 0 {
		return true
	}
	p.leave(g)
	for _, b := range p.layers[layer+1] {
		if p.boxes[b].bend() && !p.enterBend(g, layer+1, b) {
			return false
		}
	}
	for _, b := range p.layers[layer+1] {
		if !p.boxes[b].bend() && !p.enterBox(g, b) {
			return false
		}
	}
	p.assignTracks(g)
	labels := 0
	for _, w := range p.below(layer) {
		if p.wires[w].label != "" {
			labels = 1
		}
	}
	g.rows = max(2, g.tracks+labels+1)
	return true
}

// below returns the wires that leave a layer.
func (p *picture) below(layer int) []int {
	var found []int
	for i, w := range p.wires {
		if p.boxes[w.from].layer == layer {
			found = append(found, i)
		}
	}
	return found
}

// bundle groups the wires below a layer, from left to right.
func (p *picture) bundle(g *gap, layer int) {
	type source struct {
		box  int
		kind EdgeKind
	}
	place := map[source]int{}
	for _, i := range p.below(layer) {
		w := p.wires[i]
		key := source{w.from, w.kind}
		at, ok := place[key]
		if !ok {
			at = len(g.bundles)
			place[key] = at
			g.bundles = append(g.bundles, bundle{from: w.from, kind: w.kind, track: -1})
		}
		g.bundles[at].wires = append(g.bundles[at].wires, i)
	}
	slices.SortStableFunc(g.bundles, func(a, b bundle) int {
		return cmp.Or(cmp.Compare(p.boxes[a.from].x, p.boxes[b.from].x), cmp.Compare(p.aim(a), p.aim(b)))
	})
}

// aim is the average column of a bundle's targets.
func (p *picture) aim(b bundle) float64 {
	sum := 0
	for _, w := range b.wires {
		sum += p.boxes[p.wires[w].to].x
	}
	return float64(sum) / float64(len(b.wires))
}

// leave gives each bundle the column at which it leaves its box: spread around the
// middle, or where a lone wire can run straight down.
func (p *picture) leave(g *gap) {
	g.owner = map[int]int{}
	for first := 0; first < len(g.bundles); {
		from := g.bundles[first].from
		n := 1
		for first+n < len(g.bundles) && g.bundles[first+n].from == from {
			n++
		}
		for k := range n {
			g.bundles[first+k].out = p.boxes[from].x - (n - 1) + 2*k
		}
		if b := &g.bundles[first]; n == 1 && len(b.wires) == 1 {
			b.out = p.straight(from, p.wires[b.wires[0]].to)
		}
		first += n
	}
	for i, b := range g.bundles {
		g.owner[b.out] = i
		for _, w := range b.wires {
			p.wires[w].out = b.out
		}
	}
}

// straight returns the column nearest to the middle of a box that is also above the
// other one, or the nearest to that.
func (p *picture) straight(from, to int) int {
	lo, hi := p.boxes[to].inside()
	want := min(max(p.boxes[from].x, lo), hi)
	lo, hi = p.boxes[from].inside()
	if want < lo || want > hi {
		return p.boxes[from].x
	}
	return want
}

// bundleOf returns the bundle of a wire.
func (g *gap) bundleOf(wire int) int {
	return slices.IndexFunc(g.bundles, func(b bundle) bool { return slices.Contains(b.wires, wire) })
}

// free reports whether a bundle may run down in a column.
func (g *gap) free(column, bundle int) bool {
	owner, taken := g.owner[column]
	return !taken || owner == bundle
}

// enterBend lets a wire arrive at a bend, which is moved a little if another line runs
// down in its column.
func (p *picture) enterBend(g *gap, layer, bend int) bool {
	i := slices.IndexFunc(p.wires, func(w wire) bool { return w.to == bend })
	own := g.bundleOf(i)
	at := slices.Index(p.layers[layer], bend)
	for _, x := range nearby(p.boxes[bend].x) {
		if g.free(x, own) && p.room(layer, at, x) {
			p.boxes[bend].x = x
			p.wires[i].in = x
			g.owner[x] = own
			return true
		}
	}
	return false
}

// nearby lists the columns close to one, the nearest first.
func nearby(x int) []int {
	return []int{x, x - 1, x + 1, x - 2, x + 2, x - 3, x + 3}
}

// room reports whether the box at a place of a layer may stand at a column.
func (p *picture) room(layer, at, x int) bool {
	boxes := p.layers[layer]
	b := p.boxes[boxes[at]]
	if x < b.left {
		return false
	}
	if at > 0 {
		if l := p.boxes[boxes[at-1]]; x-b.left <= l.x+l.right {
			return false
		}
	}
	if at+1 < len(boxes) {
		if r := p.boxes[boxes[at+1]]; x+b.right >= r.x-r.left {
			return false
		}
	}
	return true
}

// enterBox gives the wires that arrive at a box their columns, in the order in which
// they come from above and each as straight as it can be.
func (p *picture) enterBox(g *gap, at int) bool {
	var wires []int
	for i, w := range p.wires {
		if w.to == at {
			wires = append(wires, i)
		}
	}
	slices.SortStableFunc(wires, func(a, b int) int { return cmp.Compare(p.wires[a].out, p.wires[b].out) })
	lo, hi := p.boxes[at].inside()
	columns := p.wish(wires, at)
	for k, w := range wires {
		least, most := lo, hi
		if k > 0 {
			least = columns[k-1] + 1
		}
		if k+1 < len(wires) {
			most = columns[k+1] - 1
		}
		own := g.bundleOf(w)
		x, ok := nearest(columns[k], least, most, func(x int) bool { return g.free(x, own) })
		if !ok {
			return false
		}
		columns[k] = x
		g.owner[x] = own
		p.wires[w].in = x
	}
	return true
}

// wish returns the columns that wires would like to arrive at, two apart.
func (p *picture) wish(wires []int, at int) []int {
	lo, hi := p.boxes[at].inside()
	reach := len(wires) - 1
	columns := make([]int, len(wires))
	for k, w := range wires {
		x := p.wires[w].out
		if x < lo || x > hi {
			x = min(max(x, p.boxes[at].x-reach), p.boxes[at].x+reach)
		}
		if k > 0 {
			x = max(x, columns[k-1]+2)
		}
		columns[k] = x
	}
	for k := len(columns) - 1; k >= 0; k-- {
		columns[k] = min(columns[k], hi-2*(len(columns)-1-k))
	}
	return columns
}

// nearest returns the number closest to want, between least and most, that is good.
func nearest(want, least, most int, good func(int) bool) (int, bool) {
	for d := 0; want-d >= least || want+d <= most; d++ {
		for _, x := range []int{want - d, want + d} {
			if x >= least && x <= most && good(x) {
				return x, true
			}
		}
	}
	return 0, false
}
