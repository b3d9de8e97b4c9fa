package plan_test

import (
	"errors"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/plan"
)

// shrinkPlan makes a failing program smaller, and tells how it fails.
func shrinkPlan(p *program) string {
	how := ""
	_, first := comparePlan(p)
	fails := func(p *program) bool {
		_, err := comparePlan(p)
		same := err != nil && kindOf(err) == kindOf(first)
		if same {
			how = err.Error()
		}
		return same
	}
	for again := true; again; {
		again = false
		for i := 0; ; i++ {
			less := parseProgram(p.String())
			cuts := less.cuts()
			if i >= len(cuts) {
				break
			}
			if cuts[i](); len(less.String()) < len(p.String()) && fails(less) {
				p, again = less, true
				i--
			}
		}
	}
	fails(p)
	return how + "\n" + p.String()
}

// kindOf is the sort of a difference: one of the engine's errors, one of what is
// watched, or another result.
func kindOf(err error) string {
	var ps *plan.Problems
	switch {
	case errors.As(err, &ps) && strings.Contains(err.Error(), "planner"):
		return "planner"
	case errors.As(err, &ps):
		return "plan"
	case strings.HasPrefix(err.Error(), "input"):
		return "run"
	}
	return ""
}

// cuts are ways to make the program smaller. Some do nothing.
func (p *program) cuts() (out []func()) {
	out = append(out, func() { p.Supervisor = "" }, func() { p.OnFailure = plan.Failure{} }, func() { p.OnOrphan = plan.Failure{} }, func() { p.Parallel = 0 },
		func() { p.Stalls = 0 }, func() { p.Replans = 0 }, func() { p.EveryRound = false }, func() { p.More = false }, func() { p.Signals = nil }, func() { p.OnSwitch = "" },
		func() { p.Room = 0 }, func() { p.Talker = "" }, func() { p.Limit = 0 }, func() { p.Asks = false })
	for i := range p.Inputs {
		out = append(out, func() { p.Inputs = slices.Delete(p.Inputs, i, i+1) })
	}
	for i := range p.Proposals {
		out = append(out, func() { p.Proposals = slices.Delete(p.Proposals, i, i+1) }, func() { p.Proposals[i].More = false })
		out = append(out, cutSteps(&p.Proposals[i].Steps)...)
	}
	return append(out, cutSteps(&p.Steps)...)
}

func cutSteps(steps *[]progStep) (out []func()) {
	for i := range *steps {
		s := &(*steps)[i]
		out = append(out, func() { cutStep(steps, i) }, func() { s.Deps = nil; s.Need = "" }, func() { s.Need = "" }, func() { s.Accept = false }, func() { s.Retry, s.Wait = 0, 0 },
			func() { s.Wait = 0 }, func() { s.Timeout = 0 }, func() { s.OnFailure = plan.Failure{} }, func() { s.Attempts = nil })
		for j := range s.Attempts {
			a := &s.Attempts[j]
			out = append(out, func() { s.Attempts = s.Attempts[:j] }, func() { a.Stays = a.Stays[:min(1, len(a.Stays))] }, func() { a.Stays = nil })
			for k := range a.Stays {
				for l := range a.Stays[k].Turns {
					out = append(out, func() { a.Stays[k].Turns = slices.Delete(a.Stays[k].Turns, l, l+1) }, func() { a.Stays[k].Turns[l] = progTurn{} })
				}
			}
		}
	}
	return out
}

func cutStep(steps *[]progStep, i int) {
	if len(*steps) == 1 {
		return
	}
	id := (*steps)[i].ID
	*steps = slices.Delete(*steps, i, i+1)
	for j := range *steps {
		s := &(*steps)[j]
		s.Deps = slices.DeleteFunc(s.Deps, func(d string) bool { return d == id })
		if s.Need == id {
			s.Need = ""
		}
	}
}
