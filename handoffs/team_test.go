package handoffs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

func TestTransferLetsTheTargetTakeOver(t *testing.T) {
	r := newRig(t, handoffs.Policy{Entry: "a"}, map[string]bot{"a": just(to("b")), "b": just()}, agents("a", "b")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a b", r.route())
	require.Equal(t, "b", r.last.State.ActiveAgent)
	require.Equal(t, "b", r.last.State.Handoffs.Owner)
	require.Equal(t, []string{"transfer a>b requested validated accepted running", "task a>", "transfer a>b completed", "task b>"}, r.log())
	require.Equal(t, []string{"agent_changed", "agent_handoff"}, r.events)
	r.run() // the next message goes to b
	require.Equal(t, "b", r.route())
}

func TestCallComesBackWithTheResult(t *testing.T) {
	back := kind(handoffs.Return, "")
	back.Result = &handoffs.Outcome{Text: "found", Value: int64(3)}
	r := newRig(t, handoffs.Policy{Entry: "a"}, map[string]bot{"a": then(one(kind(handoffs.Call, "b"))), "b": just(back)}, agents("a", "b")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a b a", r.route())
	got := r.turns[2].Results
	require.Len(t, got, 1)
	require.Equal(t, "found", got[0].Outcome.Text)
	require.Equal(t, int64(3), got[0].Outcome.Value)
	require.Equal(t, "a", r.last.State.Handoffs.Owner)
}

func TestTailCallInheritsTheReturnAddress(t *testing.T) {
	r := newRig(t, handoffs.Policy{Entry: "a"}, map[string]bot{
		"a": then(one(kind(handoffs.Call, "b"))), "b": just(to("c")), "c": just(),
	}, agents("a", "b", "c")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a b c a", r.route())
	require.Equal(t, "c", r.turns[3].Results[0].Agent)
	require.Equal(t, "c#1", r.turns[3].Results[0].Outcome.Text)
}

func TestSpawnJoinsItsBranches(t *testing.T) {
	spawn := kind(handoffs.Spawn, "")
	spawn.Branches = []handoffs.Branch{{Target: "b", Task: "x"}, {Target: "b", Task: "y"}, {Target: "c"}}
	fail := kind(handoffs.Return, "")
	fail.Result = &handoffs.Outcome{Status: handoffs.Failed, Error: "no luck"}
	spawn.Join = handoffs.Join{Partial: true}
	r := newRig(t, handoffs.Policy{Entry: "a"}, map[string]bot{"a": then(one(spawn)), "b": just(), "c": just(fail)}, agents("a", "b", "c")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a", r.turns[len(r.turns)-1].Agent)
	got := r.turns[len(r.turns)-1].Results
	require.Len(t, got, 1)
	require.Equal(t, handoffs.Partial, got[0].Outcome.Status)
	require.Equal(t, []string{"c"}, got[0].Outcome.Missing)
	require.Equal(t, []string{"b", "b#2", "c"}, []string{got[0].Parts[0].Branch, got[0].Parts[1].Branch, got[0].Parts[2].Branch})
}

func TestRejectionGoesToTheSupervisor(t *testing.T) {
	r := newRig(t, handoffs.Policy{Supervisor: "boss", Entry: "a"}, map[string]bot{"a": just(to("nobody")), "boss": just()}, agents("a", "boss")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a boss", r.route())
	require.Equal(t, handoffs.CodeNotFound, r.turns[1].Refused.Code)
	require.Equal(t, "boss", r.last.State.ActiveAgent)
	require.Contains(t, r.events, "handoff_rejected")
	require.NotContains(t, r.events, "agent_handoff")
}

func TestRejectionFailsTheRunWithTheCode(t *testing.T) {
	p := handoffs.Policy{Entry: "a", Limits: handoffs.Limits{Handoffs: 1}, OnReject: map[handoffs.Code]handoffs.Action{handoffs.CodeLimit: {Do: handoffs.FailRun}}}
	r := newRig(t, p, map[string]bot{"a": just(to("b")), "b": just(to("a"))}, agents("a", "b")...).run()
	require.ErrorIs(t, r.err, handoffs.CodeLimit)
	require.ErrorIs(t, r.err, graph.ErrLimit)
	require.Equal(t, "a b", r.route())
	require.Contains(t, r.log(), "transfer b>a requested rejected !limit")
}

func TestFailedAgentIsRescuedByTheSupervisor(t *testing.T) {
	crash := handoffs.Command{Kind: "crash", Explanation: "boom"}
	r := newRig(t, handoffs.Policy{Supervisor: "boss", Entry: "a"}, map[string]bot{"a": just(crash), "boss": just()}, agents("a", "boss")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a boss", r.route())
	require.Equal(t, handoffs.ErrorRecovery, r.turns[1].Reason)
}

func TestConversationalAgentKeepsTheUser(t *testing.T) {
	profiles := agents("a", "b")
	profiles[1].Conversational = true
	done := kind(handoffs.Return, "")
	r := newRig(t, handoffs.Policy{Entry: "a"}, map[string]bot{"a": then(one(kind(handoffs.Call, "b"))), "b": then(nil, one(done))}, profiles...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a b", r.route())
	r.run()
	require.Equal(t, "b a", r.route())
}

func TestUserSwitchSuspendsAndResumes(t *testing.T) {
	profiles := agents("a", "b", "c")
	profiles[1].Conversational = true
	r := newRig(t, handoffs.Policy{Entry: "a"}, map[string]bot{"a": then(one(kind(handoffs.Call, "b"))), "b": just(), "c": just()}, profiles...).run()
	frame := r.turns[1].Frame
	sel, err := r.team.Select("c")
	require.NoError(t, err)
	r.run(sel...)
	require.NoError(t, r.err)
	require.Equal(t, "c", r.route())
	require.Equal(t, handoffs.ModeDirected, r.last.State.Handoffs.Mode)
	require.Len(t, r.last.State.Handoffs.Parked, 1)
	back := handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Resume, Actor: handoffs.ByUser, Token: r.last.State.Handoffs.Parked[0].Token}
	in, err := r.team.Input(back)
	require.NoError(t, err)
	r.run(in...)
	require.NoError(t, r.err)
	require.Empty(t, r.last.State.Handoffs.Parked)
	r.run()
	require.Equal(t, "b", r.route())
	require.Equal(t, frame, r.turns[0].Frame)
}

func TestChoiceOfAnAgentEndsWhenItHandsOver(t *testing.T) {
	r := newRig(t, handoffs.Policy{Entry: "a"}, map[string]bot{"a": just(), "b": then(nil, one(to("a")))}, agents("a", "b")...).run()
	sel, err := r.team.Select("b")
	require.NoError(t, err)
	r.run(sel...)
	require.Equal(t, handoffs.ModeDirected, r.last.State.Handoffs.Mode)
	require.Equal(t, &handoffs.Directed{Target: "b", Bypass: true}, r.last.State.Handoffs.Directed)
	r.run()
	require.Equal(t, "b a", r.route())
	require.Empty(t, r.last.State.Handoffs.Mode)
	require.Nil(t, r.last.State.Handoffs.Directed)
}

func TestUsersWrongTokenChangesNothing(t *testing.T) {
	r := newRig(t, handoffs.Policy{Entry: "a", Supervisor: "boss"}, map[string]bot{"a": just(), "boss": just()}, agents("a", "boss")...).run()
	in, err := r.team.Input(handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Resume, Actor: handoffs.ByUser, Token: "nobody's"})
	require.NoError(t, err)
	r.run(in...)
	require.NoError(t, r.err)
	require.Empty(t, r.route())
	require.Equal(t, "a", r.last.State.Handoffs.Owner)
	require.Contains(t, r.log(), "resume a> requested rejected !token")
	require.Contains(t, r.last.State.Messages[len(r.last.State.Messages)-1].Text(), "nobody's")
	r.run()
	require.Equal(t, "a", r.route())
}

func TestApprovalAsksAPerson(t *testing.T) {
	p := handoffs.Policy{Entry: "a", Approve: &handoffs.ApprovalPolicy{Words: true}}
	r := newRig(t, p, map[string]bot{"a": just(to("b")), "b": just()}, agents("a", "b")...).run()
	require.ErrorIs(t, r.err, graph.ErrInterrupted)
	require.Equal(t, "a", r.route())
	r.answer(graph.Answer("YES"))
	require.NoError(t, r.err)
	require.Equal(t, "b", r.route())
}

func TestWaitEndsBySignalOrTime(t *testing.T) {
	wait := kind(handoffs.Wait, "")
	wait.Until = &handoffs.Until{Signals: []string{"quote"}, Count: 2, For: 24 * time.Hour}
	p := handoffs.Policy{Entry: "a", Virtual: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Script: []handoffs.Scheduled{
		{After: time.Hour, Signal: handoffs.Signal{Type: "quote"}}, {After: 2 * time.Hour, Signal: handoffs.Signal{Type: "quote"}}}}
	r := newRig(t, p, map[string]bot{"a": then(one(wait), one(wait))}, agents("a")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a a a", r.route())
	require.Len(t, r.turns[1].Signals, 2)
	require.True(t, r.turns[2].Expired)
	require.Equal(t, 26*time.Hour, r.last.State.Handoffs.Clock)
}

func TestLosersNameTheHandoffThatWon(t *testing.T) {
	r := newRig(t, handoffs.Policy{Entry: "a"}, map[string]bot{"a": just(to("b"), to("c")), "b": just(), "c": just()}, agents("a", "b", "c")...).run()
	require.NoError(t, r.err)
	lost, won := r.last.State.HandoffLog[0], r.last.State.HandoffLog[1]
	require.Equal(t, []handoffs.Status{handoffs.Requested, handoffs.Superseded}, lost.Stages)
	require.Equal(t, "b", won.To)
	require.NotEqual(t, lost.Handoff, won.Handoff)
	require.Contains(t, lost.Message, won.Handoff)
}

func TestTransferBesideCallsCarriesTheirResults(t *testing.T) {
	r := newRig(t, handoffs.Policy{Entry: "a"}, map[string]bot{
		"a": just(to("c"), kind(handoffs.Call, "b")), "b": just(), "c": just(),
	}, agents("a", "b", "c")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a b c", r.route())
	require.Equal(t, "b#1", r.turns[2].Results[0].Outcome.Text)
}
