package protocol_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/protocol"
)

// S2-10..S2-13, X-23: failures open the breaker, which is global.
func TestS2_10_13_CircuitBreaker(t *testing.T) {
	p := enabled()
	p.OnReject[handoffs.CodeBreaker] = handoffs.Action{Do: handoffs.ToSource}
	calls := 0
	st := newStage(t, p, map[string]work{
		"a": func(turn handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			if turn.Refused != nil {
				return protocol.Command{}, nil
			}
			return u.HandoffToAgent("x", protocol.Context{TaskDescription: fmt.Sprint("try ", turn.Number)}), nil
		},
		"x": func(handoffs.Turn, protocol.Update) (protocol.Command, error) {
			calls++
			return protocol.Command{}, errors.New("boom")
		},
	}, "a", "x")
	st.kind = handoffs.Call // so that a goes on behind each failure
	st.run()
	require.NoError(t, st.err)
	require.Equal(t, 3, calls)
	breaker := protocol.CircuitBreakerOf(st.policy, &st.end.Handoffs)
	require.Equal(t, "open", breaker.State)
	require.Equal(t, 3, breaker.FailureCount)
	require.Equal(t, 3, breaker.Threshold)
	require.False(t, breaker.LastFailure.IsZero())
	last, ok := handoffs.Last(st.log(), handoffs.Filter{})
	require.True(t, ok)
	require.Equal(t, protocol.CircuitBreakerOpen, last.Code)
	require.Equal(t, "handoffs temporarily disabled", last.Message)
	require.Equal(t, "open", protocol.MetricsOf(st.policy, &st.end.Handoffs, st.log()).CircuitBreakerStatus)
}

// S2-12: a success forgets the failures before it.
func TestS2_12_SuccessClosesTheBreaker(t *testing.T) {
	n := 0
	st := newStage(t, enabled(), map[string]work{
		"a": func(turn handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			if turn.Number > 5 {
				return protocol.Command{}, nil
			}
			return u.HandoffToAgent("x", protocol.Context{TaskDescription: fmt.Sprint("try ", turn.Number)}), nil
		},
		"x": func(handoffs.Turn, protocol.Update) (protocol.Command, error) {
			if n++; n != 3 {
				return protocol.Command{}, errors.New("boom")
			}
			return protocol.Command{}, nil
		},
	}, "a", "x")
	st.kind = handoffs.Call
	st.run()
	require.NoError(t, st.err)
	require.Equal(t, 5, n)
	require.Equal(t, 2, protocol.CircuitBreakerOf(st.policy, &st.end.Handoffs).FailureCount)
}

func TestS2_14_CircuitBreakerView(t *testing.T) {
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	p := enabled()
	require.Equal(t, protocol.CircuitBreaker{State: "closed", Threshold: 3}, protocol.CircuitBreakerOf(p, &handoffs.Desk{}))
	half := &handoffs.Desk{Breakers: map[string]handoffs.Breaker{"all": {State: handoffs.BreakerHalfOpen, Failures: 3, Last: at}}}
	data, err := json.Marshal(protocol.CircuitBreakerOf(p, half))
	require.NoError(t, err)
	require.JSONEq(t, `{"state":"half-open","failure_count":3,"last_failure":"2026-05-04T12:00:00Z","threshold":3}`, string(data))
}

// S2-15, S2-33: what a log and its figures tell.
func TestS2_15_33_LogAndMetrics(t *testing.T) {
	st := newStage(t, enabled(), map[string]work{
		"a": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			c := u.HandoffToAgent("b", protocol.Context{TaskDescription: "x"})
			c.Update.Metrics = protocol.Metrics{TokensUsed: 700, TimeElapsed: 3}
			return c, nil
		},
	}, "a", "b").run()
	require.NoError(t, st.err)
	log := protocol.HandoffLog(st.log())
	data, err := json.Marshal(log)
	require.NoError(t, err)
	require.JSONEq(t, `[{"from":"a","to":"b","context_hash":"`+log[0].ContextHash+`","timestamp":"2026-05-04T12:00:03Z"}]`, string(data))
	require.Len(t, log[0].ContextHash, 32)
	m := protocol.MetricsOf(st.policy, &st.end.Handoffs, st.log())
	require.Equal(t, protocol.WorkflowMetrics{HandoffsPerWorkflow: 1, TokensPerAgent: map[string]int{"a": 700}, CircuitBreakerStatus: "closed"}, m)
}

// S2-11, S2-13: as the policy has it every failure ends its run with a
// HandoffError, and behind the third one in a row the next handoff does.
func TestS2_11_13_FailuresEndRuns(t *testing.T) {
	begun := map[string]bool{"a": true}
	fails := func(id, to string) work {
		return func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			if !begun[id] {
				begun[id] = true
				return protocol.Command{}, errors.New("boom")
			}
			return u.HandoffToAgent(to, protocol.Context{TaskDescription: to}), nil
		}
	}
	st := newStage(t, enabled(), map[string]work{"a": fails("a", "b"), "b": fails("b", "c"), "c": fails("c", "d"), "d": fails("d", "a")}, "a", "b", "c", "d")
	for i, state := range []string{"closed", "closed", "open"} {
		var e *protocol.HandoffError
		require.True(t, errors.As(st.run().err, &e))
		require.Equal(t, handoffs.CodeFailed, e.Code)
		breaker := protocol.CircuitBreakerOf(st.policy, &st.end.Handoffs)
		require.Equal(t, state, breaker.State)
		require.Equal(t, i+1, breaker.FailureCount)
	}
	require.ErrorIs(t, st.run().err, protocol.CircuitBreakerOpen)
	require.ErrorContains(t, st.err, "handoffs temporarily disabled")
	require.Equal(t, "a b b c c d d", strings.Join(st.route, " "))
}

// S2-33: latency is the time until the target begins, with approvals.
func TestS2_33_Latency(t *testing.T) {
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	entry := func(at time.Time, stages ...handoffs.Status) handoffs.Entry {
		return handoffs.Entry{At: at, Handoff: "h", From: "a", To: "b", Kind: handoffs.Transfer, Stages: stages}
	}
	entries := []handoffs.Entry{
		entry(at, handoffs.Requested, handoffs.Validated, handoffs.AwaitingApproval),
		entry(at.Add(1500*time.Millisecond), handoffs.Accepted, handoffs.Running),
	}
	entries[0].Record = &handoffs.Record{ID: "h", From: "a", To: "b", Kind: handoffs.Transfer, At: at}
	data, err := json.Marshal(protocol.MetricsOf(enabled(), &handoffs.Desk{}, handoffs.LogOf(entries)))
	require.NoError(t, err)
	require.JSONEq(t, `{"handoffs_per_workflow":1,"mean_handoff_latency":1.5,"circuit_breaker_status":"closed","deadlock_count":0}`, string(data))
}
