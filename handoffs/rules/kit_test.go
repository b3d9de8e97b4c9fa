package rules_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
	"github.com/graphrun/graphrun/handoffs/rules"
)

const request = "rfp-1"

// agents are those of the workflow.
var agents = []string{rules.Orchestrator, rules.ClientData, rules.FlightSearch, rules.ProposalAnalysis, rules.Communication, rules.ErrorMonitor}

// office is a manager with a clock that is moved by hand, and agents that do what
// their scripts say.
type office struct {
	*testing.T
	*rules.HandoffManager
	local   *bus.Local
	store   checkpoint.Store
	now     time.Time
	scripts map[string]func(rules.AgentTask) rules.TaskResult
	states  []string // that the request went through
	waits   []time.Duration
}

func newOffice(t *testing.T) *office {
	o := &office{T: t, local: bus.NewLocal(nil), store: checkpoint.NewMemory(nil), now: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	o.scripts = map[string]func(rules.AgentTask) rules.TaskResult{
		rules.Orchestrator: says(rules.TaskResult{Trigger: rules.AnalyzingComplete}),
		rules.ClientData:   says(rules.TaskResult{Trigger: rules.ClientDataComplete, Payload: map[string]any{"clientPreferences": map[string]any{"vipStatus": true}}}),
		rules.FlightSearch: func(task rules.AgentTask) rules.TaskResult {
			if o.state() == rules.AwaitingQuotes {
				return rules.TaskResult{Trigger: rules.QuotesReceived, Payload: map[string]any{"rfpId": "a-1", "quotesCount": int64(3)}}
			}
			return rules.TaskResult{States: []string{rules.AwaitingQuotes}, Until: &handoffs.Until{Signals: []string{"quote"}, Count: rules.MinimumQuotes, For: rules.QuoteTimeout}}
		},
		rules.ProposalAnalysis: says(rules.TaskResult{Trigger: rules.AnalysisComplete, Payload: map[string]any{"topProposals": []any{"a", "b", "c"}}}),
		rules.Communication:    says(rules.TaskResult{States: []string{rules.SendingProposal, rules.Completed}}),
		rules.ErrorMonitor: func(task rules.AgentTask) rules.TaskResult {
			if task.Payload["retryable"] != true {
				return rules.TaskResult{}
			}
			return rules.TaskResult{Trigger: rules.ErrorRetry, Payload: map[string]any{"originalError": task.Payload["errorType"], "emailPayload": map[string]any{"to": "ada@example.org"}}}
		},
	}
	o.restart()
	return o
}

// says does the same in every turn.
func says(r rules.TaskResult) func(rules.AgentTask) rules.TaskResult {
	return func(rules.AgentTask) rules.TaskResult { return r }
}

// restart begins a new process on the same store and bus.
func (o *office) restart() {
	o.Helper()
	var err error
	o.HandoffManager, err = rules.NewHandoffManager(rules.Config{Bus: o.local, Store: o.store, Clock: func() time.Time { return o.now }})
	require.NoError(o, err)
}

func (o *office) state() string {
	o.Helper()
	s, err := o.StateMachine().GetState(o.Context(), request)
	require.NoError(o, err)
	if s != "" && (len(o.states) == 0 || o.states[len(o.states)-1] != s) {
		o.states = append(o.states, s)
	}
	return s
}

// start begins the request.
func (o *office) start(facts map[string]any) rules.AgentTask {
	o.Helper()
	task, err := o.StartWorkflow(o.Context(), rules.AgentContext{RequestID: request, SessionID: "s-1", UserID: "u-1"}, facts)
	require.NoError(o, err)
	o.state()
	return task
}

// run lets the agents work until nobody has anything to do.
func (o *office) run(facts map[string]any) *office {
	o.Helper()
	o.start(facts)
	for range 100 {
		if !o.turn() && !o.accept() && !o.wait() {
			return o
		}
		o.state()
	}
	o.Fatal("the workflow does not end")
	return o
}

// turn lets the agent at work do its turn.
func (o *office) turn() bool {
	o.Helper()
	agent, task, err := o.AtWork(o.Context(), request)
	require.NoError(o, err)
	if agent == "" {
		return false
	}
	r := o.scripts[agent](task)
	_, err = o.CompleteTask(o.Context(), task.ID, agent, r)
	require.NoError(o, err, "%s %+v", agent, r)
	o.states = append(o.states, r.States...)
	return true
}

// accept lets an agent accept what waits for it.
func (o *office) accept() bool {
	o.Helper()
	for _, agent := range agents {
		pending, err := o.GetPendingHandoffs(o.Context(), agent)
		require.NoError(o, err)
		if len(pending) > 0 {
			_, err = o.AcceptHandoff(o.Context(), pending[0].ID, agent)
			require.NoError(o, err)
			return true
		}
	}
	return false
}

// wait brings quotes, or lets time pass until something is due.
func (o *office) wait() bool {
	o.Helper()
	if o.state() == rules.AwaitingQuotes {
		for i := range rules.MinimumQuotes {
			_, err := o.Signal(o.Context(), request, handoffs.Signal{ID: fmt.Sprint("q", len(o.states), i), Type: "quote"})
			require.NoError(o, err)
		}
		return true
	}
	for _, d := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		o.now = o.now.Add(d)
		_, err := o.HandleTimeouts(o.Context())
		require.NoError(o, err)
		pending, err := o.GetPendingHandoffs(o.Context(), "")
		require.NoError(o, err)
		if len(pending) > 0 {
			o.waits = append(o.waits, d)
			return true
		}
		o.now = o.now.Add(-d)
	}
	return false
}

// told are the messages of a type, as their targets.
func (o *office) told(typ string) (out []string) {
	for _, m := range o.local.History(bus.Filter{Types: []string{typ}}) {
		out = append(out, m.Target)
	}
	return out
}

// handed are the handoffs that the bus was told of, as their targets read them.
func (o *office) handed() (out []rules.AgentHandoff) {
	o.Helper()
	for _, m := range o.local.History(bus.Filter{Types: []string{bus.AgentHandoff}}) {
		data, err := json.Marshal(m.Payload["handoff"])
		require.NoError(o, err)
		var h rules.AgentHandoff
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		require.NoError(o, d.Decode(&h))
		require.Equal(o, h.Task.ID, rules.TaskID(&m))
		out = append(out, h)
	}
	return out
}

// path are the agents that were handed to.
func (o *office) path() string { return strings.Join(o.told(bus.AgentHandoff), " ") }

// charter are the facts of a request, with a client or without.
func charter(client string) map[string]any {
	facts := map[string]any{"rfpData": map[string]any{"route": "VIE-JFK"}}
	if client != "" {
		facts["clientName"] = client
	}
	return facts
}
