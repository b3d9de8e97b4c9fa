package rules_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
	"github.com/graphrun/graphrun/handoffs/rules"
)

// S3-28..S3-31: the types in JSON.
func TestS3_28_31_Types(t *testing.T) {
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for want, v := range map[string]any{
		`{"id":"t","type":"x","payload":{"a":1},"priority":"high","status":"pending","createdAt":"2026-05-04T12:00:00Z"}`: rules.AgentTask{
			ID: "t", Type: "x", Payload: map[string]any{"a": 1}, Priority: rules.High, Status: handoffs.PendingAccept, CreatedAt: at},
		`{"requestId":"r","sessionId":"s","userId":"u"}`: rules.AgentContext{RequestID: "r", SessionID: "s", UserID: "u"},
		`{"preferredAircraft":["CJ4"],"budgetRange":{"min":1,"max":2},"vipStatus":true,"specialRequirements":["dog"]}`: rules.ClientPreferences{
			PreferredAircraft: []string{"CJ4"}, BudgetRange: &rules.Range{Min: 1, Max: 2}, VIPStatus: true, SpecialRequirements: []string{"dog"}},
		`{"rank":1,"quoteId":"q","operator":"o","aircraft":"a","price":5,"scores":{"price":1,"safety":2,"speed":3,"comfort":4,"total":10},"reasoning":"r"}`: rules.Proposal{
			Rank: 1, QuoteID: "q", Operator: "o", Aircraft: "a", Price: 5, Scores: rules.Scores{Price: 1, Safety: 2, Speed: 3, Comfort: 4, Total: 10}, Reasoning: "r"},
	} {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		require.JSONEq(t, want, string(data))
	}
	v, err := rules.Value([]rules.Proposal{{Rank: 1, QuoteID: "q"}})
	require.NoError(t, err)
	require.Equal(t, int64(1), v.([]any)[0].(map[string]any)["rank"])
	_, err = rules.Value(func() {})
	require.Error(t, err)
}

// handoff is one that an agent makes itself.
func handoff(from, to string) rules.AgentHandoff {
	return rules.AgentHandoff{
		FromAgent: from, ToAgent: to, Task: rules.AgentTask{Type: "x", Payload: map[string]any{"n": int64(1)}, Priority: rules.Urgent},
		Context: rules.AgentContext{RequestID: request}, Reason: "because",
	}
}

// S3-04..S3-06, S3-28, S3-51: an agent hands over itself.
func TestS3_05_Handoff(t *testing.T) {
	o := newOffice(t)
	o.start(charter(""))
	task, err := o.Handoff(t.Context(), handoff(rules.Orchestrator, rules.FlightSearch))
	require.NoError(t, err)
	require.Equal(t, rules.AgentTask{ID: task.ID, Type: "x", Payload: map[string]any{"n": int64(1)}, Priority: rules.Urgent, Status: handoffs.PendingAccept, CreatedAt: o.now}, task)
	require.Regexp(t, `^rfp-1/[0-9a-f-]{36}$`, task.ID)
	require.Equal(t, rules.Analyzing, o.state()) // it moves when the target accepts
	_, err = o.AcceptHandoff(t.Context(), task.ID, rules.FlightSearch)
	require.NoError(t, err)
	require.Equal(t, rules.SearchingFlights, o.state())
}

// S3-36, S3-37: what a handoff must have.
func TestS3_36_37_Validation(t *testing.T) {
	o := newOffice(t)
	_, err := o.Handoff(t.Context(), rules.AgentHandoff{Task: rules.AgentTask{Priority: "asap"}})
	require.ErrorIs(t, err, handoffs.CodeMissing)
	require.ErrorContains(t, err, "Missing required field: fromAgent; Missing required field: toAgent; Missing required field: task; "+
		"Missing required field: context; Missing required field: reason; Invalid priority: asap")
	for _, p := range []handoffs.Priority{rules.Urgent, rules.High, rules.Normal, rules.Low, ""} {
		h := handoff("a", "b")
		h.Task.Priority = p
		require.NoError(t, h.Validate())
	}
	blank := handoff("a", " ")
	require.ErrorContains(t, blank.Validate(), "Missing required field: toAgent")
	asap := handoff("a", "b")
	asap.Task.Priority = "asap"
	require.ErrorIs(t, asap.Validate(), handoffs.CodeSyntax)
	require.NotErrorIs(t, asap.Validate(), handoffs.CodeMissing)
	var h rules.AgentHandoff
	require.NoError(t, json.Unmarshal([]byte(`{"fromAgent":"a","toAgent":"b","task":{"type":"x"},"context":{"requestId":"r"},"reason":"y"}`), &h))
	require.NoError(t, h.Validate())
}

