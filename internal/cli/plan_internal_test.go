package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/plan"
)

func TestVersionsAreThoseOfTheLastPlan(t *testing.T) {
	t.Parallel()
	planned1 := func(id string, version int) plan.Event {
		return plan.Event{Event: plan.EventPlanned, Version: version, Plan: &plan.Plan{ID: id, Version: version}}
	}
	step := plan.Event{Event: plan.EventDone, Step: "s1"}
	for _, c := range []struct {
		name     string
		log      []plan.Event
		latest   int
		versions []int
	}{
		{"none", nil, 0, nil},
		{"one", []plan.Event{planned1("p", 1), step}, 2, []int{1}},
		{"two", []plan.Event{planned1("p", 1), step, planned1("p", 2), step}, 4, []int{1, 2}},
		{"another plan", []plan.Event{planned1("p", 1), planned1("p", 2), step, planned1("q", 1), step}, 2, []int{1}},
		{"the same once more", []plan.Event{planned1("p", 1), step, planned1("p", 1), planned1("p", 2), step}, 3, []int{1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &planned{log: c.log}
			require.Len(t, p.latest(), c.latest)
			var versions []int
			for _, v := range versionsOf(p) {
				versions = append(versions, v.Version)
			}
			require.Equal(t, c.versions, versions)
		})
	}
}

func TestPlanRowsTellWhyAPlanChanges(t *testing.T) {
	t.Parallel()
	p := &planned{plan: &plan.Plan{ID: "p"}, course: &plan.Course{Phase: plan.Replanning, Stalls: 2}}
	for want, c := range map[string]*plan.Cause{
		"":                             nil,
		"steps have ended":             {Text: "steps have ended"},
		"s2, rag, timeout: it is late": {Step: "s2", Agent: "rag", Code: "timeout", Text: "it is late"},
	} {
		p.course.Cause = c
		require.Contains(t, planRows(p), [2]string{"cause", want})
		require.Contains(t, planRows(p), [2]string{"stalls", "2"})
	}
}

func TestSpentText(t *testing.T) {
	t.Parallel()
	s := &stepObject{Step: &plan.Step{ID: "s1", Result: &plan.Result{Outputs: map[string]any{"n": int64(1)}}}}
	s.Step.Result.Spent.Tokens, s.Step.Result.Spent.Calls = 12, 1
	text, err := stepText(s, false)
	require.NoError(t, err)
	require.Equal(t, "id: s1\nresult:\n  outputs:\n    n: 1\nspent: 12 tokens, 1 call\n", text)
	require.Equal(t, `{"n":1}`, cameOf(s.Step, plan.Progress{}))
}
