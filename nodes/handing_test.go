package nodes_test

import (
	"context"
	"encoding/json"
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

// handTools are the tools of a request by which the model hands over.
func handTools(r *model.Request) map[string]model.Tool {
	out := map[string]model.Tool{}
	for _, x := range r.Tools {
		out[x.Name] = x
	}
	return out
}

// targetsOf is the enum of a handoff tool's target.
func targetsOf(t *testing.T, x model.Tool) []string {
	t.Helper()
	var schema struct {
		Properties struct {
			Target struct{ Enum []string } `json:"targetAgentId"`
		}
	}
	require.NoError(t, json.Unmarshal(x.Schema, &schema))
	return schema.Properties.Target.Enum
}

// What the model is offered: those that it may hand to now, in one tool or in one
// for each, and a guidance that names them.
func TestHandoffToolsAsTheModelSeesThem(t *testing.T) {
	t.Parallel()
	edges := []handoffs.Edge{{From: []string{"front"}, To: []string{"billing", "shipping"}}, {From: []string{"billing"}, To: []string{"front"}, Kinds: []handoffs.Kind{handoffs.Call}}}
	team := func(change func(*nodes.AgentConfig[labDesk])) (*labModel, *labModel) {
		front, billing := labScript(t, labCalls(labHand("1", "billing", false))), labScript(t, labSay("paid"))
		f, b := labMember("front", front), labMember("billing", billing)
		f.Agent.Instructions = "Be kind."
		b.Profile.Specialization, b.Profile.Description, b.Profile.Capabilities = "money", "Knows invoices.", []string{"refund"}
		change(f.Agent)
		g := labTeam(t, &handoffs.Policy{Entry: "front", Edges: edges, Limits: handoffs.Limits{Handoffs: 5}}, nil, f, b, labMember("shipping", labScript(t)), labMember("secret", labScript(t)))
		_, err := g.Invoke(t.Context(), deskHuman("Go."), &graph.RunConfig{Thread: "t"})
		require.NoError(t, err)
		return front, billing
	}
	t.Run("one tool", func(t *testing.T) {
		front, billing := team(func(*nodes.AgentConfig[labDesk]) {})
		r := &front.requests()[0]
		require.Len(t, r.Tools, 1)
		x := handTools(r)["handoff_to_specialist"]
		require.Equal(t, []string{"billing", "shipping"}, targetsOf(t, x))
		require.Contains(t, x.Description, "money")
		require.Contains(t, string(x.Schema), "returnControl")
		system := r.Messages[0]
		require.Equal(t, state.RoleSystem, system.Role)
		require.True(t, strings.HasPrefix(system.Text(), "Be kind.\n\n## Working with other agents\n"), system.Text())
		require.Contains(t, system.Text(), "Agents that you can hand to now: billing, shipping.")
		require.NotContains(t, system.Text(), "secret")
		require.Equal(t, []string{"front"}, targetsOf(t, handTools(&billing.requests()[0])["handoff_to_specialist"]))
	})
	t.Run("one tool each", func(t *testing.T) {
		front := labScript(t, labCalls(labCall("1", "transfer_to_billing", `{"explanation":"money","task":"pay"}`)))
		f, b := labMember("front", front), labMember("billing", labScript(t, labSay("paid")))
		b.Profile.Specialization, b.Profile.Description, b.Profile.Capabilities = "money", "Knows invoices.", []string{"refund"}
		f.Agent.Handoffs = nodes.Handoffs{PerTarget: true, Kind: handoffs.Transfer}
		f.Agent.Tools = []nodes.Tool{labFixed("transfer_to_shipping", "not a handoff")}
		g := labTeam(t, &handoffs.Policy{Entry: "front", Edges: edges, Limits: handoffs.Limits{Handoffs: 5}}, nil, f, b, labMember("shipping", labScript(t)))
		res := labAsk(t, g, "Go.")
		require.Equal(t, []string{"transfer front>billing completed"}, labLog(&res.State))
		tools := handTools(&front.requests()[0])
		require.Len(t, tools, 3)
		require.Equal(t, "Hands the work over to billing. money. Knows invoices. It can: refund.", tools["transfer_to_billing"].Description)
		require.Contains(t, tools, "transfer_to_shipping_2")
		require.NotContains(t, string(tools["transfer_to_billing"].Schema), "targetAgentId")
		require.NotContains(t, string(tools["transfer_to_billing"].Schema), "returnControl")
		require.Contains(t, front.requests()[0].Messages[0].Text(), "call transfer_to_billing, transfer_to_shipping_2.")
	})
	t.Run("no guidance", func(t *testing.T) {
		front, _ := team(func(c *nodes.AgentConfig[labDesk]) { c.Handoffs.NoGuidance = true })
		require.Equal(t, "Be kind.", front.requests()[0].Messages[0].Text())
	})
	t.Run("another name and text", func(t *testing.T) {
		front := labScript(t, labCalls(labCall("1", "give", `{"targetAgentId":"billing","explanation":"money","task":"pay"}`)))
		f := labMember("front", front)
		f.Agent.Handoffs.Tool = handoffs.ToolConfig{Name: "give", When: "When you cannot."}
		res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "front"}, nil, f, labMember("billing", labScript(t, labSay("paid")))), "Go.")
		require.Equal(t, []string{"transfer front>billing completed"}, labLog(&res.State))
		require.Contains(t, handTools(&front.requests()[0])["give"].Description, "When you cannot.")
	})
}