// S3-01, S3-34, S3-35, X-35: agents, ways and states are looked at, and nothing has
// changed but who has the work.
func TestS3_34_35_Rejections(t *testing.T) {
	tests := map[string]struct {
		to   string
		code handoffs.Code
		want string
	}{
		"S3-34":        {"PILOT", handoffs.CodeNotFound, "Target agent not found: PILOT"},
		"S3-01 no way": {rules.Communication, handoffs.CodeEdge, "ORCHESTRATOR may not hand off to COMMUNICATION"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			o.start(charter(""))
			_, err := o.Handoff(t.Context(), handoff(rules.Orchestrator, tt.to))
			require.ErrorIs(t, err, tt.code)
			require.ErrorContains(t, err, tt.want)
			require.Equal(t, rules.Analyzing, o.state())
			require.Empty(t, o.path())
		})
	}
	for name, hand := range map[string]func(*office, rules.AgentTask) error{ // quotes before anybody awaits them
		"S3-35 by a rule": func(o *office, task rules.AgentTask) error {
			_, err := o.CompleteTask(t.Context(), task.ID, rules.FlightSearch, rules.TaskResult{Trigger: rules.QuotesReceived, Payload: map[string]any{"rfpId": "a", "quotesCount": int64(3)}})
			return err
		},
		"S3-35 by the agent": func(o *office, _ rules.AgentTask) error {
			_, err := o.Handoff(t.Context(), handoff(rules.FlightSearch, rules.ProposalAnalysis))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			task, err := o.CompleteTask(t.Context(), o.start(charter("")).ID, rules.Orchestrator, rules.TaskResult{Trigger: rules.AnalyzingComplete})
			require.NoError(t, err)
			task, err = o.AcceptHandoff(t.Context(), task.ID, rules.FlightSearch)
			require.NoError(t, err)
			err = hand(o, task)
			require.ErrorIs(t, err, handoffs.CodeTransition)
			require.ErrorContains(t, err, "Invalid state transition: SEARCHING_FLIGHTS -> ANALYZING_PROPOSALS")
			require.Equal(t, rules.SearchingFlights, o.state())
			agent, _, err := o.AtWork(t.Context(), request)
			require.NoError(t, err)
			require.Equal(t, rules.ErrorMonitor, agent)
		})
	}
}

func TestS3_35_StatesOfATurn(t *testing.T) {
	o := newOffice(t)
	task := o.start(charter(""))
	_, err := o.CompleteTask(t.Context(), task.ID, rules.Orchestrator, rules.TaskResult{States: []string{rules.SearchingFlights, rules.Completed}, Trigger: rules.AnalyzingComplete})
	require.ErrorIs(t, err, handoffs.CodeTransition)
	require.ErrorContains(t, err, "Invalid state transition: SEARCHING_FLIGHTS -> COMPLETED")
	require.Equal(t, rules.Analyzing, o.state()) // nothing has happened: it may correct itself
	_, err = o.CompleteTask(t.Context(), task.ID, rules.Orchestrator, rules.TaskResult{Trigger: rules.AnalyzingComplete})
	require.NoError(t, err)
}

