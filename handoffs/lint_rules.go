package handoffs

import "slices"

// emissions looks for triggers that no rule answers.
func (l *linting) emissions() {
	if l.p.Rules == nil {
		return
	}
	for _, e := range l.p.Rules.Emits {
		answers := func(r Rule) bool { return slices.Contains(r.Triggers, e.Trigger) && overlap(r.From, e.By) }
		if !slices.ContainsFunc(l.rules, answers) {
			l.add(DefectUnanswered, e.Place, e.By, "no rule answers %s from %s", e.Trigger, anybody(e.By))
		}
	}
}

func anybody(ids []string) string {
	if len(ids) == 0 {
		return "any agent"
	}
	return listed(ids)
}

// retryEntries looks for failures whose retry goes on in another state than
// they say.
func (l *linting) retryEntries() {
	for i := range l.rules {
		fails := &l.rules[i]
		if fails.Again == "" || fails.To == "" {
			continue
		}
		var other *Rule
		same := false
		for j := range l.rules {
			back := &l.rules[j]
			if back.Next == "" || !slices.Contains(back.From, fails.To) || !slices.Contains(fails.From, back.To) {
				continue
			}
			same = same || back.Next == fails.Again
			other = back
		}
		if other != nil && !same {
			l.add(DefectRetryEntry, fails.Place, []string{other.To, fails.To, other.To},
				"rule %s goes on in %s when it is tried again, but rule %s enters again at %s", fails.Name, fails.Again, other.Name, other.Next)
		}
	}
}
