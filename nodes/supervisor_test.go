package nodes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// teamGraph compiles a ready-made team.
func teamGraph(t testing.TB, team *handoffs.Team[labDesk], err error, c *graph.Config) *graph.Graph[labDesk] {
	t.Helper()
	require.NoError(t, err)
	if c == nil {
		c = &graph.Config{RecursionLimit: 200}
	}
	g, err := team.Compile(deskSchema, c)
	require.NoError(t, err)
	return g
}

func deskTeam(p *handoffs.Policy) handoffs.TeamConfig[labDesk] {
	return handoffs.TeamConfig[labDesk]{Fields: deskFields, Clock: labClock, Policy: p}
}

// asks is a call of the handoff tool by a supervisor that can only call.
func asks(id, target, task string) state.ToolCall {
	return labCall(id, "handoff_to_specialist", fmt.Sprintf(`{"targetAgentId":%q,"explanation":"it is theirs","task":%q}`, target, task))
}

// sentTo is what a model was sent in a request, without the instructions.
func sentTo(m *labModel, request int) string {
	ms := m.requests()[request].Messages
	for len(ms) > 0 && ms[0].Role == state.RoleSystem {
		ms = ms[1:]
	}
	return labLines(ms)
}

// offeredTo are the names of the tools that a model was offered.
func offeredTo(m *labModel, request int) (names []string) {
	for _, tool := range m.requests()[request].Tools {
		names = append(names, tool.Name)
	}
	return names
}

func worker(id string, m model.Model, tools ...nodes.Tool) nodes.Worker[labDesk] {
	w := nodes.Worker[labDesk]{Member: labMember(id, m)}
	w.Agent.Tools = tools
	return w
}

// X-39: two workers are called one after the other; what each model is sent is
// told in full.
func TestX39_SupervisorDeploys(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{false, true} {
		lead := labScript(t, labCalls(asks("h1", "tests", "run all")), labCalls(asks("h2", "deploy", "ship it")), labSay("It is live."))
		tests := labScript(t, labCalls(labCall("x", "run", "{}")), labSay("12 passed"))
		deploy := labScript(t, labSay("shipped"))
		for _, m := range []*labModel{lead, tests, deploy} {
			m.profile = transcript.OpenAI()
		}
		team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{
			Lead: labMember("", lead), FullHistory: full, Team: deskTeam(nil),
			Workers: []nodes.Worker[labDesk]{worker("tests", tests, labFixed("run", "ok")), worker("deploy", deploy)},
		})
		g := teamGraph(t, team, err, nil)
		res := labAsk(t, g, "Deploy, tests first.")
		require.Equal(t, []string{"call supervisor>tests returned", "call supervisor>deploy returned"}, labLog(&res.State))
		require.Equal(t, "supervisor", res.State.Handoffs.Owner)
		require.Equal(t, "It is live.", res.State.Messages[len(res.State.Messages)-1].Text())

		require.Equal(t, []string{"forward_message", "handoff_to_specialist"}, offeredTo(lead, 0))
		require.Equal(t, []string{"run"}, offeredTo(tests, 0))
		require.Empty(t, offeredTo(deploy, 0))
		require.Equal(t, "human: Deploy, tests first.\nhuman: [supervisor] asks you, and waits for your answer: run all\n", sentTo(tests, 0))
		own := `human: Deploy, tests first.
ai: [h1 handoff_to_specialist {"targetAgentId":"tests","explanation":"it is theirs","task":"run all"}]
tool __handoff__ of h1: 12 passed
`
		saw, work := "", "human: Deploy, tests first.\n"
		if full {
			work += "human: [tests] called run with {}\nhuman: [tests] got from run: ok\n"
			saw = "human: [tests] called run with {}\nhuman: [tests] got from run: ok\n"
		}
		require.Equal(t, own+saw, strings.ReplaceAll(sentTo(lead, 1), "ai supervisor:  [", "ai: ["), "full: %v", full)
		require.Equal(t, work+"human: [tests] said: 12 passed\nhuman: [supervisor] asks you, and waits for your answer: ship it\n", sentTo(deploy, 0), "full: %v", full)
		for _, m := range []*labModel{tests, deploy} {
			for _, r := range m.requests() {
				require.NotContains(t, labLines(r.Messages), "handoff")
			}
		}
	}
}

