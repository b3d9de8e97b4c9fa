package protocol_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/protocol"
)

// S2-09: five handoffs, and no more.
func TestS2_09_HandoffLimit(t *testing.T) {
	st := newStage(t, enabled(), map[string]work{"a": times("b"), "b": times("a")}, "a", "b").run()
	require.ErrorIs(t, st.err, protocol.HandoffLimitExceeded)
	require.ErrorIs(t, st.err, handoffs.CodeLimit)
	require.ErrorIs(t, st.err, graph.ErrLimit)
	require.NotErrorIs(t, st.err, protocol.DeadlockDetected)
	var e *protocol.HandoffError
	require.True(t, errors.As(st.err, &e))
	require.Equal(t, "a", e.To)
	require.Equal(t, "a b a b a b", strings.Join(st.route, " "))
	require.Len(t, protocol.HandoffLog(st.log()), protocol.MaxHandoffs)
}

// S2-16, S2-22, X-22: the same handoff with the same context is a deadlock,
// whatever it cost; one with another task is not.
func TestS2_16_Deadlock(t *testing.T) {
	cost := 0
	same := func(agent string) work {
		return func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			cost += 100
			c := u.HandoffToAgent(agent, protocol.Context{TaskDescription: "same"})
			c.Update.Metrics.TokensUsed, c.Update.Metrics.TimeElapsed = cost, float64(cost)/7
			return c, nil
		}
	}
	st := newStage(t, enabled(), map[string]work{"a": same("b"), "b": same("a")}, "a", "b").run()
	require.ErrorIs(t, st.err, protocol.DeadlockDetected)
	require.Equal(t, "a b a", strings.Join(st.route, " "))
	require.Equal(t, 1, protocol.MetricsOf(st.policy, &st.end.Handoffs, st.log()).DeadlockCount)

	st = newStage(t, enabled(), map[string]work{"a": times("b"), "b": times("a")}, "a", "b").run()
	require.NotErrorIs(t, st.err, protocol.DeadlockDetected)
	st = newStage(t, enabled(), map[string]work{"a": to("b", "x"), "b": to("c", "x"), "c": to("a", "x")}, "a", "b", "c").run()
	require.ErrorIs(t, st.err, protocol.DeadlockDetected, "the fourth is within three of the first")
	st = newStage(t, enabled(), map[string]work{"a": to("b", "x"), "b": to("c", "x"), "c": to("d", "x"), "d": to("a", "x")}, "a", "b", "c", "d").run()
	require.ErrorIs(t, st.err, protocol.HandoffLimitExceeded, "the fifth is not: the limit ends it")
}

func TestS2_18_22_EconomicClasses(t *testing.T) {
	tests := map[string]struct {
		class string
		used  protocol.Used
		ok    bool
	}{
		"S2-18 simple makes no handoff":   {"simple", protocol.Used{}, false},
		"S2-19 medium, its second":        {"medium", protocol.Used{Handoffs: 1, Tokens: 24_999, Agents: 2}, true},
		"S2-19 medium, a third":           {"medium", protocol.Used{Handoffs: 2}, false},
		"S2-19 medium, tokens":            {"medium", protocol.Used{Tokens: 25_000}, false},
		"S2-20 complex, its fifth":        {"complex", protocol.Used{Handoffs: 4, Tokens: 149_999, Agents: 4}, true},
		"S2-20 complex, a sixth":          {"complex", protocol.Used{Handoffs: 5}, false},
		"S2-20 complex, tokens":           {"complex", protocol.Used{Tokens: 150_000}, false},
		"S2-22 medium, a fourth agent":    {"medium", protocol.Used{Agents: 3}, false},
		"S2-22 complex, a sixth agent":    {"complex", protocol.Used{Agents: 5}, false},
		"S2-21 a class that there is not": {"huge", protocol.Used{}, false},
		"S2-21 no class":                  {"", protocol.Used{Handoffs: 99, Tokens: 1 << 30, Agents: 9}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := protocol.CheckEconomicViability(tt.class, tt.used)
			if tt.ok {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, protocol.EconomicLimitExceeded)
			require.ErrorIs(t, err, handoffs.CodeEconomic)
			var e *protocol.HandoffError
			require.True(t, errors.As(err, &e))
		})
	}
}

// S2-21, X-21: a run is held to its class, also by tokens that turns told.
func TestS2_21_ARunIsHeldToItsClass(t *testing.T) {
	p := (&protocol.Config{EnableHandoffs: true, Class: protocol.ClassMedium}).Policy()
	st := newStage(t, p, map[string]work{"a": times("b"), "b": times("a")}, "a", "b").run()
	require.ErrorIs(t, st.err, protocol.EconomicLimitExceeded)
	require.Equal(t, "a b a", strings.Join(st.route, " "))

	p = (&protocol.Config{EnableHandoffs: true, Class: protocol.ClassComplex}).Policy()
	st = newStage(t, p, map[string]work{"a": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
		c := u.HandoffToAgent("b", protocol.Context{TaskDescription: "x"})
		c.Update.Metrics.TokensUsed = 150_000
		return c, nil
	}}, "a", "b").run()
	require.ErrorIs(t, st.err, protocol.EconomicLimitExceeded)
	require.Equal(t, 150_000, st.end.Handoffs.Spent.Tokens)
}

// S2-24, S2-39, X-20: quality loops, with and without a quota of their own.
func TestS2_39_LoopbackQuota(t *testing.T) {
	quality := func(cfg protocol.Config, scores ...float64) *stage {
		n := 0
		return newStage(t, cfg.Policy(), map[string]work{
			"docs-researcher":        times("implementation-planner"),
			"implementation-planner": times("brahma-analyzer"),
			"brahma-analyzer": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
				score := scores[min(n, len(scores)-1)]
				n++
				c := protocol.Context{TaskDescription: fmt.Sprint("round ", n), QualityScore: &score}
				if score < 80 {
					c.Reason = "the score is below 80"
					return u.HandoffToAgent("docs-researcher", c), nil
				}
				return u.HandoffToAgent("code-implementer", c), nil
			},
		}, "docs-researcher", "implementation-planner", "brahma-analyzer", "code-implementer").run()
	}
	literal := protocol.Config{EnableHandoffs: true}
	st := quality(literal, 85)
	require.NoError(t, st.err)
	require.Equal(t, "code-implementer", st.route[len(st.route)-1])
	st = quality(literal, 72, 85)
	require.ErrorIs(t, st.err, protocol.HandoffLimitExceeded)
	var e *protocol.HandoffError
	require.True(t, errors.As(st.err, &e))
	require.Equal(t, "code-implementer", e.To)

	quota := protocol.Config{EnableHandoffs: true, Loopbacks: []protocol.Loopback{{From: "brahma-analyzer", To: "docs-researcher", Quota: 2}}}
	st = quality(quota, 72, 85)
	require.NoError(t, st.err)
	require.Equal(t, "code-implementer", st.route[len(st.route)-1])
	quota.Loopbacks[0].Quota = 1
	st = quality(quota, 70, 71, 72)
	require.ErrorIs(t, st.err, handoffs.CodeQuota)
	require.NotContains(t, st.route, "code-implementer")
	quota.Loopbacks[0].Quota = 0
	require.ErrorIs(t, quality(quota, 70).err, handoffs.CodeQuota)
}
