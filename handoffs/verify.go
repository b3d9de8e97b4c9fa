package handoffs

import (
	"fmt"
	"slices"
)

// Verify proves that no run of a policy makes handoffs for ever, or tells the
// cycles on which nothing runs out.
//
// Agents are taken to do whatever the policy lets them; without Edges all may
// hand to all. On every cycle that a run can come to something must get less:
// handoffs, turns, tokens or time of the run or its class, or the quota of an edge,
// a rule, or a loop rule that looks at the whole run. Rules that look at a window
// are heuristics and prove nothing.
//
// A call returns, and can be made again: the depth of calls bounds how many wait
// for one another and not how many there are, so a call needs a measure also
// where no way leads back. The bound on the turns of the calling agent is one.
// An escalation comes to no rung of the ladder again, so it needs none.
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
	v := newVerifying(p.bounded())
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
	v.own()
	v.cycles(func(a arc) bool { return !a.call || v.deep }, true)
}

// own looks for those that agents take by themselves.
func (v *verifying) own() {
	v.cycles(func(a arc) bool { return !a.reroute && !a.rescue && (!a.call || v.deep) }, false)
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
