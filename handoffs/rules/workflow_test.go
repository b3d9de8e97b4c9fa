package rules_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
	"github.com/graphrun/graphrun/handoffs/rules"
)

// S3-44: with a client its data come first.
func TestS3_44_ClientGiven(t *testing.T) {
	for _, key := range []string{"clientName", "clientEmail"} {
		o := newOffice(t)
		facts := charter("")
		facts[key] = "Ada"
		task, err := o.CompleteTask(t.Context(), o.start(facts).ID, rules.Orchestrator, rules.TaskResult{Trigger: rules.AnalyzingComplete})
		require.NoError(t, err)
		require.Equal(t, "fetch_client_data", task.Type)
		require.Equal(t, rules.High, task.Priority)
		require.Equal(t, handoffs.PendingAccept, task.Status)
		require.Equal(t, "Ada", task.Payload[key])
		require.Equal(t, "CLIENT_DATA", o.path())
	}
}

// S3-45: without one the search does.
func TestS3_45_NoClient(t *testing.T) {
	o := newOffice(t)
	task, err := o.CompleteTask(t.Context(), o.start(charter("")).ID, rules.Orchestrator, rules.TaskResult{Trigger: rules.AnalyzingComplete})
	require.NoError(t, err)
	require.Equal(t, "search_flights", task.Type)
	require.Equal(t, rules.Normal, task.Priority)
	require.Equal(t, "FLIGHT_SEARCH", o.path())

	o = newOffice(t) // an empty name is none
	nobody := charter("")
	nobody["clientName"], nobody["clientEmail"] = "", nil
	_, err = o.CompleteTask(t.Context(), o.start(nobody).ID, rules.Orchestrator, rules.TaskResult{Trigger: rules.AnalyzingComplete})
	require.NoError(t, err)
	require.Equal(t, "FLIGHT_SEARCH", o.path())
}

// S3-46, S3-47, X-27: a whole run.
func TestS3_46_47_HappyPath(t *testing.T) {
	o := newOffice(t).run(charter("Ada"))
	require.Equal(t, "CLIENT_DATA FLIGHT_SEARCH PROPOSAL_ANALYSIS COMMUNICATION", o.path())
	require.Equal(t, []string{
		rules.Analyzing, rules.FetchingClientData, rules.SearchingFlights, rules.AwaitingQuotes, rules.AnalyzingProposals,
		rules.GeneratingEmail, rules.SendingProposal, rules.Completed,
	}, o.states)
	require.Len(t, o.told(bus.TaskCompleted), 5)
	require.Empty(t, o.told(bus.TaskFailed))
	var tasks []string
	for _, h := range o.handed() {
		tasks = append(tasks, string(h.Task.Priority)+" "+h.Task.Type)
	}
	require.Equal(t, []string{"high fetch_client_data", "normal search_flights", "normal analyze_proposals", "normal send_proposal_email"}, tasks)
	log, err := o.Log(t.Context(), request) // S3-01: what is done is known
	require.NoError(t, err)
	require.Equal(t, 4, handoffs.Count(log, handoffs.Filter{Status: []handoffs.Status{handoffs.Completed}}))

	stats, err := o.GetStats(t.Context()) // S3-40
	require.NoError(t, err)
	data, err := json.Marshal(stats)
	require.NoError(t, err)
	require.JSONEq(t, `{"totalHandoffs":4,"pendingHandoffs":0,"handoffsByAgent":{"ORCHESTRATOR":{"sent":1,"received":0},"CLIENT_DATA":{"sent":1,"received":1},
		"FLIGHT_SEARCH":{"sent":1,"received":1},"PROPOSAL_ANALYSIS":{"sent":1,"received":1},"COMMUNICATION":{"sent":0,"received":1}}}`, string(data))
}

//
func TestS3_15_NoClientMakesThreeHandoffs(t *testing.T) {
	require.Equal(t, "FLIGHT_SEARCH PROPOSAL_ANALYSIS COMMUNICATION", newOffice(t).run(charter("")).path())
}

// S3-17, S3-48, X-29: a client that nobody knows is no obstacle, and there is one
// search.
func TestS3_48_OneSearchBehindTheClientsData(t *testing.T) {
	o := newOffice(t)
	o.scripts[rules.ClientData] = says(rules.TaskResult{Trigger: rules.ClientDataComplete})
	require.Equal(t, "CLIENT_DATA FLIGHT_SEARCH PROPOSAL_ANALYSIS COMMUNICATION", o.run(charter("Nobody")).path())
}

