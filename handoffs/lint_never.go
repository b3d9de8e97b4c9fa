package handoffs

import (
	"fmt"
	"slices"
	"strings"
)

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
		for _, field := range sortedKeys(r.known[n]) {
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
