package nodes_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

type verdict struct {
	Grade int    `json:"grade" jsonschema:"from 1 to 6"`
	Why   string `json:"why,omitempty"`
}

// An answer is held to a schema, with one chance to mend it.
func TestOutput(t *testing.T) {
	t.Parallel()
	plain, err := nodes.JSON("verdict", func(v verdict) []state.Write[labChat] {
		return graph.Input(labValue.Set(string(must(json.Marshal(v)))))
	})
	require.NoError(t, err)
	raw, err := nodes.JSONSchema("verdict", json.RawMessage(`{"type":"object","properties":{"grade":{"type":"integer"},"why":{"type":"string"}},"required":["grade"],"additionalProperties":false}`),
		func(v json.RawMessage) ([]state.Write[labChat], error) {
			return graph.Input(labValue.Set(string(v))), nil
		})
	require.NoError(t, err)
	for kind, out := range map[string]*nodes.Output[labChat]{"a type": plain, "a schema": raw} {
		for name, tt := range map[string]struct {
			answers []string
			want    string // "": it fails
			told    string
		}{
			"fits":          {[]string{`{"grade":2}`}, `{"grade":2}`, ""},
			"fenced":        {[]string{"```json\n{\"grade\":2}\n```"}, `{"grade":2}`, ""},
			"spaces":        {[]string{"\n {\"grade\":2} \n"}, `{"grade":2}`, ""},
			"second fits":   {[]string{`{"grade":"good"}`, `{"grade":1,"why":"all right"}`}, `{"grade":1,"why":"all right"}`, "at '/grade': got string, want integer"},
			"words first":   {[]string{`It is good.`, `{"grade":1}`}, `{"grade":1}`, "it is no JSON"},
			"too much":      {[]string{`{"grade":1,"more":1}`, `{"grade":1}`}, `{"grade":1}`, "'more' not allowed"},
			"never fits":    {[]string{`{}`, `[]`}, "", "missing property 'grade'"},
			"empty, fits":   {[]string{``, `{"grade":3}`}, `{"grade":3}`, "Your answer was empty"},
			"cut off":       {[]string{`{"grade":1`, `{"grade":1}`}, `{"grade":1}`, "it is no JSON"},
			"two documents": {[]string{`{"grade":1}{"grade":2}`, `{"grade":1}`}, `{"grade":1}`, "it is no JSON"},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				var answers []model.Response
				for _, text := range tt.answers {
					answers = append(answers, labSay(text))
				}
				m := labScript(t, answers...)
				res, err := labRun(t, nodes.AgentConfig[labChat]{Name: "ada", Model: m, Output: out})
				for _, r := range m.requests() {
					require.Equal(t, "verdict", r.Schema.Name)
				}
				if tt.told != "" {
					last := m.requests()[1].Messages
					require.Contains(t, last[len(last)-1].Text(), tt.told)
				}
				if tt.want == "" {
					require.ErrorIs(t, err, nodes.ErrAnswer)
					require.ErrorContains(t, err, `agent "ada"`)
					return
				}
				require.NoError(t, err)
				require.JSONEq(t, tt.want, res.State.Value)
				require.Len(t, res.State.Messages, 2, "what was of no use is no part of the conversation")
				require.Equal(t, 15*len(tt.answers), res.State.Tokens, "but it was paid for")
			})
		}
	}
}

// How often the model is told that its answer is of no use is a matter of Tries.
func TestTries(t *testing.T) {
	t.Parallel()
	out, err := nodes.JSON[labChat, verdict]("v", nil)
	require.NoError(t, err)
	for tries, asked := range map[int]int{0: 2, 1: 2, 3: 4, -1: 1, -7: 1} {
		m := forever(t)
		m.answer = labScript(t, labSay("a"), labSay("b"), labSay("c"), labSay("d"), labSay("e")).answer
		_, err = labRun(t, nodes.AgentConfig[labChat]{Model: m, Output: out, Handoffs: nodes.Handoffs{Tries: tries}})
		require.ErrorIs(t, err, nodes.ErrAnswer)
		require.Len(t, m.requests(), asked, "tries %d", tries)
	}
}

