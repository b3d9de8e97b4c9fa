package nodes_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/specialist"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// scripted are the agents of a scripted scenario's route, and its handoffs, as its
// golden file has them.
func scripted(t *testing.T, name string) (route, hands []string) {
	t.Helper()
	data, err := os.ReadFile("../testdata/handoffs/" + name + ".golden")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && words[0] == "route":
			route = append(route, slices.DeleteFunc(words[1:], isPlumbing)...)
		case len(words) > 4 && words[0] == "agent_handoff":
			hands = append(hands, words[1]+">"+words[3]+" "+strings.Trim(words[4], "(,"))
		}
	}
	return route, hands
}

func isPlumbing(node string) bool { return node == handoffs.NodeProcess || node == "complete" }

// played runs a team and tells the same of it.
func played(t *testing.T, g *graph.Graph[labDesk], input string) (route, hands []string, d *labDesk) {
	t.Helper()
	for e, err := range g.Stream(t.Context(), deskHuman(input), &graph.RunConfig{Thread: "t"}) {
		require.NoError(t, err)
		switch e := e.(type) {
		case *graph.TaskStarted:
			if !isPlumbing(e.Node) {
				route = append(route, e.Node)
			}
		case *graph.Custom:
			if n, ok := e.Value.(*handoffs.HandoffNotice); ok {
				hands = append(hands, fmt.Sprintf("%s>%s %s", n.From, n.To, n.Kind))
			}
		}
	}
	snap, err := g.State(t.Context(), "t", "")
	require.NoError(t, err)
	labPaired(t, snap.Values.Messages)
	return route, hands, &snap.Values
}

// hopMember is a member of the specialist scenarios.
func hopMember(id, specialization string, m model.Model) nodes.Member[labDesk] {
	w := labMember(id, m)
	w.Profile.Specialization = specialization
	return w
}

// back is what a model looks at: the results of what it called so far.
func back(r *model.Request) []string { return labResults(r.Messages) }

// deciding is a model that decides by the results it has.
func deciding(t testing.TB, decide func(results []string) model.Response) *labModel {
	return &labModel{t: t, profile: transcript.OpenAI(), answer: func(_ context.Context, r *model.Request) (*model.Response, error) {
		a := decide(back(r))
		return &a, nil
	}}
}

func hopTeam(t testing.TB, members ...nodes.Member[labDesk]) *graph.Graph[labDesk] {
	p := specialist.Policy()
	p.Entry = "generalist"
	return labTeam(t, p, &graph.Config{Store: labStore(), RecursionLimit: 100}, members...)
}

// generalist calls for tests, then for the deployment if they pass, then reports.
func generalist(t testing.TB) *labModel {
	return deciding(t, func(results []string) model.Response {
		switch {
		case len(results) == 0:
			return labCalls(labHand("g1", "test-specialist", true))
		case len(results) == 1 && strings.Contains(results[0], "pass"):
			return labCalls(labHand("g2", "deploy-specialist", true))
		case len(results) == 1:
			return labSay("Not deployed: " + results[0])
		}
		return labSay("Done: " + results[1])
	})
}

// Deploy, tests first: models take the way of the script.
func TestDeployChainX39(t *testing.T) {
	t.Parallel()
	gen := generalist(t)
	tests := deciding(t, func(results []string) model.Response {
		if len(results) == 0 {
			return labCalls(labCall("s", "shell", `{}`))
		}
		return labSay("42 tests pass")
	})
	ts := hopMember("test-specialist", "testing", tests)
	ts.Agent.Tools = []nodes.Tool{labFixed("shell", "ok")}
	deploy := deciding(t, func([]string) model.Response { return labSay("deployed v7") })
	route, hands, d := played(t, hopTeam(t, hopMember("generalist", "", gen), ts, hopMember("deploy-specialist", "deployment", deploy)), "Deploy, but run the tests first.")
	wantRoute, wantHands := scripted(t, "X-39")
	require.Equal(t, wantRoute, route)
	require.Equal(t, wantHands, hands)
	require.Equal(t, "Done: deployed v7", d.Messages[len(d.Messages)-1].Text())
	require.Equal(t, "generalist", d.Handoffs.Active)

	brief := labLines(deploy.requests()[0].Messages)
	require.Contains(t, brief, "## Original request\nDeploy, but run the tests first.")
	require.Contains(t, brief, "## Your task\ndo it")
	require.NotContains(t, labLines(tests.requests()[0].Messages[1:]), "generalist:", "a conversation of its own")
	last := gen.requests()[2].Messages
	require.Len(t, labResults(last), 2, "two calls with their results")
	require.NotContains(t, labLines(last), "[s shell", "not the specialists' own calls")
	require.Equal(t, 15*(3+2+1), d.Handoffs.Spent.Tokens)
}

// The tests fail: there is no deployment.
func TestFailingTestsX40(t *testing.T) {
	t.Parallel()
	ts := hopMember("test-specialist", "testing", labScript(t, labCalls(labCall("f", "finish", `{"status":"failed","result":"3 of 42 tests fail"}`))))
	ts.Profile.Conversational = true
	route, hands, d := played(t, hopTeam(t, hopMember("generalist", "", generalist(t)), ts, hopMember("deploy-specialist", "deployment", labScript(t))), "Deploy, but run the tests first.")
	wantRoute, wantHands := scripted(t, "X-40")
	require.Equal(t, wantRoute, route)
	require.Equal(t, wantHands, hands)
	require.Contains(t, d.Messages[len(d.Messages)-1].Text(), "Not deployed: failed: 3 of 42 tests fail")
}

