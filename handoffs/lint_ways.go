package handoffs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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

// neverFires tells why a rule cannot fire whatever the state is.
func (l *linting) neverFires(r *lintReach, i int) {
	rule := &l.rules[i]
	from := orAll(rule.From, l.p)
	var at []lintNode
	for _, n := range r.order {
		if slices.Contains(from, n.agent) {
			at = append(at, n)
		}
	}
	why, path := "", []string(nil)
	switch {
	case len(l.fields.boxes(rule.When)) == 0:
		why = "its condition cannot hold"
	case len(at) == 0:
		why = "nothing leads to " + strings.Join(from, ", ")
	case r.bars[i]:
		n := at[0]
		why, path = fmt.Sprintf("the workflow cannot move to %s while %s works", orState(rule.Next, rule.Again), n.agent), r.path(n)
	default:
		why, path = "nobody emits "+strings.Join(rule.Triggers, " or ")+" there", r.path(at[0])
	}
	l.add(DefectNeverFires, rule.Place, path, "rule %s never fires: %s", rule.Name, why)
}

// excluded tells that the conditions on every way to a rule's agent exclude
// its own.
func (l *linting) excluded(r *lintReach, i int, warning bool) {
	rule := &l.rules[i]
	for _, n := range r.order {
		if !admits(rule.From, n.agent) {
			continue
		}
		var fields []string
		for _, field := range sortedKeys(r.known[n])) {
			if lasting(field) && l.compares(rule.When, field) {
				fields = append(fields, field)
			}
		}
		if len(fields) == 0 {
			continue
		}
		format := "rule %s never fires: it needs %s, and every way to %s excludes that"
		if warning {
			format = "rule %s fires only if %[3]s changes " + strings.Join(fields, " or ") + ": it needs %[2]s, and every way to %[3]s excludes that"
		}
		l.add(DefectNeverFires, rule.Place, r.path(n), format, rule.Name, rangeText(rule.When.Range), n.agent)
		l.out[len(l.out)-1].Warning = warning
		return
	}
	l.add(DefectNeverFires, rule.Place, nil, "rule %s never fires: what comes before it excludes its condition", rule.Name)
	l.out[len(l.out)-1].Warning = warning
}

// compares reports whether a guard compares a field.
func (l *linting) compares(g *Guard, field string) bool {
	if g == nil {
		return false
	}
	for _, all := range g.Range {
		if slices.ContainsFunc(all, func(c Comparison) bool { return c.Field == field }) {
			return true
		}
	}
	return false
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

// expectations compares what was said of the number of handoffs with what
// runs without errors can make.
func (l *linting) expectations(r *lintReach) {
	if l.p.Rules == nil {
		return
	}
	for _, goal := range sortedKeys(l.p.Rules.Expect) {
		most := max(l.p.Rules.Expect[goal], len(r.order))
		counts, path := l.counts(r, goal, most)
		if slices.Contains(counts, l.p.Rules.Expect[goal]) {
			continue
		}
		if len(counts) == 0 {
			l.add(DefectExpect, "", nil, "%s is expected behind %d handoffs, and no run without errors comes to it", goal, l.p.Rules.Expect[goal])
			continue
		}
		texts := make([]string, len(counts))
		for i, n := range counts {
			texts[i] = fmt.Sprint(n)
		}
		l.add(DefectExpect, "", path, "%s is expected behind %d handoffs, a run without errors makes %s",
			goal, l.p.Rules.Expect[goal], strings.Join(texts, " or "))
	}
}

// lintCount is a node of a run with the handoffs that were made before.
type lintCount struct {
	lintNode
	n int
}

// counts returns how many handoffs runs without errors can make until they
// come to a goal, and the agents of one with the most.
func (l *linting) counts(r *lintReach, goal string, most int) (counts []int, path []string) {
	came := map[lintCount]lintCount{}
	var todo []lintCount
	for _, n := range l.begins() {
		todo = append(todo, lintCount{n, 0})
		came[todo[len(todo)-1]] = lintCount{}
	}
	var last lintCount
	for ; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if l.isGoal(at.lintNode, goal) {
			if !slices.Contains(counts, at.n) {
				counts = append(counts, at.n)
			}
			if path == nil || at.n > last.n {
				path, last = countPath(came, at), at
			}
			continue
		}
		for _, s := range r.steps {
			next := lintCount{s.to, at.n}
			if s.hands {
				next.n++
			}
			if _, seen := came[next]; s.from == at.lintNode && s.calm && !seen && next.n <= most {
				came[next] = at
				todo = append(todo, next)
			}
		}
	}
	slices.Sort(counts)
	return counts, path
}

// isGoal reports whether a run is where Rules.Expect means.
func (l *linting) isGoal(n lintNode, goal string) bool {
	if l.p.Machine == nil {
		return n.agent == goal
	}
	return n.state == goal
}

func countPath(came map[lintCount]lintCount, at lintCount) []string {
	var out []string
	for ; at.agent != ""; at = came[at] {
		if len(out) == 0 || out[len(out)-1] != at.agent {
			out = append(out, at.agent)
		}
	}
	slices.Reverse(out)
	return out
}
