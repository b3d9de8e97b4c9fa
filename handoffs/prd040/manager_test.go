package prd040_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/prd040"
	"github.com/graphrun/graphrun/state"
)

// desk is a state, and the manager that works on it.
type desk struct {
	*testing.T
	prd040.State
	m    *prd040.HandoffManager
	logs bytes.Buffer
}

func newDesk(t *testing.T, active string, agents ...handoffs.Profile) *desk {
	d := &desk{T: t}
	plain := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	var err error
	d.m, err = prd040.NewHandoffManager(prd040.Config{
		Agents: append(append([]handoffs.Profile{}, office...), agents...), Clock: noon, Logger: slog.New(slog.NewTextHandler(&d.logs, plain)),
	})
	require.NoError(t, err)
	d.SessionID, d.ActiveAgent = "s1", active
	return d
}

// does takes a result over.
func (d *desk) does(r prd040.HandoffResult, err error) prd040.HandoffResult {
	d.Helper()
	require.NoError(d, err)
	d.State = d.With(r.UpdatedState)
	return r
}

// hand lets the active agent hand to another one.
func (d *desk) hand(to string) prd040.HandoffResult {
	d.Helper()
	return d.does(d.m.ProcessHandoff(d.Context(), prd040.CreateHandoffCommand(to, prd040.ReasonCapabilityMatch, "because", nil), &d.State))
}

func (d *desk) selects(agent string) prd040.HandoffResult {
	d.Helper()
	return d.does(d.m.ProcessUserAgentSelection(d.Context(), agent, &d.State))
}

