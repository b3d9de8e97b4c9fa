package handoffs

import (
	"cmp"
	"slices"
	"strings"
)

// Pattern is a way that work took: two or three handoffs, one behind the other.
type Pattern struct {
	Route []string `json:"route"` // agents, the first one handed on
	Count int      `json:"count"`
	// Ended and Succeeded are about the route's last handoff, as those of Stats.
	Ended       int     `json:"ended"`
	Succeeded   int     `json:"succeeded"`
	SuccessRate float64 `json:"successRate"` // 0 if none has ended
}

// Patterns returns the routes of two and three accepted handoffs that a session
// took, the commonest first, of equals in the order of their agents. A handoff
// follows the one that last brought its source to work.
func Patterns(log Log) []Pattern {
	hops := hopsOf(log)
	var routes []Pattern
	place := map[string]int{}
	for i := range hops {
		for _, route := range routesTo(hops, i) {
			key := strings.Join(route, "\x00")
			at, ok := place[key]
			if !ok {
				at = len(routes)
				place[key] = at
				routes = append(routes, Pattern{Route: route})
			}
			routes[at].count(&hops[i])
		}
	}
	slices.SortFunc(routes, func(a, b Pattern) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(len(a.Route), len(b.Route)), slices.Compare(a.Route, b.Route))
	})
	return routes
}

func (p *Pattern) count(h *statsHop) {
	p.Count++
	good, counts := h.success()
	if counts {
		p.Ended++
	}
	if good {
		p.Succeeded++
	}
	if p.Ended > 0 {
		p.SuccessRate = float64(p.Succeeded) / float64(p.Ended)
	}
}

// routesTo returns the routes of two and three hops that end with hop i.
func routesTo(hops []statsHop, i int) (routes [][]string) {
	h := &hops[i]
	if h.before < 0 {
		return nil
	}
	b := &hops[h.before]
	routes = append(routes, []string{b.From, h.From, h.To})
	if b.before >= 0 {
		routes = append(routes, []string{hops[b.before].From, b.From, h.From, h.To})
	}
	return routes
}

// statsHop is an accepted handoff with the one that it follows.
type statsHop struct {
	Handoff
	before int  // the place of the hop that brought its source to work; -1: none did
	first  bool // it is the first one behind that
}

// hopsOf returns the accepted handoffs of a log, but for resumed work.
func hopsOf(log Log) []statsHop {
	var hops []statsHop
	came, left := map[string]int{}, map[int]bool{}
	for h := range History(log, Filter{Accepted: true, Kinds: []Kind{Transfer, Call, Escalate, Spawn}}) {
		next := statsHop{Handoff: h, before: -1}
		if at, ok := came[h.From]; ok {
			next.before, next.first = at, !left[at]
			left[at] = true
		}
		came[h.To] = len(hops)
		hops = append(hops, next)
	}
	return hops
}