// S3-16, X-30: a request that is no good fails at once.
func TestS3_16_InvalidRequest(t *testing.T) {
	o := newOffice(t)
	o.scripts[rules.Orchestrator] = says(rules.TaskResult{Trigger: rules.AnalyzingFailed, Payload: map[string]any{
		"errorType": rules.ValidationError, "missingFields": []any{"route"}, "retryable": false}})
	o.run(charter("Ada"))
	require.Equal(t, "ERROR_MONITOR", o.path())
	require.Equal(t, []string{rules.Analyzing, rules.Failed}, o.states)
	require.Equal(t, rules.Urgent, o.handed()[0].Task.Priority)
}

// flaky fails a number of times before it does what the script says.
func (o *office) flaky(agent string, times int, failure rules.TaskResult) {
	n, well := 0, o.scripts[agent]
	o.scripts[agent] = func(task rules.AgentTask) rules.TaskResult {
		if n++; n <= times {
			return failure
		}
		return well(task)
	}
}

func sheets(retryable bool) rules.TaskResult {
	return rules.TaskResult{Trigger: rules.ClientDataFailed, Payload: map[string]any{
		"errorType": rules.ExternalServiceError, "service": "sheets", "retryable": retryable}}
}

// S3-18, S3-25, S3-33, X-31: two outages, longer and longer waits, and a restart
// between.
func TestS3_25_Retries(t *testing.T) {
	o := newOffice(t)
	o.flaky(rules.ClientData, 2, sheets(true))
	monitor := o.scripts[rules.ErrorMonitor]
	var counts []any
	o.scripts[rules.ErrorMonitor] = func(task rules.AgentTask) rules.TaskResult { o.restart(); return monitor(task) }
	client := o.scripts[rules.ClientData]
	o.scripts[rules.ClientData] = func(task rules.AgentTask) rules.TaskResult {
		counts = append(counts, task.Payload["retryCount"])
		return client(task)
	}
	o.run(charter("Ada"))
	require.Equal(t, "CLIENT_DATA ERROR_MONITOR CLIENT_DATA ERROR_MONITOR CLIENT_DATA FLIGHT_SEARCH PROPOSAL_ANALYSIS COMMUNICATION", o.path())
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second}, o.waits)
	require.Equal(t, []any{nil, int64(0), int64(1)}, counts)
	require.Equal(t, rules.Completed, o.state())
}

// S3-25, S3-40: what waits for another attempt is not offered to anybody yet.
func TestS3_25_RetriesWait(t *testing.T) {
	o := newOffice(t)
	o.flaky(rules.ClientData, 1, sheets(true))
	o.start(charter("Ada"))
	for o.turn() || o.accept() {
		o.state()
	}
	for i, d := range []time.Duration{time.Second - time.Nanosecond, time.Nanosecond} {
		stats, err := o.GetStats(t.Context())
		require.NoError(t, err)
		require.Zero(t, stats.PendingHandoffs)
		o.now = o.now.Add(d)
		_, err = o.HandleTimeouts(t.Context())
		require.NoError(t, err)
		pending, err := o.GetPendingHandoffs(t.Context(), rules.ClientData)
		require.NoError(t, err)
		require.Len(t, pending, i)
	}
	stats, err := o.GetStats(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, stats.PendingHandoffs)
}

// the fourth failure is the end.
func TestS3_25_33_RetryLimit(t *testing.T) {
	o := newOffice(t)
	o.flaky(rules.ClientData, 99, sheets(true))
	o.scripts[rules.ErrorMonitor] = func(task rules.AgentTask) rules.TaskResult {
		if o.state() == rules.Failed {
			return rules.TaskResult{}
		}
		return rules.TaskResult{Trigger: rules.ErrorRetry, Payload: map[string]any{"originalError": task.Payload["errorType"]}}
	}
	o.run(charter("Ada"))
	require.Equal(t, 4, strings.Count(o.path(), "CLIENT_DATA"))
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, o.waits)
	require.Equal(t, rules.Failed, o.state())
}

// what cannot get better is not tried again.
func TestS3_18_NotRetryable(t *testing.T) {
	o := newOffice(t)
	o.flaky(rules.ClientData, 1, sheets(false))
	o.run(charter("Ada"))
	require.Equal(t, "CLIENT_DATA ERROR_MONITOR", o.path())
	require.Equal(t, rules.Failed, o.state())
}