// Whom the model names, and what comes of it.
func TestTargetsThatModelsNameX42(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		target string
		want   string // of the log
		back   string // of the result, if the model goes on
	}{
		"exact":          {"billing", "transfer front>billing completed", ""},
		"another case":   {"BILLING", "transfer front>billing completed", ""},
		"a display name": {"Billing Desk", "transfer front>billing completed", ""},
		"with spaces":    {" Billing desk ", "transfer front>billing completed", ""},
		"underscores":    {"billing_desk", "transfer front>billing completed", ""},
		"nearly":         {"biling", "transfer front>biling rejected !not_found", "biling"},
		"nobody":         {"quantum", "transfer front>quantum rejected !not_found", "quantum"},
		"NONE":           {"NONE", "transfer front>NONE rejected !not_found", "NONE"},
		"itself":         {"front", "transfer front>front rejected !self", "front"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			front := labScript(t, labCalls(labHand("h1", tt.target, false)), labSay("then I do it myself"))
			b := labMember("billing", labScript(t, labSay("paid")))
			b.Profile.Name = "Billing Desk"
			p := &handoffs.Policy{Entry: "front", OnReject: map[handoffs.Code]handoffs.Action{"": {Do: handoffs.ToSource}}}
			res := labAsk(t, labTeam(t, p, nil, labMember("front", front), b), "Go.")
			require.Equal(t, []string{tt.want}, labLog(&res.State))
			if tt.back == "" {
				require.Len(t, front.requests(), 1)
				return
			}
			require.Len(t, front.requests(), 2)
			results := labResults(front.requests()[1].Messages)
			require.Len(t, results, 1)
			require.Contains(t, results[0], tt.back, "the model is told why")
			require.Equal(t, "then I do it myself", res.State.Messages[len(res.State.Messages)-1].Text())
		})
	}
}

// Arguments that cannot be used are told as the call's result, and nothing is in
// the log.
func TestMalformedHandoffs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ args, want string }{
		"no task":      {`{"targetAgentId":"billing","explanation":"e"}`, "task: it is missing"},
		"a blank task": {`{"targetAgentId":"billing","explanation":"e","task":" "}`, "task: it is missing"},
		"nothing":      {``, "targetAgentId: it is missing"},
		"null":         {`{"targetAgentId":"billing","explanation":"e","task":null}`, "task: it is missing"},
		"wrong type":   {`{"targetAgentId":7,"explanation":"e","task":"t"}`, "targetAgentId"},
		"unknown key":  {`{"targetAgentId":"billing","explanation":"e","task":"t","boss":"me"}`, "boss: the key is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			front := labScript(t, labCalls(labCall("h1", "handoff_to_specialist", tt.args)), labSay("sorry"))
			res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "front"}, nil, labMember("front", front), labMember("billing", labScript(t))), "Go.")
			require.Empty(t, labLog(&res.State))
			require.Contains(t, labResults(res.State.Messages)[0], tt.want)
			require.Equal(t, "error", res.State.Messages[2].Status)
		})
	}
}