// The supervisor keeps the conversation, and sees what was done before.
func TestSupervisorGoesOnWithTheNextMessage(t *testing.T) {
	t.Parallel()
	lead := labScript(t, labCalls(asks("h1", "tests", "run all")), labSay("They pass."), labSay("Twelve."))
	team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{
		Lead: labMember("boss", lead), Workers: []nodes.Worker[labDesk]{worker("tests", labScript(t, labSay("12 passed")))}, Team: deskTeam(nil),
	})
	g := teamGraph(t, team, err, &graph.Config{Store: labStore()})
	labAsk(t, g, "Test it.")
	res := labAsk(t, g, "How many?")
	require.Equal(t, "boss", res.State.Handoffs.Owner)
	require.Equal(t, `human: Test it.
ai:  [h1 handoff_to_specialist {"targetAgentId":"tests","explanation":"it is theirs","task":"run all"}]
tool handoff_to_specialist of h1: 12 passed
ai: They pass.
human: How many?
`, sentTo(lead, 2))
}

func TestSupervisorForwards(t *testing.T) {
	t.Parallel()
	answer := "Twelve  tests\npassed. ☃"
	for name, c := range map[string]struct {
		args    string
		results []string // of forward_message
	}{
		"named":    {`{"agent":"tests"}`, []string{answer}},
		"the last": {`{}`, []string{answer}},
		"silent":   {`{"agent":"deploy"}`, []string{"Error: there is no answer of deploy to forward; call it first, or answer yourself", answer}},
		"unknown":  {`{"agent":"boss"}`, []string{"Error: the arguments do not fit: at '/agent': value must be one of 'tests', 'deploy'", answer}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := []model.Response{labCalls(asks("h1", "tests", "run all")), labCalls(labCall("f1", "forward_message", c.args)), labCalls(labCall("f2", "forward_message", "{}"))}
			lead := labScript(t, said[:1+len(c.results)]...)
			team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{
				Lead: labMember("boss", lead), Team: deskTeam(nil),
				Workers: []nodes.Worker[labDesk]{worker("tests", labScript(t, labSay(answer))), worker("deploy", labScript(t))},
			})
			res := labAsk(t, teamGraph(t, team, err, nil), "Test it.")
			require.Equal(t, c.results, labResults(res.State.Messages)[1:])
			last := res.State.Messages[len(res.State.Messages)-1]
			require.Equal(t, state.RoleAI, last.Role)
			require.Equal(t, "boss", last.Name)
			require.Equal(t, answer, last.Text())
		})
	}
	lead := labScript(t, labSay("x"))
	team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{
		Lead: labMember("", lead), NoForward: true, Workers: []nodes.Worker[labDesk]{worker("tests", labScript(t))}, Team: deskTeam(nil),
	})
	labAsk(t, teamGraph(t, team, err, nil), "Hi.")
	require.Equal(t, []string{"handoff_to_specialist"}, offeredTo(lead, 0))
}

// A worker that takes over answers the user, also the next message, and hands
// back.
func TestSupervisorHandsOver(t *testing.T) {
	t.Parallel()
	lead := labScript(t, labCalls(labHand("h1", "sales", false)), labSay("Bye."))
	sales := labScript(t, labSay("What do you want?"), labSay("A boat."), labCalls(labHand("h2", "supervisor", false)))
	team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{
		Lead: labMember("", lead), Team: deskTeam(nil),
		Workers: []nodes.Worker[labDesk]{worker("tests", labScript(t)), {Member: labMember("sales", sales), TakesOver: true}},
	})
	g := teamGraph(t, team, err, &graph.Config{Store: labStore()})
	require.Equal(t, "sales", labAsk(t, g, "I want to buy.").State.Handoffs.Owner)
	require.Equal(t, "sales", labAsk(t, g, "Show me.").State.Handoffs.Owner)
	res := labAsk(t, g, "No, thanks.")
	require.Equal(t, "supervisor", res.State.Handoffs.Owner)
	require.Equal(t, []string{"transfer supervisor>sales completed", "transfer sales>supervisor completed"}, labLog(&res.State))
	require.Equal(t, "human: I want to buy.\n\nhuman: [supervisor] hands over to you: do it\n", strings.Replace(sentTo(sales, 0), "buy.[", "buy.\n\nhuman: [", 1))
	require.Contains(t, lead.requests()[0].Tools[1].Description, "tests; only with returnControl true")
	require.Contains(t, sentTo(lead, 1), "[sales] said: A boat.")
	require.NotContains(t, strings.Split(sentTo(lead, 1), "[sales]")[1], "handoff")
}

