package handoffs

import (
	"cmp"
	"maps"
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

func sortedIDs[V any](m map[string]V) []string { return sortedKeys(m)) }

// checks reports whether one of the checks of the usual pipeline is in force.
func (p *Policy) checks(name string) bool {
	return p.Checks == nil || slices.ContainsFunc(p.Checks, func(c Check) bool { return c.Name == name })
}

// limits returns the limits of the run, and those that it has in any class it
// can come to: a command may change the class.
func (p *Policy) limits(has func(*Limits) bool) bool {
	if has(&p.Limits) {
		return true
	}
	if _, ok := p.Classes[p.Class]; !ok {
		return false
	}
	for _, m := range p.Classes {
		if !has(&m) {
			return false
		}
	}
	return true
}

// counted names what counts the handoffs of a run; "": nothing does.
func (p *Policy) counted() string {
	if p.checks("limits") && p.limits(func(m *Limits) bool { return m.Handoffs != 0 }) {
		return "handoffs"
	}
	return ""
}

// runsOut names what every turn uses up; "": nothing.
func (p *Policy) runsOut() string {
	switch {
	case !p.checks("limits"):
	case p.limits(func(m *Limits) bool { return m.Turns != 0 }):
		return "turns"
	case p.limits(func(m *Limits) bool { return m.Time != 0 }) && p.Virtual.IsZero():
		return "time"
	case p.checks("budget") && p.limits(func(m *Limits) bool { return m.Tokens != 0 }):
		return "tokens"
	}
	return ""
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
	to := p.targets(r)
	if len(to) == 0 && r.kind() == Escalate {
		to = p.Ladder
	}
	out := p.arcsOf(r.edge(), to, "rule "+r.Name)
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

// takeovers returns the ways that the policy itself sends a run.
func (p *Policy) takeovers() []arc {
	var out []arc
	add := func(to string, rescue bool) {
		_, known := p.Registry.Get(to)
		for _, from := range p.everyone() {
			a := arc{from: from, to: to, kinds: []Kind{Transfer}, by: "failures", rescue: rescue, reroute: !rescue}
			if known && from != to && !slices.ContainsFunc(out, func(o arc) bool { return o.from == from && o.to == to && o.rescue == rescue }) {
				out = append(out, a)
			}
		}
	}
	for _, id := range p.routes() {
		add(id, false)
		add(id, true)
	}
	return out
}

// routes returns the agents that take over from others.
func (p *Policy) routes() []string {
	var out []string
	take := func(a Action) {
		if a.Do == RouteTo && a.Target != "" {
			out = append(out, a.Target)
		}
	}
	by := func(m map[Code]Action) {
		for _, code := range sortedKeys(m)) {
			take(m[code])
		}
	}
	if p.Supervisor != "" && (p.OnReject[""].Do == DoDefault || p.OnFailure.Do == DoDefault || p.OnFailure.Do == ToSource) {
		out = append(out, p.Supervisor)
	}
	by(p.OnReject)
	take(p.OnFailure)
	for i := range p.Edges {
		by(p.Edges[i].OnReject)
	}
	if p.Rules != nil {
		for i := range p.Rules.List {
			by(p.Rules.List[i].OnReject)
		}
	}
	for i := range p.Loops {
		take(p.Loops[i].Action)
	}
	return out
}

// loopQuota returns a loop rule that bounds how often an arc can be taken in
// a run. Strict ones also count handoffs that wait.
func (p *Policy) loopQuota(a *arc, strict bool) *LoopRule {
	if a.reroute || !p.checks("loop") {
		return nil
	}
	for i := range p.Loops {
		r := &p.Loops[i]
		if r.From != "" && r.From != a.from || r.To != "" && r.To != a.to || !coversAll(r.Kinds, a.kinds) {
			continue
		}
		switch r.Key {
		case LoopQuota:
			return r
		case "", LoopTarget, LoopEdge:
			if r.Window <= 0 && !strict {
				return r
			}
		}
	}
	return nil
}
