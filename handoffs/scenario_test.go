package handoffs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/stored"
)

// an agent that panics is one that failed.
func TestPanicOfAnAgentGoesToTheSupervisorX08(t *testing.T) {
	p := handoffs.Policy{Supervisor: "boss", Entry: "bc"}
	r := newRig(t, p, map[string]bot{
		"bc": just(to("rag")), "rag": func(handoffs.Turn) []handoffs.Command { panic("no index") },
		"boss": func(turn handoffs.Turn) []handoffs.Command {
			require.Equal(t, handoffs.ErrorRecovery, turn.Reason)
			require.Contains(t, turn.Payload["error"], "no index")
			return one(to("rag2"))
		}, "rag2": just(),
	}, agents("bc", "rag", "boss", "rag2")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "bc rag boss rag2", r.route())
	require.Contains(t, r.log(), "transfer bc>rag failed !failed")
}

// history, the newest and counts of a session, and the messages.
func TestSearchAndBackX12(t *testing.T) {
	r := scenarioOf(t, "X-12", checkpoint.NewMemory(nil))
	look, err := r.run("s1", `{"messages": [{"id": "u1", "type": "human", "name": "ada", "content": "Why?", "time": "2026-01-01T08:59:00Z"}]}`)
	require.NoError(t, err)
	var rows []string
	var last handoffs.Handoff
	for h := range handoffs.History(look.Log, handoffs.Filter{}) {
		require.False(t, h.At.Before(last.At))
		rows, last = append(rows, h.From+">"+h.To), h
	}
	require.Equal(t, []string{"dojo>librarian", "librarian>dojo"}, rows)
	newest, ok := handoffs.Last(look.Log, handoffs.Filter{})
	require.True(t, ok)
	require.Equal(t, last.ID, newest.ID)
	require.Equal(t, 2, handoffs.Count(look.Log, handoffs.Filter{}))
	require.Equal(t, 1, handoffs.Count(look.Log, handoffs.Filter{From: "dojo"}))
	require.Equal(t, 1, handoffs.Count(look.Log, handoffs.Filter{To: "librarian"}))

	data, err := json.Marshal(look.Messages[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"type": "human", "id": "u1", "name": "ada", "content": "Why?", "time": "2026-01-01T08:59:00Z"}`, string(data))
	require.Equal(t, handoffs.ContextFull, newest.Context.Policy)
	require.Equal(t, len(look.Messages)-1, newest.Context.Until, "all that was said before it")
	require.Zero(t, newest.Context.Left)
}

// the trace is told of both handoffs, with what was decided and why.
func TestTraceOfContradictionX13(t *testing.T) {
	look, err := scenarioOf(t, "X-13", checkpoint.NewMemory(nil)).run("s1", `{}`)
	require.NoError(t, err)
	var out bytes.Buffer
	sink := handoffs.NewLineSink(&out)
	for e := range handoffs.TraceEvents("s1", look.Log) {
		require.NoError(t, sink.Log(t.Context(), e))
	}
	var told []string
	for line := range strings.Lines(out.String()) {
		var e handoffs.TraceEvent
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		require.Equal(t, "know which note holds", e.Intent)
		require.Equal(t, "trace-7", e.Trace)
		require.Equal(t, "s1", e.Session)
		told = append(told, fmt.Sprintf("%s %s>%s: %s", e.Type, e.From, e.To, e.Decision.Explanation))
	}
	require.Equal(t, []string{
		"AGENT_HANDOFF dojo>debugger: conflicting perspectives", "AGENT_HANDOFF debugger>dojo: the newer note holds",
	}, told)
}

// a chain is one session's, whatever agents it passes.
func TestChainStaysInItsSessionX14(t *testing.T) {
	r := scenarioOf(t, "X-14", checkpoint.NewMemory(nil))
	for range 2 {
		_, err := r.run("s1", `{}`)
		require.NoError(t, err)
	}
	n := 0
	for h := range handoffs.History(r.sight("s1").Log, handoffs.Filter{}) {
		require.Equal(t, "s1", h.Session)
		require.Equal(t, handoffs.Completed, h.Status)
		n++
	}
	require.Equal(t, 6, n)
}

// a handoff that lacks something is one typed error, one failure in the
// trace, and no row of those that were accepted.
func TestHandoffErrorsX15(t *testing.T) {
	without := func(change func(*handoffs.Command)) handoffs.Command {
		c := handoffs.NewCommand("librarian", "search", "it is there")
		c.Intent = "find it"
		change(&c)
		return c
	}
	for name, tt := range map[string]struct {
		command handoffs.Command
		code    handoffs.Code
		edge    string
	}{
		"no reason":    {without(func(c *handoffs.Command) { c.Reason = "" }), handoffs.CodeMissing, "dojo->librarian"},
		"blank reason": {without(func(c *handoffs.Command) { c.Reason = " \t" }), handoffs.CodeMissing, "dojo->librarian"},
		"no intent":    {without(func(c *handoffs.Command) { c.Intent = "" }), handoffs.CodeMissing, "dojo->librarian"},
		"blank intent": {without(func(c *handoffs.Command) { c.Intent = "\n" }), handoffs.CodeMissing, "dojo->librarian"},
		"no target":    {without(func(c *handoffs.Command) { c.Target = "" }), handoffs.CodeSyntax, "dojo->"},
		"unknown":      {without(func(c *handoffs.Command) { c.Target = "nobody" }), handoffs.CodeNotFound, "dojo->nobody"},
		"itself":       {without(func(c *handoffs.Command) { c.Target = "dojo" }), handoffs.CodeSelf, "dojo->dojo"},
		"unavailable":  {without(func(c *handoffs.Command) { c.Target = "archivist" }), handoffs.CodeUnavailable, "dojo->archivist"},
	} {
		t.Run(name, func(t *testing.T) {
			p := stored.Policy()
			p.Entry, p.OnReject = "dojo", map[handoffs.Code]handoffs.Action{"": {Do: handoffs.FailRun}}
			profiles := agents("dojo", "librarian", "archivist")
			profiles[2].Unavailable = true
			r := newRig(t, *p, map[string]bot{"dojo": just(tt.command)}, profiles...).run()
			var failed *handoffs.Error
			require.ErrorAs(t, r.err, &failed)
			require.ErrorIs(t, r.err, tt.code)
			require.Contains(t, failed.Error(), tt.edge)
			require.Equal(t, "dojo", r.route())
			log := handoffs.LogOf(r.last.State.HandoffLog)
			require.Zero(t, handoffs.Count(log, handoffs.Filter{Accepted: true}))
			var events []string
			for e := range handoffs.TraceEvents("t", log) {
				events = append(events, e.Type)
			}
			require.Equal(t, []string{handoffs.TraceFailure}, events)
		})
	}
}

// behind the cap a program finds who was not reached, and the artifacts
// that are there.
func TestCapTellsWhatWasNotReachedX20(t *testing.T) {
	r := scenarioOf(t, "X-20-literal", checkpoint.NewMemory(nil))
	_, err := r.run("s1", `{}`)
	var failed *handoffs.Error
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, handoffs.CodeLimit)
	require.ErrorIs(t, err, graph.ErrLimit)
	require.Equal(t, "analyzer", failed.From)
	require.Equal(t, "implementer", failed.To)
	snap, err := r.graph.State(t.Context(), "s1", "")
	require.NoError(t, err)
	artifacts, _ := snap.Values.Get("artifacts")
	require.Equal(t, map[string]any{"ResearchPack": "out/research.md", "ImplementationPlan": "out/plan.md"}, artifacts)
}
