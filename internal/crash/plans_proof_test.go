package crash_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// worked is what a long plan comes to that nobody disturbs.
func worked(t *testing.T) *plans {
	d, err := newDrive("steps", &world{ledger: &ledger{}}, graph.DurabilitySync)
	require.NoError(t, err)
	s := checkpoint.NewMemory(nil)
	require.NoError(t, d.finish(t.Context(), s))
	snap, err := d.graph.On(s, nil).State(t.Context(), thread, "")
	require.NoError(t, err)
	return snap.Values.plans()
}

// TestTheLongPlanDoesWhatItIsFor makes sure that all there is to plans is
// disturbed.
func TestTheLongPlanDoesWhatItIsFor(t *testing.T) {
	t.Parallel()
	p := worked(t)
	require.NoError(t, p.check())
	require.Equal(t, plan.Finished, p.course.Phase)
	count, agents, most := map[string]int{}, map[string]bool{}, 0
	for _, e := range p.log {
		count[e.Event]++
		agents[e.Agent] = true
		most = max(most, count[plan.EventStarted]-count[plan.EventDone]-count[plan.EventFailed])
	}
	require.Equal(t, map[string]int{
		plan.EventPlanned: 2, plan.EventReplan: 1, plan.EventDropped: 1, plan.EventSkipped: 1, plan.EventOver: 1,
		plan.EventStarted: 36, plan.EventDone: 29, plan.EventFailed: 7,
	}, count)
	require.True(t, agents["judge"])
	require.Greater(t, most, 1, "steps at work at once")
}

// TestTheProofSeesWhatIsWrongInPlans spoils what a plan has come to.
func TestTheProofSeesWhatIsWrongInPlans(t *testing.T) {
	t.Parallel()
	whole := worked(t)
	for what, spoil := range map[string]func(p *plans){
		"step s01 is started behind its end": func(p *plans) { p.add(plan.EventStarted, "s01") },
		"step s01 is done behind its end":    func(p *plans) { p.add(plan.EventDone, "s01") },
		"step s31 has begun twice": func(p *plans) {
			p.add(plan.EventStarted, "s31")
			p.add(plan.EventStarted, "s31")
		},
		"entry 5 of the plan's log has the number 6": func(p *plans) { p.log = slices.Delete(p.log, 4, 5) },
		"the course counts 78 entries of 77":         func(p *plans) { p.log = p.log[:len(p.log)-1] },
		"step s01 is running, the log says otherwise": func(p *plans) {
			p.steps["s01"] = plan.Progress{Status: plan.Running}
		},
		"step s01 is failed, the log says otherwise": func(p *plans) {
			p.steps["s01"] = plan.Progress{Status: plan.Failed}
		},
		"the course has [s01] at work":                 func(p *plans) { p.course.Open = []string{"s01"} },
		"step s01 is done, and nothing is known of it": func(p *plans) { delete(p.steps, "s01") },
		"the result of step s01 was said twice": func(p *plans) {
			r := p.steps["s01"].Result
			m := state.Text(state.RoleAI, r.Text)
			m.Name = r.Agent
			p.messages = append(p.messages, m)
		},
	} {
		t.Run(what, func(t *testing.T) {
			p := *whole
			p.log, p.steps, p.messages = slices.Clone(p.log), maps.Clone(p.steps), slices.Clone(p.messages)
			spoil(&p)
			require.ErrorContains(t, p.check(), what)
		})
	}
}

// add writes an event into the log, which the course counts.
func (p *plans) add(event, step string) {
	p.log = append(p.log, plan.Event{Seq: len(p.log) + 1, Event: event, Step: step})
	p.course.Seq++
}
