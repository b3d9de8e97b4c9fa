package handoffs

import "slices"

// ways looks at what runs can come to.
func (l *linting) ways() {
	if l.p.mesh() || l.p.Registry.Len() == 0 {
		return
	}
	any := l.reachFrom(l.chosen(), keepsNothing)
	sure, likely := any, l.reachFrom(l.chosen(), l.keepsLikely)
	if !l.sideBySide() {
		sure = l.reachFrom(l.chosen(), l.keepsSurely)
	}
	for i := range l.rules {
		switch {
		case !any.taken[i]:
			l.neverFires(any, i)
		case !sure.taken[i]:
			l.excluded(sure, i, false)
		case !likely.taken[i]:
			l.excluded(likely, i, true)
		}
	}
	l.unreached(any)
	alone := l.reach(keepsNothing)
	l.stuck(alone)
	l.expectations(alone)
}

// sideBySide reports whether agents may work at once, and so change the state
// in one another's turns.
func (l *linting) sideBySide() bool {
	return slices.ContainsFunc(l.p.Edges, func(e Edge) bool { return len(e.Kinds) == 0 || slices.Contains(e.Kinds, Spawn) })
}

// keepsSurely reports whether a turn of an agent is said to leave a field as
// it is.
func (l *linting) keepsSurely(agent, field string) bool {
	sets, said := l.sets(agent)
	return said && !slices.Contains(sets, field)
}

// keepsLikely is keepsSurely that takes agents of which nothing is said to
// leave amounts as they are that nobody asks for equality.
func (l *linting) keepsLikely(agent, field string) bool {
	if _, said := l.sets(agent); said {
		return l.keepsSurely(agent, field)
	}
	return l.measured(field)
}

func (l *linting) sets(agent string) ([]string, bool) {
	if l.p.Rules == nil {
		return nil, false
	}
	sets, said := l.p.Rules.Sets[agent]
	return sets, said
}

// measured reports whether rules ask for a field's amount only: more or less
// than something.
func (l *linting) measured(field string) bool {
	for i := range l.rules {
		if l.rules[i].When == nil {
			continue
		}
		for _, all := range l.rules[i].When.Range {
			for _, c := range all {
				if c.Field == field && (c.Op == "==" || c.Op == "!=") {
					return false
				}
			}
		}
	}
	return true
}

// unreached tells of agents that nothing leads to.
func (l *linting) unreached(r *lintReach) {
	for _, id := range l.p.everyone() {
		if _, ok := r.at(id); !ok {
			l.warn(DefectUnreached, "", []string{id}, "nothing leads to %s", id)
		}
	}
}

// stuck tells of agents that no way leads on from to a final state.
func (l *linting) stuck(r *lintReach) {
	m := l.p.Machine
	if m == nil || len(m.Final) == 0 {
		return
	}
	ends := map[lintNode]bool{}
	for more := true; more; {
		more = false
		for _, s := range r.steps {
			if !ends[s.from] && (ends[s.to] || slices.Contains(m.Final, s.to.state) || slices.Contains(m.Final, s.from.state)) {
				ends[s.from], more = true, true
			}
		}
	}
	told := map[string]bool{}
	for _, n := range r.order {
		if !ends[n] && !slices.Contains(m.Final, n.state) && !told[n.agent] {
			told[n.agent] = true
			l.add(DefectStuck, "", r.path(n), "no way leads on from %s in %s to a final state", n.agent, n.state)
		}
	}
}
