package handoffs

import "cmp"

// agents looks for agents, capabilities and classes that nobody knows.
func (l *linting) agents() {
	if l.p.Registry == nil {
		return
	}
	l.policyAgents()
	for i := range l.p.Edges {
		e := &l.p.Edges[i]
		l.known(e.title(), "", e.From...)
		l.known(e.title(), "", e.To...)
		l.provided(e.title(), "", e.Capability)
		l.actions(e.title()+" on reject", "", e.OnReject)
		l.approval(e.title(), "", e.Approval)
	}
	for i := range l.rules {
		r := &l.rules[i]
		what := "rule " + r.Name
		l.known(what, r.Place, r.From...)
		l.known(what, r.Place, r.To)
		if r.To == "" {
			l.provided(what, r.Place, r.Capability)
		}
		l.actions(what+" on reject", r.Place, r.OnReject)
		l.approval(what, r.Place, r.Approval)
	}
	if l.p.Rules != nil {
		for _, e := range l.p.Rules.Emits {
			l.known("trigger "+e.Trigger, e.Place, e.By...)
		}
		l.known("sets", "", sortedKeys(l.p.Rules.Sets)...)
	}
}

// policyAgents looks at the agents that the policy itself names.
func (l *linting) policyAgents() {
	p := l.p
	l.known("supervisor", "", p.Supervisor)
	l.known("entry", "", p.Entry)
	l.known("ladder", "", p.Ladder...)
	l.actions("on reject", "", p.OnReject)
	l.known("on failure", "", p.OnFailure.Target)
	l.approval("approve", "", p.Approve)
	for i := range p.Loops {
		r := &p.Loops[i]
		l.known("loop rule "+cmp.Or(r.Name, string(r.Key)), "", r.From, r.To, r.Action.Target)
	}
	if _, ok := p.Classes[p.Class]; p.Class != "" && !ok {
		l.add(DefectUnknownClass, "", nil, "there is no economic class %q", p.Class)
	}
}

func (l *linting) actions(what, place string, by map[Code]Action) {
	for _, code := range sortedKeys(by) {
		l.known(what+" "+string(code), place, by[code].Target)
	}
}

func (l *linting) approval(what, place string, a *ApprovalPolicy) {
	if a != nil {
		l.known(what+" approval", place, a.Agents...)
		l.known(what+" approval", place, a.OnReject.Target)
	}
}

// known notes agents that nobody has registered.
func (l *linting) known(what, place string, ids ...string) {
	for _, id := range ids {
		if _, ok := l.p.Registry.Get(id); id != "" && !ok {
			l.add(DefectUnknownAgent, place, []string{id}, "%s: there is no agent %q", what, id)
		}
	}
}

func (l *linting) provided(what, place, capability string) {
	if len(l.p.able(capability)) == 0 {
		l.add(DefectNoProvider, place, nil, "%s: no agent has the capability %q", what, capability)
	}
}

// states looks at the workflow's machine and the states that are named.
func (l *linting) states() {
	m := l.p.Machine
	if m != nil {
		l.out = append(l.out, m.Validate(l.p.Registry)...)
	}
	known := func(what, place string, states ...string) {
		for _, s := range states {
			switch {
			case s == "" || m != nil && m.has(s):
			case m == nil:
				l.add(DefectState, place, []string{s}, "%s: there is no state %q: the workflow has no machine", what, s)
			default:
				l.add(DefectState, place, []string{s}, "%s: there is no state %q", what, s)
			}
		}
	}
	for i := range l.p.Edges {
		e := &l.p.Edges[i]
		known(e.title(), "", e.Next)
		known(e.title(), "", e.When...)
	}
	for i := range l.rules {
		known("rule "+l.rules[i].Name, l.rules[i].Place, l.rules[i].Next, l.rules[i].Again)
	}
	if l.p.Rules != nil {
		for _, e := range l.p.Rules.Emits {
			known("trigger "+e.Trigger, e.Place, e.In...)
		}
	}
}

// names looks for names that are missing or there twice, and rules that hand
// to nobody.
func (l *linting) names() {
	seen := map[string]bool{}
	for i := range l.rules {
		r := &l.rules[i]
		switch {
		case r.Name == "":
			l.add(DefectName, r.Place, nil, "the rule %d has no name", i+1)
		case seen[r.Name]:
			l.add(DefectName, r.Place, nil, "two rules are named %q", r.Name)
		}
		seen[r.Name] = true
		switch k := r.kind(); {
		case k != Transfer && k != Call && k != Escalate:
			l.add(DefectTarget, r.Place, nil, "rule %s: a rule makes transfers, calls and escalations, no %s", r.Name, k)
		case r.To == "" && r.Capability == "" && k != Escalate:
			l.add(DefectTarget, r.Place, nil, "rule %s hands to nobody: it needs a target or a capability", r.Name)
		}
	}
	seen = map[string]bool{}
	for i := range l.p.Edges {
		if name := l.p.Edges[i].Name; name != "" && seen[name] {
			l.add(DefectName, "", nil, "two edges are named %q", name)
		}
		seen[l.p.Edges[i].Name] = true
	}
}
