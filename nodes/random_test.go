package nodes_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

var scripts = flag.Int("scripts", 60, "random scripts of models to play")

var randomAgents = []string{"front", "billing", "Tech Support", "archive_2"}

// randomAnswer is what a model without any sense might say.
func randomAnswer(r *rand.Rand) (model.Response, error) {
	switch r.IntN(12) {
	case 0:
		return labSay(""), nil
	case 1:
		return labSay("I will hand you over to " + randomAgents[r.IntN(4)] + "."), nil
	case 2, 3, 4:
		return labSay(fmt.Sprint("answer ", r.IntN(100))), nil
	case 5:
		if r.IntN(4) == 0 {
			return model.Response{}, errors.New("no luck")
		}
	}
	var calls []state.ToolCall
	for range 1 + r.IntN(4) {
		calls = append(calls, randomCall(r))
	}
	a := labCalls(calls...)
	if r.IntN(3) == 0 {
		a.Message.Content = []state.Part{{Type: "reasoning", Text: "hm", MIME: transcript.SignedAnthropic, Data: []byte("s")}, {Type: "text", Text: "I see."}}
	}
	return a, nil
}

func randomCall(r *rand.Rand) state.ToolCall {
	targets := append([]string{"nobody", "NONE", "", "FRONT", "tech support"}, randomAgents...)
	target := targets[r.IntN(len(targets))]
	c := []state.ToolCall{
		labCall("", "look", `{}`), labCall("", "look", `{"n":1}`), labCall("", "fails", `{}`), labCall("", "panics", ``), labCall("", "ends", `{}`),
		labCall("", "nobody's", `{}`), labCall("", "typed", `{"n":"x"}`), labCall("", "typed", `{"n":3}`),
		labHand("", target, r.IntN(2) == 0), labHand("", target, r.IntN(2) == 0), labHand("", target, false),
		labCall("", "handoff_to_specialist", `{"targetAgentId":7}`), labCall("", "handoff_to_specialist", ``),
		labCall("", "transfer_to_billing", `{"explanation":"e","task":"t"}`), labCall("", "transfer_to_Tech_Support", `{"explanation":"e","task":"t","returnControl":true}`),
		labCall("", "finish", `{"status":"completed","result":"done"}`), labCall("", "finish", `{"status":"odd"}`), labCall("", handoffs.ToolName, `{}`),
	}[r.IntN(18)]
	c.ID = []string{"", " ", "x", c.Name, fmt.Sprint("id", r.IntN(1000))}[r.IntN(5)]
	return c
}

// randomTeam is a team whose models, policy and agents' settings follow from a seed.
func randomTeam(t *testing.T, seed uint64) *graph.Graph[labDesk] {
	r := rand.New(rand.NewPCG(seed, 0))
	profiles := []*transcript.Profile{nil, transcript.OpenAI(), transcript.Anthropic(), transcript.Gemini(), transcript.Compatible()}
	ends := labFixed("ends", "the end")
	ends.Ends = true
	typed := nodes.MustTool("typed", "", func(_ context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		return in.N, nil
	})
	tools := []nodes.Tool{labFixed("look", "seen"), ends, typed,
		labTool("fails", func(context.Context) (string, error) { return "", errors.New("no luck") }),
		labTool("panics", func(context.Context) (string, error) { panic("no index") })}
	tools[3].Strict = r.IntN(8) == 0
	var members []nodes.Member[labDesk]
	for i, id := range randomAgents[:3+r.IntN(2)] {
		m := &labModel{t: t, profile: profiles[r.IntN(5)], answer: func(_ context.Context, q *model.Request) (*model.Response, error) {
			h := fnv.New64() // the same agent may be at work twice at once
			h.Write([]byte(q.Hash()))
			a, err := randomAnswer(rand.New(rand.NewPCG(seed+uint64(i)<<32, h.Sum64())))
			return &a, err
		}}
		w := labMember(id, m)
		w.Profile.Conversational = r.IntN(4) == 0
		w.Agent.Tools = tools[:r.IntN(6)]
		w.Agent.Instructions = []string{"", "Be kind."}[r.IntN(2)]
		w.Agent.Limits = nodes.Limits{ModelCalls: 1 + r.IntN(6), Finish: r.IntN(2) == 0}
		w.Agent.Memory = []nodes.Memory{{}, {Last: 1 + r.IntN(4)}, {Tokens: 1 + r.IntN(100)}}[r.IntN(3)]
		w.Agent.Handoffs = nodes.Handoffs{
			PerTarget: r.IntN(3) == 0, NoGuidance: r.IntN(4) == 0, KeepVoices: r.IntN(3) == 0, Kind: []handoffs.Kind{"", "", handoffs.Call, handoffs.Transfer}[r.IntN(4)],
			Announced: []nodes.Announced{nodes.AskOnce, nodes.AutoRoute, nodes.TakeAsIs}[r.IntN(3)],
			Others:    []nodes.Others{nodes.OthersAll, nodes.OthersWork, nodes.OthersAnswers}[r.IntN(3)],
		}
		members = append(members, w)
	}
	p := &handoffs.Policy{Entry: "front", Limits: handoffs.Limits{Handoffs: 8}, Depth: 3, KeepActive: r.IntN(2) == 0}
	switch r.IntN(3) {
	case 0:
		p.OnReject = map[handoffs.Code]handoffs.Action{"": {Do: handoffs.ToSource}}
	case 1:
		p.Supervisor = "billing"
	}
	p.Context = []handoffs.ContextPolicy{{}, {Mode: handoffs.ContextBrief, Last: 3}, {Mode: handoffs.ContextLast, Last: 2}}[r.IntN(3)]
	return labTeam(t, p, &graph.Config{Store: labStore(), RecursionLimit: 300}, members...)
}

// randomRun lets a user say three things, and tells all that came of it.
func randomRun(t *testing.T, seed uint64) string {
	g := randomTeam(t, seed)
	failed := false
	var out []string
	for n := range 3 {
		res, err := g.Invoke(t.Context(), deskHuman(fmt.Sprint("input ", n)), &graph.RunConfig{Thread: "t"})
		if err != nil {
			require.NotContains(t, err.Error(), "supersteps", "it does not come to an end")
			require.NotErrorIs(t, err, graph.ErrInvalidUpdate)
			failed = true
			out = append(out, err.Error())
		}
		if !failed {
			randomPairs(t, &res.State)
		}
		out = append(out, string(must(json.Marshal(res.State))))
	}
	return fmt.Sprint(out)
}

// randomPairs requires that each call has one result, but for a call of an agent
// that stays, which has none until that ends.
func randomPairs(t *testing.T, d *labDesk) {
	open := false
	for i := range d.Handoffs.Frames {
		open = open || d.Handoffs.Frames[i].Waits > 0
	}
	if !open {
		labPaired(t, d.Messages)
	}
}

// Whatever models say, in whatever team: each is sent what its provider takes,
// each call has one result, the run ends, and two runs are the same to the byte.
func TestRandomScripts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*scripts) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			require.Equal(t, randomRun(t, seed), randomRun(t, seed))
		})
	}
}
