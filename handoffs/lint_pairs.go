package handoffs

import (
	"cmp"
	"slices"
)

// rulePairs looks for rules that get in one another's way.
func (l *linting) rulePairs() {
	places := make([]int, len(l.rules))
	for i := range places {
		places[i] = i
	}
	if l.p.Rules != nil {
		l.p.Rules.order(places)
	}
	shadowed := make([]bool, len(l.rules))
	for j := range places {
		for i := range places[:j] {
			a, b := &l.rules[places[i]], &l.rules[places[j]]
			switch {
			case shadowed[places[j]] || shadowed[places[i]]:
			case l.shadows(a, b):
				shadowed[places[j]] = true
				l.add(DefectShadowed, b.Place, nil, "rule %s never fires: %s always comes first", b.Name, a.Name)
			default:
				l.double(a, b)
			}
		}
	}
}

// shadows reports whether a rule fires whenever a later one could.
func (l *linting) shadows(a, b *Rule) bool {
	if a.Retry != nil || a.When != nil && a.When != b.When && a.When.Range == nil {
		return false
	}
	if !coversAll(a.From, b.From) || !coversAll(a.Triggers, b.Triggers) || a.Group != b.Group && len(l.eventsOf(b)) > 0 && !l.sameGroups(a, b) {
		return false
	}
	if a.When == nil || a.When == b.When {
		return true
	}
	if b.When == nil || b.When.Range == nil {
		return false
	}
	for _, t := range l.eventsOf(b) {
		of := l.fields.onTrigger(l.fields.boxes(a.When), t)
		for _, box := range l.fields.onTrigger(l.fields.boxes(b.When), t) {
			if !slices.ContainsFunc(of, box.within) {
				return false
			}
		}
	}
	return len(l.fields.boxes(b.When)) > 0
}

// eventsOf returns the triggers that a rule answers, "" for none.
func (l *linting) eventsOf(r *Rule) []string {
	if len(r.Triggers) == 0 {
		return []string{""}
	}
	return r.Triggers
}

// sameGroups reports whether two rules are of one group for every event of
// the second.
func (l *linting) sameGroups(a, b *Rule) bool {
	return !slices.ContainsFunc(l.eventsOf(b), func(t string) bool { return a.group(t) != b.group(t) })
}

// double notes that two rules can fire on one event, or that nothing but their
// place says which one does. The first is tried before the second.
func (l *linting) double(a, b *Rule) {
	for _, t := range l.common(a, b) {
		overlapping, sure := l.together(a, b, t)
		switch {
		case !overlapping:
		case !overlap(a.From, b.From):
			if len(a.Triggers) > 0 && len(b.Triggers) > 0 && (l.heard(a, b, t) || l.heard(b, a, t)) {
				return
			}
		case a.group(t) != b.group(t):
			l.add(DefectDoubleTrigger, b.Place, l.both(a, b), "rules %s and %s can both fire on %s: they are of the groups %q and %q, and their conditions can hold together",
				a.Name, b.Name, eventName(t), a.group(t), b.group(t))
			l.out[len(l.out)-1].Warning = !sure
			return
		case sure && !a.before(b) && !b.before(a):
			l.warn(DefectDoubleTrigger, b.Place, l.both(a, b), "rules %s and %s can both hold on %s: only their places say that %s fires; give one an order",
				a.Name, b.Name, eventName(t), a.Name)
			return
		}
	}
}

func eventName(trigger string) string {
	if trigger == "" {
		return "the end of a turn"
	}
	return trigger
}

// common returns the events that both rules answer.
func (l *linting) common(a, b *Rule) []string {
	switch {
	case len(a.Triggers) == 0:
		return l.eventsOf(b)
	case len(b.Triggers) == 0:
		return a.Triggers
	}
	return slices.DeleteFunc(slices.Clone(a.Triggers), func(t string) bool { return !slices.Contains(b.Triggers, t) })
}

// together reports whether the conditions of two rules can hold together on
// an event, and whether that is sure: a condition without a Range may hold or not.
func (l *linting) together(a, b *Rule, trigger string) (can, sure bool) {
	for _, box := range l.fields.onTrigger(l.fields.boxes(a.When), trigger) {
		if len(narrowBoxes(l.fields.onTrigger(l.fields.boxes(b.When), trigger), box)) > 0 {
			can = true
		}
	}
	plain := func(g *Guard) bool { return g == nil || g.Range != nil }
	return can, plain(a.When) && plain(b.When)
}

// both are the agents that two rules hand between.
func (l *linting) both(a, b *Rule) []string {
	from := "*"
	for _, id := range slices.Concat(a.From, b.From) {
		if admits(a.From, id) && admits(b.From, id) {
			from = id
			break
		}
	}
	return []string{from, cmp.Or(a.To, a.Capability), cmp.Or(b.To, b.Capability)}
}

// heard notes a rule that answers a trigger of other agents, where a rule of
// theirs answers it too: who passes the event on starts the work twice.
func (l *linting) heard(hears, own *Rule, t string) bool {
	emits := l.p.Rules.Emits
	warning := emits == nil
	if warning {
		if hears.To != own.To || hears.To == "" || !l.handsOn(hears, own) {
			return false
		}
	} else if !l.emitsOne(own, t) || l.emitsOne(hears, t) {
		return false
	}
	emitter := own.From[0]
	path := []string{emitter, own.To}
	all := l.reach(keepsNothing)
	if n, ok := all.at(emitter); ok {
		path = append(all.path(n), own.To)
	}
	l.add(DefectDoubleTrigger, hears.Place, path, "rules %s and %s both answer %s, which comes from %s: %s for %s, %s for %s; whoever passes it on starts the work of %s twice",
		own.Name, hears.Name, t, listed(own.From), own.Name, listed(own.From), hears.Name, listed(hears.From), cmp.Or(own.To, own.Capability))
	l.out[len(l.out)-1].Warning = warning
	return true
}

func keepsNothing(string, string) bool { return false }

// emitsOne reports whether an agent of a rule is said to emit a trigger.
func (l *linting) emitsOne(r *Rule, trigger string) bool {
	return slices.ContainsFunc(l.p.Rules.Emits, func(e Emission) bool { return e.Trigger == trigger && overlap(e.By, r.From) })
}

// handsOn reports whether a rule leads from the agents of one rule to those of
// another.
func (l *linting) handsOn(from, to *Rule) bool {
	return slices.ContainsFunc(l.rules, func(r Rule) bool { return overlap(r.From, from.From) && slices.Contains(to.From, r.To) })
}
