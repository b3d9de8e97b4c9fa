package handoffs

import (
	"cmp"
	"slices"
)

// arc is a way from one agent to another one, of transfers or of calls.
type arc struct {
	from, to string
	call     bool   // calls and spawns, which return
	kinds    []Kind // that it may be
	by       string // the edge or rule
	quota    int    // how often by may be taken in all; 0: any number
	retries  int    // the same, but handoffs that wait are not counted
	apart    bool   // the run does not count it
	ladder   bool   // an escalation, which comes to each rung once until something is called
	rescue   bool   // an agent takes over from one that failed
	reroute  bool   // an agent takes over from one whose handoff was rejected, which is no handoff
}

// arcs returns all ways that a policy leaves open.
func (p *Policy) arcs() []arc {
	var out []arc
	edges := p.Edges
	if edges == nil {
		edges = []Edge{{}}
	}
	for i := range edges {
		out = append(out, p.arcsOf(&edges[i], p.leads(&edges[i]), edges[i].title())...)
	}
	if p.Rules != nil {
		for i := range p.Rules.List {
			out = append(out, p.ruleArcs(&p.Rules.List[i])...)
		}
	}
	if p.Edges != nil && len(p.Ladder) > 0 {
		out = append(out, p.arcsOf(&Edge{Kinds: []Kind{Escalate}}, p.Ladder, "the ladder")...)
	}
	return append(out, p.takeovers()...)
}

// reached returns the ways that begin where a run can come to: from the agent
// that begins, and from those that users may choose.
func (p *Policy) reached(arcs []arc) []arc {
	todo := p.everyone()
	if first := p.first(); first != "" {
		todo = []string{first}
		for _, a := range p.Registry.Selectable() {
			todo = append(todo, a.ID)
		}
	}
	from, seen := map[string][]arc{}, map[string]bool{}
	for _, a := range arcs {
		from[a.from] = append(from[a.from], a)
	}
	var out []arc
	for ; len(todo) > 0; todo = todo[1:] {
		if id := todo[0]; !seen[id] {
			seen[id] = true
			out = append(out, from[id]...)
			for _, a := range from[id] {
				todo = append(todo, a.to)
			}
		}
	}
	return out
}

// arcsOf returns the ways of an edge.
func (p *Policy) arcsOf(e *Edge, to []string, by string) []arc {
	if e.Limits.Handoffs < 0 && p.checks("limits") {
		return nil
	}
	a := arc{by: by, apart: e.Apart}
	if p.checks("limits") {
		a.quota = e.Limits.Handoffs
	}
	var out []arc
	for _, from := range orAll(e.From, p) {
		for _, target := range to {
			if !p.mayHand(from, target) {
				continue
			}
			a.from, a.to = from, target
			if a.kinds = e.among(Transfer, Escalate); a.kinds != nil && (from != target || !p.checks("self")) {
				a.call = false
				a.ladder = slices.Equal(a.kinds, []Kind{Escalate}) && slices.Contains(p.Ladder, target)
				out = append(out, a)
			}
			a.kinds = e.among(Call, Spawn)
			if from == target && p.checks("self") {
				a.kinds = e.among(Spawn)
			}
			if a.kinds != nil && !(p.Limits.Depth < 0 && p.checks("limits")) {
				a.call, a.ladder = true, false
				out = append(out, a)
			}
		}
	}
	return out
}

// among returns those of some kinds that an edge allows; nil: none.
func (e *Edge) among(kinds ...Kind) []Kind {
	var out []Kind
	for _, k := range kinds {
		if admits(e.Kinds, k) {
			out = append(out, k)
		}
	}
	return out
}

// mayHand reports whether the checks let an agent hand to another one at all.
func (p *Policy) mayHand(from, to string) bool {
	_, known := p.Registry.Get(from)
	target, ok := p.Registry.Get(to)
	return known && ok && !(target.Refuses && p.checks("accepts")) && !(target.System && p.checks("system") && from != p.Supervisor)
}

// ruleArcs returns the ways of a rule, bounded by its own limits.
func (p *Policy) ruleArcs(r *Rule) []arc {
	out := p.arcsOf(r.edge(), p.targets(r), "rule "+r.Name)
	if r.Retry == nil {
		return out
	}
	if r.Retry.Max < 0 {
		return nil
	}
	for i := range out {
		out[i].retries = cmp.Or(r.Retry.Max, 3)
	}
	return out
}
