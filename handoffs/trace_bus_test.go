package handoffs_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// told tells messages by type, ends and what they say of the end.
func told(k *logKit) (out []string) {
	for m := range handoffs.BusMessages(k.session, k.log()) {
		line := fmt.Sprintf("%s %s>%s", m.Type, m.Source, m.Target)
		if s, ok := m.Payload["status"]; ok {
			line += fmt.Sprintf(" %v", s)
		}
		if c, ok := m.Payload["code"]; ok {
			line += fmt.Sprintf(" (%v)", c)
		}
		out = append(out, line)
	}
	return out
}

func TestBusMessages(t *testing.T) {
	validated, asked, pending := handoffs.Validated, handoffs.AwaitingApproval, handoffs.PendingAccept
	begun := []handoffs.Status{handoffs.Accepted, handoffs.Running}
	for name, c := range map[string]struct {
		write func(k *logKit)
		want  []string
	}{
		"a transfer": {func(k *logKit) {
			k.done(k.hand("a", "b", nil), handoffs.Completed)
		}, []string{"AGENT_HANDOFF a>b", "TASK_COMPLETED b>a completed"}},
		"its task's end is noted first": {func(k *logKit) {
			h := k.hand("a", "b", nil)
			k.task(h, handoffs.Completed, "")
			k.stage(h, handoffs.Completed)
		}, []string{"AGENT_HANDOFF a>b", "TASK_COMPLETED b>a completed"}},
		"a call": {func(k *logKit) {
			k.back(k.call("a", "b"), handoffs.Outcome{Status: handoffs.Failed, Code: handoffs.CodeBudget})
			k.back(k.call("a", "c"), handoffs.Outcome{Status: handoffs.Partial})
		}, []string{"AGENT_HANDOFF a>b", "TASK_FAILED b>a failed (budget)", "AGENT_HANDOFF a>c", "TASK_COMPLETED c>a partial"}},
		"a transfer inside a call": {func(k *logKit) {
			call := k.call("a", "b")
			k.task(call, handoffs.Completed, "") // b has nothing more to do, but the call goes on
			k.done(k.hand("b", "c", nil), handoffs.Completed)
			k.add(handoffs.Entry{Handoff: call, Event: handoffs.EventReturn, From: "c", To: "a", Stages: []handoffs.Status{handoffs.Returned}})
		}, []string{"AGENT_HANDOFF a>b", "AGENT_HANDOFF b>c", "TASK_COMPLETED c>b completed", "TASK_COMPLETED c>a returned"}},
		"rejected by a rule": {func(k *logKit) { k.reject("a", "b", handoffs.CodeLoop) }, nil},
		"superseded":         {func(k *logKit) { k.ask("a", "b", nil, handoffs.Superseded) }, nil},
		"not approved": {func(k *logKit) {
			k.stage(k.ask("a", "b", nil, validated, asked), handoffs.Rejected)
		}, nil},
		"approved, by another agent": {func(k *logKit) {
			k.stage(k.ask("a", "b", nil, validated, asked), begun...).To = "c"
		}, []string{"AGENT_HANDOFF a>c"}},
		"offered, then accepted": {func(k *logKit) {
			k.stage(k.ask("a", "b", nil, validated, pending), begun...)
		}, []string{"AGENT_HANDOFF a>b"}},
		"offered, then refused": {func(k *logKit) {
			k.stage(k.ask("a", "b", nil, validated, pending), handoffs.Rejected).Code = handoffs.CodeRefused
		}, []string{"AGENT_HANDOFF a>b", "TASK_FAILED b>a rejected (refused)"}},
		"offered, not taken in time": {func(k *logKit) {
			k.stage(k.ask("a", "b", nil, validated, pending), handoffs.TimedOut).Code = handoffs.CodeAcceptTime
		}, []string{"AGENT_HANDOFF a>b", "TASK_FAILED b>a timed_out (accept_timeout)"}},
		"refused at work": {func(k *logKit) {
			h := k.hand("a", "b", nil)
			k.task(h, handoffs.Failed, "too much to do")
			k.stage(h, handoffs.Rejected).Code = handoffs.CodeRefused
		}, []string{"AGENT_HANDOFF a>b", "TASK_FAILED b>a rejected (refused)"}},
		"retried": {func(k *logKit) {
			h := k.hand("a", "b", nil)
			k.add(handoffs.Entry{Event: handoffs.EventRetry, Handoff: h, Attempt: 2})
			k.stage(h, begun...).Attempt = 2
			k.done(h, handoffs.Completed)
		}, []string{"AGENT_HANDOFF a>b", "TASK_COMPLETED b>a completed"}},
		"set aside, then cancelled": {func(k *logKit) {
			h := k.hand("a", "b", nil)
			k.add(handoffs.Entry{Event: handoffs.EventSuspend, Handoff: h, Stages: []handoffs.Status{handoffs.Suspended}})
			k.stage(h, handoffs.Cancelled)
		}, []string{"AGENT_HANDOFF a>b", "TASK_FAILED b>a cancelled"}},
		"resumed": {func(k *logKit) {
			k.ask("a", "b", func(r *handoffs.Record) { r.Kind = handoffs.Resume }, validated, handoffs.Accepted, handoffs.Running, handoffs.Completed)
		}, []string{"AGENT_HANDOFF a>b"}},
		"the first agent's task": {func(k *logKit) {
			k.add(handoffs.Entry{Event: handoffs.EventTask, From: "a", Detail: map[string]any{"status": "completed", "task": "all"}})
		}, []string{"TASK_COMPLETED a> completed"}},
		"two ends at once": {func(k *logKit) {
			k.stage(k.hand("a", "b", nil), handoffs.Completed, handoffs.Failed)
		}, []string{"AGENT_HANDOFF a>b", "TASK_COMPLETED b>a completed"}},
		"handoffs that are not in the log": {func(k *logKit) {
			k.add(handoffs.Entry{Event: handoffs.EventTask, Handoff: "gone", From: "a"})
			k.add(handoffs.Entry{Handoff: "gone", Stages: []handoffs.Status{handoffs.Accepted, handoffs.Completed}})
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			k := newLog()
			c.write(k)
			require.Equal(t, c.want, told(k))
		})
	}
}