// S3-02, S3-07, S3-39: what the bus is told.
func TestS3_39_Messages(t *testing.T) {
	o := newOffice(t)
	o.start(charter(""))
	task, err := o.Handoff(t.Context(), handoff(rules.Orchestrator, rules.FlightSearch))
	require.NoError(t, err)
	all := o.local.History(bus.Filter{Types: []string{bus.AgentHandoff}, Target: rules.FlightSearch, Session: "s-1"})
	require.Len(t, all, 1)
	require.Equal(t, task.ID, rules.TaskID(&all[0]))
	data, err := json.Marshal(all[0])
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(data, &m))
	require.NotEmpty(t, m["id"])
	require.Equal(t, "AGENT_HANDOFF", m["type"])
	require.Equal(t, rules.Orchestrator, m["sourceAgent"])
	require.Equal(t, rules.FlightSearch, m["targetAgent"])
	require.Equal(t, "2026-05-04T12:00:00Z", m["timestamp"])
	require.Equal(t, map[string]any{"requestId": request, "sessionId": "s-1", "userId": "u-1"}, m["context"])
	full, err := json.Marshal(m["payload"].(map[string]any)["handoff"])
	require.NoError(t, err)
	require.JSONEq(t, `{"fromAgent":"ORCHESTRATOR","toAgent":"FLIGHT_SEARCH","context":{"requestId":"rfp-1","sessionId":"s-1","userId":"u-1"},"reason":"because",
		"task":{"id":"`+task.ID+`","type":"x","payload":{"n":1},"priority":"urgent","status":"pending","createdAt":"2026-05-04T12:00:00Z"}}`, string(full))
	record := m["payload"].(map[string]any)["record"].(map[string]any)
	require.Equal(t, "transfer", record["kind"])
	require.Equal(t, "delegation", record["reason"])
}

// S3-08, S3-41, X-36: the target rejects, before or after it has accepted; the
// error monitor puts the work back into the queue.
func TestS3_41_Rejection(t *testing.T) {
	for _, accepted := range []bool{false, true} {
		o := newOffice(t)
		o.start(charter(""))
		task, err := o.Handoff(t.Context(), handoff(rules.Orchestrator, rules.FlightSearch))
		require.NoError(t, err)
		if accepted {
			_, err = o.AcceptHandoff(t.Context(), task.ID, rules.FlightSearch)
			require.NoError(t, err)
		}
		require.NoError(t, o.RejectHandoff(t.Context(), task.ID, rules.FlightSearch, "max concurrent tasks reached"))
		failed := o.local.History(bus.Filter{Types: []string{bus.TaskFailed}})
		require.Len(t, failed, 1)
		require.Equal(t, task.ID, rules.TaskID(&failed[0]))
		require.Contains(t, failed[0].Payload["error"], "max concurrent tasks reached")
		agent, _, err := o.AtWork(t.Context(), request)
		require.NoError(t, err)
		require.Equal(t, rules.ErrorMonitor, agent)
		again, err := o.Handoff(t.Context(), handoff(rules.ErrorMonitor, rules.FlightSearch))
		require.NoError(t, err)
		require.NotEqual(t, task.ID, again.ID)
		require.ErrorIs(t, o.RejectHandoff(t.Context(), task.ID, rules.FlightSearch, "late"), handoffs.CodeStale)
	}
}

// S3-42, S3-50, X-37: who does not accept in time loses that task, and no other.
func TestS3_42_50_AcceptTimeout(t *testing.T) {
	o := newOffice(t)
	o.start(charter(""))
	task, err := o.Handoff(t.Context(), handoff(rules.Orchestrator, rules.FlightSearch))
	require.NoError(t, err)
	_, err = o.StartWorkflow(t.Context(), rules.AgentContext{RequestID: "rfp-2"}, charter(""))
	require.NoError(t, err)
	h := handoff(rules.Orchestrator, rules.FlightSearch)
	h.Context.RequestID = "rfp-2"
	o.now = o.now.Add(10 * time.Second)
	other, err := o.Handoff(t.Context(), h)
	require.NoError(t, err)

	o.now = o.now.Add(20*time.Second - time.Nanosecond)
	late, err := o.HandleTimeouts(t.Context())
	require.NoError(t, err)
	require.Empty(t, late)
	o.now = o.now.Add(time.Nanosecond)
	late, err = o.HandleTimeouts(t.Context())
	require.NoError(t, err)
	require.Len(t, late, 1)
	agent, _, err := o.AtWork(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, rules.ErrorMonitor, agent)
	_, err = o.AcceptHandoff(t.Context(), task.ID, rules.FlightSearch)
	require.ErrorIs(t, err, handoffs.CodeStale)

	_, err = o.AcceptHandoff(t.Context(), other.ID, rules.FlightSearch) // behind 20 s
	require.NoError(t, err)
	o.now = o.now.Add(time.Hour)
	late, err = o.HandleTimeouts(t.Context())
	require.NoError(t, err)
	require.Empty(t, late)
}

