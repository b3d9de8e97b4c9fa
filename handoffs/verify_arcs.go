package handoffs

import (
	"cmp"
	"slices"
)

// arc is a way from one agent to another one, of transfers or of calls.
type arc struct {
	from, to string
	*form
}

// form is what the ways of an edge, of a rule or of the policy are like. Many
// arcs share one.
type form struct {
	call    bool   // calls and spawns, which return
	kinds   []Kind // that it may be
	by      string // the edge or rule
	quota   int    // how often by may be taken in all; 0: any number
	retries int    // the same, but handoffs that wait are not counted
	apart   bool   // the run does not count it
	ladder  bool   // an escalation, which comes to each rung once until something is called
	rescue  bool   // an agent takes over from one that failed
	reroute bool   // an agent takes over from one whose handoff was rejected, which is no handoff
}

// arcs returns all ways that a policy leaves open.
func (p *Policy) arcs() []arc {
	var out []arc
	edges := p.Edges
	if edges == nil {
		edges = []Edge{{}}
	}
	for i := range edges {
		out = p.arcsOf(out, &edges[i], p.leads(&edges[i]), edges[i].title())
	}
	if p.Rules != nil {
		for i := range p.Rules.List {
			out = append(out, p.ruleArcs(&p.Rules.List[i])...)
		}
	}
	if p.Edges != nil && len(p.Ladder) > 0 {
		out = p.arcsOf(out, &Edge{Kinds: []Kind{Escalate}}, p.Ladder, "the ladder")
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
	next := map[string][]string{}
	for i := range arcs {
		next[arcs[i].from] = append(next[arcs[i].from], arcs[i].to)
	}
	seen := map[string]bool{}
	for ; len(todo) > 0; todo = todo[1:] {
		if id := todo[0]; !seen[id] {
			seen[id] = true
			todo = append(todo, next[id]...)
		}
	}
	return slices.DeleteFunc(arcs, func(a arc) bool { return !seen[a.from] })
}

// arcsOf appends the ways of an edge.
func (p *Policy) arcsOf(out []arc, e *Edge, to []string, by string) []arc {
	if e.Limits.Handoffs < 0 && p.checks("limits") {
		return out
	}
	f := p.forms(e, by)
	noSelf := p.checks("self")
	sources, takers := orAll(e.From, p), p.takers(to)
	out = slices.Grow(out, 2*len(sources)*len(takers))
	for _, from := range sources {
		if _, known := p.Registry.Get(from); !known {
			continue
		}
		for _, target := range takers {
			if target.System && from != p.Supervisor && p.checks("system") {
				continue
			}
			over, call := f.over, f.call
			switch {
			case from == target.ID && noSelf:
				over, call = nil, f.self
			case f.climb != nil && slices.Contains(p.Ladder, target.ID):
				over = f.climb
			}
			for _, form := range [...]*form{over, call} {
				if form != nil {
					out = append(out, arc{from, target.ID, form})
				}
			}
		}
	}
	return out
}

// forms are what the ways of one edge are like; nil: it has none of the sort.
type forms struct {
	over, climb *form // transfers; up the ladder
	call, self  *form // calls and spawns; of an agent's own
}

func (p *Policy) forms(e *Edge, by string) forms {
	base := form{by: by, apart: e.Apart}
	if p.checks("limits") {
		base.quota = e.Limits.Handoffs
	}
	of := func(kinds ...Kind) *form {
		f := base
		if f.kinds = e.among(kinds...); f.kinds == nil {
			return nil
		}
		return &f
	}
	out := forms{over: of(Transfer, Escalate)}
	if out.over != nil && slices.Equal(out.over.kinds, []Kind{Escalate}) {
		up := *out.over
		up.ladder, out.climb = true, &up
	}
	if p.Limits.Depth < 0 && p.checks("limits") {
		return out
	}
	base.call = true
	out.call, out.self = of(Call, Spawn), of(Spawn)
	return out
}

// takers returns those of some agents that take handoffs.
func (p *Policy) takers(ids []string) []*Profile {
	all := make([]*Profile, 0, len(ids))
	for _, id := range ids {
		if a, ok := p.Registry.Get(id); ok && !(a.Refuses && p.checks("accepts")) {
			all = append(all, a)
		}
	}
	return all
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

// ruleArcs returns the ways of a rule, bounded by its own limits.
func (p *Policy) ruleArcs(r *Rule) []arc {
	if r.Retry != nil && r.Retry.Max < 0 {
		return nil
	}
	out := p.arcsOf(nil, r.edge(), p.targets(r), "rule "+r.Name)
	if r.Retry == nil {
		return out
	}
	for i := range out {
		out[i].retries = cmp.Or(r.Retry.Max, 3)
	}
	return out
}
