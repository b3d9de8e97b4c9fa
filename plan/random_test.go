package plan_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

var (
	planCount = flag.Int("plans", 0, "how many random plans are run; 0: a number for everyday runs")
	planSeed  = flag.Uint64("plan", 0, "the one seed of a plan to run; 0: many")
)

// planNumber is how many programs are run, of an everyday number.
func planNumber(everyday int) int {
	switch {
	case *planCount > 0:
		return *planCount * everyday / 2000
	case testing.Short():
		return everyday / 10
	}
	return everyday
}

// TestRandomPlansDoWhatTheReferenceDoes compares random plans with the reference.
func TestRandomPlansDoWhatTheReferenceDoes(t *testing.T) {
	for part := range uint64(4) {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			comparePlans(t, 1+part*1_000_000, max(planNumber(2000)/4, 1))
		})
	}
}

// TestWildPlans looks only at what holds whatever the program, and that every run
// ends.
func TestWildPlans(t *testing.T) {
	t.Parallel()
	tally := map[string]int{}
	for seed := uint64(1); seed <= uint64(planNumber(2000)/4); seed++ {
		p := wilder(seed)
		end, err := comparePlan(p)
		if err != nil {
			t.Fatalf("seed %d: %v\nmade smaller:\n%s", seed, err, shrinkPlan(p))
		}
		tally[end]++
	}
	t.Log(tally)
}

// comparePlans compares so many programs from a seed on.
func comparePlans(t *testing.T, first uint64, count int) {
	began, tally := time.Now(), map[string]int{}
	for seed := first; seed < first+uint64(count); seed++ {
		if *planSeed != 0 {
			seed, count = *planSeed, 0
		}
		end, err := comparePlan(newProgram(seed))
		if err != nil {
			t.Fatalf("seed %d: %v\nmade smaller:\n%s", seed, err, shrinkPlan(newProgram(seed)))
		}
		tally[end]++
	}
	t.Logf("%d plans in %v: %v", count, time.Since(began).Round(time.Millisecond), tally)
}

// TestThePlanComparisonSeesWhatIsWrong lets the reference run programs that are a
// little different: they must not all be taken for the same.
func TestThePlanComparisonSeesWhatIsWrong(t *testing.T) {
	steps := func(change func(*progStep)) func(*program) {
		return func(p *program) {
			for i := range p.Steps {
				change(&p.Steps[i])
			}
		}
	}
	for name, change := range map[string]func(*program){
		"supervisor": func(p *program) { p.Supervisor = "" },
		"failure":    func(p *program) { p.OnFailure.Do = plan.Skip },
		"orphan":     func(p *program) { p.OnOrphan.Do = plan.Stop },
		"parallel":   func(p *program) { p.Parallel++ },
		"stalls":     func(p *program) { p.Stalls++ },
		"replans":    func(p *program) { p.Replans++ },
		"rounds":     func(p *program) { p.EveryRound = !p.EveryRound },
		"planner":    func(p *program) { p.Proposals = nil },
		"switch":     func(p *program) { p.OnSwitch = "" },
		"signals":    func(p *program) { p.Signals = nil },
		"resume": func(p *program) {
			p.Inputs = slices.DeleteFunc(p.Inputs, func(s string) bool { return s == "resume" })
			p.Inputs = append(p.Inputs, "go on")
		},
		"order":      func(p *program) { slices.Reverse(p.Steps) },
		"retry":      steps(func(s *progStep) { s.Retry++ }),
		"wait":       steps(func(s *progStep) { s.Wait /= 2 }),
		"timeout":    steps(func(s *progStep) { s.Timeout *= 2 }),
		"accept":     steps(func(s *progStep) { s.Accept = false }),
		"input":      steps(func(s *progStep) { s.Need = "" }),
		"depends":    steps(func(s *progStep) { s.Deps = nil }),
		"on_failure": steps(func(s *progStep) { s.OnFailure = plan.Failure{} }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := uint64(1); ; seed++ {
				require.Less(t, seed, uint64(3000), "no program shows the difference")
				other := newProgram(seed)
				if change(other); other.String() == newProgram(seed).String() {
					continue
				}
				if _, err := compareOther(newProgram(seed), other); err != nil {
					break
				}
			}
		})
	}
}

// comparePlan runs a program with the engine and with the reference. It returns
// how its last run ended.
func comparePlan(p *program) (string, error) { return compareOther(p, p) }

// compareOther runs one program with the engine and another with the reference.
func compareOther(p, other *program) (string, error) {
	ref := newReference(other)
	if !p.Wild {
		ref.play()
	}
	team, err := newProgTeam(p)
	if err != nil {
		return "", err
	}
	run := team.on(checkpoint.NewMemory(nil), "t")
	run.watch = p.watch
	if err := run.play(context.Background()); err != nil {
		return "", fmt.Errorf("%w\n%s", err, strings.Join(team.turns(), "\n"))
	}
	if p.Wild {
		return run.ends[len(run.ends)-1], nil
	}
	if err := compareRun(ref, run); err != nil {
		return "", err
	}
	if ref.plan.replans > 0 {
		return run.ends[len(run.ends)-1] + ", replanned", nil
	}
	return run.ends[len(run.ends)-1], nil
}

func compareRun(ref *reference, run *progRun) error {
	c := run.last.PlanCourse
	return errors.Join(
		sameTexts("rounds", ref.rounds, run.turns()), sameTexts("ends", ref.ends, run.ends), sameTexts("records", ref.records, planRecords(run.last)),
		sameTexts("steps", ref.plan.steps_(), statesOf(run.last)),
		sameTexts("course", []string{fmt.Sprint(ref.plan.phase), fmt.Sprint("version ", ref.plan.version), fmt.Sprint("replans ", ref.plan.replans)},
			[]string{fmt.Sprint(c.Phase), fmt.Sprint("version ", c.Version), fmt.Sprint("replans ", c.Replans)}),
	)
}

// steps_ are the steps as statesOf tells them.
func (l *refPlan) steps_() (out []string) {
	for _, s := range l.steps {
		q := l.at(s.ID)
		out = append(out, fmt.Sprintf("%s %s %d %s %v", s.ID, cmp.Or(q.status, plan.Pending), q.attempt, q.code, q.value))
	}
	return out
}

func statesOf(s *progState) (out []string) {
	for _, st := range s.Plan.Steps {
		q, _ := s.PlanSteps.Get(st.ID)
		var value any
		if q.Result != nil {
			value = q.Result.Value
		}
		out = append(out, fmt.Sprintf("%s %s %d %s %v", st.ID, cmp.Or(q.Status, plan.Pending), q.Attempt, q.Code, value))
	}
	return out
}

// planRecords are the handoffs by which steps began.
func planRecords(s *progState) (out []string) {
	log := handoffs.LogOf(s.HandoffLog)
	for i := range log.Len() {
		if e := log.At(i); e.Record != nil && e.Record.Actor == handoffs.ByPlan {
			out = append(out, fmt.Sprintf("%s>%s %s %s", e.Record.From, cmp.Or(e.Record.To, e.To), e.Record.Reason, e.Record.PlanStep))
		}
	}
	return out
}

func sameTexts(what string, want, got []string) error {
	if slices.Equal(want, got) {
		return nil
	}
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	return fmt.Errorf("%s differ at %d:\n  reference: %s\n  team:      %s", what, i, strings.Join(want, "; "), strings.Join(got, "; "))
}

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
