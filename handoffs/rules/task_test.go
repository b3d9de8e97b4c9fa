package rules_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/rules"
)

// S3-38, S3-43: what waits for an agent.
func TestS3_38_43_PendingHandoffs(t *testing.T) {
	o := newOffice(t)
	o.start(charter(""))
	task, err := o.Handoff(t.Context(), handoff(rules.Orchestrator, rules.FlightSearch))
	require.NoError(t, err)
	pending, err := o.GetPendingHandoffs(t.Context(), rules.FlightSearch)
	require.NoError(t, err)
	require.Equal(t, []rules.AgentTask{task}, pending)
	pending, err = o.GetPendingHandoffs(t.Context(), rules.ClientData)
	require.NoError(t, err)
	require.Empty(t, pending)
	stats, err := o.GetStats(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, stats.PendingHandoffs)
	_, err = o.AcceptHandoff(t.Context(), task.ID, rules.ClientData) // it is another agent's
	require.ErrorIs(t, err, handoffs.CodeStale)
	_, err = o.AcceptHandoff(t.Context(), task.ID, rules.FlightSearch)
	require.NoError(t, err)
	pending, err = o.GetPendingHandoffs(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, pending)
	for p, level := range map[handoffs.Priority]int{rules.Urgent: 1, rules.High: 2, rules.Normal: 5, rules.Low: 10} {
		require.Equal(t, level, rules.Policy("").Queue.Level(p))
	}
}

// S3-38, S3-43: of all requests the most urgent task comes first, of equals the
// oldest one; who waits long enough gets ahead.
func TestS3_38_QueueOfAllRequests(t *testing.T) {
	o := newOffice(t)
	begin := func(id string, p handoffs.Priority) {
		_, err := o.StartWorkflow(t.Context(), rules.AgentContext{RequestID: id}, charter(""))
		require.NoError(t, err)
		h := handoff(rules.Orchestrator, rules.FlightSearch)
		h.Context.RequestID, h.Task.Priority = id, p
		_, err = o.Handoff(t.Context(), h)
		require.NoError(t, err)
		o.now = o.now.Add(time.Second)
	}
	queue := func() (out []string) {
		pending, err := o.GetPendingHandoffs(t.Context(), rules.FlightSearch)
		require.NoError(t, err)
		for _, task := range pending {
			out = append(out, task.ID[:1])
		}
		return out
	}
	for id, p := range map[string]handoffs.Priority{"a": rules.Low, "b": rules.High, "c": rules.Urgent} {
		begin(id, p)
	}
	begin("e", "")
	begin("d", rules.Normal)
	require.Equal(t, []string{"c", "b", "e", "d", "a"}, queue())
	o.now = o.now.Add(10 * time.Minute) // nobody has called HandleTimeouts
	begin("f", rules.Urgent)
	require.Equal(t, "f", queue()[5])
}

// S3-28: a task is the same one when it is at work.
func TestS3_28_TaskAtWork(t *testing.T) {
	o := newOffice(t)
	o.start(charter(""))
	offered, err := o.Handoff(t.Context(), handoff(rules.Orchestrator, rules.FlightSearch))
	require.NoError(t, err)
	o.now = o.now.Add(10 * time.Second)
	accepted, err := o.AcceptHandoff(t.Context(), offered.ID, rules.FlightSearch)
	require.NoError(t, err)
	want := offered
	want.Status = handoffs.Running
	require.Equal(t, want, accepted)
	agent, task, err := o.AtWork(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, rules.FlightSearch, agent)
	require.Equal(t, want, task)
}

// S3-41, S3-42: the error monitor is told what was rejected, by whom and why, so
// that it can hand it on again.
func TestS3_41_42_WhatTheMonitorKnows(t *testing.T) {
	for name, code := range map[string]handoffs.Code{"rejected": handoffs.CodeRefused, "late": handoffs.CodeAcceptTime, "nobody": handoffs.CodeNotFound} {
		o := newOffice(t)
		o.start(charter(""))
		h := handoff(rules.Orchestrator, rules.FlightSearch)
		if name == "nobody" {
			h.ToAgent = "PILOT"
		}
		task, err := o.Handoff(t.Context(), h)
		switch name {
		case "rejected":
			require.NoError(t, o.RejectHandoff(t.Context(), task.ID, rules.FlightSearch, "max concurrent tasks reached"))
		case "late":
			o.now = o.now.Add(rules.AcceptTimeout)
			late, err := o.HandleTimeouts(t.Context())
			require.NoError(t, err)
			require.Equal(t, code, late[0].Refused.Code)
		default:
			require.Error(t, err)
		}
		agent, task, err := o.AtWork(t.Context(), request)
		require.NoError(t, err)
		require.Equal(t, rules.ErrorMonitor, agent)
		require.NotNil(t, task.Refused, name)
		require.Equal(t, code, task.Refused.Code)
		require.Equal(t, h.ToAgent, task.Refused.Target)
		require.Equal(t, "x", task.Refused.Task)
		require.Equal(t, map[string]any{"n": int64(1)}, task.Refused.Payload)
		if name == "rejected" {
			require.Contains(t, task.Refused.Message, "max concurrent tasks reached")
		}
	}
}
