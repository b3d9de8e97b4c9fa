package handoffs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// quotaOf returns what counts how often an arc is taken, and how often it may
// be; "": nothing does.
func (v *verifying) quotaOf(a *arc) (string, int) {
	if a.quota > 0 {
		return "the quota of " + a.by, a.quota
	}
	if r := v.p.loopQuota(a, true); r != nil {
		return fmt.Sprintf("loop rule %s for %s -> %s", cmp.Or(r.Name, string(r.Key)), a.from, a.to), max(r.Threshold, 1)
	}
	return "", 0
}

// count adds up what counters allow. Each handoff that is counted may be
// followed by a chain of transfers that are not.
func (v *verifying) count(counter func(*arc) (string, int)) certificate {
	quotas := map[string]int{}
	var rest []arc
	for i := range v.arcs {
		a := &v.arcs[i]
		by, n := "", 0
		if !a.reroute {
			by, n = counter(a)
		}
		if by == "" {
			rest = append(rest, *a)
			continue
		}
		quotas[by] = n
	}
	chain, ends := v.chain(rest)
	if !ends {
		return certificate{}
	}
	counted := 0
	var names []string
	for _, by := range sortedKeys(quotas) {
		counted = plus(counted, quotas[by])
		names = append(names, fmt.Sprintf("%s (%d)", by, quotas[by]))
	}
	total := plus(counted, product(plus(counted, 1), chain))
	switch {
	case len(names) == 1 && chain == 0:
		return atMost(total, "%s", strings.TrimSuffix(names[0], fmt.Sprintf(" (%d)", counted)))
	case len(names) == 0 && chain == 0:
		return atMost(0, "there is no way from agent to agent")
	case len(names) == 0:
		return atMost(total, "the longest way through the agents, with %s", times(v.refusals(), "refusal"))
	case chain == 0:
		return atMost(total, "%s", strings.Join(names, ", "))
	}
	return atMost(total, "%s, and at most %s before and behind each of them, with %s",
		strings.Join(names, ", "), times(chain, "other"), times(v.refusals(), "refusal"))
}

// chain returns the most handoffs that follow one another without being
// counted: escalations come to each rung once, there may be others between
// them, and as many as Misses says may be refused and tried again; false: there
// may be any number.
func (v *verifying) chain(rest []arc) (int, bool) {
	rungs := 0
	var plain []arc
	for _, a := range rest {
		if a.ladder && !v.deep {
			rungs = len(v.p.Ladder)
		} else {
			plain = append(plain, a)
		}
	}
	n, ends := longest(plain)
	if n = plus(rungs, product(plus(rungs, 1), n)); n == 0 {
		return 0, ends
	}
	return plus(n, max(0, v.refusals())), ends && v.p.Misses >= 0
}

// refusals is how many handoffs in a row may be refused.
func (v *verifying) refusals() int { return cmp.Or(v.p.Misses, 3) }

// longest returns the most handoffs that follow one another on arcs that
// nothing counts; false: there may be any number.
func longest(arcs []arc) (int, bool) {
	if slices.ContainsFunc(arcs, func(a arc) bool { return a.call }) {
		return 0, false
	}
	agents, most := map[string]int{}, 0
	for _, a := range arcs {
		agents[a.from], agents[a.to] = 0, 0
	}
	for range len(agents) + 1 {
		changed := false
		for _, a := range arcs {
			n := agents[a.from]
			if !a.reroute {
				n++
			}
			if n > agents[a.to] {
				agents[a.to], changed = n, true
				most = max(most, n)
			}
		}
		if !changed {
			return most, true
		}
	}
	return 0, false
}

// plus and product stay at the largest number where they would pass it.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func product(a, b int) int {
	if b != 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}
