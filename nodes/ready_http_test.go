package nodes_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model/openai"
)

// modelAt makes a model at a server that answers with replies.
func modelAt(t testing.TB, replies ...llmstub.Reply) (*openai.Model, *llmstub.Server) {
	t.Helper()
	srv := llmstub.New(&llmstub.Script{Replies: replies})
	t.Cleanup(srv.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	m, err := openai.New(openai.Config{Name: "stub-1", Key: "sk-test", BaseURL: srv.URL() + "/v1", HTTP: &http.Client{Transport: transport}})
	require.NoError(t, err)
	return m, srv
}

// satisfied requires that a server was asked for what it had, and refused nothing.
func satisfied(t testing.TB, srv *llmstub.Server) {
	t.Helper()
	require.Empty(t, srv.Unexpected())
	require.Empty(t, srv.Unused())
	for _, r := range srv.Requests() {
		require.Empty(t, r.Refused)
	}
}

func TestSupervisorOverHTTP(t *testing.T) {
	t.Parallel()
	m, srv := modelAt(t,
		llmstub.Reply{When: llmstub.Match{System: "You lead.", Last: "Deploy"}, Calls: []llmstub.Call{{Name: "handoff_to_specialist", Args: `{"targetAgentId":"tests","explanation":"first","task":"run all"}`}}},
		llmstub.Reply{When: llmstub.Match{System: "You test.", Last: "run all"}, Calls: []llmstub.Call{{Name: "run"}}},
		llmstub.Reply{When: llmstub.Match{Tool: "run"}, Text: "12 tests passed."},
		llmstub.Reply{When: llmstub.Match{System: "You lead."}, Calls: []llmstub.Call{{Name: "forward_message", Args: `{"agent":"tests"}`}}},
		llmstub.Reply{When: llmstub.Match{System: "You lead.", Last: "Thanks"}, Text: "You are welcome."},
	)
	lead, tests := labMember("", m), worker("tests", m, labFixed("run", "ok"))
	lead.Agent.Instructions, tests.Agent.Instructions = "You lead.", "You test."
	team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{Lead: lead, Workers: []nodes.Worker[labDesk]{tests}, Team: deskTeam(nil)})
	g := teamGraph(t, team, err, &graph.Config{Store: labStore()})
	res := labAsk(t, g, "Deploy, tests first.")
	require.Equal(t, "12 tests passed.", res.State.Messages[len(res.State.Messages)-1].Text())
	require.Equal(t, "supervisor", res.State.Messages[len(res.State.Messages)-1].Name)
	res = labAsk(t, g, "Thanks.")
	require.Equal(t, "You are welcome.", res.State.Messages[len(res.State.Messages)-1].Text())
	require.Equal(t, []string{"call supervisor>tests returned"}, labLog(&res.State))
	satisfied(t, srv)
}

func TestSwarmOverHTTP(t *testing.T) {
	t.Parallel()
	m, srv := modelAt(t,
		llmstub.Reply{When: llmstub.Match{System: "You greet."}, Calls: []llmstub.Call{{Name: "transfer_to_billing", Args: `{"explanation":"money","task":"look into it"}`}}},
		llmstub.Reply{When: llmstub.Match{System: "You bill.", Last: "look into it"}, Text: "Which invoice?"},
		llmstub.Reply{When: llmstub.Match{System: "You bill.", Last: "Seven"}, Text: "It is paid."},
	)
	front, billing := labMember("front", m), labMember("billing", m)
	front.Agent.Instructions, billing.Agent.Instructions = "You greet.", "You bill."
	team, err := nodes.NewSwarm(nodes.SwarmConfig[labDesk]{Members: []nodes.Member[labDesk]{front, billing}, Team: deskTeam(nil)})
	g := teamGraph(t, team, err, &graph.Config{Store: labStore()})
	labAsk(t, g, "My invoice is wrong.")
	res := labAsk(t, g, "Seven.")
	require.Equal(t, "It is paid.", res.State.Messages[len(res.State.Messages)-1].Text())
	require.Equal(t, "billing", res.State.Handoffs.Owner)
	satisfied(t, srv)
}