// A key that the model writes as null is one that it leaves out.
func TestNullsInHandoffs(t *testing.T) {
	t.Parallel()
	front := labScript(t, labCalls(labCall("h1", "handoff_to_specialist", `{"targetAgentId":"billing","explanation":"e","task":"t","payload":null,"priority":null,"returnControl":null,"userIntent":null}`)))
	res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "front"}, nil, labMember("front", front), labMember("billing", labScript(t, labSay("paid")))), "Go.")
	require.Equal(t, []string{"transfer front>billing completed"}, labLog(&res.State))
}

// Kind fixes how the model hands over, whether or not the edges leave a choice.
func TestFixedKind(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fixed handoffs.Kind
		edge  []handoffs.Kind
		want  string
	}{
		"call":                    {handoffs.Call, nil, "call front>billing returned"},
		"transfer":                {handoffs.Transfer, nil, "transfer front>billing completed"},
		"call, the only way":      {handoffs.Call, []handoffs.Kind{handoffs.Call}, "call front>billing returned"},
		"transfer, the only way":  {handoffs.Transfer, []handoffs.Kind{handoffs.Transfer}, "transfer front>billing completed"},
		"open, but calls alone":   {"", []handoffs.Kind{handoffs.Call}, "call front>billing returned"},
		"open, transfers alone":   {"", []handoffs.Kind{handoffs.Transfer}, "transfer front>billing completed"},
		"open, and nothing named": {"", nil, "transfer front>billing completed"},
	} {
		for _, per := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				call := labCall("h1", "handoff_to_specialist", `{"targetAgentId":"billing","explanation":"e","task":"t"}`)
				if per {
					call = labCall("h1", "transfer_to_billing", `{"explanation":"e","task":"t"}`)
				}
				front := labScript(t, labCalls(call), labSay("over"))
				f := labMember("front", front)
				f.Agent.Handoffs.Kind, f.Agent.Handoffs.PerTarget = tt.fixed, per
				p := &handoffs.Policy{Entry: "front", Edges: []handoffs.Edge{{From: []string{"front"}, To: []string{"billing"}, Kinds: tt.edge}}, Limits: handoffs.Limits{Handoffs: 9}}
				res := labAsk(t, labTeam(t, p, nil, f, labMember("billing", labScript(t, labSay("paid")))), "Go.")
				require.Equal(t, []string{tt.want}, labLog(&res.State))
			})
		}
	}
	_, err := nodes.NewAgent(nodes.AgentConfig[labDesk]{Model: labScript(t), Handoffs: nodes.Handoffs{Kind: handoffs.Spawn}})
	require.ErrorContains(t, err, "call or transfer")
}

// Tools of the same answer run before the handoff, wherever they stand in it, and
// all results are there.
func TestHandoffBesideToolsX49(t *testing.T) {
	t.Parallel()
	h, look := labHand("h", "billing", false), labCall("l", "look", "{}")
	call := labHand("c", "archive", true)
	for name, tt := range map[string]struct {
		calls []state.ToolCall
		want  []string
	}{
		"tool, transfer":       {[]state.ToolCall{look, h}, []string{"transfer front>billing completed"}},
		"transfer, tool":       {[]state.ToolCall{h, look}, []string{"transfer front>billing completed"}},
		"tool, call, transfer": {[]state.ToolCall{look, call, h}, []string{"call front>archive returned", "transfer front>billing completed"}},
		"transfer, call, tool": {[]state.ToolCall{h, call, look}, []string{"transfer front>billing completed", "call front>archive returned"}},
		"call, transfer":       {[]state.ToolCall{call, h}, []string{"call front>archive returned", "transfer front>billing completed"}},
		"transfer, call":       {[]state.ToolCall{h, call}, []string{"transfer front>billing completed", "call front>archive returned"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var order []string
			note := func(what string, m *labModel) *labModel {
				answer := m.answer
				m.answer = func(ctx context.Context, r *model.Request) (*model.Response, error) {
					order = append(order, what)
					return answer(ctx, r)
				}
				return m
			}
			f := labMember("front", note("front", labScript(t, labCalls(tt.calls...), labSay("never"))))
			f.Agent.Tools = []nodes.Tool{labTool("look", func(context.Context) (string, error) { order = append(order, "look"); return "seen", nil })}
			billing := note("billing", labScript(t, labSay("paid")))
			g := labTeam(t, &handoffs.Policy{Entry: "front"}, nil, f, labMember("archive", note("archive", labScript(t, labSay("found")))), labMember("billing", billing))
			res := labAsk(t, g, "Go.")
			require.ElementsMatch(t, tt.want, labLog(&res.State))
			require.Equal(t, "billing", res.State.Handoffs.Owner, "the transfer is not lost")
			want := []string{"front"}
			for _, c := range tt.calls {
				if c.ID == "l" {
					want = append(want, "look")
				}
			}
			for _, c := range tt.calls {
				if c.ID == "c" {
					want = append(want, "archive")
				}
			}
			require.Equal(t, append(want, "billing"), order)
			require.Len(t, labResults(res.State.Messages), len(tt.calls))
		})
	}
}