// S3-20, S3-26, S3-52, X-33: no quotes for a day, in another process.
func TestS3_52_NoQuotesForADay(t *testing.T) {
	o := newOffice(t)
	_, err := o.CompleteTask(t.Context(), o.start(charter("")).ID, rules.Orchestrator, rules.TaskResult{Trigger: rules.AnalyzingComplete})
	require.NoError(t, err)
	require.True(t, o.accept())
	require.True(t, o.turn()) // it waits for quotes
	require.Equal(t, rules.AwaitingQuotes, o.state())
	o.now = o.now.Add(rules.QuoteTimeout - time.Second)
	o.restart()
	late, err := o.HandleTimeouts(t.Context())
	require.NoError(t, err)
	require.Empty(t, late)
	o.now = o.now.Add(time.Second)
	for i := range 2 { // the timer fires once
		late, err = o.HandleTimeouts(t.Context())
		require.NoError(t, err)
		require.Len(t, late, 1-i)
	}
	_, err = o.Signal(t.Context(), request, handoffs.Signal{Type: "quote"})
	require.ErrorContains(t, err, "nobody waits for the signal quote")
	agent, task, err := o.AtWork(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, rules.FlightSearch, agent)
	_, err = o.CompleteTask(t.Context(), task.ID, agent, rules.TaskResult{Trigger: rules.AwaitingQuotesTimeout, Payload: map[string]any{
		"errorType": rules.QuoteTimeoutError, "retryable": true}})
	require.NoError(t, err)
	require.True(t, o.accept())
	require.True(t, o.turn()) // the monitor tries again
	require.True(t, o.wait())
	require.Equal(t, "FLIGHT_SEARCH ERROR_MONITOR FLIGHT_SEARCH", o.path())
	require.Equal(t, rules.SearchingFlights, o.state())
}

// S3-21, S3-22, S3-49: too few proposals.
func TestS3_22_TooFewProposals(t *testing.T) {
	o := newOffice(t)
	o.scripts[rules.ProposalAnalysis] = says(rules.TaskResult{Trigger: rules.AnalysisFailed, Payload: map[string]any{
		"errorType": rules.InsufficientData, "quotesReceived": int64(2), "topProposals": []any{"a", "b"}}})
	o.run(charter(""))
	require.Equal(t, "FLIGHT_SEARCH PROPOSAL_ANALYSIS ERROR_MONITOR", o.path())
	require.Equal(t, rules.Failed, o.state())
	require.Equal(t, map[string]any{
		"requestId": request, "sessionId": "s-1", "errorType": "insufficient_data", "quotesReceived": 2.0, "minimumRequired": 3.0,
	}, o.handed()[2].Task.Payload)
}

// S3-19: two quotes are too few.
func TestS3_19_TooFewQuotes(t *testing.T) {
	o := newOffice(t)
	o.start(charter(""))
	for o.state() != rules.AwaitingQuotes {
		require.True(t, o.turn() || o.accept())
	}
	require.True(t, o.wait())
	_, task, err := o.AtWork(t.Context(), request)
	require.NoError(t, err)
	_, err = o.CompleteTask(t.Context(), task.ID, rules.FlightSearch, rules.TaskResult{Trigger: rules.QuotesReceived, Payload: map[string]any{"rfpId": "a", "quotesCount": int64(2)}})
	require.ErrorIs(t, err, handoffs.CodeGuard)
	require.ErrorContains(t, err, "no rule answers QUOTES_RECEIVED")
	require.Equal(t, rules.AwaitingQuotes, o.state())
	require.Equal(t, "FLIGHT_SEARCH", o.path())
}

