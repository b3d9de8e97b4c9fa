package plan_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
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
	for seed := uint64(1); seed <= uint64(planNumber(2000)/10); seed++ {
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