// Nobody can do it: the model is told so, and nothing but a rejection is in the
// log.
func TestNoSpecialistX41(t *testing.T) {
	t.Parallel()
	gen := deciding(t, func(results []string) model.Response {
		if len(results) == 0 {
			return labCalls(labHand("g", "quantum", true))
		}
		return labSay("I was told: " + results[0])
	})
	route, hands, d := played(t, hopTeam(t, hopMember("generalist", "", gen), hopMember("test-specialist", "testing", labScript(t))), "Entangle.")
	wantRoute, wantHands := scripted(t, "X-41")
	require.Equal(t, wantRoute, route)
	require.Equal(t, wantHands, hands)
	require.Equal(t, []string{"call generalist>quantum rejected !not_found"}, labLog(d))
	require.Contains(t, d.Messages[len(d.Messages)-1].Text(), "Do the task yourself or ask the user.")
}

// Calls within calls: what fails below is a result above, and the fourth level is
// offered to nobody.
func TestMultiHopX44(t *testing.T) {
	t.Parallel()
	chain := func(next, say string) *labModel {
		return deciding(t, func(results []string) model.Response {
			if len(results) == 0 {
				return labCalls(labHand(next, next, true))
			}
			return labSay(say + results[len(results)-1])
		})
	}
	cloud := chain("billing", "too deep: ")
	env := hopMember("env", "", labScript(t, labCalls(labHand("e", "cloud", true)), labCalls(labCall("f", "finish", `{"status":"failed","result":"no machine"}`))))
	env.Profile.Conversational = true
	tester := chain("env", "env: ")
	route, hands, d := played(t, hopTeam(t, hopMember("generalist", "", chain("tester", "tester says: ")), hopMember("tester", "", tester), env, hopMember("cloud", "", cloud), hopMember("billing", "", labScript(t))), "Test.")
	wantRoute, wantHands := scripted(t, "X-44")
	require.Equal(t, slices.Compact(wantRoute), route, "it is told in the same turn")
	require.NotContains(t, string(handTools(&cloud.requests()[0])["handoff_to_specialist"].Schema), "returnControl", "transfers alone")
	require.Equal(t, wantHands, hands)
	require.Contains(t, labLines(cloud.requests()[1].Messages), "Error: ")
	require.Contains(t, d.Messages[len(d.Messages)-1].Text(), "tester says: env: failed: no machine")
}

// A transfer inside a call: the result of who ended the work is the caller's
//
func TestTailCallX45(t *testing.T) {
	t.Parallel()
	gen := deciding(t, func(results []string) model.Response {
		if len(results) == 0 {
			return labCalls(labHand("g", "deployer", true))
		}
		return labSay("it says: " + results[0])
	})
	broke := labCalls(labHand("d", "rollback", false))
	broke.Message.Content = []state.Part{{Type: "text", Text: "it broke"}}
	route, hands, d := played(t, hopTeam(t, hopMember("generalist", "", gen), hopMember("deployer", "", labScript(t, broke)), hopMember("rollback", "", labScript(t, labSay("rolled back to v6")))), "Deploy.")
	wantRoute, wantHands := scripted(t, "X-45")
	require.Equal(t, wantRoute, route)
	require.Equal(t, wantHands, hands)
	require.Equal(t, "it says: rolled back to v6", d.Messages[len(d.Messages)-1].Text())
}

// A question to the user: the answer goes on in the same frame, with nobody handed
// to, in another process.
func TestClarificationX09(t *testing.T) {
	t.Parallel()
	store := labStore()
	rag := labScript(t, labCalls(labCall("q", "ask", "{}")), labSay("customer K-4711"))
	frames := map[string]bool{}
	ask := labTool("ask", func(ctx context.Context) (string, error) {
		s, ok := nodes.StateOf[labDesk](ctx)
		require.True(t, ok)
		frames[s.Turn.Frame] = true
		return graph.Interrupt[string](ctx, "number", "Which customer number?")
	})
	bc := labScript(t, labCalls(labHand("b", "rag", true)), labSay("found"))
	open := func() *graph.Graph[labDesk] {
		r := labMember("rag", rag)
		r.Agent.Tools = []nodes.Tool{ask}
		return labTeam(t, &handoffs.Policy{Entry: "bc"}, &graph.Config{Store: store, RecursionLimit: 50}, labMember("supervisor", labScript(t)), labMember("bc", bc), r)
	}
	cfg := &graph.RunConfig{Thread: "t"}
	res, err := open().Invoke(t.Context(), deskHuman("Who am I?"), cfg)
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Equal(t, "rag", res.Interrupts[0].Node)
	require.Equal(t, "rag", res.State.Handoffs.Active)
	var route []string
	for e, err := range open().StreamResume(t.Context(), graph.Answer("K-4711"), cfg) {
		require.NoError(t, err)
		if s, ok := e.(*graph.TaskStarted); ok && !isPlumbing(s.Node) {
			route = append(route, s.Node)
		}
	}
	require.Equal(t, []string{"rag", "bc"}, route)
	require.Len(t, frames, 1)
	snap, err := open().State(t.Context(), "t", "")
	require.NoError(t, err)
	require.Equal(t, []string{"call bc>rag returned"}, labLog(&snap.Values), "the question is no handoff")
	require.Contains(t, labResults(snap.Values.Messages), "K-4711")
	require.Len(t, rag.requests(), 2)
	labPaired(t, snap.Values.Messages)
}