// Supervisors under supervisors: a worker's question pauses the run, the answer
// comes to another process, and nobody is asked twice.
func TestSupervisorsNest(t *testing.T) {
	t.Parallel()
	ask, err := nodes.AskPerson()
	require.NoError(t, err)
	store := labStore()
	lead := labScript(t, labCalls(asks("h1", "ops", "ship it")), labSay("Done."))
	ops := labScript(t, labCalls(asks("h2", "deploy", "to which region?")), labSay("shipped to eu"))
	deploy := labScript(t, labCalls(labCall("q", "ask_person", `{"question":"Region?"}`)), labSay("eu it is"))
	process := func() *graph.Graph[labDesk] {
		inner := worker("ops", ops)
		inner.Workers = []nodes.Worker[labDesk]{worker("deploy", deploy, ask)}
		team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{Lead: labMember("", lead), Workers: []nodes.Worker[labDesk]{inner}, Team: deskTeam(nil)})
		return teamGraph(t, team, err, &graph.Config{Store: store, RecursionLimit: 100})
	}
	res, err := process().Invoke(t.Context(), deskHuman("Ship."), thread)
	fine(t, err)
	require.Contains(t, questionAt(t, res), "Region?")
	res, err = process().Resume(t.Context(), graph.Answer("eu"), thread)
	require.NoError(t, err)
	require.Equal(t, graph.OutcomeDone, res.Outcome)
	require.Equal(t, []string{"call supervisor>ops returned", "call ops>deploy returned"}, labLog(&res.State))
	require.Equal(t, "Done.", res.State.Messages[len(res.State.Messages)-1].Text())
	for _, m := range []*labModel{lead, ops, deploy} {
		require.Equal(t, 2, len(m.requests()))
	}
	require.Equal(t, "human: Ship.\n\nhuman: [ops] asks you, and waits for your answer: to which region?\n", strings.Replace(sentTo(deploy, 0), "Ship.[", "Ship.\n\nhuman: [", 1))
	require.NotContains(t, sentTo(lead, 1), "eu it is")
	require.Contains(t, sentTo(lead, 1), "shipped to eu")
	require.Equal(t, []string{"forward_message", "handoff_to_specialist"}, offeredTo(ops, 0))
}

// A called worker that stays talks to the user until it has ended its work, and
// the supervisor goes on with the result.
func TestSupervisorCallsOneThatStays(t *testing.T) {
	t.Parallel()
	lead := labScript(t, labCalls(asks("h1", "sales", "find out what they want")), labSay("A boat, then."))
	sales := labScript(t, labSay("What do you want?"), labCalls(labCall("e", "finish", `{"status":"completed","result":"they want a boat"}`)))
	w := worker("sales", sales)
	w.Conversational = true
	team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{Lead: labMember("", lead), Workers: []nodes.Worker[labDesk]{w}, Team: deskTeam(nil)})
	g := teamGraph(t, team, err, &graph.Config{Store: labStore()})
	_, err = g.Invoke(t.Context(), deskHuman("Hello."), thread)
	require.NoError(t, err)
	require.Equal(t, []string{"finish"}, offeredTo(sales, 0))
	res := labAsk(t, g, "A boat.")
	require.Equal(t, "A boat, then.", res.State.Messages[len(res.State.Messages)-1].Text())
	require.Equal(t, "supervisor", res.State.Handoffs.Owner)
	require.Equal(t, 2, len(lead.requests()))
	for _, part := range []string{"of h1: they want a boat\n", "[sales] said: What do you want?", "A boat.\n"} {
		require.Contains(t, sentTo(lead, 1), part)
	}
}

// X-40: what a worker fails with is the supervisor's to read.
func TestX40_SupervisorReadsFailures(t *testing.T) {
	t.Parallel()
	broken := &labModel{t: t, answer: func(context.Context, *model.Request) (*model.Response, error) { return nil, errLab }}
	lead := labScript(t, labCalls(asks("h1", "tests", "run all")), labSay("The tests cannot be run."))
	team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{
		Lead: labMember("", lead), Workers: []nodes.Worker[labDesk]{worker("tests", broken), worker("deploy", labScript(t))}, Team: deskTeam(nil),
	})
	res := labAsk(t, teamGraph(t, team, err, nil), "Deploy.")
	require.Equal(t, "The tests cannot be run.", res.State.Messages[len(res.State.Messages)-1].Text())
	require.Contains(t, labResults(res.State.Messages)[0], "injected failure")
	require.Contains(t, sentTo(lead, 1), "injected failure")
}

