package handoffs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
	"github.com/graphrun/graphrun/state"
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

// A run that an agent has failed tells so; who resumes it lets the agent try
// again, in a process of its own too, and nothing of what was noted is lost.
func TestResumeBehindAFailedAgent(t *testing.T) {
	t.Parallel()
	down := errors.New("the service is down")
	calls := 0
	front := func(_ context.Context, s team) (graph.Command[team], error) {
		if calls++; calls < 3 {
			return graph.Command[team]{}, down
		}
		m := state.Text(state.RoleAI, "here I am")
		m.Name = "front"
		return graph.Commands[team]{}.Update(fields.Messages.Add(m)), nil
	}
	tm, err := handoffs.NewTeam(handoffs.TeamConfig[team]{Fields: fields, Agents: []handoffs.Agent[team]{{Profile: handoffs.Profile{ID: "front"}, Node: front}}})
	require.NoError(t, err)
	store := checkpoint.NewMemory(nil)
	compiled := func() *graph.Graph[team] {
		g, err := tm.Compile(schema, &graph.Config{Store: store})
		require.NoError(t, err)
		return g
	}
	cfg := &graph.RunConfig{Thread: "t"}
	_, err = compiled().Invoke(t.Context(), nil, cfg)
	require.ErrorIs(t, err, handoffs.CodeFailed)
	_, err = compiled().Resume(t.Context(), graph.Answers{}, cfg)
	require.ErrorContains(t, err, "the service is down")
	require.Equal(t, 2, calls)
	res, err := compiled().Resume(t.Context(), graph.Answers{}, cfg)
	require.NoError(t, err)
	require.Equal(t, graph.OutcomeDone, res.Outcome)
	require.Equal(t, "here I am", res.State.Messages[0].Text())
	require.Nil(t, res.State.Handoffs.Fault)
}