//
func TestBusMessagesOfTheHappyPath(t *testing.T) {
	k := newLog()
	route := []string{"CLIENT_DATA", "FLIGHT_SEARCH", "PROPOSAL_ANALYSIS", "COMMUNICATION"}
	from := "ORCHESTRATOR"
	k.add(handoffs.Entry{Event: handoffs.EventTask, From: from, Detail: map[string]any{"status": "completed"}})
	for _, to := range route {
		k.done(k.hand(from, to, nil), handoffs.Completed)
		from = to
	}
	var targets []string
	types := map[string]int{}
	for m := range handoffs.BusMessages("s1", k.log()) {
		if types[m.Type]++; m.Type == bus.AgentHandoff {
			targets = append(targets, m.Target)
		}
	}
	require.Equal(t, route, targets)
	require.Equal(t, map[string]int{bus.AgentHandoff: 4, bus.TaskCompleted: 5}, types)
}

func TestAHandoffMessageHasTheWholeHandoff(t *testing.T) {
	k := newLog()
	h := k.ask("a", "b", func(r *handoffs.Record) {
		r.Kind, r.Task = handoffs.Call, "search_flights"
		r.Payload = map[string]any{"requestId": "r-1", "userId": "u-1", "seats": int64(3)}
	}, handoffs.Validated, handoffs.AwaitingApproval)
	k.stage(h, handoffs.Accepted, handoffs.Running).To = "c"
	k.back(h, handoffs.Outcome{Status: handoffs.Completed, Text: "2 flights", Outputs: map[string]any{"n": int64(2)}, Turns: 4})
	all := slices.Collect(handoffs.BusMessages("s1", k.log()))
	require.Len(t, all, 2)
	context := bus.Context{Request: "r-1", Session: "s1", User: "u-1"}
	require.Equal(t, bus.Message{
		ID: "h1/handoff", Type: bus.AgentHandoff, Source: "a", Target: "c", At: viewsNoon.Add(2 * time.Second), Context: context,
		Payload: map[string]any{"handoff": map[string]any{
			"handoffId": "h1", "fromAgentId": "a", "toAgentId": "c", "kind": "call", "reason": "delegation", "task": "search_flights",
			"sessionId": "s1", "timestamp": "2026-05-04T12:00:01Z", "payload": k.record(h).Payload,
		}},
	}, all[0])
	require.Equal(t, bus.Message{
		ID: "h1/task", Type: bus.TaskCompleted, Source: "b", Target: "a", At: viewsNoon.Add(3 * time.Second), Context: context,
		Payload: map[string]any{"handoffId": "h1", "status": "returned", "task": "search_flights", "result": map[string]any{
			"status": "completed", "text": "2 flights", "outputs": map[string]any{"n": int64(2)}, "iterations": int64(4),
		}},
	}, all[1])
}