// Handoffs that the policy does not allow go back to the model that asked, with
// the reason, and the bound of the team holds.
func TestSupervisorIsToldWhy(t *testing.T) {
	t.Parallel()
	lead := labScript(t, labCalls(asks("h1", "nobody", "x")), labCalls(asks("h2", "tests", "x")), labCalls(asks("h3", "tests", "again")), labSay("I give up."))
	team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{
		Lead: labMember("", lead), Workers: []nodes.Worker[labDesk]{worker("tests", labScript(t, labSay("tested")))},
		Team: deskTeam(&handoffs.Policy{Limits: handoffs.Limits{Handoffs: 1}}),
	})
	res := labAsk(t, teamGraph(t, team, err, nil), "Go.")
	results := labResults(res.State.Messages)
	require.Len(t, results, 3)
	require.Contains(t, results[0], "nobody")
	require.Equal(t, "tested", results[1])
	require.NotEqual(t, "tested", results[2])
	require.Contains(t, sentTo(lead, 3), results[2])
	require.Equal(t, "I give up.", res.State.Messages[len(res.State.Messages)-1].Text())
	require.Equal(t, 4, len(lead.requests()))

	loops := &labModel{t: t, answer: func(_ context.Context, r *model.Request) (*model.Response, error) {
		a := labCalls(asks("", "tests", "again"))
		if len(r.Tools) < 2 {
			a = labSay("No more.")
		}
		return &a, nil
	}}
	echo := &labModel{t: t, answer: func(context.Context, *model.Request) (*model.Response, error) {
		a := labSay("tested")
		return &a, nil
	}}
	team, err = nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{Lead: labMember("", loops), Workers: []nodes.Worker[labDesk]{worker("tests", echo)}, Team: deskTeam(nil)})
	g := teamGraph(t, team, err, &graph.Config{RecursionLimit: 1000})
	_, err = g.Invoke(t.Context(), deskHuman("Go."), thread)
	require.NoError(t, err) // behind the last handoff there is no tool for it
	require.Equal(t, 50, len(echo.requests()))
}

func TestSupervisorIsRefused(t *testing.T) {
	t.Parallel()
	node := func(context.Context, labDesk) (graph.Command[labDesk], error) { return graph.Command[labDesk]{}, nil }
	m := labScript(t)
	for want, cfg := range map[string]nodes.SupervisorConfig[labDesk]{
		"needs Workers":                      {Lead: labMember("", m), Team: deskTeam(nil)},
		`supervisor "supervisor" needs an`:   {Lead: nodes.Member[labDesk]{Node: node}, Workers: []nodes.Worker[labDesk]{worker("a", m)}, Team: deskTeam(nil)},
		`supervisor "a" needs an Agent`:      {Lead: labMember("", m), Workers: []nodes.Worker[labDesk]{{Member: nodes.Member[labDesk]{Profile: handoffs.Profile{ID: "a"}, Node: node}, Workers: []nodes.Worker[labDesk]{worker("b", m)}}}, Team: deskTeam(nil)},
		"needs Fields":                       {Lead: labMember("", m), Workers: []nodes.Worker[labDesk]{worker("a", m)}},
		`"forward_message"`:                  {Lead: nodes.Member[labDesk]{Agent: &nodes.AgentConfig[labDesk]{Model: m, Tools: []nodes.Tool{labFixed("forward_message", "")}}}, Workers: []nodes.Worker[labDesk]{worker("a", m)}, Team: deskTeam(nil)},
		`there more than once`:               {Lead: labMember("", m), Workers: []nodes.Worker[labDesk]{worker("a", m), worker("a", m)}, Team: deskTeam(nil)},
		`a team needs Fields, where its sta`: {Lead: labMember("", m), Workers: []nodes.Worker[labDesk]{worker("a", m)}},
	} {
		_, err := nodes.NewSupervisor(cfg)
		require.ErrorContains(t, err, want)
	}
}

func ExampleNewSupervisor() {
	talks := says(
		model.Response{Message: state.Message{ToolCalls: []state.ToolCall{{ID: "c1", Name: "handoff_to_specialist", Args: json.RawMessage(`{"targetAgentId":"researcher","explanation":"facts","task":"How high is the Zugspitze?"}`)}}}},
		model.Response{Message: state.Text(state.RoleAI, "It is 2962 m high.")})
	team, err := nodes.NewSupervisor(nodes.SupervisorConfig[labDesk]{
		Lead: nodes.Member[labDesk]{Agent: &nodes.AgentConfig[labDesk]{Model: talks}},
		Workers: []nodes.Worker[labDesk]{{Member: nodes.Member[labDesk]{
			Profile: handoffs.Profile{ID: "researcher", Description: "Looks things up."},
			Agent:   &nodes.AgentConfig[labDesk]{Model: says(model.Response{Message: state.Text(state.RoleAI, "2962 m")})},
		}}},
		Team: handoffs.TeamConfig[labDesk]{Fields: deskFields},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := team.Compile(deskSchema, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := g.Invoke(context.Background(), deskHuman("How high is the Zugspitze?"), nil)
	for _, m := range res.State.Messages {
		fmt.Println(strings.TrimSpace(fmt.Sprintln(m.Role, m.Name, m.Text())))
	}
	fmt.Println(err)
	// Output:
	// human  How high is the Zugspitze?
	// ai supervisor
	// ai researcher 2962 m
	// tool __handoff__ 2962 m
	// ai supervisor It is 2962 m high.
	// <nil>
}