// An answer that says nothing is none.
func TestEmptyAnswers(t *testing.T) {
	t.Parallel()
	thought := model.Response{Message: state.Message{Role: state.RoleAI, Content: []state.Part{{Type: "reasoning", Text: "hm"}}}, Stop: model.StopEnd}
	for name, tt := range map[string]struct {
		answers []model.Response
		ok      bool
		asked   int
	}{
		"once":                 {[]model.Response{labSay(""), labSay("here")}, true, 2},
		"blanks":               {[]model.Response{labSay(" \n"), labSay("here")}, true, 2},
		"twice":                {[]model.Response{labSay(""), labSay("")}, false, 2},
		"thoughts alone":       {[]model.Response{thought, labSay("here")}, true, 2},
		"a tool in between":    {[]model.Response{labSay(""), labCalls(labCall("1", "look", "{}")), labSay(""), labSay("here")}, true, 4},
		"after a tool":         {[]model.Response{labCalls(labCall("1", "look", "{}")), labSay(""), labSay("here")}, true, 3},
		"after a tool, always": {[]model.Response{labCalls(labCall("1", "look", "{}")), labSay(""), labSay("")}, false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := labScript(t, tt.answers...)
			res, err := labRun(t, nodes.AgentConfig[labChat]{Model: m, Tools: []nodes.Tool{labFixed("look", "seen")}})
			require.Len(t, m.requests(), tt.asked)
			if !tt.ok {
				require.ErrorIs(t, err, nodes.ErrAnswer)
				return
			}
			require.NoError(t, err)
			labPaired(t, res.State.Messages)
			require.NotContains(t, labLines(res.State.Messages), "Your answer was empty")
		})
	}
}

// The value of a called agent is at its caller.
func TestOutputOfACalledAgent(t *testing.T) {
	t.Parallel()
	out, err := nodes.JSON("verdict", func(v verdict) []state.Write[labDesk] { return graph.Input(deskGrade.Set(v.Why)) })
	require.NoError(t, err)
	j := labMember("judge", labScript(t, labSay("```\n{\"grade\":2,\"why\":\"so\"}\n```")))
	j.Agent.Output = out
	boss := labScript(t, labCalls(labHand("h", "judge", true)), labSay("over"))
	res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "boss"}, nil, labMember("boss", boss), j), "Judge.")
	got := deskOutcome(t, &res.State)
	require.Equal(t, handoffs.Completed, got.Status)
	require.Equal(t, map[string]any{"grade": int64(2), "why": "so"}, got.Value)
	require.Equal(t, "so", res.State.Grade)
	require.Equal(t, []string{"call boss>judge returned"}, labLog(&res.State))
	require.Contains(t, labResults(boss.requests()[1].Messages)[0], `"grade":2`)

	_, err = nodes.JSONSchema[labDesk]("x", json.RawMessage(`{"type":7}`), nil)
	require.ErrorContains(t, err, `the schema of the output "x"`)
	_, err = nodes.JSON[labDesk, chan int]("x", nil)
	require.Error(t, err)
}

// A tool that Ends ends what its agent was called for: the caller gets the result.
func TestToolThatEndsInATeam(t *testing.T) {
	t.Parallel()
	ends := labFixed("submit", "order 7 is placed")
	ends.Ends = true
	w := labMember("clerk", labScript(t, labCalls(labCall("1", "submit", "{}"))))
	w.Agent.Tools = []nodes.Tool{ends}
	boss := labScript(t, labCalls(labHand("h", "clerk", true)), labSay("over"))
	res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "boss"}, nil, labMember("boss", boss), w), "Order.")
	require.Equal(t, "order 7 is placed", deskOutcome(t, &res.State).Text)
}

// What models cost is counted once: in the state, in the team's budget, in the
// statistics, and in one event a call.
func TestUsageIsCountedOnce(t *testing.T) {
	t.Parallel()
	worker := labScript(t, labCalls(labCall("1", "ask", "{}")), labSay("done"))
	w := labMember("worker", worker)
	w.Agent.Tools = []nodes.Tool{askTool("Sure?")}
	g := labTeam(t, &handoffs.Policy{Entry: "boss"}, &graph.Config{Store: labStore(), RecursionLimit: 50}, labMember("boss", labScript(t, labCalls(labHand("h", "worker", true)), labSay("over"))), w)
	ends, tokens := 0, 0
	count := func(e graph.Event) {
		if c, ok := e.(*graph.Custom); ok {
			if m, ok := c.Value.(nodes.MessageEvent); ok && m.Kind == nodes.TellsEnd {
				ends++
				tokens += m.Cost.Total()
			}
		}
	}
	cfg := &graph.RunConfig{Thread: "t"}
	for e := range g.Stream(t.Context(), deskHuman("Go."), cfg) {
		count(e)
	}
	for e, err := range g.StreamResume(t.Context(), graph.Answer("yes"), cfg) {
		require.NoError(t, err)
		count(e)
	}
	snap, err := g.State(t.Context(), "t", "")
	require.NoError(t, err)
	d := &snap.Values
	require.Equal(t, 4, ends)
	require.Equal(t, 60, tokens)
	require.Equal(t, 60, d.Handoffs.Spent.Tokens)
	require.Equal(t, 4, d.Handoffs.Spent.Calls)
	require.Equal(t, 60, handoffs.Statistics(handoffs.LogOf(d.HandoffLog), &d.Handoffs).Tokens)
	h, ok := handoffs.Last(handoffs.LogOf(d.HandoffLog), handoffs.Filter{})
	require.True(t, ok)
	require.Equal(t, handoffs.Usage{Tokens: 30, Calls: 2}, h.Usage, "of the worker")
}
