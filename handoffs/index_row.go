package handoffs

import (
	"encoding/json"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/jsonwrite"
	"github.com/graphrun/graphrun/state"
)

// indexTime is how the table has times: in UTC and all of one length, so that
// their order as texts is that of the times.
const indexTime = "2006-01-02T15:04:05.000000000Z07:00"

// indexLookups are what people ask the table for: the history of a session, and how
// many handoffs there were from whom to whom.
var indexLookups = [][]string{{"session_id", "created_at"}, {"session_id", "from_agent", "to_agent"}}

// indexRow makes the row of a handoff.
func indexRow(session string, h *Handoff) checkpoint.Row {
	var of any = session
	if session == "" {
		of = checkpoint.ThreadName{}
	}
	var sent, tokens, took any
	if h.Context != nil {
		sent, tokens = textOrNull(h.Context.Hash), int64(h.Context.Tokens)
	}
	if !h.Started.IsZero() && !h.Ended.IsZero() {
		took = h.Duration().Milliseconds()
	}
	return checkpoint.Row{Table: IndexTable, Key: h.ID, Indexes: indexLookups, Columns: []checkpoint.Column{
		{Name: "id", Value: h.ID},
		{Name: "session_id", Value: of},
		{Name: "from_agent", Value: h.From},
		{Name: "to_agent", Value: h.To},
		{Name: "kind", Value: textOrNull(string(h.Kind))},
		{Name: "actor", Value: textOrNull(string(h.Actor))},
		{Name: "reason", Value: textOrNull(string(h.Reason))},
		{Name: "explanation", Value: textOrNull(h.Explanation)},
		{Name: "user_intent", Value: textOrNull(h.Intent)},
		{Name: "task", Value: textOrNull(h.Task)},
		{Name: "status", Value: textOrNull(string(h.Status))},
		{Name: "code", Value: textOrNull(string(h.Code))},
		{Name: "priority", Value: textOrNull(string(h.Priority))},
		{Name: "plan_step", Value: textOrNull(h.PlanStep)},
		{Name: "context_hash", Value: textOrNull(h.Hash)},
		{Name: "sent_hash", Value: sent},
		{Name: "context_tokens", Value: tokens},
		{Name: "harness_trace_id", Value: textOrNull(h.Trace)},
		{Name: "payload", Value: payloadText(h.Payload)},
		{Name: "created_at", Value: timeText(h.At)},
		{Name: "ended_at", Value: timeText(h.Ended)},
		{Name: "duration_ms", Value: took},
		{Name: "tokens", Value: int64(h.Usage.Tokens)},
	}}
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func timeText(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	const seconds = len("2006-01-02T15:04:05")
	var room [len(indexTime)]byte
	text, err := jsonwrite.AppendTime(room[:0], t.UTC())
	if err != nil {
		return t.UTC().Format(indexTime)
	}
	text = text[:len(text)-1] // the Z
	if len(text) == seconds {
		text = append(text, '.')
	}
	for len(text) < seconds+len(".000000000") {
		text = append(text, '0')
	}
	return string(append(text, 'Z'))
}

// payloadText writes a payload as JSON with sorted keys. One that could not be
// stored in a state has the reason in its place.
func payloadText(p map[string]any) any {
	if len(p) == 0 {
		return nil
	}
	var room [256]byte
	c := codec{jsonwrite.Writer{Buf: room[:0]}}
	for c.Pass() {
		c.Values("", p)
	}
	if c.Problems() == nil {
		return string(c.Buf)
	}
	text, err := state.AppendAny(nil, p) // with numbers that do not come back as they were
	if err != nil {
		text, _ = json.Marshal(map[string]string{"error": err.Error()}) // of texts it cannot fail
	}
	return string(text)
}