// Of several transfers in one answer the first is made, and the others are told
// so. Each call has one result.
func TestSeveralHandoffsInOneAnswerX10(t *testing.T) {
	t.Parallel()
	for _, p := range []*transcript.Profile{nil, transcript.OpenAI(), transcript.Anthropic(), transcript.Gemini(), transcript.Compatible()} {
		front, a := labScript(t, labCalls(labHand("h1", "a", false), labHand("h2", "b", false), labHand("h3", "a", false))), labScript(t, labSay("I am a"))
		front.profile, a.profile = p, p
		res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "front"}, nil, labMember("front", front), labMember("a", a), labMember("b", labScript(t))), "Go.")
		require.ElementsMatch(t, []string{"transfer front>a completed", "transfer front>b superseded !superseded", "transfer front>a superseded !superseded"}, labLog(&res.State))
		require.Len(t, labResults(res.State.Messages), 3)
		ids := map[string]bool{}
		for h := range handoffs.History(handoffs.LogOf(res.State.HandoffLog), handoffs.Filter{}) {
			ids[h.ID] = true
		}
		require.Len(t, ids, 3, "all are in the log")
	}
}

// A handoff whose arguments are wrong beside one that is right: both have a
// result, and the right one is made.
func TestWrongHandoffBesideARightOne(t *testing.T) {
	t.Parallel()
	front := labScript(t, labCalls(labCall("bad", "handoff_to_specialist", `{}`), labHand("good", "a", false)))
	res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "front"}, nil, labMember("front", front), labMember("a", labScript(t, labSay("I am a")))), "Go.")
	require.Equal(t, []string{"transfer front>a completed"}, labLog(&res.State))
	require.Len(t, labResults(res.State.Messages), 2)
}

// An agent that stays ends what it was called for by a tool; one that does not
// stay ends by what it says.
func TestFinish(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string // of finish, answer by answer
		want handoffs.Outcome
		told string
	}{
		"completed": {[]string{`{"status":"completed","result":"all done","value":{"n":3}}`}, handoffs.Outcome{Status: handoffs.Completed, Text: "all done", Value: map[string]any{"n": int64(3)}}, ""},
		"partial":   {[]string{`{"status":"partial","result":"half"}`}, handoffs.Outcome{Status: handoffs.Partial, Text: "half"}, ""},
		"failed":    {[]string{`{"status":"failed","result":"no luck"}`}, handoffs.Outcome{Status: handoffs.Failed, Error: "no luck", Code: handoffs.CodeFailed}, ""},
		"wrong first": {[]string{`{"status":"great","result":"x"}`, `{"status":"completed","result":" "}`, `{"status":"completed","result":7}`, `{"status":"completed","result":"done"}`},
			handoffs.Outcome{Status: handoffs.Completed, Text: "done"}, "status must be completed, partial or failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var answers []model.Response
			for _, args := range tt.args {
				answers = append(answers, labCalls(labCall("", "finish", args)))
			}
			worker := labScript(t, answers...)
			w := labMember("worker", worker)
			w.Profile.Conversational = true
			boss := labScript(t, labCalls(labHand("h", "worker", true)), labSay("over"))
			res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "boss"}, nil, labMember("boss", boss), w), "Go.")
			require.Contains(t, handTools(&worker.requests()[0]), "finish")
			require.NotContains(t, handTools(&boss.requests()[0]), "finish")
			got := deskOutcome(t, &res.State)
			got.Turns = 0
			require.Equal(t, tt.want, got)
			require.Contains(t, strings.Join(labResults(res.State.Messages), "\n"), tt.told)
			require.Equal(t, "over", res.State.Messages[len(res.State.Messages)-1].Text())
		})
	}
}

