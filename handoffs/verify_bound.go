package handoffs

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Bound returns the largest number of handoffs that a run of a policy can
// make, whatever its agents do, by the rule that allows the least. Why tells
// the rules, and what follows for the turns of agents, one thing a line, the rule
// that counts first. Bounded is false if no rule gives a number; a run may end
// all the same, by its turns, tokens or time: Verify tells that. Returns and
// repeated attempts are no handoffs.
func Bound(p *Policy) (handoffs int, bounded bool, why []string) {
	if p == nil {
		return 0, false, nil
	}
	v := newVerifying(p)
	best := certificate{n: math.MaxInt}
	for _, c := range []certificate{v.byRun(), v.byClass(), v.byQuotas()} {
		switch {
		case c.text == "":
		case c.n < best.n || best.text == "":
			if best.text != "" {
				why = append([]string{best.text}, why...)
			}
			best = c
		default:
			why = append(why, c.text)
		}
	}
	if best.text == "" {
		if by := p.runsOut(); by != "" {
			return 0, false, []string{"no rule counts the handoffs; a run ends by its " + by}
		}
		return 0, false, []string{"no rule bounds the handoffs"}
	}
	return best.n, true, append(append([]string{best.text}, why...), p.stays(best.n))
}

// certificate is a bound and the rule that gives it; without a text there is
// none.
type certificate struct {
	n    int
	text string
}

func atMost(n int, format string, args ...any) certificate {
	return certificate{n, fmt.Sprintf("at most %s: ", times(n, "handoff")) + fmt.Sprintf(format, args...)}
}

func times(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// stays tells what a number of handoffs means for turns.
func (p *Policy) stays(n int) string {
	most := 0
	for a := range p.Registry.All() {
		if a.Turns <= 0 {
			return fmt.Sprintf("so agents work %s", times(plus(n, 1), "time"))
		}
		most = max(most, a.Turns)
	}
	return fmt.Sprintf("so at most %d × %d turns: of as many stays of agents, each of at most %d", plus(n, 1), most, most)
}

// byRun is the bound by the limit of the run.
func (v *verifying) byRun() certificate {
	n := v.p.Limits.Handoffs
	if n == 0 || !v.p.checks("limits") {
		return certificate{}
	}
	return v.capped(max(n, 0), "the limit of the run")
}

// byClass is the bound by the limits of the classes that a run can have.
func (v *verifying) byClass() certificate {
	of, ok := v.p.Classes[v.p.Class]
	if !ok || of.Handoffs == 0 || !v.p.checks("limits") {
		return certificate{}
	}
	n, name := max(of.Handoffs, 0), v.p.Class
	for _, class := range sortedKeys(v.p.Classes)) {
		most := v.p.Classes[class].Handoffs
		if most == 0 {
			return certificate{}
		}
		if most > n {
			n, name = most, class
		}
	}
	if name != v.p.Class {
		return v.capped(n, "the limit of class "+name+", which a run of class "+v.p.Class+" may come to")
	}
	return v.capped(n, "the limit of class "+name)
}

// capped is the bound where what counts for the run may happen so often: it
// has the quotas of what is counted apart on top.
func (v *verifying) capped(n int, by string) certificate {
	return v.count(func(a *arc) (string, int) {
		if !a.apart {
			return by, n
		}
		return v.quotaOf(a)
	})
}

// byQuotas is the bound by the quotas of edges and rules.
func (v *verifying) byQuotas() certificate {
	return v.count(v.quotaOf)
}

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
	for _, by := range sortedKeys(quotas)) {
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
