package handoffs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// starRedactor hides one word.
type starRedactor string

func (r starRedactor) Redact(text string) string {
	if text == string(r) {
		return "***"
	}
	return text
}

// what a person edits is what went out, in every view; the log has what
// was asked for, and in the entry of the decision what was changed.
func TestEditedHandoffsShowWhatWentOut(t *testing.T) {
	p := handoffs.Policy{Limits: handoffs.Limits{Handoffs: 9}, Approve: &handoffs.ApprovalPolicy{}, Secrets: starRedactor("hunter2")}
	ask := to("b")
	ask.Task, ask.Payload = "build it", map[string]any{"budget": int64(100), "color": "red"}
	r := newRig(t, p, map[string]bot{"a": just(ask), "b": just()}, agents("a", "b")...).run()
	require.ErrorIs(t, r.err, graph.ErrInterrupted)
	r.answer(graph.Answer(map[string]any{"decision": "edit", "task": "build it small", "payload": map[string]any{"budget": 1.0, "key": "hunter2"}}))
	require.NoError(t, r.err)
	require.Equal(t, "build it small", r.turns[0].Task)
	require.Equal(t, map[string]any{"budget": 1.0, "color": "red", "key": "hunter2"}, r.turns[0].Payload)

	log := handoffs.LogOf(r.last.State.HandoffLog)
	sent := map[string]any{"budget": 1.0, "color": "red", "key": "***"}
	h, _ := handoffs.Last(log, handoffs.Filter{})
	require.Equal(t, "build it small", h.Task)
	require.Equal(t, sent, h.Payload)
	require.Equal(t, "build it", log.At(0).Record.Task)
	require.Equal(t, map[string]any{"task": "build it small", "payload": map[string]any{"budget": 1.0, "key": "***"}}, log.At(1).Detail["edit"])
	for m := range handoffs.BusMessages("t", log) {
		if m.Type == bus.AgentHandoff {
			record := m.Payload["handoff"].(map[string]any)
			require.Equal(t, "build it small", record["task"])
			require.Equal(t, sent, record["payload"])
		} else if m.Source == "b" {
			require.Equal(t, "build it small", m.Payload["task"])
		}
	}
	rows := handoffs.IndexRows("t", handoffs.Log{}, log)
	require.Len(t, rows, 1)
	for _, c := range rows[0].Columns {
		switch c.Name {
		case "task":
			require.Equal(t, "build it small", c.Value)
		case "payload":
			require.Equal(t, `{"budget":1.0,"color":"red","key":"***"}`, c.Value)
		}
	}
}
