package protocol_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/protocol"
)

// S2-17, X-24: a person approves with "yes"; everything else ends the run.
func TestS2_17_HumanApproval(t *testing.T) {
	cfg := protocol.Config{EnableHandoffs: true, RequiresHumanApproval: func(agent string, c protocol.Context) bool {
		return agent == "implementer" && c.TaskDescription == "deploy"
	}}
	for answer, want := range map[string]string{"YES": "planner implementer", "yes": "planner implementer", "no": "planner", "maybe": "planner"} {
		st := newStage(t, cfg.Policy(), map[string]work{"planner": to("implementer", "deploy")}, "planner", "implementer").run()
		require.ErrorIs(t, st.err, graph.ErrInterrupted)
		require.Len(t, st.ask, 1)
		question, err := json.Marshal(st.ask[0].Value)
		require.NoError(t, err)
		require.Contains(t, string(question), `"task":"deploy"`)
		require.Contains(t, string(question), `"to":"implementer"`)
		st.resume(answer)
		require.NoError(t, st.err, answer)
		require.Equal(t, want, strings.Join(st.route, " "), answer)
	}
	st := newStage(t, cfg.Policy(), map[string]work{"planner": to("implementer", "sketch")}, "planner", "implementer").run()
	require.NoError(t, st.err)
	require.Equal(t, "planner implementer", strings.Join(st.route, " "))
}

// S2-17: what the predicate cannot read a person looks at; with approvals of
// another sort a handoff that is not approved ends the run too.
func TestS2_17_ApprovalsOfOtherHandoffs(t *testing.T) {
	cfg := protocol.Config{EnableHandoffs: true, RequiresHumanApproval: func(string, protocol.Context) bool { return false }}
	st := newStage(t, cfg.Policy(), map[string]work{"a": to("b", "x")}, "a", "b")
	st.payload = map[string]any{"context": "a text"}
	st.run()
	require.ErrorIs(t, st.err, graph.ErrInterrupted)

	p := enabled()
	p.Approve = &handoffs.ApprovalPolicy{Agents: []string{"b"}, Words: true}
	st = newStage(t, p, map[string]work{"a": to("b", "x")}, "a", "b").run()
	require.ErrorIs(t, st.err, graph.ErrInterrupted)
	require.NoError(t, st.resume("no").err)
	require.Equal(t, "a", strings.Join(st.route, " "))
}

// S2-25, X-25: several agents side by side, one of them twice.
func TestS2_25_Parallel(t *testing.T) {
	st := newStage(t, enabled(), map[string]work{
		"chief-architect": func(turn handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			if len(turn.Results) > 0 {
				return protocol.Command{}, nil
			}
			return u.HandoffToAgents(protocol.Context{TaskDescription: "look around"},
				protocol.Send{Agent: "docs-researcher", Task: "Redis"}, protocol.Send{Agent: "docs-researcher", Task: "caching"}, protocol.Send{Agent: "brahma-scout", Task: "code"}), nil
		},
	}, "chief-architect", "docs-researcher", "brahma-scout").run()
	require.NoError(t, st.err)
	require.Equal(t, "chief-architect docs-researcher docs-researcher brahma-scout chief-architect", strings.Join(st.route, " "))
	require.Equal(t, []string{"Redis", "caching"}, []string{st.turns[1].Task, st.turns[2].Task})
	require.Len(t, st.turns[4].Results[0].Parts, 3)
}

// S2-34, S2-35, S2-36, X-26: handoffs are opted in; else agents work alone.
func TestS2_34_36_IndependentMode(t *testing.T) {
	alone := func(cfg protocol.Config) *stage {
		return newStage(t, cfg.Policy(), map[string]work{"a": func(turn handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			if turn.Refused != nil {
				return protocol.Command{}, nil
			}
			return u.HandoffToAgent("b", protocol.Context{TaskDescription: "x"}), nil
		}}, "a", "b").run()
	}
	rollout := []string{protocol.ClassMedium}
	for want, cfgs := range map[string][]protocol.Config{
		"a a": {{}, {Class: protocol.ClassMedium}, {EnableHandoffs: true, Rollout: rollout, Class: protocol.ClassComplex}, {EnableHandoffs: true, Rollout: rollout}},
		"a b": {{EnableHandoffs: true}, {EnableHandoffs: true, Rollout: rollout, Class: protocol.ClassMedium}},
	} {
		for _, cfg := range cfgs {
			st := alone(cfg)
			require.NoError(t, st.err)
			require.Equal(t, want, strings.Join(st.route, " "), "%+v", cfg)
			if want == "a a" {
				require.Equal(t, handoffs.CodeDisabled, st.turns[1].Refused.Code)
			}
		}
	}
}

// S2-37: a handoff that is rejected leads to the independent mode.
func TestS2_37_Fallback(t *testing.T) {
	tries := 0
	st := newStage(t, (&protocol.Config{EnableHandoffs: true, Fallback: true}).Policy(), map[string]work{
		"a": func(handoffs.Turn, protocol.Update) (protocol.Command, error) {
			if tries++; tries == 3 {
				return protocol.Command{}, nil
			}
			return to(map[int]string{1: "nobody", 2: "b"}[tries], "x")(handoffs.Turn{}, protocol.Update{})
		},
	}, "a", "b").run()
	require.NoError(t, st.err)
	require.Equal(t, "a a a", strings.Join(st.route, " "))
	require.Equal(t, handoffs.CodeNotFound, st.turns[1].Refused.Code)
	require.Equal(t, handoffs.CodeDisabled, st.turns[2].Refused.Code)
	require.True(t, st.end.Handoffs.Degraded)
}

// S2-37: an agent that fails is no handoff that failed: nobody goes on alone, and
// it is not begun again.
func TestS2_37_FallbackIsForHandoffs(t *testing.T) {
	st := newStage(t, (&protocol.Config{EnableHandoffs: true, Fallback: true}).Policy(), map[string]work{
		"a": to("b", "x"), "b": func(handoffs.Turn, protocol.Update) (protocol.Command, error) {
			return protocol.Command{}, errors.New("boom")
		},
	}, "a", "b").run()
	require.ErrorIs(t, st.err, handoffs.CodeFailed)
	require.Equal(t, "a b", strings.Join(st.route, " "))
	require.False(t, st.end.Handoffs.Degraded)
}
