package handoffs_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
)

// cell returns a column of a row.
func cell(r checkpoint.Row, name string) any {
	for _, c := range r.Columns {
		if c.Name == name {
			return c.Value
		}
	}
	return "no such column"
}

// rowKeys returns what rows are about, with the status that they tell.
func rowKeys(rows []checkpoint.Row) (out []string) {
	for _, r := range rows {
		out = append(out, r.Key+" "+cell(r, "status").(string))
	}
	return out
}

func TestIndexRowHasWhatIsKnownOfAHandoff(t *testing.T) {
	k := newLog()
	zone := time.FixedZone("", 2*60*60)
	k.at = k.at.In(zone).Add(500 * time.Millisecond)
	id := k.hand("a", "b", func(r *handoffs.Record) {
		r.Kind, r.Actor, r.Reason, r.Explanation, r.Intent = handoffs.Call, handoffs.ByUser, handoffs.UserRequest, "why", "intent"
		r.Task, r.Priority, r.PlanStep, r.Hash, r.Trace = "'; DROP TABLE agent_handoffs; --", handoffs.High, "s2", "abc", "t-1"
		r.Payload = map[string]any{"z": int64(1), "a": []any{"x", nil, 1.5}}
	})
	k.entries[0].Context = &handoffs.Sent{Hash: "sent", Tokens: 12}
	k.wait(1500*time.Millisecond).back(id, handoffs.Outcome{Status: handoffs.Failed, Code: handoffs.CodeBudget})
	rows := handoffs.IndexRows("s", handoffs.Log{}, k.log())
	require.NoError(t, checkpoint.CheckRows(rows))
	require.Len(t, rows, 1)
	require.Equal(t, handoffs.IndexTable, rows[0].Table)
	require.Equal(t, "h1", rows[0].Key)
	want := map[string]any{
		"id": "h1", "session_id": "s", "from_agent": "a", "to_agent": "b", "kind": "call", "actor": "user", "reason": "user_request",
		"explanation": "why", "user_intent": "intent", "task": "'; DROP TABLE agent_handoffs; --", "status": "failed", "code": "budget",
		"priority": "high", "plan_step": "s2", "context_hash": "abc", "sent_hash": "sent", "context_tokens": int64(12), "harness_trace_id": "t-1",
		"payload": `{"a":["x",null,1.5],"z":1}`, "created_at": "2026-05-04T12:00:01.500000000Z", "ended_at": "2026-05-04T12:00:04.000000000Z",
		"duration_ms": int64(2500), "tokens": int64(70),
	}
	require.Len(t, rows[0].Columns, len(want))
	for name, v := range want {
		require.Equal(t, v, cell(rows[0], name), name)
	}
}

func TestIndexRowOfAnOpenHandoffHasGaps(t *testing.T) {
	k := newLog()
	k.ask("a", "b", func(r *handoffs.Record) { r.Payload = map[string]any{"bad": struct{}{}} }, handoffs.Validated, handoffs.PendingAccept)
	row := handoffs.IndexRows("s", handoffs.Log{}, k.log())[0]
	for _, name := range []string{"ended_at", "duration_ms", "context_tokens", "sent_hash", "code", "harness_trace_id", "context_hash"} {
		require.Nil(t, cell(row, name), name)
	}
	require.Contains(t, cell(row, "payload"), `{"error":"`)
	require.Equal(t, "pending", cell(row, "status"))
}

func TestIndexRowsAreOfWhatIsNew(t *testing.T) {
	k := newLog()
	h1 := k.call("a", "b")
	h2 := k.hand("b", "c", nil)
	k.hand("c", "d", nil)
	early := k.log()
	k.done(h2, handoffs.Completed)
	k.stage(h2, handoffs.Cancelled) // the same one again, and without effect
	h4 := k.hand("d", "e", nil)
	k.done(h4, handoffs.Completed)
	k.back(h1, completedWith("x"))
	k.add(handoffs.Entry{Event: handoffs.EventSignal})
	k.add(handoffs.Entry{Event: handoffs.EventTask, Handoff: "unknown"})
	late := k.log()
	first := []string{"h1 running", "h2 running", "h3 running"}
	all := []string{"h1 returned", "h2 completed", "h3 running", "h4 completed"}
	news := []string{"h2 completed", "h4 completed", "h1 returned"}
	other := newLog()
	other.call("x", "y")
	for name, c := range map[string]struct {
		before, after handoffs.Log
		want          []string
	}{
		"all of it":         {handoffs.Log{}, early, first},
		"all of it, later":  {handoffs.Log{}, late, all},
		"what came since":   {early, late, news},
		"a copy as prefix":  {handoffs.LogOf(slices.Clone(k.entries[:3])), late, news},
		"nothing":           {late, late, nil},
		"not a prefix":      {handoffs.LogOf(slices.Insert(slices.Clone(k.entries[:2]), 0, handoffs.Entry{})), late, all},
		"a log that shrank": {late, early, first},
		"another one's log": {other.log(), early, []string{"h2 running", "h3 running"}},
	} {
		if name == "another one's log" {
			c.before.At(0).At = time.Time{} // a first entry of another time
			c.want = first
		}
		require.Equal(t, c.want, rowKeys(handoffs.IndexRows("s", c.before, c.after)), name)
	}
}

// The table is the same however the log was cut into steps.
func TestIndexRowsDoNotDependOnSteps(t *testing.T) {
	for seed := range uint64(50) {
		k := randomLog(seed, 20)
		want := map[string]checkpoint.Row{}
		for _, r := range handoffs.IndexRows("s", handoffs.Log{}, k.log()) {
			want[r.Key] = r
		}
		got := map[string]checkpoint.Row{}
		for from := 0; from < len(k.entries); {
			to := min(from+1+int(seed%4), len(k.entries))
			for _, r := range handoffs.IndexRows("s", handoffs.LogOf(k.entries[:from]), handoffs.LogOf(k.entries[:to])) {
				got[r.Key] = r
			}
			from = to
		}
		require.Equal(t, want, got)
		require.Len(t, got, 20)
	}
}