// S3-02: nothing is lost when the bus fails, and nothing comes twice.
func TestS3_02_MessagesOutliveABusThatFails(t *testing.T) {
	o := newOffice(t)
	down := &broken{Bus: o.local, err: errors.New("no connection")}
	m, err := rules.NewHandoffManager(rules.Config{Bus: down, Store: o.store, Clock: func() time.Time { return o.now }})
	require.NoError(t, err)
	o.start(charter(""))
	_, err = m.Handoff(t.Context(), handoff(rules.Orchestrator, rules.FlightSearch))
	require.ErrorContains(t, err, "no connection")
	require.Empty(t, o.path())
	pending, err := o.GetPendingHandoffs(t.Context(), rules.FlightSearch)
	require.NoError(t, err)
	_, err = o.AcceptHandoff(t.Context(), pending[0].ID, rules.FlightSearch)
	require.NoError(t, err)
	require.Equal(t, "FLIGHT_SEARCH", o.path())
}

// broken is a bus that takes nothing.
type broken struct {
	bus.Bus
	err error
}

func (b *broken) Publish(context.Context, bus.Message) error { return b.err }

// Only the agent at work ends its turn, and each request begins once.
func TestWhatIsNotAnAgentsTurn(t *testing.T) {
	o := newOffice(t)
	task := o.start(charter("Ada"))
	_, err := o.CompleteTask(t.Context(), task.ID, rules.ClientData, rules.TaskResult{})
	require.ErrorIs(t, err, handoffs.CodeStale)
	_, err = o.CompleteTask(t.Context(), "nothing", rules.ClientData, rules.TaskResult{})
	require.ErrorIs(t, err, handoffs.CodeStale)
	_, err = o.StartWorkflow(t.Context(), rules.AgentContext{RequestID: request}, nil)
	require.ErrorContains(t, err, "has begun already")
	_, err = o.StartWorkflow(t.Context(), rules.AgentContext{}, nil)
	require.ErrorContains(t, err, "needs an id")
	_, err = rules.NewHandoffManager(rules.Config{Policy: rules.Policy("")})
	require.ErrorContains(t, err, "has no agents")
}

// S3-06: a rule whose payload is not whole hands nothing over.
func TestS3_10_PayloadIsChecked(t *testing.T) {
	o := newOffice(t)
	_, err := o.CompleteTask(t.Context(), o.start(map[string]any{"clientName": "Ada"}).ID, rules.Orchestrator, rules.TaskResult{Trigger: rules.AnalyzingComplete})
	require.ErrorIs(t, err, handoffs.CodePayload)
	require.ErrorContains(t, err, `rule 1.1: payload "rfpData": it is needed`)
	require.Empty(t, o.path())
}

// A store of another preset's policy: agents without rules go along its edges.
func TestManagerOnAPolicyOfItsOwn(t *testing.T) {
	p := rules.Policy("")
	p.Registry, p.Entry = handoffs.MustRegistry(handoffs.Profile{ID: "a"}, handoffs.Profile{ID: "b"}), "a"
	p.Edges = []handoffs.Edge{{From: []string{"a"}, To: []string{"b"}}}
	m, err := rules.NewHandoffManager(rules.Config{Policy: p, Store: checkpoint.NewMemory(nil)})
	require.NoError(t, err)
	_, err = m.StartWorkflow(t.Context(), rules.AgentContext{RequestID: request}, nil)
	require.NoError(t, err)
	task, err := m.Handoff(t.Context(), handoff("a", "b"))
	require.NoError(t, err)
	_, err = m.AcceptHandoff(t.Context(), task.ID, "b")
	require.NoError(t, err)
	require.True(t, m.StateMachine().CanTransition("x", "y"), "no machine allows everything")
	require.False(t, slices.ContainsFunc(handoffs.Lint(p), func(f handoffs.Finding) bool { return !f.Warning }))
}
