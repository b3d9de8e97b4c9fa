package handoffs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// What the files of testdata/handoffs/X-27 to X-38 do not show: messages,
// figures, payloads, and processes that end in the midst of a run.

// TestJetvisionMessages: X-27, S3-39, S3-40, S3-46.
func TestJetvisionMessages(t *testing.T) {
	p := play(t, "jetvision.yaml").run(`{"clientName": "Ada"}`)
	require.True(t, p.done())

	offered := p.messages(bus.AgentHandoff)
	require.Equal(t, []string{"CLIENT_DATA", "FLIGHT_SEARCH", "PROPOSAL_ANALYSIS", "COMMUNICATION"}, targets(offered))
	for _, m := range offered {
		require.Equal(t, bus.Context{Session: "x", Request: "rfp-1"}, m.Context)
		require.Contains(t, m.Payload, "handoff")
	}
	var done []string
	for _, m := range p.messages(bus.TaskCompleted) {
		done = append(done, m.Source)
	}
	require.ElementsMatch(t, []string{"ORCHESTRATOR", "CLIENT_DATA", "FLIGHT_SEARCH", "PROPOSAL_ANALYSIS", "COMMUNICATION"}, done)
	require.Empty(t, p.messages(bus.TaskFailed))

	require.Equal(t, []string{"ANALYZING", "FETCHING_CLIENT_DATA", "SEARCHING_FLIGHTS", "AWAITING_QUOTES", "ANALYZING_PROPOSALS",
		"GENERATING_EMAIL", "SENDING_PROPOSAL", "COMPLETED"}, p.states("ANALYZING"))
	var priorities []handoffs.Priority
	var tasks []string
	for _, r := range p.records() {
		priorities, tasks = append(priorities, r.Priority), append(tasks, r.Task)
	}
	require.Equal(t, []handoffs.Priority{handoffs.High, handoffs.Normal, handoffs.Normal, handoffs.Normal}, priorities)
	require.Equal(t, []string{"fetch_client_data", "search_flights", "analyze_proposals", "send_proposal_email"}, tasks)

	s := p.sight()
	stats := handoffs.Statistics(s.Log, s.Desk)
	require.Equal(t, 4, stats.Handoffs)
	require.Zero(t, stats.Pending)
	got := map[string][2]int{}
	for agent, a := range stats.Agents {
		got[agent] = [2]int{a.Sent, a.Received}
	}
	require.Equal(t, map[string][2]int{"ORCHESTRATOR": {1, 0}, "CLIENT_DATA": {1, 1}, "FLIGHT_SEARCH": {1, 1}, "PROPOSAL_ANALYSIS": {1, 1}, "COMMUNICATION": {0, 1}}, got)
}

// TestJetvisionPayloads: what each rule puts into the payload, S3-14 to S3-27.
func TestJetvisionPayloads(t *testing.T) {
	rfp := map[string]any{"route": "VIE-JFK", "passengers": int64(4), "aircraft": "light"}
	for input, want := range map[string]map[string]map[string]any{
		`{"clientName": "Ada"}`: {
			"1.1": {"clientName": "Ada", "rfpData": rfp},
			"3.1": {"rfpId": "rfp-1", "quotesCount": int64(3)},
		},
		`{}`:                       {"1.2": {"rfpData": rfp}},
		`{"clientName": "Nobody"}`: {"2.1": {"rfpData": rfp}},
		`{"rfp": {}}`:              {"1.3": {"errorType": "validation_error", "missingFields": []any{"route", "passengers"}, "retryable": false}},
		`{"clientName": "Bob"}`:    {"4.2": {"errorType": "insufficient_data", "quotesReceived": int64(1), "minimumRequired": int64(3), "retryable": false}},
		`{"clientName": "Ada", "faults": {"sheets": 1, "avinode": 1}}`: {
			"2.2": {"errorType": "external_service_error", "service": "sheets", "error": "no answer", "retryable": true},
			"6.1": {"retryCount": int64(0), "originalError": "external_service_error", "clientName": "Ada"},
			"3.2": {"rfpId": "rfp-1", "errorType": "avinode_error", "service": "avinode", "error": "no answer", "retryable": true},
			"6.2": {"retryCount": int64(0), "originalError": "avinode_error", "rfpData": rfp},
		},
		`{"clientName": "Ada", "faults": {"gmail": 1}}`: {
			"5.1": {"errorType": "email_delivery_error", "recipient": "ada@example.org", "service": "gmail", "error": "the answer was lost", "retryable": true},
		},
	} {
		p := play(t, "jetvision.yaml").run(input)
		found := 0
		for _, r := range p.records() {
			if want[r.Rule] == nil {
				continue
			}
			found++
			expected := map[string]any{"requestId": "rfp-1", "sessionId": "session-1"}
			for key, v := range want[r.Rule] {
				expected[key] = v
			}
			require.Equal(t, expected, r.Payload, "%s: rule %s", input, r.Rule)
		}
		require.Equal(t, len(want), found, input)
	}
}

// TestJetvisionRetries: X-31, S3-33: with 0, 1 and 2 retries made there is one
// more, each behind a longer wait.
func TestJetvisionRetries(t *testing.T) {
	p := play(t, "jetvision.yaml").run(`{"clientName": "Ada", "faults": {"sheets": 9}}`)
	var counts []any
	for _, r := range p.records() {
		if r.Rule == "6.1" {
			counts = append(counts, r.Payload["retryCount"])
		}
	}
	require.Equal(t, []any{int64(0), int64(1), int64(2)}, counts)
	var waits []any
	for e := range p.sight().Log.All() {
		if e.Event == handoffs.EventRetry {
			waits = append(waits, e.Detail["after"])
		}
	}
	require.Equal(t, []any{"1s", "2s", "4s"}, waits)
	require.Equal(t, "FAILED", p.sight().Desk.Machine)
}

// TestJetvisionRestarts: a process that ends in front of every step, and
// another one that goes on: nothing differs, X-31, X-33.
func TestJetvisionRestarts(t *testing.T) {
	every := []string{handoffs.NodeProcess, handoffs.NodeComplete, "CLIENT_DATA", "FLIGHT_SEARCH", "PROPOSAL_ANALYSIS", "COMMUNICATION", "ERROR_MONITOR"}
	for _, input := range []string{
		`{"clientName": "Ada"}`,
		`{"clientName": "Ada", "faults": {"sheets": 2, "gmail": 1}}`,
		`{"clientName": "Ada", "faults": {"sheets": 9}}`,
		`{"clientName": "Ada", "rfp": {"route": "VIE-JFK", "passengers": 9, "aircraft": "heavy"}}`,
	} {
		whole := play(t, "jetvision.yaml").run(input)
		parts := play(t, "jetvision.yaml").run(input, every...)
		n := 0
		for ; !parts.done(); n++ {
			require.Less(t, n, 100)
			parts.resume(graph.Answers{}, every...)
		}
		require.Greater(t, n, 8)
		require.Equal(t, whole.story(), parts.story())
		require.Equal(t, whole.sight().Desk.Counts, parts.sight().Desk.Counts)
		require.Equal(t, whole.field("mails"), parts.field("mails"))
		require.Equal(t, whole.field("failures"), parts.field("failures"))
	}
}
