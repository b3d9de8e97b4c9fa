package handoffs

import "slices"

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
