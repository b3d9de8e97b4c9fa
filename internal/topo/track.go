package topo

import (
	"cmp"
	"slices"
)

// assignTracks gives each bundle that does not run straight down a track. Bundles whose
// spans do not touch share one. Several orders are tried and the one with the fewest
// crossings is kept.
func (p *picture) assignTracks(g *gap) {
	var bent []int
	for i, b := range g.bundles {
		if lo, hi := p.span(b); lo < hi {
			bent = append(bent, i)
		}
	}
	byStart := func(a, b int) int { return cmp.Compare(g.bundles[a].out, g.bundles[b].out) }
	byLength := func(a, b int) int {
		la, ha := p.span(g.bundles[a])
		lb, hb := p.span(g.bundles[b])
		return cmp.Compare(ha-la, hb-lb)
	}
	best, fewest := []int(nil), -1
	for _, order := range []func(a, b int) int{
		byStart,
		byLength,
		func(a, b int) int { return byStart(b, a) },
		func(a, b int) int { return byLength(b, a) },
	} {
		slices.SortStableFunc(bent, order)
		tracks := p.fit(g, bent)
		if n := p.crossed(g, tracks); fewest < 0 || n < fewest {
			best, fewest = tracks, n
		}
	}
	for i, t := range best {
		g.bundles[i].track = t
		g.tracks = max(g.tracks, t+1)
	}
}

// span returns the first and the last column of a bundle.
func (p *picture) span(b bundle) (int, int) {
	lo, hi := b.out, b.out
	for _, w := range b.wires {
		lo, hi = min(lo, p.wires[w].in), max(hi, p.wires[w].in)
	}
	return lo, hi
}

// fit puts each bundle in turn on the first track with room; -1 stands for none.
func (p *picture) fit(g *gap, order []int) []int {
	tracks := make([]int, len(g.bundles))
	for i := range tracks {
		tracks[i] = -1
	}
	for _, i := range order {
		lo, hi := p.span(g.bundles[i])
		taken := map[int]bool{}
		for j, t := range tracks {
			if l, h := p.span(g.bundles[j]); t >= 0 && l <= hi+1 && h >= lo-1 {
				taken[t] = true
			}
		}
		for taken[tracks[i]+1] {
			tracks[i]++
		}
		tracks[i]++
	}
	return tracks
}

// crossed counts how often a line that runs down crosses a track.
func (p *picture) crossed(g *gap, tracks []int) int {
	n := 0
	for i, a := range g.bundles {
		lo, hi := p.span(a)
		if tracks[i] < 0 {
			continue
		}
		inside := func(x int) bool { return x > lo && x < hi }
		for j, b := range g.bundles {
			if i == j {
				continue
			}
			if inside(b.out) && (tracks[j] < 0 || tracks[j] > tracks[i]) {
				n++
			}
			for _, w := range b.wires {
				if inside(p.wires[w].in) && tracks[j] >= 0 && tracks[j] < tracks[i] {
					n++
				}
			}
		}
	}
	return n
}