// asJSON is a value as its JSON says.
func asJSON(t *testing.T, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

func TestS0_23_24_25_29_AcceptedHandoff(t *testing.T) {
	d := newDesk(t, "bc-agent")
	before := d.State
	r, err := d.m.ProcessHandoff(t.Context(), prd040.CapabilityHandoff("rag-agent", "rag_search", "q"), &d.State)
	require.NoError(t, err)
	require.True(t, r.Accepted)
	require.Equal(t, before, d.State, "the state that was given is not changed")

	record := asJSON(t, r.Record)
	require.Regexp(t, `^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$`, record["handoffId"])
	require.Equal(t, "bc-agent", record["fromAgentId"])
	require.Equal(t, "rag-agent", record["toAgentId"])
	require.Equal(t, "capability_match", record["reason"])
	require.Equal(t, map[string]any{"query": "q", "requiredCapability": "rag_search"}, record["payload"])
	require.Equal(t, "2026-05-04T12:00:00Z", record["timestamp"])
	require.Equal(t, true, record["returnControl"]) // S0-62: both are in the record
	require.Equal(t, "q", record["task"])

	update := asJSON(t, r.UpdatedState)
	require.Equal(t, "rag-agent", update["activeAgent"])
	require.Equal(t, map[string]any{"id": "rag-agent", "name": "Knowledge", "icon": "🧠", "color": "#10B981"}, update["currentAgentIdentity"])
	require.Len(t, update["handoffHistory"], 1)
	require.NotContains(t, update, "operationMode")
	d.State = d.With(r.UpdatedState)
	require.Equal(t, "rag-agent", d.ActiveAgent)
	d.hand("bc-agent")
	require.Len(t, d.Extended().HandoffHistory, 2)
	require.Equal(t, *r.Record, d.Extended().HandoffHistory[0])
	require.NotEqual(t, d.Extended().HandoffHistory[1].ID, r.Record.ID)
}

func TestS0_27_RecordHasThePlanStep(t *testing.T) {
	d := newDesk(t, "bc-agent")
	d.Plan = prd040.Plan{Steps: []prd040.PlanStep{{StepID: "s1"}, {StepID: "s2"}}, CurrentStepIndex: 1}
	require.Equal(t, "s2", d.hand("rag-agent").Record.PlanStep)
	d.Plan.CurrentStepIndex = 0
	require.Equal(t, "s1", d.hand("bc-agent").Record.PlanStep)
	require.Empty(t, newDesk(t, "bc-agent").hand("rag-agent").Record.PlanStep)
}

func TestS0_28_Logs(t *testing.T) {
	d := newDesk(t, "bc-agent")
	id := d.hand("rag-agent").Record.ID
	d.hand("nobody")
	require.Equal(t, []string{
		"level=DEBUG msg=agent_changed service=handoff-manager from=bc-agent to=rag-agent",
		"level=INFO msg=agent_handoff service=handoff-manager handoffId=" + id + " from=bc-agent to=rag-agent reason=capability_match",
		`level=WARN msg=handoff_rejected service=handoff-manager from=rag-agent to=nobody reason="Target agent 'nobody' not found"`,
		"level=DEBUG msg=agent_changed service=handoff-manager from=rag-agent to=supervisor",
	}, strings.Split(strings.TrimSpace(d.logs.String()), "\n"))
}

func TestS0_30_33_UserSelection(t *testing.T) {
	d := newDesk(t, "bc-agent")
	r := d.selects("rag-agent")
	require.True(t, r.Accepted)
	require.Equal(t, prd040.ReasonUserRequest, r.Record.Reason)
	require.Equal(t, prd040.UserSelected, r.Record.Explanation)
	require.Equal(t, "bc-agent", r.Record.From)
	update := asJSON(t, r.UpdatedState)
	require.Equal(t, "directed", update["operationMode"])
	require.Equal(t, map[string]any{"targetAgentId": "rag-agent", "bypassRouting": true}, update["directedModeContext"])
	require.Equal(t, "rag-agent", d.ActiveAgent)
	for range 5 { // nothing piles up
		d.selects("bc-agent")
		d.selects("rag-agent")
	}
	require.Empty(t, d.Handoffs.Parked)
	require.Len(t, d.Handoffs.Frames, 1)
}

func TestS0_26_31_32_UserSelectionRejected(t *testing.T) {
	for target, want := range map[string]string{
		"nobody": "Unknown agent: nobody", "audit-agent": "Agent 'audit-agent' cannot be selected by users",
	} {
		d := newDesk(t, "bc-agent")
		r := d.selects(target)
		require.False(t, r.Accepted)
		require.Equal(t, want, r.RejectionReason)
		require.Equal(t, "bc-agent", d.ActiveAgent)
		require.Empty(t, d.Extended().OperationMode)
		require.Empty(t, d.Extended().HandoffHistory)
	}
}

// S0-34: loops, rights and capabilities do not bind users; choosing the active
// agent is no handoff.
func TestS0_34_WhatUsersAreExemptFrom(t *testing.T) {
	open := handoffs.Profile{ID: "open-system", System: true, Selectable: true}
	d := newDesk(t, "bc-agent", open)
	for range 4 { // an agent could not: the target is there twice in five
		require.True(t, d.selects("rag-agent").Accepted)
		require.True(t, d.selects("bc-agent").Accepted)
	}
	require.True(t, d.selects("open-system").Accepted)
	before := len(d.Extended().HandoffHistory)
	r := d.selects("open-system")
	require.True(t, r.Accepted)
	require.Nil(t, r.Record)
	require.Len(t, d.Extended().HandoffHistory, before)
}

func TestS0_35_OneManagerServesAll(t *testing.T) {
	m, err := prd040.NewHandoffManager(prd040.Config{Agents: office, Clock: noon})
	require.NoError(t, err)
	var all sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		all.Go(func() {
			s := prd040.State{SessionID: string(rune('a' + i))}
			s.ActiveAgent = "bc-agent"
			r, err := m.ProcessHandoff(t.Context(), prd040.CapabilityHandoff("rag-agent", "rag_search", "q"), &s)
			if err != nil || !r.Accepted {
				t.Error(r.RejectionReason, err)
				return
			}
			ids[i] = r.Record.ID
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	require.Len(t, seen, len(ids), "sessions have ids of their own")
}

func TestS0_36_42_Validator(t *testing.T) {
	command := func(to string, payload map[string]any) prd040.HandoffCommand {
		return prd040.CreateHandoffCommand(to, prd040.ReasonCapabilityMatch, "because", &prd040.CommandOptions{Payload: payload})
	}
	needs := func(capability string) map[string]any { return map[string]any{"requiredCapability": capability} }
	tests := map[string]struct {
		from string
		c    prd040.HandoffCommand
		want string
	}{
		"S0-37 exists":                   {"bc-agent", command("x", nil), "Target agent 'x' not found"},
		"S0-38 self":                     {"bc-agent", command("bc-agent", nil), "Cannot handoff to self"},
		"S0-39 system":                   {"bc-agent", command("audit-agent", nil), "Cannot handoff to system agent 'audit-agent'"},
		"S0-39 system by the supervisor": {"supervisor", command("audit-agent", nil), ""},
		"S0-41 capability":               {"bc-agent", command("rag-agent", needs("sql")), "Target agent 'rag-agent' lacks required capability: sql"},
		"S0-41 capability is there":      {"bc-agent", command("rag-agent", needs("rag_search")), ""},
		"S0-42 self before capability":   {"bc-agent", command("bc-agent", needs("sql")), "Cannot handoff to self"},
		"S0-42 self before system":       {"audit-agent", command("audit-agent", nil), "Cannot handoff to self"},
		"S0-42 system before capability": {"bc-agent", command("audit-agent", needs("sql")), "Cannot handoff to system agent 'audit-agent'"},
		"S0-42 exists before capability": {"bc-agent", command("x", needs("sql")), "Target agent 'x' not found"},
		"S0-41 for other reasons it need not be": {"bc-agent", prd040.CreateHandoffCommand("rag-agent", prd040.ReasonClarification, "?",
			&prd040.CommandOptions{Payload: needs("sql")}), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, tt.from)
			before := d.State
			got, err := d.m.Validate(t.Context(), tt.c, &d.State)
			require.NoError(t, err)
			require.Equal(t, prd040.ValidationResult{Valid: tt.want == "", Reason: tt.want}, got)
			require.Equal(t, before, d.State)
			require.Empty(t, d.logs.String())
		})
	}
}

func TestS0_40_LoopRule(t *testing.T) {
	third := handoffs.Profile{ID: "x"}
	d := newDesk(t, "bc-agent", third)
	for _, to := range []string{"rag-agent", "bc-agent", "rag-agent", "bc-agent", "x"} {
		require.True(t, d.hand(to).Accepted, to)
	}
	r := d.hand("rag-agent") // twice in the last five
	require.False(t, r.Accepted)
	require.Equal(t, "Potential handoff loop detected", r.RejectionReason)
	require.Equal(t, handoffs.CodeLoop, r.Code)

	// S0-42: loops come before capabilities.
	lacks := prd040.CreateHandoffCommand("rag-agent", prd040.ReasonCapabilityMatch, "q", &prd040.CommandOptions{Payload: map[string]any{"requiredCapability": "sql"}})
	v, err := d.m.Validate(t.Context(), lacks, &d.State)
	require.NoError(t, err)
	require.Equal(t, "Potential handoff loop detected", v.Reason)
}

func TestS0_40_LoopRuleForgetsWhatIsBehindItsWindow(t *testing.T) {
	d := newDesk(t, "bc-agent", handoffs.Profile{ID: "x"}, handoffs.Profile{ID: "y"})
	for _, to := range []string{"rag-agent", "x", "y", "x", "y", "bc-agent"} {
		require.True(t, d.hand(to).Accepted, to)
	}
	require.True(t, d.hand("rag-agent").Accepted)
}

// Returns are no handoffs: calls of one specialist that come back do not count
// as going to and fro. The third call of it does, as the rule has it.
func TestS0_40_ReturnsDoNotCount(t *testing.T) {
	d := newDesk(t, "bc-agent")
	for range 2 {
		require.True(t, d.does(d.m.ProcessHandoff(t.Context(), prd040.ClarificationHandoff("rag-agent", "?"), &d.State)).Accepted)
		require.True(t, d.does(d.m.ReturnControl(t.Context(), handoffs.Outcome{Text: "!"}, &d.State)).Accepted)
		require.Equal(t, "bc-agent", d.ActiveAgent)
	}
	require.Len(t, d.Extended().HandoffHistory, 2)
	require.False(t, d.hand("rag-agent").Accepted)
}

func TestS0_52_RejectionGoesToTheSupervisor(t *testing.T) {
	d := newDesk(t, "bc-agent")
	r := d.hand("nobody")
	require.False(t, r.Accepted)
	require.Equal(t, prd040.Supervisor, d.ActiveAgent)
	require.Len(t, d.Messages, 1)
	require.Equal(t, state.RoleSystem, d.Messages[0].Role)
	require.Contains(t, d.Messages[0].Text(), "Target agent 'nobody' not found")
	require.Empty(t, d.Extended().HandoffHistory)
	require.Equal(t, handoffs.Rejected, d.HandoffLog[0].Status())
}

func TestS0_62_ReturnControlReturns(t *testing.T) {
	d := newDesk(t, "bc-agent")
	d.does(d.m.ProcessHandoff(t.Context(), prd040.CapabilityHandoff("rag-agent", "rag_search", "q"), &d.State))
	require.Equal(t, "rag-agent", d.ActiveAgent)
	r := d.does(d.m.ReturnControl(t.Context(), handoffs.Outcome{Text: "found"}, &d.State))
	require.Equal(t, "bc-agent", d.ActiveAgent)
	require.Equal(t, "found", r.Turn.Results[0].Outcome.Text)
	r = d.does(d.m.ReturnControl(t.Context(), handoffs.Outcome{}, &d.State)) // nobody waits
	require.Equal(t, handoffs.CodeNoCall, r.Code)
}

// S0-25: who hands over is the state's active agent, whatever was before.
func TestS0_25_SourceIsTheActiveAgent(t *testing.T) {
	d := newDesk(t, "bc-agent")
	d.hand("rag-agent")
	d.ActiveAgent = "bc-agent"
	require.Equal(t, "bc-agent", d.hand("rag-agent").Record.From)
}

func TestManagerTellsWhatIsWrong(t *testing.T) {
	_, err := prd040.NewHandoffManager(prd040.Config{Agents: []handoffs.Profile{{ID: "a"}, {ID: "a"}}})
	require.ErrorIs(t, err, handoffs.ErrRegistry)
	_, err = prd040.NewHandoffManager(prd040.Config{Agents: []handoffs.Profile{{ID: "a"}}})
	require.ErrorContains(t, err, `there is no agent "supervisor"`)
	d := newDesk(t, "bc-agent")
	_, err = d.m.ProcessHandoff(t.Context(), prd040.CreateHandoffCommand("rag-agent", "r", "e", &prd040.CommandOptions{Payload: map[string]any{"x": struct{}{}}}), &d.State)
	var bad *handoffs.CommandError
	require.True(t, errors.As(err, &bad))
}
