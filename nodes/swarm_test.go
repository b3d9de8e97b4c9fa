package nodes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

func transfers(id, to, task string) state.ToolCall {
	return labCall(id, "transfer_to_"+to, fmt.Sprintf(`{"explanation":"it is theirs","task":%q,"payload":{"order":7}}`, task))
}

func TestSwarm(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{false, true} {
		alice := labScript(t, labCalls(labCall("x", "look", "{}")), labCalls(transfers("h1", "bob", "refund it")))
		bob := labScript(t, labSay("Refunded."), labCalls(transfers("h2", "carol", "sell a boat")))
		carol := labScript(t, labSay("A boat?"))
		for _, m := range []*labModel{alice, bob, carol} {
			m.profile = transcript.OpenAI()
		}
		a := labMember("alice", alice)
		a.Agent.Tools = []nodes.Tool{labFixed("look", "order 7")}
		store := labStore()
		process := func() *graph.Graph[labDesk] {
			team, err := nodes.NewSwarm(nodes.SwarmConfig[labDesk]{
				Members: []nodes.Member[labDesk]{labMember("bob", bob), a, labMember("carol", carol)}, Default: "alice", FullHistory: full,
				Allowed: map[string][]string{"alice": {"bob"}, "bob": {"carol", "alice"}}, Team: deskTeam(nil),
			})
			return teamGraph(t, team, err, &graph.Config{Store: store})
		}
		res := labAsk(t, process(), "My money back.")
		require.Equal(t, "bob", res.State.Handoffs.Owner)
		require.Equal(t, "bob", res.State.ActiveAgent)
		require.Equal(t, []string{"look", "transfer_to_bob"}, offeredTo(alice, 0))
		require.Equal(t, []string{"transfer_to_alice", "transfer_to_carol"}, offeredTo(bob, 0))
		require.NotContains(t, string(alice.requests()[0].Tools[1].Schema), "returnControl")
		work := ""
		if full {
			work = "human: [alice] called look with {}\nhuman: [alice] got from look: order 7\n"
		}
		require.Equal(t, "human: My money back.\n"+work+"human: [alice] hands over to you: refund it\nWhat is known: {\"order\":7}\n", sentTo(bob, 0))

		res = labAsk(t, process(), "And a boat.")
		require.Equal(t, "carol", res.State.Handoffs.Owner)
		require.Equal(t, []string{"transfer alice>bob completed", "transfer bob>carol completed"}, labLog(&res.State))
		require.Contains(t, sentTo(bob, 1), "ai bob: Refunded.\nhuman: And a boat.\n")
		require.Equal(t, "human: My money back.\n"+work+"human: [bob] said: Refunded.\nhuman: And a boat.\nhuman: [bob] hands over to you: sell a boat\nWhat is known: {\"order\":7}\n", sentTo(carol, 0))
		require.Empty(t, offeredTo(carol, 0))
		require.Equal(t, 2, len(alice.requests()))
		require.Equal(t, 2, len(bob.requests()))
		for _, m := range []*labModel{bob, carol} {
			for i := range m.requests() {
				require.NotContains(t, sentTo(m, i), "transfer_to")
			}
		}
	}
}

// Two that hand to and fro come to an end, and the one that is left answers.
func TestSwarmIsBounded(t *testing.T) {
	t.Parallel()
	passes := func(to string) *labModel {
		return &labModel{t: t, answer: func(_ context.Context, r *model.Request) (*model.Response, error) {
			a := labCalls(transfers("", to, "you do it"))
			if len(r.Tools) == 0 {
				a = labSay("Well, then.")
			}
			return &a, nil
		}}
	}
	a, b := passes("b"), passes("a")
	team, err := nodes.NewSwarm(nodes.SwarmConfig[labDesk]{Members: []nodes.Member[labDesk]{labMember("a", a), labMember("b", b)}, Team: deskTeam(nil)})
	g := teamGraph(t, team, err, &graph.Config{RecursionLimit: 1000})
	res := labAsk(t, g, "Go.")
	require.Len(t, labLog(&res.State), 50)
	require.Equal(t, "a", res.State.Handoffs.Owner)
	require.Equal(t, "Well, then.", res.State.Messages[len(res.State.Messages)-1].Text())
	require.Equal(t, 51, len(a.requests())+len(b.requests()))
}

