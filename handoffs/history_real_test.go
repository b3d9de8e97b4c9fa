package handoffs_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// The views hold for logs as process_handoff writes them.
func TestViewsOfRuns(t *testing.T) {
	spawn := kind(handoffs.Spawn, "")
	spawn.Branches = []handoffs.Branch{{Target: "b", Task: "x"}, {Target: "b", Task: "y"}, {Target: "c"}}
	spawn.Join = handoffs.Join{Partial: true}
	fail := kind(handoffs.Return, "")
	fail.Result = &handoffs.Outcome{Status: handoffs.Failed, Error: "no luck"}
	refuse := kind(handoffs.Refuse, "")
	refuse.Result = &handoffs.Outcome{Error: "busy"}
	for name, c := range map[string]struct {
		bots              map[string]bot
		history, returns  []string
		completed, failed int // tasks, as a bus is told
	}{
		"a transfer": {map[string]bot{"a": just(to("b")), "b": just()},
			[]string{"a>b completed"}, nil, 2, 0},
		"a call": {map[string]bot{"a": then(one(kind(handoffs.Call, "b"))), "b": just()},
			[]string{"a>b returned"}, []string{"b>a returned"}, 2, 0},
		"a call that fails": {map[string]bot{"a": then(one(kind(handoffs.Call, "b"))), "b": just(fail)},
			[]string{"a>b failed"}, []string{"b>a failed"}, 1, 1},
		"a transfer inside a call": {map[string]bot{"a": then(one(kind(handoffs.Call, "b"))), "b": just(to("c")), "c": just()},
			[]string{"a>b returned", "b>c completed"}, []string{"c>a returned"}, 3, 0},
		"branches": {map[string]bot{"a": then(one(spawn)), "b": just(), "c": just(fail)},
			[]string{"a>b returned", "a>b returned", "a>c failed"}, []string{"b>a returned", "b>a returned", "c>a failed"}, 3, 1},
		"rejected": {map[string]bot{"a": then(one(to("nobody")))},
			[]string{"a>nobody rejected"}, nil, 1, 0},
		"refused": {map[string]bot{"a": then(one(kind(handoffs.Call, "b"))), "b": just(refuse)},
			[]string{"a>b rejected"}, nil, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, handoffs.Policy{Entry: "a"}, c.bots, agents("a", "b", "c")...).run()
			require.NoError(t, r.err)
			log, desk := handoffs.LogOf(r.last.State.HandoffLog), &r.last.State.Handoffs
			require.Equal(t, c.history, ends(log, handoffs.Filter{}))
			require.Equal(t, c.returns, ends(log, handoffs.Filter{Kinds: []handoffs.Kind{}, IncludeReturns: true}))
			require.Empty(t, handoffs.Pending(log, desk, ""))
			s := handoffs.Statistics(log, desk)
			require.Equal(t, len(c.history), s.Handoffs)
			require.Equal(t, len(c.returns), s.Returns)
			require.Zero(t, s.Pending+s.Running)
			seen, types := map[string]int{}, map[string]int{}
			for m := range handoffs.BusMessages("t", log) {
				seen[m.ID]++
				types[m.Type]++
			}
			for id, n := range seen {
				require.Equal(t, 1, n, id)
			}
			require.Equal(t, s.Accepted, types[bus.AgentHandoff])
			require.Equal(t, c.completed, types[bus.TaskCompleted])
			require.Equal(t, c.failed, types[bus.TaskFailed])
			require.Len(t, handoffs.IndexRows("t", handoffs.Log{}, log), len(c.history))
		})
	}
}

// ends tells handoffs by ends and status.
func ends(log handoffs.Log, f handoffs.Filter) (out []string) {
	for h := range handoffs.History(log, f) {
		out = append(out, h.From+">"+h.To+" "+string(h.Status))
	}
	return out
}

func TestViewsOfARunThatWaits(t *testing.T) {
	p := handoffs.Policy{Entry: "a", Approve: &handoffs.ApprovalPolicy{Words: true, Agents: []string{"c"}}}
	r := newRig(t, p, map[string]bot{"a": just(kind(handoffs.Call, "b")), "b": just(to("c")), "c": just()}, agents("a", "b", "c")...).run()
	log, desk := handoffs.LogOf(r.last.State.HandoffLog), &r.last.State.Handoffs
	require.Equal(t, []string{"a>b running", "b>c awaiting_approval"}, ends(log, handoffs.Filter{}))
	require.Len(t, handoffs.Pending(log, desk, "b"), 1)
	pending := handoffs.Pending(log, desk, "c")
	require.Len(t, pending, 1)
	require.Equal(t, handoffs.AwaitingApproval, pending[0].Status)
	require.Equal(t, 1, handoffs.Statistics(log, desk).Pending)
	require.Equal(t, []string{"b"}, slices.Collect(func(yield func(string) bool) {
		for m := range handoffs.BusMessages("t", log) {
			if m.Type == bus.AgentHandoff && !yield(m.Target) {
				return
			}
		}
	}))
}
