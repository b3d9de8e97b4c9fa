package handoffs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// busyLog is a log with everything that statistics count.
func busyLog() (*logKit, *handoffs.Desk) {
	k := mixedLog()
	k.hand("debugger", "manager", func(r *handoffs.Record) { r.Kind = handoffs.Escalate })
	h := k.call("manager", "scout")
	k.add(handoffs.Entry{Event: handoffs.EventRetry, Handoff: h, From: "manager", To: "scout", Attempt: 2})
	k.wait(time.Minute).back(h, handoffs.Outcome{Status: handoffs.Completed})
	k.reject("manager", "scout", handoffs.CodeDeadlock, handoffs.CodeLoop)
	h = k.ask("manager", "printer", nil, handoffs.Validated, handoffs.PendingAccept)
	k.stage(h, handoffs.TimedOut).Code = handoffs.CodeAcceptTime
	k.add(handoffs.Entry{Event: handoffs.EventJoin, Detail: map[string]any{"group": "g"}})
	for _, s := range []handoffs.BreakerState{handoffs.BreakerOpen, handoffs.BreakerHalfOpen, handoffs.BreakerOpen, handoffs.BreakerClosed} {
		k.add(handoffs.Entry{Event: handoffs.EventBreaker, Detail: map[string]any{"key": "printer", "state": string(s)}})
	}
	return k, &handoffs.Desk{
		Spent:  handoffs.Usage{Tokens: 900},
		Counts: map[string]int{"tokens:scout": 700, "tokens:dojo": 200, "turns": 9},
		Breakers: map[string]handoffs.Breaker{
			"printer": {State: handoffs.BreakerHalfOpen}, "scout": {Failures: 1}, "dojo": {State: handoffs.BreakerClosed, Failures: 2},
		},
	}
}

func TestStatistics(t *testing.T) {
	k, desk := busyLog()
	viewsGolden(t, "statistics.json", indented(t, handoffs.Statistics(k.log(), desk)))
	viewsGolden(t, "statistics_nothing.json", indented(t, handoffs.Statistics(handoffs.Log{}, nil)))
}

//
func TestStatisticsMatchSentWithReceived(t *testing.T) {
	k := newLog()
	route := []string{"orchestrator", "client_data", "flight_search", "proposal_analysis", "communication"}
	for i, to := range route[1:] {
		k.done(k.hand(route[i], to, nil), handoffs.Completed)
	}
	s := handoffs.Statistics(k.log(), nil)
	require.Equal(t, 4, s.Handoffs)
	require.Zero(t, s.Pending)
	for i, agent := range route {
		want := handoffs.AgentStats{Sent: 1, Received: 1}
		if i == 0 {
			want.Received = 0
		}
		if i == 4 {
			want.Sent = 0
		}
		require.Equal(t, want, s.Agents[agent], agent)
	}
	require.Equal(t, 1.0, s.SuccessRate)
}

func TestStatisticsOfTimes(t *testing.T) {
	for _, c := range []struct {
		waits []int // seconds until the target begins
		want  handoffs.Spread
	}{
		{nil, handoffs.Spread{}},
		{[]int{7}, handoffs.Spread{Count: 1, Mean: 7, P50: 7, P99: 7, Most: 7}},
		{[]int{4, 1}, handoffs.Spread{Count: 2, Mean: 2, P50: 1, P99: 4, Most: 4}},
		{[]int{9, 1, 5}, handoffs.Spread{Count: 3, Mean: 5, P50: 5, P99: 9, Most: 9}},
		{countDown(100), handoffs.Spread{Count: 100, Mean: 50, P50: 50, P99: 99, Most: 100}},
		{countDown(200), handoffs.Spread{Count: 200, Mean: 100, P50: 100, P99: 198, Most: 200}},
	} {
		k := newLog()
		for _, n := range c.waits {
			id := k.ask("a", "b", nil, handoffs.Validated, handoffs.PendingAccept)
			k.wait(time.Duration(n-1)*time.Second).stage(id, handoffs.Accepted, handoffs.Running)
		}
		got := handoffs.Statistics(k.log(), nil).Latency
		for _, d := range []*time.Duration{&got.Mean, &got.P50, &got.P99, &got.Most} {
			*d /= time.Second
		}
		require.Equal(t, c.want, got)
	}
}

func countDown(n int) (out []int) {
	for i := range n {
		out = append(out, n-i)
	}
	return out
}

func TestPatterns(t *testing.T) {
	k := newLog()
	hop := func(from, to string, s handoffs.Status) {
		k.done(k.hand(from, to, nil), s)
	}
	// twice round and a third time half
	hop("a", "b", handoffs.Completed)
	hop("b", "c", handoffs.Completed)
	hop("c", "a", handoffs.Completed)
	hop("a", "b", handoffs.Completed)
	hop("b", "c", handoffs.Failed)
	k.reject("b", "d", handoffs.CodeLoop)
	require.Equal(t, []handoffs.Pattern{
		{Route: []string{"a", "b", "c"}, Count: 2, Ended: 2, Succeeded: 1, SuccessRate: 0.5},
		{Route: []string{"b", "c", "a"}, Count: 1, Ended: 1, Succeeded: 1, SuccessRate: 1},
		{Route: []string{"c", "a", "b"}, Count: 1, Ended: 1, Succeeded: 1, SuccessRate: 1},
		{Route: []string{"a", "b", "c", "a"}, Count: 1, Ended: 1, Succeeded: 1, SuccessRate: 1},
		{Route: []string{"b", "c", "a", "b"}, Count: 1, Ended: 1, Succeeded: 1, SuccessRate: 1},
		{Route: []string{"c", "a", "b", "c"}, Count: 1, Ended: 1},
	}, handoffs.Patterns(k.log()))
}

