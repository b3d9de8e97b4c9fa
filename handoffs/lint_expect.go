package handoffs

import (
	"fmt"
	"slices"
	"strings"
)

// expectations compares what was said of the number of handoffs with what
// runs without errors can make.
func (l *linting) expectations(r *lintReach) {
	if l.p.Rules == nil {
		return
	}
	for _, goal := range sortedKeys(l.p.Rules.Expect) {
		place := l.p.Rules.ExpectAt[goal]
		most := max(l.p.Rules.Expect[goal], len(r.order))
		counts, path := l.counts(r, goal, most)
		if slices.Contains(counts, l.p.Rules.Expect[goal]) {
			continue
		}
		if len(counts) == 0 {
			l.add(DefectExpect, place, nil, "%s is expected behind %d handoffs, and no run without errors comes to it", goal, l.p.Rules.Expect[goal])
			continue
		}
		texts := make([]string, len(counts))
		for i, n := range counts {
			texts[i] = fmt.Sprint(n)
		}
		l.add(DefectExpect, place, path, "%s is expected behind %d handoffs, a run without errors makes %s",
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
		for _, s := range r.from[at.lintNode] {
			next := lintCount{s.to, at.n}
			if s.hands {
				next.n++
			}
			if _, seen := came[next]; s.calm && !seen && next.n <= most {
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
		if at.agent != someone && (len(out) == 0 || out[len(out)-1] != at.agent) {
			out = append(out, at.agent)
		}
	}
	slices.Reverse(out)
	return out
}
