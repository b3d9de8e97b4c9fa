package handoffs

import (
	"fmt"
	"math"
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
	p = p.bounded()
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

// byClass is the bound by the limit of the run's class.
func (v *verifying) byClass() certificate {
	n := v.p.Classes[v.p.Class].Handoffs
	if n == 0 || !v.p.checks("limits") {
		return certificate{}
	}
	return v.capped(max(n, 0), "the limit of class "+v.p.Class)
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