// S3-23, S3-27, S3-49, X-34: a mail that did not go out is sent again, not written
// again.
func TestS3_27_49_MailIsSentAgain(t *testing.T) {
	o := newOffice(t)
	o.flaky(rules.Communication, 1, rules.TaskResult{States: []string{rules.SendingProposal}, Trigger: rules.SendingProposalFailed, Payload: map[string]any{
		"errorType": rules.EmailDeliveryError, "recipient": "ada@example.org", "retryable": true}})
	well := o.scripts[rules.Communication]
	o.scripts[rules.Communication] = func(task rules.AgentTask) rules.TaskResult {
		r := well(task)
		if o.state() == rules.SendingProposal {
			r.States = []string{rules.Completed}
		}
		return r
	}
	o.run(charter("Ada"))
	require.Equal(t, 6, len(o.told(bus.AgentHandoff)))
	require.Equal(t, 1, strings.Count(strings.Join(o.states, " "), rules.GeneratingEmail))
	require.Equal(t, rules.Completed, o.state())
	failed, again := o.handed()[4], o.handed()[5] // 5.1, 6.3
	require.Equal(t, rules.Urgent, failed.Task.Priority)
	require.Equal(t, "ada@example.org", failed.Task.Payload["recipient"])
	require.Equal(t, rules.Urgent, again.Task.Priority)
	require.Equal(t, map[string]any{"to": "ada@example.org"}, again.Task.Payload["emailPayload"])
}

// S3-24: the workflow ends without a handoff.
func TestS3_24_SuccessEndsWithoutAHandoff(t *testing.T) {
	o := newOffice(t).run(charter(""))
	agent, _, err := o.AtWork(t.Context(), request)
	require.NoError(t, err)
	require.Empty(t, agent)
	require.Equal(t, rules.Communication, o.told(bus.AgentHandoff)[2])
}

// C17: urgency raises the priority of a search, and does not lower it.
func TestS3_15_Urgency(t *testing.T) {
	for urgency, want := range map[string]handoffs.Priority{"urgent": rules.Urgent, "low": rules.Normal, "": rules.Normal} {
		o := newOffice(t)
		facts := charter("")
		if urgency != "" {
			facts["urgency"] = urgency
		}
		task, err := o.CompleteTask(t.Context(), o.start(facts).ID, rules.Orchestrator, rules.TaskResult{Trigger: rules.AnalyzingComplete})
		require.NoError(t, err)
		require.Equal(t, want, task.Priority)
	}
}

// S3-09: what an agent cannot do at all goes to the error monitor.
func TestS3_09_FailedTask(t *testing.T) {
	o := newOffice(t)
	task := o.start(charter("Ada"))
	require.NoError(t, o.FailTask(t.Context(), task.ID, rules.Orchestrator, errors.New("out of memory")))
	require.Equal(t, []string{rules.ErrorMonitor}, o.told(bus.AgentHandoff))
	require.Len(t, o.told(bus.TaskFailed), 1)
	pending, err := o.GetPendingHandoffs(t.Context(), rules.ErrorMonitor)
	require.NoError(t, err)
	require.Equal(t, "out of memory", pending[0].Payload["error"])
	require.ErrorIs(t, o.FailTask(t.Context(), task.ID, rules.Orchestrator, errors.New("again")), handoffs.CodeStale)
	require.True(t, o.accept())
	_, task, err = o.AtWork(t.Context(), request)
	require.NoError(t, err)
	var failed *handoffs.Error
	require.ErrorAs(t, o.FailTask(t.Context(), task.ID, rules.ErrorMonitor, errors.New("out of memory too")), &failed)
	agent, _, err := o.AtWork(t.Context(), request)
	require.NoError(t, err)
	require.Empty(t, agent)
}

// What one error was does not stick to the next one.
func TestS3_18_ErrorsAreJudgedByThemselves(t *testing.T) {
	o := newOffice(t)
	o.flaky(rules.ClientData, 1, sheets(true))
	searched := 0
	search := o.scripts[rules.FlightSearch]
	o.scripts[rules.FlightSearch] = func(task rules.AgentTask) rules.TaskResult {
		if searched++; searched == 1 {
			return rules.TaskResult{Trigger: rules.SearchingFlightsFailed, Payload: map[string]any{"errorType": rules.AvinodeError, "requestId": "another", "sessionId": "another"}}
		}
		return search(task)
	}
	o.run(charter("Ada"))
	require.Equal(t, "CLIENT_DATA ERROR_MONITOR CLIENT_DATA FLIGHT_SEARCH ERROR_MONITOR", o.path())
	require.Equal(t, rules.Failed, o.state())
	last := o.handed()[4]
	require.Equal(t, rules.AgentContext{RequestID: request, SessionID: "s-1", UserID: "u-1"}, last.Context)
	require.Equal(t, request, last.Task.Payload["requestId"])
	require.Equal(t, "s-1", last.Task.Payload["sessionId"])
}