// deskOutcome is the result of the one call in the log.
func deskOutcome(t testing.TB, d *labDesk) handoffs.Outcome {
	t.Helper()
	h, ok := handoffs.Last(handoffs.LogOf(d.HandoffLog), handoffs.Filter{Kinds: []handoffs.Kind{handoffs.Call}})
	require.True(t, ok)
	require.NotNil(t, h.Result)
	return *h.Result
}

// A stay that grants nothing at all grants nothing behind a checkpoint either.
func TestNoGrantsAtAll(t *testing.T) {
	t.Parallel()
	for name, grants := range map[string][2][]string{"none of its own": {nil, {}}, "none in common": {{"write"}, {"read"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clerk := labScript(t, labCalls(labCall("w1", "read", "{}")), labSay("done"))
			w := labMember("clerk", clerk)
			w.Profile.Grants = grants[1]
			w.Agent.Tools = []nodes.Tool{labTool("read", func(context.Context) (string, error) { t.Error("it was run"); return "", nil })}
			m := labMember("middle", labScript(t, labCalls(labHand("h2", "clerk", false))))
			m.Profile.Grants = grants[0]
			g := labTeam(t, &handoffs.Policy{Entry: "front"}, &graph.Config{Store: labStore(), RecursionLimit: 50, InterruptBefore: []string{"clerk"}},
				labMember("front", labScript(t, labCalls(labHand("h1", "middle", false)))), m, w)
			_, err := g.Invoke(t.Context(), deskHuman("Go."), &graph.RunConfig{Thread: "t"})
			require.ErrorIs(t, err, graph.ErrInterrupted)
			_, err = g.Resume(t.Context(), graph.Answers{}, &graph.RunConfig{Thread: "t"})
			require.NoError(t, err)
			require.NotContains(t, handTools(&clerk.requests()[0]), "read")
		})
	}
}

// Wrong teams are told of.
func TestWrongTeams(t *testing.T) {
	t.Parallel()
	base := handoffs.TeamConfig[labDesk]{Fields: deskFields}
	node := func(context.Context, labDesk) (graph.Command[labDesk], error) { return graph.Command[labDesk]{}, nil }
	both := labMember("a", labScript(t))
	both.Node = node
	_, err := nodes.NewTeam(nodes.TeamConfig[labDesk]{Members: []nodes.Member[labDesk]{both}, Team: base})
	require.ErrorContains(t, err, `member "a" has an Agent and a Node`)
	_, err = nodes.NewTeam(nodes.TeamConfig[labDesk]{Members: []nodes.Member[labDesk]{labMember("a", nil)}, Team: base})
	require.ErrorContains(t, err, "it needs a Model")
	withAgents := base
	withAgents.Agents = []handoffs.Agent[labDesk]{{Profile: handoffs.Profile{ID: "a"}, Node: node}}
	_, err = nodes.NewTeam(nodes.TeamConfig[labDesk]{Team: withAgents})
	require.ErrorContains(t, err, "are its Members")
	_, err = labAgent(t, nodes.AgentConfig[labChat]{Model: labScript(t), Messages: noTalk{}}, nil).Invoke(t.Context(), labHuman("Go."), nil)
	require.Error(t, err)
}

// noTalk is a conversation without messages, whose model was given no answers.
type noTalk struct{}

func (noTalk) Of(*labChat) []state.Message                     { return nil }
func (noTalk) Add(ms ...state.Message) state.Write[labChat]    { return labFields.Messages.Add(ms...) }
func (noTalk) Replace(ms []state.Message) state.Write[labChat] { return labFields.Messages.Replace(ms) }

// Two turns of one agent at once, on a model that names its calls alike: each call
// is one of its own all the same.
func TestIDsOfTurnsSideBySide(t *testing.T) {
	t.Parallel()
	clerk := &labModel{t: t, answer: func(_ context.Context, r *model.Request) (*model.Response, error) {
		a := labCalls(labCall("look", "look", "{}"))
		if r.Messages[len(r.Messages)-1].Role == state.RoleTool {
			a = labSay("done")
		}
		return &a, nil
	}}
	w := labMember("clerk", clerk)
	w.Agent.Tools = []nodes.Tool{labFixed("look", "seen")}
	w.Agent.Handoffs.Others = nodes.OthersAnswers
	boss := labScript(t, labCalls(labHand("h1", "clerk", true), labHand("h2", "clerk", true)), labSay("over"))
	res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "boss"}, nil, labMember("boss", boss), w), "Go.")
	require.Len(t, labResults(res.State.Messages), 4)
}
