package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/rules"
)

// S3-10, S3-11..S3-13, S3-32, S3-53, X-38: the rules and states have no defects.
func TestS3_10_53_LintFindsNothing(t *testing.T) {
	for _, f := range handoffs.Lint(rules.Workflow()) {
		t.Error(f)
	}
	require.Empty(t, rules.Machine().Validate(handoffs.MustRegistry(rules.Agents()...)))
	n, bounded, _ := handoffs.Bound(rules.Workflow())
	require.True(t, bounded)
	require.LessOrEqual(t, n, 50)
}

// S3-14..S3-27: the rules as they are written. Keys of payloads that may be left
// out have a question mark, the values that one may have stand behind it.
func TestS3_14_27_TheRules(t *testing.T) {
	require.Equal(t, `
1.1 ORCHESTRATOR > CLIENT_DATA on ANALYZING_COMPLETE -> FETCHING_CLIENT_DATA; high fetch_client_data (requestId sessionId? clientName? clientEmail? rfpData)
1.2 ORCHESTRATOR > FLIGHT_SEARCH on ANALYZING_COMPLETE -> SEARCHING_FLIGHTS; normal or urgency search_flights (requestId sessionId? rfpData clientProfile?)
1.3 ORCHESTRATOR > ERROR_MONITOR on ANALYZING_FAILED -> FAILED; urgent (requestId sessionId? errorType=validation_error retryable? error? missingFields?)
2.1 CLIENT_DATA > FLIGHT_SEARCH on CLIENT_DATA_COMPLETE -> SEARCHING_FLIGHTS; normal or urgency search_flights (requestId sessionId? rfpData clientProfile? clientPreferences?)
2.2 CLIENT_DATA > ERROR_MONITOR on CLIENT_DATA_FAILED -> FAILED or FETCHING_CLIENT_DATA; high (requestId sessionId? errorType=external_service_error retryable? error? service)
3.1 FLIGHT_SEARCH > PROPOSAL_ANALYSIS on QUOTES_RECEIVED -> ANALYZING_PROPOSALS; normal analyze_proposals (requestId sessionId? rfpId quotesCount)
3.2 FLIGHT_SEARCH > ERROR_MONITOR on SEARCHING_FLIGHTS_FAILED,AWAITING_QUOTES_TIMEOUT -> FAILED or SEARCHING_FLIGHTS; high (requestId sessionId? errorType=avinode_error,quote_timeout retryable? error? rfpId?)
4.1 PROPOSAL_ANALYSIS > COMMUNICATION on ANALYSIS_COMPLETE -> GENERATING_EMAIL; normal send_proposal_email (requestId sessionId? topProposals clientProfile?)
4.2 PROPOSAL_ANALYSIS > ERROR_MONITOR on ANALYSIS_FAILED -> FAILED; high (requestId sessionId? errorType=insufficient_data retryable? error? quotesReceived minimumRequired)
5.1 COMMUNICATION > ERROR_MONITOR on SENDING_PROPOSAL_FAILED -> FAILED or SENDING_PROPOSAL; urgent (requestId sessionId? errorType=email_delivery_error retryable? error? recipient)
6.1 ERROR_MONITOR > CLIENT_DATA on ERROR_RETRY -> FETCHING_CLIENT_DATA; high fetch_client_data (requestId sessionId? retryCount originalError clientName?) 3 times
6.2 ERROR_MONITOR > FLIGHT_SEARCH on ERROR_RETRY -> SEARCHING_FLIGHTS; high search_flights (requestId sessionId? retryCount originalError rfpData?) 3 times
6.3 ERROR_MONITOR > COMMUNICATION on ERROR_RETRY -> SENDING_PROPOSAL; urgent send_proposal_email (requestId sessionId? retryCount originalError emailPayload?) 3 times`, written(rules.Rules()))
}

// written are rules as texts.
func written(rs *handoffs.Rules) string {
	var b strings.Builder
	for _, r := range rs.List {
		fmt.Fprintf(&b, "\n%s %s > %s on %s -> %s", r.Name, strings.Join(r.From, ","), r.To, strings.Join(r.Triggers, ","), r.Next)
		if r.Again != "" {
			b.WriteString(" or " + r.Again)
		}
		b.WriteString("; " + string(r.Priority))
		if r.Urgency != nil {
			b.WriteString(" or " + r.Urgency.Text)
		}
		if r.Task != "" {
			b.WriteString(" " + r.Task)
		}
		keys := []string{}
		for _, p := range r.Payload {
			key := p.Key
			if p.Optional {
				key += "?"
			}
			if p.Enum != nil {
				key += "=" + strings.ReplaceAll(strings.Trim(fmt.Sprint(p.Enum), "[]"), " ", ",")
			}
			keys = append(keys, key)
		}
		b.WriteString(" (" + strings.Join(keys, " ") + ")")
		if r.Retry != nil {
			fmt.Fprintf(&b, " %d times", r.Retry.Max)
		}
	}
	return b.String()
}