// The run fails between a transfer and the target's answer, and goes on in
// another process: nobody is asked twice.
func TestSwarmGoesOnInAnotherProcess(t *testing.T) {
	t.Parallel()
	store := labStore()
	alice, bob := labScript(t, labCalls(transfers("h1", "bob", "refund it"))), labScript(t, labSay("Refunded."))
	process := func(bob model.Model) *graph.Graph[labDesk] {
		cfg := deskTeam(nil)
		cfg.Fatal = func(error) bool { return true }
		team, err := nodes.NewSwarm(nodes.SwarmConfig[labDesk]{Members: []nodes.Member[labDesk]{labMember("alice", alice), labMember("bob", bob)}, Team: cfg})
		return teamGraph(t, team, err, &graph.Config{Store: store})
	}
	broken := &labModel{t: t, answer: func(context.Context, *model.Request) (*model.Response, error) { return nil, errLab }}
	_, err := process(broken).Invoke(t.Context(), deskHuman("My money back."), thread)
	require.ErrorIs(t, err, errLab)
	res, err := process(bob).Resume(t.Context(), graph.Answers{}, thread)
	require.NoError(t, err)
	require.Equal(t, "Refunded.", res.State.Messages[len(res.State.Messages)-1].Text())
	require.Equal(t, 1, len(alice.requests()))
	require.Equal(t, 1, len(bob.requests()))
}

func TestSwarmIsRefused(t *testing.T) {
	t.Parallel()
	two := []nodes.Member[labDesk]{labMember("a", labScript(t)), labMember("b", labScript(t))}
	for want, cfg := range map[string]nodes.SwarmConfig[labDesk]{
		"needs Members":                        {Team: deskTeam(nil)},
		`Default is "c"`:                       {Members: two, Default: "c", Team: deskTeam(nil)},
		`Allowed names "c"`:                    {Members: two, Allowed: map[string][]string{"a": {"c"}}, Team: deskTeam(nil)},
		`Allowed names "d"`:                    {Members: two, Allowed: map[string][]string{"d": {"a"}}, Team: deskTeam(nil)},
		"a team needs Fields, where its state": {Members: two},
	} {
		_, err := nodes.NewSwarm(cfg)
		require.ErrorContains(t, err, want)
	}
}

func ExampleNewSwarm() {
	front := says(model.Response{Message: state.Message{ToolCalls: []state.ToolCall{{ID: "c1", Name: "transfer_to_billing", Args: json.RawMessage(`{"explanation":"money","task":"Look into the invoice."}`)}}}})
	billing := says(model.Response{Message: state.Text(state.RoleAI, "Which invoice?")}, model.Response{Message: state.Text(state.RoleAI, "It is paid.")})
	team, err := nodes.NewSwarm(nodes.SwarmConfig[labDesk]{
		Members: []nodes.Member[labDesk]{
			{Profile: handoffs.Profile{ID: "front"}, Agent: &nodes.AgentConfig[labDesk]{Model: front}},
			{Profile: handoffs.Profile{ID: "billing"}, Agent: &nodes.AgentConfig[labDesk]{Model: billing}},
		},
		Team: handoffs.TeamConfig[labDesk]{Fields: deskFields},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := team.Compile(deskSchema, &graph.Config{Store: checkpoint.NewMemory(nil)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"My invoice is wrong.", "Number 7."} {
		res, err := g.Invoke(context.Background(), deskHuman(text), thread)
		last := res.State.Messages[len(res.State.Messages)-1]
		fmt.Println(last.Name+":", last.Text(), err)
	}
	// Output:
	// billing: Which invoice? <nil>
	// billing: It is paid. <nil>
}
