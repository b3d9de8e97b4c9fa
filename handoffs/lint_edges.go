package handoffs

import (
	"slices"
)

// edgePairs looks for edges that an earlier one always hides.
func (l *linting) edgePairs() {
	for j := range l.p.Edges {
		b := &l.p.Edges[j]
		i := slices.IndexFunc(l.p.Edges[:j], func(a Edge) bool { return l.hides(&a, b) })
		if i >= 0 {
			l.add(DefectShadowed, "", nil, "%s is never taken: %s always comes first", b.title(), l.p.Edges[i].title())
		}
	}
}

// hides reports whether an edge fits whenever a later one does.
func (l *linting) hides(a, b *Edge) bool {
	if !l.leadsToAll(a, b) || !coversAll(a.From, b.From) || !coversAll(a.Kinds, b.Kinds) ||
		!coversAll(a.Reasons, b.Reasons) || !coversAll(a.When, b.When) {
		return false
	}
	switch {
	case a.Guard == nil || a.Guard == b.Guard:
		return true
	case b.Guard == nil || a.Guard.Range == nil || b.Guard.Range == nil:
		return false
	}
	of := l.fields.boxes(a.Guard)
	return !slices.ContainsFunc(l.fields.boxes(b.Guard), func(box lintBox) bool { return !slices.ContainsFunc(of, box.within) })
}

// leadsToAll reports whether an edge leads to every agent that another one
// leads to.
func (l *linting) leadsToAll(a, b *Edge) bool {
	anyone := func(e *Edge) bool { return len(e.To) == 0 && e.Capability == "" }
	if anyone(a) || anyone(b) {
		return anyone(a)
	}
	all, to := l.p.leads(a), l.p.leads(b)
	return len(all) > 0 && len(to) > 0 && coversAll(all, to)
}

// payloads looks for rules whose payload is not what the edge between their
// agents asks for.
func (l *linting) payloads() {
	for i := range l.rules {
		r := &l.rules[i]
		told := map[*Edge]bool{}
		for _, from := range orAll(r.From, l.p) {
			for _, to := range l.p.targets(r) {
				e := l.between(r, from, to)
				if e == nil || told[e] || r.Payload == nil {
					continue
				}
				told[e] = true
				l.payload(r, e, []string{from, to})
			}
		}
	}
}

// between returns the edge that a command with a rule's kind and reason would
// take; nil: none.
func (l *linting) between(r *Rule, from, to string) *Edge {
	for i := range l.p.Edges {
		e := &l.p.Edges[i]
		if admits(e.From, from) && slices.Contains(l.p.leads(e), to) && coversAll(e.Kinds, []Kind{r.kind()}) && coversAll(e.Reasons, []Reason{r.Reason}) {
			return e
		}
	}
	return nil
}

// payload compares what a rule makes with what an edge asks for.
func (l *linting) payload(r *Rule, e *Edge, path []string) {
	makes := map[string]*PayloadField{}
	for i := range r.Payload {
		makes[r.Payload[i].Key] = &r.Payload[i].PayloadField
	}
	asked := map[string]bool{}
	for i := range e.Payload {
		want := &e.Payload[i]
		asked[want.Key] = true
		have := makes[want.Key]
		switch {
		case have == nil && !want.Optional:
			l.add(DefectPayload, r.Place, path, "rule %s makes no %q, which %s asks for", r.Name, want.Key, e.title())
		case have == nil:
		case have.Optional && !want.Optional:
			l.add(DefectPayload, r.Place, path, "rule %s need not make %q, which %s asks for", r.Name, want.Key, e.title())
		case !fitsType(have.Type, want.Type):
			l.add(DefectPayload, r.Place, path, "rule %s makes %q a %s, %s asks for a %s", r.Name, want.Key, have.Type, e.title(), want.Type)
		}
	}
	for i := range r.Payload {
		if key := r.Payload[i].Key; e.Closed && e.Payload != nil && !asked[key] {
			l.add(DefectPayload, r.Place, path, "rule %s makes %q, which %s does not know", r.Name, key, e.title())
		}
	}
}

// fitsType reports whether a value of one type may be of another one.
func fitsType(have, want string) bool {
	any := func(t string) bool { return t == "" || t == "any" }
	return any(have) || any(want) || have == want || have == "int" && want == "float"
}

// approvals looks for ways to an agent around the person who approves others.
func (l *linting) approvals() {
	if l.p.Approve != nil {
		return
	}
	asks := func(e *Edge) bool { return e.Approval != nil && e.Approval.When == nil }
	for i := range l.p.Edges {
		for j := range l.p.Edges {
			a, b := &l.p.Edges[i], &l.p.Edges[j]
			if asks(a) && b.Approval == nil && i != j {
				l.bypass(a, b)
			}
		}
	}
}

// bypass notes that an edge leads to an agent without the approval that
// another one asks for.
func (l *linting) bypass(a, b *Edge) {
	for _, id := range l.p.leads(a) {
		if len(a.Approval.Agents) > 0 && !slices.Contains(a.Approval.Agents, id) || !slices.Contains(l.p.leads(b), id) || id == l.p.Supervisor {
			continue
		}
		l.warn(DefectApprovalBypass, "", []string{listed(b.From), id}, "%s leads to %s without the approval that %s asks for", b.title(), id, a.title())
		return
	}
}
