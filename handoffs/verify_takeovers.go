package handoffs

import "slices"

// takeovers returns the ways that the policy itself sends a run.
func (p *Policy) takeovers() []arc {
	var out []arc
	failed, rejected := &form{kinds: []Kind{Transfer}, by: "failures", rescue: true}, &form{kinds: []Kind{Transfer}, by: "failures", reroute: true}
	for _, to := range p.routes() {
		if _, known := p.Registry.Get(to); !known {
			continue
		}
		for _, from := range p.everyone() {
			if from != to {
				out = append(out, arc{from, to, failed}, arc{from, to, rejected})
			}
		}
	}
	return out
}

// routes returns the agents that take over from others, each once.
func (p *Policy) routes() []string {
	var out []string
	take := func(a Action) {
		if a.Do == RouteTo && !slices.Contains(out, a.Target) {
			out = append(out, a.Target)
		}
	}
	by := func(m map[Code]Action) {
		for _, code := range sortedKeys(m) {
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
