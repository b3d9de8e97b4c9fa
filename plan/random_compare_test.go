package plan_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

func compareRun(ref *reference, run *progRun) error {
	c := run.last.PlanCourse
	return errors.Join(
		sameTexts("rounds", ref.rounds, run.turns()), sameTexts("ends", ref.ends, run.ends), sameTexts("records", ref.records, planRecords(run.last)),
		sameTexts("steps", ref.plan.told(), statesOf(run.last)),
		sameTexts("course", []string{fmt.Sprint(ref.plan.phase), fmt.Sprint("version ", ref.plan.version), fmt.Sprint("replans ", ref.plan.replans)},
			[]string{fmt.Sprint(c.Phase), fmt.Sprint("version ", c.Version), fmt.Sprint("replans ", c.Replans)}),
	)
}

// told are the steps as statesOf tells them.
func (l *refPlan) told() (out []string) {
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
