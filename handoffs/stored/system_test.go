package stored_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/stored"
)

// trace keeps what it was told.
type trace struct {
	mu     sync.Mutex
	events []handoffs.TraceEvent
	fail   error
}

func (tr *trace) Log(_ context.Context, e handoffs.TraceEvent) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.fail != nil {
		return tr.fail
	}
	tr.events = append(tr.events, e)
	return nil
}

// types tells the events, each as its type and agents.
func (tr *trace) types() (out []string) {
	for _, e := range tr.events {
		out = append(out, e.Type+" "+e.From+"->"+e.To)
	}
	return out
}

// desk is a system, what its agents were invoked with, and what the trace was
// told.
type desk struct {
	*testing.T
	*stored.System
	trace  trace
	calls  []stored.AgentInvocationContext
	agents []string
	invoke stored.InvokeAgent
}

func newDesk(t *testing.T, cfg stored.Config) *desk {
	d := &desk{T: t, invoke: cfg.Invoke}
	if cfg.Agents == nil {
		cfg.Agents = school
	}
	cfg.Trace, cfg.Clock = &d.trace, noon
	cfg.Invoke = func(ctx context.Context, agent string, in stored.AgentInvocationContext) error {
		d.agents, d.calls = append(d.agents, agent), append(d.calls, in)
		if d.invoke == nil {
			return nil
		}
		return d.invoke(ctx, agent, in)
	}
	var err error
	d.System, err = stored.New(cfg)
	require.NoError(t, err)
	return d
}

// from is a handoff in session s1.
func from(a, b string) stored.HandoffContext {
	return stored.HandoffContext{FromAgent: a, ToAgent: b, Reason: "because", UserIntent: "know", SessionID: "s1", ConversationHistory: []stored.Message{}}
}

func (d *desk) execute(c stored.HandoffContext) {
	d.Helper()
	require.NoError(d, d.ExecuteHandoff(d.Context(), c))
}

func (d *desk) history(session string) (out []string) {
	d.Helper()
	events, err := d.GetHandoffHistory(d.Context(), session)
	require.NoError(d, err)
	for _, e := range events {
		out = append(out, e.FromAgent+">"+e.ToAgent+" "+string(e.Status))
	}
	return out
}

// S1-01, S1-02, S1-06, S1-07, S1-08, S1-24, X-12.
func TestS1_06_07_08_History(t *testing.T) {
	d := newDesk(t, stored.Config{})
	last, err := d.GetLastHandoff(t.Context(), "s1")
	require.NoError(t, err)
	require.Nil(t, last)
	d.execute(from("dojo", "librarian"))
	d.execute(from("librarian", "dojo"))
	require.Equal(t, []string{"dojo>librarian completed", "librarian>dojo completed"}, d.history("s1"))
	last, err = d.GetLastHandoff(t.Context(), "s1")
	require.NoError(t, err)
	require.Equal(t, "librarian", last.FromAgent)
	for want, filter := range map[int][][2]string{2: {{"", ""}}, 1: {{"dojo", ""}, {"", "librarian"}, {"dojo", "librarian"}}, 0: {{"dojo", "debugger"}, {"x", ""}}} {
		for _, f := range filter {
			n, err := d.GetHandoffCount(t.Context(), "s1", f[0], f[1])
			require.NoError(t, err)
			require.Equal(t, want, n, f)
		}
	}
	require.Equal(t, []string{"AGENT_HANDOFF dojo->librarian", "AGENT_HANDOFF librarian->dojo"}, d.trace.types())
	require.Equal(t, []string{"librarian", "dojo"}, d.agents)
}

