package topo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lineMask returns the directions of a painted character.
func lineMask(r rune) int {
	switch r {
	case '┆', '┊':
		return up | down
	case '┄', '┈':
		return left | right
	case '▼':
		return up
	}
	for _, glyphs := range []string{" ╵╷│╴┘┐┤╶└┌├─┴┬┼", " ║║║═╝╗╣═╚╔╠═╩╦╬"} {
		for mask, g := range []rune(glyphs) {
			if g == r && mask > 0 && mask != up && mask != down && mask != left && mask != right {
				return mask
			}
		}
	}
	return 0
}

// spotAt is a cell of the drawing and the direction in which it was come to.
type spotAt struct{ x, y, heading int }

// trace follows the line that leaves a cell downwards through the text and returns the
// columns at which it leaves the last row, or ends there in an arrow head.
func trace(rows [][]rune, x, y, last int) []int {
	step := map[int][2]int{up: {0, -1}, down: {0, 1}, left: {-1, 0}, right: {1, 0}}
	opposite := map[int]int{up: down, down: up, left: right, right: left}
	var ends []int
	seen := map[spotAt]bool{}
	todo := []spotAt{{x, y, down}}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if seen[at] || at.y < y || at.x < 0 || at.y >= len(rows) || at.x >= len(rows[at.y]) {
			continue
		}
		seen[at] = true
		r := rows[at.y][at.x]
		mask := lineMask(r)
		turns := mask &^ opposite[at.heading]
		if mask&opposite[at.heading] == 0 { // a line of another bundle passes over
			turns = at.heading
		}
		if at.y == last && (r == '▼' || turns&down != 0 && at.heading == down) {
			ends = append(ends, at.x)
			continue
		}
		for _, d := range []int{up, down, left, right} {
			if turns&d != 0 {
				todo = append(todo, spotAt{at.x + step[d][0], at.y + step[d][1], d})
			}
		}
	}
	slices.Sort(ends)
	return ends
}

// scribble makes a graph with short names, so that every character has one column.
func scribble(r *rand.Rand) *Graph {
	g := &Graph{}
	n := 2 + r.IntN(9)
	for i := range n {
		g.Nodes = append(g.Nodes, Node{Name: strings.Repeat(string(rune('A'+i)), 1+r.IntN(9)), Deferred: r.IntN(5) == 0})
	}
	g.Edges = append(g.Edges, Edge{From: Start, To: g.Nodes[0].Name})
	for i := range r.IntN(2 * n) {
		e := Edge{From: g.Nodes[r.IntN(n)].Name, To: g.Nodes[r.IntN(n)].Name, Kind: EdgeKind(r.IntN(5)), Join: i}
		if r.IntN(6) == 0 {
			e.To = End
		}
		if r.IntN(3) == 0 {
			e.Label = strings.Repeat("w", 1+r.IntN(12))
		}
		g.Edges = append(g.Edges, e)
		if e.Kind == Joined {
			g.Edges = append(g.Edges, Edge{From: g.Nodes[r.IntN(n)].Name, To: e.To, Kind: Joined, Join: i})
		}
	}
	return g
}

// TestDrawnLinesLeadWhereTheEdgesDo reads the text of random drawings: the line that
// leaves a box must come out exactly at the boxes and bends it is meant for.
func TestDrawnLinesLeadWhereTheEdgesDo(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	drawn, lines := 0, 0
	for range 600 {
		g := scribble(r)
		require.NoError(t, check(g, 0))
		p, text := layoutOf(g)
		if p == nil {
			continue
		}
		drawn++
		rows := make([][]rune, len(text))
		for i, l := range text {
			rows[i] = []rune(l)
		}
		top := 0
		for i, layer := range p.layers {
			height := 1
			for _, b := range layer {
				height = max(height, len(p.boxes[b].rows))
			}
			last := top + height + p.gaps[i].rows - 1
			for _, b := range p.gaps[i].bundles {
				var want []int
				for _, w := range b.wires {
					want = append(want, p.wires[w].in)
				}
				slices.Sort(want)
				got := trace(rows, b.out, top+len(p.boxes[b.from].rows), last)
				require.Equal(t, want, got, "from column %d below row %d of\n%s", b.out, top, strings.Join(text, "\n"))
				lines++
			}
			checkEntries(t, p, i)
			top = last + 1
		}
	}
	assert.Greater(t, drawn, 450)
	assert.Greater(t, lines, 2000)
}

// layoutOf draws a graph and returns the picture too, or nil if it becomes a list.
func layoutOf(g *Graph) (*picture, []string) {
	sk := sketchOf(g, 0)
	a := &artist{label: 80}
	p, ok := a.compose(sk)
	if !ok {
		return nil, nil
	}
	text, ok := a.paint(p)
	if !ok {
		return nil, nil
	}
	return p, text
}

// checkEntries checks that wires arrive within the boxes they lead to, each at a
// column of its own.
func checkEntries(t *testing.T, p *picture, layer int) {
	t.Helper()
	taken := map[int]string{}
	for _, i := range p.below(layer) {
		w := p.wires[i]
		lo, hi := p.boxes[w.to].inside()
		assert.True(t, lo <= w.in && w.in <= hi)
		assert.Empty(t, taken[w.in])
		taken[w.in] = fmt.Sprint(w)
	}
}
