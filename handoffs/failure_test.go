package handoffs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// fails hands to a monitor because the agent has failed.
func fails(monitor string) handoffs.Command {
	return handoffs.NewCommand(monitor, handoffs.ErrorRecovery, "the service is down")
}

// tasks tells how the tasks of a log have ended, as its bus does.
func (r *rig) tasks() (ended []string) {
	for m := range handoffs.BusMessages("t", handoffs.LogOf(r.last.State.HandoffLog)) {
		if m.Type != bus.AgentHandoff {
			ended = append(ended, m.Source+" "+m.Type)
		}
	}
	return ended
}

// An agent that hands to a monitor because it failed has failed: in the log, on
// the bus, in the figures and for breakers. The monitor, which hands on to try
// again, has not.
func TestAgentThatHandsToAMonitorHasFailed(t *testing.T) {
	p := handoffs.Policy{Limits: handoffs.Limits{Handoffs: 9}, Breaker: &handoffs.BreakerPolicy{Key: handoffs.BreakTarget, Threshold: 9}}
	again := handoffs.NewCommand("worker", handoffs.ErrorRecovery, "once more")
	tries := 0
	worker := func(handoffs.Turn) []handoffs.Command {
		if tries++; tries > 2 {
			return nil
		}
		return one(fails("monitor"))
	}
	r := newRig(t, p, map[string]bot{"lead": just(to("worker")), "worker": worker, "monitor": just(again)}, agents("lead", "worker", "monitor")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "lead worker monitor worker monitor worker", r.route())
	require.Equal(t, []string{
		"lead TASK_COMPLETED", "worker TASK_FAILED", "monitor TASK_COMPLETED", "worker TASK_FAILED", "monitor TASK_COMPLETED", "worker TASK_COMPLETED",
	}, r.tasks())
	stats := handoffs.Statistics(handoffs.LogOf(r.last.State.HandoffLog), &r.last.State.Handoffs)
	require.Equal(t, map[handoffs.Status]int{handoffs.Failed: 2, handoffs.Completed: 3}, stats.Statuses)
	require.Equal(t, 5, stats.Ended)
	require.Equal(t, 3, stats.Succeeded)
	first, _ := handoffs.Last(handoffs.LogOf(r.last.State.HandoffLog), handoffs.Filter{From: "lead"})
	require.Equal(t, handoffs.Failed, first.Status)
	require.Equal(t, handoffs.CodeFailed, first.Code)
	require.Equal(t, "the service is down", first.Message)
	require.Empty(t, r.last.State.Handoffs.Breakers) // its last work was good
}

// Agents that hand over because they failed open their breaker, and a transfer
// whose agent did its work closes one.
func TestTransfersCountForBreakers(t *testing.T) {
	p := handoffs.Policy{Limits: handoffs.Limits{Handoffs: 9}, Supervisor: "monitor", Breaker: &handoffs.BreakerPolicy{Key: handoffs.BreakTarget, Threshold: 2}}
	r := newRig(t, p, map[string]bot{"monitor": just(to("worker")), "worker": just(fails("monitor"))}, agents("monitor", "worker")...).run()
	require.Error(t, r.err)
	require.Equal(t, handoffs.BreakerOpen, r.last.State.Handoffs.Breakers["target:worker"].State)
}
