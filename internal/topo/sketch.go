package topo

import "strconv"

// role tells what a spot of a drawing stands for.
type role uint8

const (
	begins role = iota // Start
	ends               // End
	works              // a node
	joins              // the point where the sources of a waiting edge come together
)

// sketch is one level of a graph in the form that all pictures of it share: waiting
// edges have a point of their own, and everything has an id.
type sketch struct {
	id    string // unique over all levels, empty for the outermost
	title string
	spots []spot // Start, the nodes, the points of waits, End; the ends only if used
	links []link
}

// spot is something that links lead to.
type spot struct {
	id    string // letters and digits, unique over all levels
	role  role
	node  Node    // its Name is set for the two ends too
	inner *sketch // the opened subgraph, nil otherwise
}

// link is an arrow between two spots, by their places.
type link struct {
	from, to int
	kind     EdgeKind
	label    string
}

// sketcher numbers what it meets.
type sketcher struct{ spots, graphs int }

// sketchOf makes the sketch of a checked graph.
func sketchOf(g *Graph, open int) *sketch {
	return (&sketcher{}).level(g, open)
}

func (k *sketcher) level(g *Graph, open int) *sketch {
	ix := g.index()
	sk := &sketch{title: g.Name}
	place := map[string]int{}
	add := func(r role, n Node) {
		place[n.Name] = len(sk.spots)
		sk.spots = append(sk.spots, spot{id: k.nextID(), role: r, node: n})
	}
	if len(ix.out[startID]) > 0 {
		add(begins, Node{Name: Start})
	}
	for _, n := range g.Nodes {
		add(works, n)
		if n.Inner != nil && open != 0 && len(n.Inner.Nodes)+len(n.Inner.Edges) > 0 {
			k.open(&sk.spots[len(sk.spots)-1], open-1)
		}
	}
	point := k.points(sk, ix)
	for _, to := range ix.to {
		if _, ok := place[End]; to == endID && !ok {
			add(ends, Node{Name: End})
		}
	}
	sk.connect(g, place, point)
	return sk
}

func (k *sketcher) nextID() string {
	k.spots++
	return "n" + strconv.Itoa(k.spots-1)
}

func (k *sketcher) open(s *spot, open int) {
	k.graphs++
	id := "s" + strconv.Itoa(k.graphs-1)
	s.inner = k.level(s.node.Inner, open)
	s.inner.id = id
}

// points adds a spot for each waiting edge and returns their places by Join id.
func (k *sketcher) points(sk *sketch, ix *index) map[int]int {
	point := map[int]int{}
	for _, w := range ix.waits() {
		point[w.id] = len(sk.spots)
		sk.spots = append(sk.spots, spot{id: k.nextID(), role: joins, node: Node{Name: ix.names[w.targets[0]]}})
	}
	return point
}

// connect adds the links. The one from a point to its target follows the first edge
// that leads to the point.
func (sk *sketch) connect(g *Graph, place map[string]int, point map[int]int) {
	seen := map[int]bool{}
	for _, e := range g.Edges {
		l := link{from: place[e.From], to: place[e.To], kind: e.Kind, label: e.Label}
		if e.Kind == Sent && e.Many {
			l.label = joinText(l.label, "×n")
		}
		if e.Kind != Joined {
			sk.links = append(sk.links, l)
			continue
		}
		at := point[e.Join]
		sk.links = append(sk.links, link{from: l.from, to: at, kind: Joined, label: e.Label})
		if !seen[e.Join] {
			seen[e.Join] = true
			sk.links = append(sk.links, link{from: at, to: l.to, kind: Joined})
		}
	}
}

// joinText puts a space between two texts where both are there.
func joinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// first and last return the ids of the innermost spots at which an arrow into or out
// of the sketch can end.
func (sk *sketch) first() string {
	s := sk.spots[0]
	for s.inner != nil {
		s = s.inner.spots[0]
	}
	return s.id
}

func (sk *sketch) last() string {
	s := sk.spots[len(sk.spots)-1]
	for s.inner != nil {
		s = s.inner.spots[len(s.inner.spots)-1]
	}
	return s.id
}
