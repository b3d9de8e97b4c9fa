package topo

// picture is a drawing in layers of one level.
type picture struct {
	sketch *sketch
	links  []link  // the sketch's, those of the same ends and kind made one
	backs  []link  // the links that lead back, which are told beside the boxes
	boxes  []box   // the spots in their order, then the bends
	wires  []wire  // the other links, cut at each layer
	layers [][]int // the boxes from top to bottom and from left to right
	gaps   []gap   // what is below each layer
}

// wire leads from a box to one in the next layer.
type wire struct {
	from, to int
	kind     EdgeKind
	label    string
	out, in  int // the columns at which it leaves and arrives
}

func newPicture(sk *sketch) *picture {
	p := &picture{sketch: sk, boxes: make([]box, len(sk.spots))}
	p.merge()
	forward := p.split()
	p.rank(forward)
	for _, l := range forward {
		p.cut(l)
		if len(p.boxes) > maxBoxes {
			return p
		}
	}
	for i, b := range p.boxes {
		for len(p.layers) <= b.layer {
			p.layers = append(p.layers, nil)
		}
		p.layers[b.layer] = append(p.layers[b.layer], i)
	}
	p.gaps = make([]gap, len(p.layers))
	return p
}

// merge makes one link of those that share both ends and the kind.
func (p *picture) merge() {
	type ends struct {
		from, to int
		kind     EdgeKind
	}
	place := map[ends]int{}
	for _, l := range p.sketch.links {
		key := ends{l.from, l.to, l.kind}
		at, ok := place[key]
		switch {
		case !ok:
			place[key] = len(p.links)
			p.links = append(p.links, l)
		case p.links[at].label == "" || l.label == "":
			p.links[at].label += l.label
		default:
			p.links[at].label += " | " + l.label
		}
	}
}

// split walks the links depth first from Start, which is the first spot, and then
// from each spot not yet seen. Links to a spot that is still open on the way lead back;
// the others are returned.
func (p *picture) split() []link {
	out := make([][]int, len(p.boxes))
	for i, l := range p.links {
		out[l.from] = append(out[l.from], i)
	}
	const fresh, open, closed = 0, 1, 2
	mark := make([]int, len(p.boxes))
	back := make([]bool, len(p.links))
	for root := range p.boxes {
		if mark[root] != fresh {
			continue
		}
		mark[root] = open
		path := []visit{{node: root}}
		for len(path) > 0 {
			v := &path[len(path)-1]
			if v.edge == len(out[v.node]) {
				mark[v.node] = closed
				path = path[:len(path)-1]
				continue
			}
			l := out[v.node][v.edge]
			v.edge++
			switch to := p.links[l].to; mark[to] {
			case fresh:
				mark[to] = open
				path = append(path, visit{node: to})
			case open:
				back[l] = true
			}
		}
	}
	var forward []link
	for i, l := range p.links {
		if back[i] {
			p.backs = append(p.backs, l)
		} else {
			forward = append(forward, l)
		}
	}
	return forward
}

// rank puts each box into the layer below the lowest of those that lead to it.
func (p *picture) rank(forward []link) {
	missing := make([]int, len(p.boxes))
	out := make([][]int, len(p.boxes))
	for _, l := range forward {
		missing[l.to]++
		out[l.from] = append(out[l.from], l.to)
	}
	var ready []int
	for i, n := range missing {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		at := ready[0]
		ready = ready[1:]
		for _, to := range out[at] {
			p.boxes[to].layer = max(p.boxes[to].layer, p.boxes[at].layer+1)
			if missing[to]--; missing[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
}

// cut makes the wires of a link, with a bend in each layer that it passes.
func (p *picture) cut(l link) {
	at, label := l.from, l.label
	for layer := p.boxes[l.from].layer + 1; layer < p.boxes[l.to].layer; layer++ {
		p.boxes = append(p.boxes, box{width: 1, layer: layer})
		p.wires = append(p.wires, wire{from: at, to: len(p.boxes) - 1, kind: l.kind, label: label})
		at, label = len(p.boxes)-1, ""
	}
	p.wires = append(p.wires, wire{from: at, to: l.to, kind: l.kind, label: label})
}

// ports returns how many lines a box must have room for on its busier side.
func (p *picture) ports(at int) int {
	in, out := 0, map[EdgeKind]bool{}
	for _, w := range p.wires {
		if w.to == at {
			in++
		}
		if w.from == at {
			out[w.kind] = true
		}
	}
	return max(in, len(out))
}