func TestTheTaskOfTheFirstAgentIsNoHandoffs(t *testing.T) {
	k := newLog()
	k.add(handoffs.Entry{Event: handoffs.EventTask, From: "a", Message: "no", Detail: map[string]any{"status": "failed"}})
	all := slices.Collect(handoffs.BusMessages("s1", k.log()))
	require.Equal(t, []bus.Message{{ID: "s1/1/task", Type: bus.TaskFailed, Source: "a", At: viewsNoon,
		Payload: map[string]any{"status": "failed", "error": "no"}, Context: bus.Context{Session: "s1"}}}, all)
}

// fillStruct sets every field of a struct to something.
func fillStruct(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(v.Type().Field(i).Name)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(7)
		case reflect.Map:
			f.Set(reflect.ValueOf(map[string]any{"x": "y"}))
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"x"}))
		case reflect.Interface:
			f.Set(reflect.ValueOf("any"))
		case reflect.Struct:
			f.Set(reflect.ValueOf(viewsNoon))
		default:
			panic("fillStruct does not know " + f.Kind().String())
		}
	}
}

// What messages carry has the keys and values of the JSON form, all of them.
func TestMessagesHaveTheJSONFormOfRecordsAndOutcomes(t *testing.T) {
	var r handoffs.Record
	var o handoffs.Outcome
	fillStruct(reflect.ValueOf(&r).Elem())
	fillStruct(reflect.ValueOf(&o).Elem())
	k := newLog()
	h := k.hand("", "", func(made *handoffs.Record) {
		r.ID = made.ID
		*made = r
	})
	k.entries[0].Handoff = h
	k.entries[0].To = ""
	k.add(handoffs.Entry{Event: handoffs.EventReturn, Handoff: h, From: "x", Stages: []handoffs.Status{handoffs.Returned}, Result: &o})
	all := slices.Collect(handoffs.BusMessages("s1", k.log()))
	require.Len(t, all, 2)
	sameJSON(t, r, all[0].Payload["handoff"])
	sameJSON(t, o, all[1].Payload["result"])
}

func sameJSON(t *testing.T, want, got any) {
	t.Helper()
	a, err := json.Marshal(want)
	require.NoError(t, err)
	b, err := json.Marshal(got)
	require.NoError(t, err)
	require.JSONEq(t, string(a), string(b))
}

// Every message comes once, and a log that is read in pieces tells the same.
func TestBusMessagesComeOnce(t *testing.T) {
	for seed := range uint64(100) {
		log := randomLog(seed, 20).log()
		seen := map[string]int{}
		for m := range handoffs.BusMessages("s1", log) {
			seen[m.ID]++
		}
		require.NotEmpty(t, seen)
		for id, n := range seen {
			require.Equal(t, 1, n, id)
		}
		offered := 0
		for h := range handoffs.History(log, handoffs.Filter{}) {
			if !h.Accepted.IsZero() {
				offered++
				require.Contains(t, seen, h.ID+"/handoff")
			}
			require.Equal(t, !h.Accepted.IsZero() && !h.Ended.IsZero(), seen[h.ID+"/task"] == 1, h.ID)
		}
		require.Equal(t, offered, len(slices.DeleteFunc(slices.Collect(handoffs.BusMessages("s1", log)),
			func(m bus.Message) bool { return !strings.HasSuffix(m.ID, "/handoff") })))
	}
}
