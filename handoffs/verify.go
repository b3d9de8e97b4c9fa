package handoffs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/internal/topo"
)

// Verify proves that no run of a policy makes handoffs for ever, or tells the
// cycles on which nothing runs out.
//
// Agents are taken to do whatever the policy lets them. On every cycle of
// edges and rules that a run can come to (without Edges all agents may hand to
// all) something must get less: handoffs, turns, tokens or time of the run or of every class it can
// have, or the quota of an edge, a rule or a loop rule that looks at the whole
// run. Rules that look at a window are heuristics and prove nothing. A call
// returns, and can be made again: the depth of calls bounds how many wait for
// one another and not how many there are, so a call needs a measure also where
// no way leads back. The bound on the turns of the calling agent is one.
//
// Time is no measure under a virtual clock, which may stand still. Tokens are
// one as far as turns tell what they cost. What waits for signals or users may
// wait for ever.
//
// A cycle on which an agent must fail, or be rejected, again and again is a
// warning.
func Verify(p *Policy) []Finding {
	if p == nil {
		return nil
	}
	v := newVerifying(p)
	v.transfers()
	v.calls()
	v.misses()
	return v.out
}

// verifying is the work of Verify and Bound.
type verifying struct {
	p    *Policy
	arcs []arc
	free []arc // that no measure bounds
	deep bool  // nothing bounds the depth of calls
	seen map[string]bool
	out  []Finding
}

func newVerifying(p *Policy) *verifying {
	v := &verifying{p: p, arcs: p.reached(p.arcs()), seen: map[string]bool{}}
	v.deep = !p.checks("limits") || p.Depth < 0 && p.Limits.Depth == 0
	capped, all := p.counted() != "", p.runsOut() != ""
	for _, a := range v.arcs {
		counted := all || capped && !a.apart && !a.reroute || a.ladder && !v.deep
		if !counted && a.quota == 0 && a.retries == 0 && p.loopQuota(&a, false) == nil {
			v.free = append(v.free, a)
		}
	}
	return v
}

// transfers looks for cycles of transfers, and of calls where they may be
// nested without end.
func (v *verifying) transfers() {
	own := func(a arc) bool { return !a.reroute && !a.rescue && (!a.call || v.deep) }
	v.cycles(own, false)
	v.cycles(func(a arc) bool { return !a.call || v.deep }, true)
}

// cycles tells of the cycles of free arcs. One of agents that are in a cycle
// already is not told.
func (v *verifying) cycles(use func(arc) bool, warning bool) {
	next := ways{}
	for _, a := range v.free {
		if use(a) {
			next.add(a)
		}
	}
	for _, comp := range next.cycles() {
		told := slices.ContainsFunc(comp, func(id string) bool { return v.seen[id] })
		path := next.walk(comp)
		if told || path == nil {
			continue
		}
		for _, id := range comp {
			v.seen[id] = true
		}
		why := ""
		if warning {
			why = " when agents fail or their handoffs are rejected"
		}
		v.endless(path, why, warning)
	}
}

func (v *verifying) endless(path []string, why string, warning bool) {
	text := "no decreasing measure on cycle " + shortWay(path) + why
	if len(v.p.Loops) > 0 {
		text += " (loop rules look at what came last, and may miss it)"
	}
	text += "; limit the handoffs, turns, tokens or time of the run, or give one of its edges a quota"
	v.out = append(v.out, Finding{Code: DefectEndless, Message: text, Path: path, Warning: warning})
}

// mostWay is how many agents of a path a message names.
const mostWay = 12

func shortWay(path []string) string {
	if n := len(path); n > mostWay {
		path = slices.Concat(path[:mostWay-2], []string{"…"}, path[n-1:])
	}
	return way(path)
}

// calls looks for agents that may call again and again.
func (v *verifying) calls() {
	told := map[string]bool{}
	for _, a := range v.free {
		if !a.call || told[a.from] || v.seen[a.from] || v.p.frameEnds(a.from) {
			continue
		}
		told[a.from] = true
		v.endless([]string{a.from, a.to, a.from}, ": "+a.to+" returns and can be called again", false)
	}
}

// frameEnds reports whether the turns of an agent's frames are bounded.
func (p *Policy) frameEnds(agent string) bool {
	profile, ok := p.Registry.Get(agent)
	return ok && profile.Turns > 0
}

// misses looks whether handoffs that are rejected, which nothing counts, or
// refused can be tried for ever.
func (v *verifying) misses() {
	if v.p.Misses < 0 && v.p.runsOut() == "" && len(v.arcs) > 0 {
		v.out = append(v.out, Finding{Code: DefectEndless, Warning: true, Message: fmt.Sprintf(
			"Misses is %d: an agent may try a handoff that is rejected or refused for ever; bound it, or the turns, tokens or time of the run", v.p.Misses)})
	}
}

// ways are arcs by source and target; the value tells a handoff from a
// takeover.
type ways map[string]map[string]bool

func (w ways) add(a arc) {
	for _, id := range []string{a.from, a.to} {
		if w[id] == nil {
			w[id] = map[string]bool{}
		}
	}
	w[a.from][a.to] = w[a.from][a.to] || !a.reroute
}

// cycles returns the groups of agents that can all come to one another.
func (w ways) cycles() [][]string {
	g := &topo.Graph{}
	for _, from := range sortedKeys(w) {
		g.Nodes = append(g.Nodes, topo.Node{Name: "@" + from}) // no agent's id is one of topo's own names then
		for _, to := range sortedKeys(w[from]) {
			g.Edges = append(g.Edges, topo.Edge{From: "@" + from, To: "@" + to})
		}
	}
	comps := g.Cycles()
	for _, comp := range comps {
		for i := range comp {
			comp[i] = strings.TrimPrefix(comp[i], "@")
		}
	}
	return comps
}

// walk returns a way through all agents of a cycle, or the first ones of many,
// that ends where it begins and has a handoff in it; nil: it has none.
func (w ways) walk(comp []string) []string {
	for i, from := range comp {
		order := slices.Concat(comp[i+1:], comp[:i+1])
		j := slices.IndexFunc(order, func(to string) bool { return w[from][to] })
		if j < 0 {
			continue
		}
		path := []string{from, order[j]}
		for _, to := range order[:min(len(order)-1, mostWay-1)] {
			if !slices.Contains(path, to) {
				path = append(path, w.between(comp, path[len(path)-1], to)...)
			}
		}
		return append(path, w.between(comp, path[len(path)-1], from)...)
	}
	return nil
}

// between returns the shortest way from one agent of a cycle to another one,
// without the first.
func (w ways) between(comp []string, from, to string) []string {
	if from == to {
		return nil
	}
	came := map[string]string{}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		for _, id := range comp {
			if _, there := w[todo[0]][id]; !there || came[id] != "" || id == from {
				continue
			}
			came[id] = todo[0]
			todo = append(todo, id)
		}
	}
	var path []string
	for at := to; at != from; at = came[at] {
		path = append(path, at)
	}
	slices.Reverse(path)
	return path
}