func TestPatternsOfWorkSideBySide(t *testing.T) {
	k := newLog()
	k.hand("u", "a", nil)
	k.call("a", "b")
	k.call("a", "c")
	k.call("b", "d")
	require.Equal(t, []handoffs.Pattern{
		{Route: []string{"a", "b", "d"}, Count: 1},
		{Route: []string{"u", "a", "b"}, Count: 1},
		{Route: []string{"u", "a", "c"}, Count: 1},
		{Route: []string{"u", "a", "b", "d"}, Count: 1},
	}, handoffs.Patterns(k.log()))
}

func TestQuality(t *testing.T) {
	hash := func(h string) func(*handoffs.Record) { return func(r *handoffs.Record) { r.Hash = h } }
	for name, c := range map[string]struct {
		write func(k *logKit)
		want  handoffs.Quality
	}{
		"nothing": {func(k *logKit) {}, handoffs.Quality{}},
		"handed back at once": {func(k *logKit) {
			k.hand("a", "b", nil)
			k.hand("b", "a", nil)
		}, handoffs.Quality{Bounces: 1, BounceRate: 0.5, TimeToOwner: time.Second}},
		"handed back behind a call is no bounce": {func(k *logKit) {
			k.hand("a", "b", nil)
			k.back(k.call("b", "c"), completedWith("x"))
			k.hand("b", "a", nil)
		}, handoffs.Quality{TimeToOwner: 3 * time.Second}},
		"rejected handoffs do not count": {func(k *logKit) {
			k.hand("a", "b", nil)
			k.reject("b", "a", handoffs.CodeLoop)
		}, handoffs.Quality{}},
		"asked back": {func(k *logKit) {
			k.hand("a", "b", nil)
			k.call("b", "c")
			k.hand("b", "a", func(r *handoffs.Record) { r.Reason = handoffs.Clarification })
			k.hand("a", "b", func(r *handoffs.Record) { r.Reason = handoffs.Clarification })
		}, handoffs.Quality{Bounces: 1, BounceRate: 0.25, AskedBack: 2, TimeToOwner: 3 * time.Second}},
		"the same again": {func(k *logKit) {
			k.hand("a", "b", hash("x"))
			k.hand("a", "b", hash("y"))
			k.hand("a", "c", hash("x"))
			k.hand("a", "b", hash("x"))
			k.hand("a", "d", nil)
			k.hand("a", "d", nil)
		}, handoffs.Quality{Repeats: 1, TimeToOwner: 5 * time.Second}},
		"nothing came back": {func(k *logKit) {
			k.back(k.call("a", "b"), handoffs.Outcome{Status: handoffs.Completed})
			k.back(k.call("a", "b"), handoffs.Outcome{Status: handoffs.Partial})
			k.back(k.call("a", "b"), handoffs.Outcome{Status: handoffs.Failed})
			k.back(k.call("a", "b"), handoffs.Outcome{Status: handoffs.Completed, Outputs: map[string]any{"x": 1}})
			k.back(k.call("a", "b"), handoffs.Outcome{Status: handoffs.Completed, Value: false})
		}, handoffs.Quality{EmptyReturns: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			k := newLog()
			c.write(k)
			require.Equal(t, c.want, handoffs.Statistics(k.log(), nil).Quality)
		})
	}
}

// the way of the work with its retry loop, artifacts and scores.
func TestFlow(t *testing.T) {
	k := newLog()
	payload := func(p map[string]any) func(*handoffs.Record) { return func(r *handoffs.Record) { r.Payload = p } }
	artifacts := map[string]any{"artifacts": map[string]any{"ResearchPack": "pack.md", "Plan": nil}}
	k.hand("researcher", "planner", payload(artifacts))
	k.hand("planner", "analyzer", payload(map[string]any{"artifacts": []any{"Plan", "Plan"}, "artifacts_created": []any{"Notes"}}))
	k.hand("analyzer", "researcher", payload(map[string]any{"quality_score": int64(72)}))
	k.hand("researcher", "planner", payload(artifacts))
	k.reject("planner", "nobody", handoffs.CodeNotFound)
	k.hand("planner", "analyzer", func(r *handoffs.Record) { r.Reason = "" })
	h := k.call("analyzer", "scout")
	k.add(handoffs.Entry{Event: handoffs.EventRetry, Handoff: h, Attempt: 2})
	k.back(h, completedWith("x"))
	k.back(k.call("analyzer", "scout"), handoffs.Outcome{Status: handoffs.Failed, Code: handoffs.CodeFailed})
	for range 8 {
		k.back(k.call("analyzer", "scout"), completedWith("x"))
	}
	k.done(k.hand("analyzer", "END", payload(map[string]any{"score": 85.5})), handoffs.Failed)
	k.hand("END", `"quoted" <agent>`, nil)
	k.back(k.call("END", "printer"), handoffs.Outcome{Status: handoffs.Partial})
	for range 9 { // no two numbers in a row
		k.hand("printer", "END", nil)
		k.hand("END", "printer", nil)
	}
	for format, name := range map[graph.Format]string{graph.Mermaid: "flow.mmd", graph.ASCII: "flow.txt", graph.DOT: "flow.dot"} {
		text, err := handoffs.Flow(k.log(), format)
		require.NoError(t, err)
		viewsGolden(t, name, text)
	}
	_, err := handoffs.Flow(k.log(), "png")
	require.ErrorContains(t, err, `handoffs: flow: `)
}

func TestFlowOfNothing(t *testing.T) {
	text, err := handoffs.Flow(handoffs.Log{}, graph.Mermaid)
	require.NoError(t, err)
	require.Equal(t, "flowchart TD\n", text)
}