// S1-05, S1-21: what is stored of a handoff, by its keys.
func TestS1_05_21_StoredEvent(t *testing.T) {
	d := newDesk(t, stored.Config{})
	c := from("dojo", "debugger")
	c.HarnessTraceID = "tr-1"
	id, err := d.StoreHandoffEvent(t.Context(), c)
	require.NoError(t, err)
	require.Regexp(t, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, id)
	require.Empty(t, d.agents)
	last, err := d.GetLastHandoff(t.Context(), "s1")
	require.NoError(t, err)
	data, err := json.Marshal(last)
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"`+id+`","session_id":"s1","from_agent":"dojo","to_agent":"debugger","reason":"because","user_intent":"know",
		"harness_trace_id":"tr-1","created_at":"2026-05-04T12:00:00Z","status":"running"}`, string(data))
}

// S1-09..S1-12, S1-26, X-13: the target gets all of it.
func TestS1_09_12_WhatIsPreserved(t *testing.T) {
	d := newDesk(t, stored.Config{})
	c := from("dojo", "librarian")
	c.HarnessTraceID = "tr-1"
	c.ConversationHistory = []stored.Message{
		{Role: "user", Content: "hello", Timestamp: noon()}, {Role: "assistant", Content: "hi", AgentID: "dojo", Timestamp: noon()},
	}
	d.execute(c)
	last, err := d.GetLastHandoff(t.Context(), "s1")
	require.NoError(t, err)
	require.Equal(t, []stored.AgentInvocationContext{{
		HandoffID: last.ID, SessionID: "s1", FromAgent: "dojo", Reason: "because", UserIntent: "know", ConversationHistory: c.ConversationHistory,
		HarnessTraceID: "tr-1", Attempt: 1,
	}}, d.calls)
	said, err := d.Conversation(t.Context(), "s1", last.Snapshot)
	require.NoError(t, err)
	require.Equal(t, c.ConversationHistory, said)
	require.Equal(t, "tr-1", d.trace.events[0].Trace)
	require.Equal(t, "because", d.trace.events[0].Decision.Explanation) // S1-36: linked to the decision
	data, err := json.Marshal(c)
	require.NoError(t, err)
	for _, key := range []string{"from_agent", "to_agent", "reason", "conversation_history", "user_intent", "session_id", "harness_trace_id"} { // S1-04
		require.Contains(t, string(data), `"`+key+`"`)
	}
	require.Contains(t, string(data), `{"role":"assistant","content":"hi","agent_id":"dojo","timestamp":"2026-05-04T12:00:00Z"}`)
}

func TestS1_13_20_Validation(t *testing.T) {
	change := func(f func(*stored.HandoffContext)) stored.HandoffContext {
		c := from("dojo", "librarian")
		f(&c)
		return c
	}
	tests := map[string]struct {
		c    stored.HandoffContext
		code handoffs.Code
		want string
	}{
		"S1-13 session":      {change(func(c *stored.HandoffContext) { c.SessionID = "" }), handoffs.CodeMissing, "session_id is required"},
		"S1-13 blank":        {change(func(c *stored.HandoffContext) { c.SessionID = " \t" }), handoffs.CodeMissing, "session_id is required"},
		"S1-14 from":         {change(func(c *stored.HandoffContext) { c.FromAgent = "" }), handoffs.CodeMissing, "from_agent is required"},
		"S1-14 from unknown": {change(func(c *stored.HandoffContext) { c.FromAgent = "x" }), handoffs.CodeNotFound, "from_agent 'x' is not registered"},
		"S1-15 to":           {change(func(c *stored.HandoffContext) { c.ToAgent = " " }), handoffs.CodeMissing, "to_agent is required"},
		"S1-15 to unknown":   {change(func(c *stored.HandoffContext) { c.ToAgent = "x" }), handoffs.CodeNotFound, "to_agent 'x' is not registered"},
		"S1-15 self":         {change(func(c *stored.HandoffContext) { c.ToAgent = "dojo" }), handoffs.CodeSelf, "to_agent must differ from from_agent"},
		"S1-16 reason":       {change(func(c *stored.HandoffContext) { c.Reason = " " }), handoffs.CodeMissing, "reason"},
		"S1-17 intent":       {change(func(c *stored.HandoffContext) { c.UserIntent = "" }), handoffs.CodeMissing, "intent"},
		"S1-18 history":      {change(func(c *stored.HandoffContext) { c.ConversationHistory = nil }), handoffs.CodeMissing, "conversation_history must be a list"},
		"S1-19 unavailable":  {change(func(c *stored.HandoffContext) { c.ToAgent = "gone" }), handoffs.CodeUnavailable, "to_agent 'gone' is not available"},
		"all":                {stored.HandoffContext{}, handoffs.CodeMissing, "session_id is required; from_agent is required; to_agent is required; conversation_history must be a list"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, stored.Config{})
			err := d.ExecuteHandoff(t.Context(), tt.c)
			var e *stored.HandoffError
			require.True(t, errors.As(err, &e))
			require.Equal(t, "HANDOFF_ERROR", e.Code)
			require.Equal(t, tt.c.FromAgent+"->"+tt.c.ToAgent, e.Agents)
			require.Contains(t, e.Message, tt.want)
			require.ErrorIs(t, err, tt.code)
			var cause *handoffs.Error
			require.True(t, errors.As(err, &cause))
			require.Equal(t, []string{"HANDOFF_FAILURE " + tt.c.FromAgent + "->" + tt.c.ToAgent}, d.trace.types()) // S1-25
			require.Empty(t, d.history("s1"))
			require.Empty(t, d.agents)
		})
	}
	var c stored.HandoffContext
	require.Error(t, json.Unmarshal([]byte(`{"conversation_history":"x"}`), &c)) // S1-18
	require.NoError(t, json.Unmarshal([]byte(`{"conversation_history":[{"role":"user","content":"x"}]}`), &c))
}

func TestS1_19_AvailabilityIsAskedFor(t *testing.T) {
	open := false
	d := newDesk(t, stored.Config{Available: func(id string) bool { return id != "librarian" || open }})
	require.ErrorIs(t, d.ExecuteHandoff(t.Context(), from("dojo", "librarian")), handoffs.CodeUnavailable)
	open = true
	d.execute(from("dojo", "librarian"))
}

// S1-33, X-14: agents hand on while they work.
func TestS1_33_Chain(t *testing.T) {
	next := map[string]string{"librarian": "debugger", "debugger": "dojo"}
	d := newDesk(t, stored.Config{})
	d.invoke = func(ctx context.Context, agent string, _ stored.AgentInvocationContext) error {
		if to := next[agent]; to != "" {
			return d.ExecuteHandoff(ctx, from(agent, to))
		}
		return nil
	}
	d.execute(from("dojo", "librarian"))
	require.Equal(t, []string{"dojo>librarian completed", "librarian>debugger completed", "debugger>dojo completed"}, d.history("s1"))
	for range 5 { // to and fro is no loop
		d.invoke = nil
		d.execute(from("dojo", "librarian"))
		d.execute(from("librarian", "dojo"))
	}
	for range 7 {
		d.execute(from("dojo", "debugger"))
	}
	require.ErrorIs(t, d.ExecuteHandoff(t.Context(), from("dojo", "debugger")), handoffs.CodeLimit)
}

// S1-46, X-16: a failed invocation leaves a row that says so.
func TestS1_46_FailedInvocation(t *testing.T) {
	down := errors.New("model is down")
	d := newDesk(t, stored.Config{Invoke: func(context.Context, string, stored.AgentInvocationContext) error { return down }})
	err := d.ExecuteHandoff(t.Context(), from("dojo", "librarian"))
	require.ErrorIs(t, err, down)
	require.EqualError(t, err, "HANDOFF_ERROR dojo->librarian: model is down")
	require.Equal(t, []string{"dojo>librarian failed"}, d.history("s1"))
	require.Equal(t, []string{"AGENT_HANDOFF dojo->librarian", "HANDOFF_FAILURE dojo->librarian"}, d.trace.types())

	d.invoke = nil // the source goes on
	d.execute(from("dojo", "debugger"))
	require.Equal(t, []string{"dojo>librarian failed", "dojo>debugger completed"}, d.history("s1"))
}

func TestS1_46_RetriesAreOneRow(t *testing.T) {
	tries := 0
	d := newDesk(t, stored.Config{Retries: 2, Invoke: func(_ context.Context, _ string, in stored.AgentInvocationContext) error {
		if tries++; tries != in.Attempt {
			return fmt.Errorf("attempt %d is told to be %d", tries, in.Attempt)
		}
		if tries < 3 {
			return errors.New("not yet")
		}
		return nil
	}})
	d.execute(from("dojo", "librarian"))
	require.Equal(t, 3, tries)
	require.Equal(t, []string{"dojo>librarian completed"}, d.history("s1"))
	require.Equal(t, d.calls[0].HandoffID, d.calls[2].HandoffID)
	tries = -9
	require.Error(t, d.ExecuteHandoff(t.Context(), from("dojo", "librarian")))
	require.Equal(t, -6, tries)
	require.Equal(t, []string{"dojo>librarian completed", "dojo>librarian failed"}, d.history("s1"))
}

// A crash between storing and the target's end leaves a running row. Who goes on
// with the session ends it.
func TestS1_46_CrashIsSeen(t *testing.T) {
	d := newDesk(t, stored.Config{})
	_, err := d.StoreHandoffEvent(t.Context(), from("dojo", "librarian"))
	require.NoError(t, err)
	require.Equal(t, []string{"dojo>librarian running"}, d.history("s1"))
	d.execute(from("dojo", "debugger"))
	require.Equal(t, []string{"dojo>librarian cancelled", "dojo>debugger completed"}, d.history("s1"))
}

// full is a store that refuses writes.
type full struct{ checkpoint.Store }

func (full) Claim(context.Context, string, checkpoint.Busy) (checkpoint.Writer, error) {
	return nil, errors.New("disk is full")
}

// what cannot be stored is not begun.
func TestS1_03_StoreFailureBeginsNothing(t *testing.T) {
	d := newDesk(t, stored.Config{Store: full{checkpoint.NewMemory(nil)}})
	err := d.ExecuteHandoff(t.Context(), from("dojo", "librarian"))
	var e *stored.HandoffError
	require.True(t, errors.As(err, &e))
	require.ErrorContains(t, err, "disk is full")
	require.Empty(t, d.agents)
	require.Empty(t, d.trace.types())
}

func TestS1_23_TraceFailureBeginsNothing(t *testing.T) {
	d := newDesk(t, stored.Config{})
	d.trace.fail = errors.New("no sink")
	require.ErrorContains(t, d.ExecuteHandoff(t.Context(), from("dojo", "librarian")), "no sink")
	require.Empty(t, d.agents)
	require.Equal(t, []string{"dojo>librarian failed"}, d.history("s1"))
	require.ErrorContains(t, d.ExecuteHandoff(t.Context(), stored.HandoffContext{}), "no sink")
}

// S1-43, X-17: nobody sees another session's handoffs and conversations.
func TestS1_43_Isolation(t *testing.T) {
	d := newDesk(t, stored.Config{})
	c := from("dojo", "librarian")
	c.ConversationHistory = []stored.Message{{Role: "user", Content: "secret plan"}}
	d.execute(c)
	other := from("dojo", "debugger")
	other.SessionID = "s1' OR '1'='1" // S1-41
	d.execute(other)
	require.Equal(t, []string{"dojo>librarian completed"}, d.history("s1"))
	require.Equal(t, []string{"dojo>debugger completed"}, d.history(other.SessionID))
	require.Empty(t, d.history("nobody's"))
	last, err := d.GetLastHandoff(t.Context(), "s1")
	require.NoError(t, err)
	_, err = d.Conversation(t.Context(), other.SessionID, last.Snapshot)
	require.ErrorIs(t, err, handoffs.CodeNotFound)
}

// S1-41, S1-44, X-17: secrets are not stored, the target has them; what looks
// like code is a text.
func TestS1_44_Sanitising(t *testing.T) {
	const secret = "sk-abcdefghijklmnopqrstuvwxyz123456"
	odd := "'; DROP TABLE agent_handoffs; -- {{.Env}} \x00\x1b[31m \xff"
	store := checkpoint.NewMemory(nil)
	d := newDesk(t, stored.Config{Store: store})
	c := from("dojo", "librarian")
	c.Reason, c.UserIntent = "use "+secret, "hide "+secret
	c.ConversationHistory = []stored.Message{{Role: "user", Content: "my key is " + secret}, {Role: "user", Content: odd}}
	d.execute(c)
	require.Equal(t, c.ConversationHistory, d.calls[0].ConversationHistory)
	last, err := d.GetLastHandoff(t.Context(), "s1")
	require.NoError(t, err)
	require.NotContains(t, last.Reason+last.UserIntent, secret)
	said, err := d.Conversation(t.Context(), "s1", last.Snapshot)
	require.NoError(t, err)
	require.Contains(t, said[0].Content, handoffs.Redacted)
	require.Equal(t, strings.ToValidUTF8(odd, "\uFFFD"), said[1].Content)
	loaded, err := store.Load(t.Context(), checkpoint.Log{Thread: "s1"}, 0)
	require.NoError(t, err)
	for _, commit := range loaded.Commits {
		require.NotContains(t, string(commit.Body), secret)
	}
}

// S1-45: what was said is stored once.
func TestS1_45_ConversationsAreStoredOnce(t *testing.T) {
	size := func(handovers int) int {
		store := checkpoint.NewMemory(nil)
		d := newDesk(t, stored.Config{Store: store})
		c := from("dojo", "librarian")
		for i := range 10 {
			c.ConversationHistory = append(c.ConversationHistory, stored.Message{Role: "user", Content: fmt.Sprint(i, strings.Repeat("x", 10_000))})
		}
		for range handovers {
			d.execute(c)
			c.FromAgent, c.ToAgent = c.ToAgent, c.FromAgent
			c.ConversationHistory = append(c.ConversationHistory, stored.Message{Role: "user", Content: "more"})
		}
		loaded, err := store.Load(t.Context(), checkpoint.Log{Thread: "s1"}, 0)
		require.NoError(t, err)
		n := 0
		for _, commit := range loaded.Commits {
			n += len(commit.Body)
		}
		return n
	}
	require.Less(t, size(10), 250_000, "ten handoffs with 100 kB each")
}

func TestS1_45_ConversationsThatPartShareTheirBeginning(t *testing.T) {
	d := newDesk(t, stored.Config{})
	talk := func(texts ...string) []stored.Message {
		out := []stored.Message{}
		for _, x := range texts {
			out = append(out, stored.Message{Role: "user", Content: x})
		}
		return out
	}
	for _, ms := range [][]stored.Message{talk("a", "b"), talk("a", "c"), talk("b", "a"), talk("a", "b"), talk()} {
		c := from("dojo", "librarian")
		c.ConversationHistory = ms
		d.execute(c)
		last, err := d.GetLastHandoff(t.Context(), "s1")
		require.NoError(t, err)
		said, err := d.Conversation(t.Context(), "s1", last.Snapshot)
		require.NoError(t, err)
		require.Equal(t, ms, said)
	}
	events, err := d.GetHandoffHistory(t.Context(), "s1")
	require.NoError(t, err)
	require.Equal(t, events[0].Snapshot, events[3].Snapshot)
	require.NotEqual(t, events[0].Snapshot, events[1].Snapshot)
	require.NotEqual(t, events[0].Snapshot, events[2].Snapshot)
}

func TestSystemTellsWhatIsWrong(t *testing.T) {
	_, err := stored.New(stored.Config{Agents: school})
	require.ErrorContains(t, err, "Invoke is nil")
	invoke := func(context.Context, string, stored.AgentInvocationContext) error { return nil }
	_, err = stored.New(stored.Config{Invoke: invoke})
	require.ErrorContains(t, err, "no agents")
	_, err = stored.New(stored.Config{Invoke: invoke, Agents: []handoffs.Profile{{}}})
	require.ErrorIs(t, err, handoffs.ErrRegistry)
}
