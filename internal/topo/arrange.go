package topo

import (
	"cmp"
	"math"
	"slices"
)

// sweeps is how often the layers are gone through, down and up again.
const sweeps = 6

// reserve sets the columns that each box needs free around its middle, where labels
// up to a width stand beside their lines.
func (p *picture) reserve(label int) {
	for i := range p.boxes {
		b := &p.boxes[i]
		b.left, b.right = b.width/2, b.width/2
		if b.aside != "" {
			b.right += 1 + Columns(b.aside)
		}
	}
	for _, w := range p.wires {
		if n := Columns(plain(w.label)); n > 0 {
			if n > label {
				n = markWidth
			}
			b := &p.boxes[w.to]
			b.right = max(b.right, n+2)
		}
	}
}

// apart returns the least distance of the middles of two neighbours.
func (p *picture) apart(left, right int) int {
	a, b := &p.boxes[left], &p.boxes[right]
	gap := 4
	if a.bend() || b.bend() {
		gap = 3
	}
	return a.right + b.left + gap
}

// arrange orders each layer so that few wires cross. It begins with the order given,
// with the bends moved to the left and with all turned around, and keeps the best order
// that it comes to.
func (p *picture) arrange() {
	given := p.copyLayers()
	best, fewest := given, p.crossings()
	for _, start := range []func(boxes []int){
		func([]int) {},
		func(boxes []int) {
			slices.SortStableFunc(boxes, func(a, b int) int { return cmp.Compare(len(p.boxes[a].rows), len(p.boxes[b].rows)) })
		},
		slices.Reverse[[]int],
	} {
		p.layers = given
		p.layers = p.copyLayers()
		for _, boxes := range p.layers {
			start(boxes)
		}
		for range sweeps {
			p.sweep()
			if n := p.swap(); n < fewest {
				best, fewest = p.copyLayers(), n
			}
		}
	}
	p.layers = best
}

// sweep moves boxes to the average place of those above them, layer by layer, and then
// of those below.
func (p *picture) sweep() {
	for i := 1; i < len(p.layers); i++ {
		p.sortLayer(i, true)
	}
	for i := len(p.layers) - 2; i >= 0; i-- {
		p.sortLayer(i, false)
	}
}

// swap exchanges neighbours where that saves a crossing and returns how many are left.
func (p *picture) swap() int {
	fewest := p.crossings()
	for _, boxes := range p.layers {
		for i := 1; i < len(boxes); i++ {
			boxes[i-1], boxes[i] = boxes[i], boxes[i-1]
			if n := p.crossings(); n < fewest {
				fewest = n
				continue
			}
			boxes[i-1], boxes[i] = boxes[i], boxes[i-1]
		}
	}
	return fewest
}

func (p *picture) copyLayers() [][]int {
	all := make([][]int, len(p.layers))
	for i, l := range p.layers {
		all[i] = slices.Clone(l)
	}
	return all
}

// positions returns the place of each box within its layer.
func (p *picture) positions() []int {
	at := make([]int, len(p.boxes))
	for _, l := range p.layers {
		for i, b := range l {
			at[b] = i
		}
	}
	return at
}

// sortLayer orders a layer by the average place of the boxes above or below.
func (p *picture) sortLayer(layer int, above bool) {
	at := p.positions()
	weight := map[int]float64{}
	for _, b := range p.layers[layer] {
		weight[b] = float64(at[b])
		if near := p.wired(b, above); len(near) > 0 {
			sum := 0
			for _, n := range near {
				sum += at[n]
			}
			weight[b] = float64(sum) / float64(len(near))
		}
	}
	slices.SortStableFunc(p.layers[layer], func(a, b int) int { return cmp.Compare(weight[a], weight[b]) })
}

// wired returns the boxes that wires connect with b from above or below.
func (p *picture) wired(b int, above bool) []int {
	var near []int
	for _, w := range p.wires {
		if above && w.to == b {
			near = append(near, w.from)
		}
		if !above && w.from == b {
			near = append(near, w.to)
		}
	}
	return near
}

// crossings counts the pairs of wires that cross.
func (p *picture) crossings() int {
	at, n := p.positions(), 0
	for i, v := range p.wires {
		for _, w := range p.wires[:i] {
			if p.boxes[v.from].layer == p.boxes[w.from].layer && (at[v.from]-at[w.from])*(at[v.to]-at[w.to]) < 0 {
				n++
			}
		}
	}
	return n
}

// place gives every box its column: as near to the average of its neighbours above and
// below, in turn, as the order and the distances in its layer allow.
func (p *picture) place() {
	for i := range p.layers {
		p.spread(i, nil)
	}
	for range sweeps {
		for i := len(p.layers) - 1; i >= 0; i-- {
			p.spread(i, func(b int) []int { return p.wired(b, false) })
		}
		for i := range p.layers {
			p.spread(i, func(b int) []int { return p.wired(b, true) })
		}
	}
	shift := math.MaxInt
	for _, b := range p.boxes {
		shift = min(shift, b.x-b.left)
	}
	for i := range p.boxes {
		p.boxes[i].x -= shift
	}
}

// spread places one layer. A box without neighbours would rather stay where it is.
func (p *picture) spread(layer int, near func(int) []int) {
	boxes := p.layers[layer]
	offset := make([]int, len(boxes)) // of the packed layer
	want := make([]float64, len(boxes))
	for i, b := range boxes {
		if i > 0 {
			offset[i] = offset[i-1] + p.apart(boxes[i-1], b)
		}
		x := float64(p.boxes[b].x)
		if near != nil {
			if others := near(b); len(others) > 0 {
				x = 0
				for _, o := range others {
					x += float64(p.boxes[o].x) / float64(len(others))
				}
			}
		}
		want[i] = x - float64(offset[i])
	}
	for i, y := range ascending(want) {
		p.boxes[boxes[i]].x = int(math.Round(y)) + offset[i]
	}
}

// ascending returns the numbers nearest to the wanted ones, by the sum of squares, of
// which none is smaller than the one before.
func ascending(want []float64) []float64 {
	type block struct {
		sum float64
		n   int
	}
	var blocks []block
	for _, w := range want {
		b := block{sum: w, n: 1}
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			if last.sum/float64(last.n) <= b.sum/float64(b.n) {
				break
			}
			b = block{sum: b.sum + last.sum, n: b.n + last.n}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	var got []float64
	for _, b := range blocks {
		for range b.n {
			got = append(got, b.sum/float64(b.n))
		}
	}
	return got
}