// S3-03, S3-11, S3-12, S3-53: the states, who is responsible, and what may follow;
// a state may follow itself, as the one of what is tried again.
func TestS3_53_WorkflowStateMachine(t *testing.T) {
	w := newOffice(t).StateMachine()
	all := [][3]string{ // the state, who is responsible, and what may follow
		{"ANALYZING", "ORCHESTRATOR", "FETCHING_CLIENT_DATA SEARCHING_FLIGHTS FAILED"},
		{"FETCHING_CLIENT_DATA", "CLIENT_DATA", "SEARCHING_FLIGHTS FAILED"},
		{"SEARCHING_FLIGHTS", "FLIGHT_SEARCH", "AWAITING_QUOTES FAILED"},
		{"AWAITING_QUOTES", "FLIGHT_SEARCH", "ANALYZING_PROPOSALS SEARCHING_FLIGHTS FAILED"},
		{"ANALYZING_PROPOSALS", "PROPOSAL_ANALYSIS", "GENERATING_EMAIL FAILED"},
		{"GENERATING_EMAIL", "COMMUNICATION", "SENDING_PROPOSAL FAILED"},
		{"SENDING_PROPOSAL", "COMMUNICATION", "COMPLETED FAILED"},
		{"COMPLETED", "COMMUNICATION", ""},
		{"FAILED", "ERROR_MONITOR", "FETCHING_CLIENT_DATA SEARCHING_FLIGHTS SENDING_PROPOSAL GENERATING_EMAIL"},
	}
	require.Len(t, rules.Machine().States, len(all))
	for _, from := range all {
		require.Equal(t, from[1], w.ResponsibleAgent(from[0]))
		for _, to := range all {
			want := slices.Contains(strings.Fields(from[2]), to[0]) || from[0] == to[0]
			require.Equal(t, want, w.CanTransition(from[0], to[0]), "%s -> %s", from[0], to[0])
		}
		require.False(t, w.CanTransition(from[0], "NOWHERE"))
	}
	s, err := w.GetState(t.Context(), "nobody's")
	require.NoError(t, err)
	require.Empty(t, s)
}

// S3-33: the figures.
func TestS3_33_Figures(t *testing.T) {
	require.Equal(t, "3 quotes, 3 proposals, 24h0m0s, 3 retries, 30s to accept", fmt.Sprintf("%d quotes, %d proposals, %v, %d retries, %v to accept",
		rules.MinimumQuotes, rules.TopProposals, rules.QuoteTimeout, rules.RetryLimit, rules.Policy("").Accept))
	for monitor, want := range map[string]handoffs.Action{"": {Do: handoffs.ToSource}, "m": {Do: handoffs.RouteTo, Target: "m"}} {
		p := rules.Policy(monitor)
		require.Equal(t, want, p.OnReject[""])
		require.Equal(t, want, p.OnFailure)
		require.Equal(t, 50, p.Limits.Handoffs)
		require.NotNil(t, p.Edges, "nobody hands over but by rules")
	}
}

// Complete fills in what rules leave open, and nothing else.
func TestS3_33_Complete(t *testing.T) {
	own := &handoffs.Retry{Max: 1}
	guard := &handoffs.Guard{}
	r := &handoffs.Rules{Retries: guard, List: []handoffs.Rule{
		{Name: "own", From: []string{"m"}, Triggers: []string{rules.ErrorRetry}, Retry: own},
		{Name: "told", From: []string{"m"}, Triggers: []string{"TOLD"}},
		{Name: "other", From: []string{"a"}, Triggers: []string{rules.ErrorRetry}},
		{Name: "open", From: []string{"a", "m"}, Triggers: []string{"x", rules.ErrorRetry}},
	}}
	rules.Complete(r, "m")
	require.Same(t, guard, r.Retries)
	require.Equal(t, []*handoffs.Retry{own, nil, nil, {Max: 3, Factor: 2}}, []*handoffs.Retry{r.List[0].Retry, r.List[1].Retry, r.List[2].Retry, r.List[3].Retry})

	r = &handoffs.Rules{List: []handoffs.Rule{
		{Name: "a", From: []string{"m"}, To: "a", Triggers: []string{rules.ErrorRetry}},
		{Name: "never", From: []string{"m"}, To: "b", Triggers: []string{rules.ErrorRetry}, Retry: &handoffs.Retry{Max: -1}},
		{Name: "c", From: []string{"m"}, Capability: "c", Triggers: []string{"TOLD"}, Retry: own},
	}}
	uncounted := &handoffs.Rules{List: []handoffs.Rule{{Name: "a", From: []string{"m"}, To: "a"}}}
	rules.Complete(uncounted, "m")
	for _, retryable := range []bool{true, false} {
		holds, _, err := uncounted.Retries.Holds(func(fact string) (any, bool) {
			v, ok := map[string]any{"source": "a", "payload": map[string]any{"retryable": retryable}}[fact]
			return v, ok
		})
		require.NoError(t, err)
		require.Equal(t, retryable, holds)
	}
	rules.Complete(r, "m")
	for name, tt := range map[string]struct {
		source    string
		retryable any
		fired     map[string]any
		want      bool
	}{
		"first":         {"a", true, nil, true},
		"third":         {"a", true, map[string]any{"a": int64(2), "c": int64(1)}, true},
		"fourth":        {"a", true, map[string]any{"a": int64(3), "c": int64(1)}, false},
		"not retryable": {"a", false, nil, false},
		"not said":      {"a", nil, nil, false},
		"by capability": {"b", true, nil, true},
		"never":         {"b", true, map[string]any{"c": int64(1)}, false},
	} {
		holds, _, err := r.Retries.Holds(func(fact string) (any, bool) {
			v, ok := map[string]any{"source": tt.source, "fired": tt.fired, "payload": map[string]any{"retryable": tt.retryable}}[fact]
			return v, ok
		})
		require.NoError(t, err)
		require.Equal(t, tt.want, holds, name)
	}
}
