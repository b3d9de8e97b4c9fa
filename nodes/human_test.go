package nodes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// humanGraph makes a graph of a node that asks, and of those that it goes to, which
// only say that they were there.
func humanGraph(t testing.TB, node graph.Node[labChat], cfg *graph.NodeConfig, store checkpoint.Store) *graph.Graph[labChat] {
	t.Helper()
	b := graph.New(labSchema)
	b.AddNode("ask", node, cfg)
	if cfg == nil {
		cfg = &graph.NodeConfig{}
	}
	for _, n := range cfg.Goto {
		b.AddNode(n, func(context.Context, labChat) (graph.Command[labChat], error) {
			return graph.Commands[labChat]{}.Update(labFields.Messages.Add(state.Text(state.RoleAI, "at "+n))), nil
		}, nil)
	}
	b.AddEdge(graph.Start, "ask")
	g, err := b.Compile(&graph.Config{Store: store})
	require.NoError(t, err)
	return g
}

// fine requires that a run has not failed; it may be paused.
func fine(t testing.TB, err error) {
	t.Helper()
	if !errors.Is(err, graph.ErrInterrupted) {
		require.NoError(t, err)
	}
}

// questionAt is the open question of a paused run, as JSON.
func questionAt[S any](t testing.TB, res graph.Result[S]) string {
	t.Helper()
	require.Equal(t, graph.OutcomeInterrupted, res.Outcome)
	require.Len(t, res.Interrupts, 1)
	data, err := json.Marshal(res.Interrupts[0].Value)
	require.NoError(t, err)
	return string(data)
}

var thread = &graph.RunConfig{Thread: "t"}

// Each answer comes in another process, as it were: the graph is made anew.
func TestHumanAnswers(t *testing.T) {
	t.Parallel()
	list := []nodes.Choice{{Value: "eu-west", Label: "Europe"}, {Value: "us"}, {Value: "US East"}}
	form := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)
	for name, c := range map[string]struct {
		q       nodes.Question
		answers []any  // all but the last one do not fit
		problem string // with the first one
		value   string
		text    string
	}{
		"text":            {q: nodes.Question{}, answers: []any{" Bob "}, value: `"Bob"`, text: "Bob"},
		"number":          {q: nodes.Question{}, answers: []any{7}, value: `"7"`, text: "7"},
		"empty":           {q: nodes.Question{}, answers: []any{"  ", nil, "x"}, problem: "it is empty", value: `"x"`, text: "x"},
		"no text":         {q: nodes.Question{}, answers: []any{map[string]any{"a": 1}, "x"}, problem: "it must be a text", value: `"x"`, text: "x"},
		"default":         {q: nodes.Question{Default: json.RawMessage(`"d"`)}, answers: []any{nil}, value: `"d"`, text: "d"},
		"value":           {q: nodes.Question{Choices: list}, answers: []any{"us"}, value: `"us"`, text: "us"},
		"label":           {q: nodes.Question{Choices: list}, answers: []any{"europe"}, value: `"eu-west"`, text: "eu-west"},
		"otherwise":       {q: nodes.Question{Choices: list}, answers: []any{"EU_WEST "}, value: `"eu-west"`, text: "eu-west"},
		"letters first":   {q: nodes.Question{Choices: list}, answers: []any{"US East"}, value: `"US East"`, text: "US East"},
		"unknown":         {q: nodes.Question{Choices: list}, answers: []any{"mars", "us"}, problem: `"mars" is none of eu-west, us, US East`, value: `"us"`, text: "us"},
		"two":             {q: nodes.Question{Choices: list}, answers: []any{[]any{"us", "eu-west"}, []any{"us"}}, problem: "it must be one alone of eu-west, us, US East", value: `"us"`, text: "us"},
		"many":            {q: nodes.Question{Choices: list, Many: true}, answers: []any{[]any{"Europe", "us", "europe"}}, value: `["eu-west","us"]`, text: "eu-west, us"},
		"one of many":     {q: nodes.Question{Choices: list, Many: true}, answers: []any{[]any{}, "us"}, problem: "it must be one of eu-west, us, US East", value: `["us"]`, text: "us"},
		"another":         {q: nodes.Question{Choices: list, Other: true}, answers: []any{"Mars "}, value: `"Mars"`, text: "Mars"},
		"choice default":  {q: nodes.Question{Choices: list, Default: json.RawMessage(`"US"`)}, answers: []any{""}, value: `"us"`, text: "us"},
		"form":            {q: nodes.Question{Form: form}, answers: []any{map[string]any{"n": 3}}, value: `{"n":3}`, text: `{"n":3}`},
		"form in a text":  {q: nodes.Question{Form: form}, answers: []any{"```json\n{\"n\": 3}\n```"}, value: `{"n":3}`, text: `{"n": 3}`},
		"form unfit":      {q: nodes.Question{Form: form}, answers: []any{map[string]any{"n": "x"}, map[string]any{"n": 3}}, problem: "at '/n': got string, want integer", value: `{"n":3}`, text: `{"n":3}`},
		"form no object":  {q: nodes.Question{Form: form}, answers: []any{"three", map[string]any{"n": 3}}, problem: "at '': got string, want object", value: `{"n":3}`, text: `{"n":3}`},
		"form by default": {q: nodes.Question{Form: form, Default: json.RawMessage(`{"n":1}`)}, answers: []any{nil}, value: `{"n":1}`, text: `{"n":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.q.Text = "Where?"
			store := labStore()
			var got nodes.Answer
			process := func() *graph.Graph[labChat] {
				h, err := nodes.NewHuman(nodes.HumanConfig[labChat]{Question: c.q, Messages: labTalk, Into: func(a nodes.Answer) ([]state.Write[labChat], error) {
					got = a
					return graph.Input(labValue.Set(string(a.Value))), nil
				}})
				require.NoError(t, err)
				return humanGraph(t, h.Node, h.NodeConfig(), store)
			}
			res, err := process().Invoke(t.Context(), nil, thread)
			fine(t, err)
			require.NotContains(t, questionAt(t, res), `"problem"`)
			for i, a := range c.answers {
				require.Contains(t, questionAt(t, res), `"type":"question"`)
				res, err = process().Resume(t.Context(), graph.Answer(a), thread)
				fine(t, err)
				if i == 0 && c.problem != "" {
					require.Equal(t, c.problem, res.Interrupts[0].Value.(map[string]any)["problem"])
					require.Equal(t, "ask:1", res.Interrupts[0].Key)
				}
			}
			require.Equal(t, graph.OutcomeDone, res.Outcome)
			require.JSONEq(t, c.value, res.State.Value)
			require.Equal(t, c.text, got.Text)
			require.Equal(t, "ai ask: Where?\nhuman: "+c.text+"\n", labLines(res.State.Messages))
		})
	}
}

func TestHumanGoesWhereTheChoiceLeads(t *testing.T) {
	t.Parallel()
	q := nodes.Question{Text: "Go on?", Choices: []nodes.Choice{{Value: "y", Goto: "yes"}, {Value: "n", Goto: "no"}, {Value: "stop"}}, Many: true}
	for _, asked := range []nodes.HumanConfig[labChat]{{Question: q}, {Ask: func(labChat) (nodes.Question, error) { return q, nil }, Goto: []string{"yes", "no"}}} {
		for answer, want := range map[string]string{"y": "ai: at yes\n", "n": "ai: at no\n", "stop": "", "y,n": "ai: at no\nai: at yes\n"} {
			h, err := nodes.NewHuman(asked)
			require.NoError(t, err)
			g := humanGraph(t, h.Node, h.NodeConfig(), labStore())
			res, err := g.Invoke(t.Context(), nil, thread)
			fine(t, err)
			require.NotContains(t, questionAt(t, res), "goto")
			var a any = answer
			if answer == "y,n" {
				a = []any{"y", "n"}
			}
			res, err = g.Resume(t.Context(), graph.Answer(a), thread)
			fine(t, err)
			require.Equal(t, want, labLines(res.State.Messages), answer)
		}
	}
}

func TestHumanRefusesQuestionsThatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	for want, q := range map[string]nodes.Question{
		"it has no Text":                      {},
		"it can have one of them":             {Text: "x", Choices: []nodes.Choice{{Value: "a"}}, Form: json.RawMessage(`{}`)},
		"Many and Other need Choices":         {Text: "x", Many: true},
		`different and not empty; one is "a"`: {Text: "x", Choices: []nodes.Choice{{Value: "a"}, {Value: "a"}}},
		`different and not empty; one is ""`:  {Text: "x", Choices: []nodes.Choice{{}}},
		"its Form":                            {Text: "x", Form: json.RawMessage(`{"type":7}`)},
		"its Default: it is empty":            {Text: "x", Default: json.RawMessage(`""`)},
		`its Default: "b" is none of a`:       {Text: "x", Choices: []nodes.Choice{{Value: "a"}}, Default: json.RawMessage(`"b"`)},
	} {
		_, err := nodes.NewHuman(nodes.HumanConfig[labChat]{Question: q})
		require.ErrorContains(t, err, want)
		h, err := nodes.NewHuman(nodes.HumanConfig[labChat]{Ask: func(labChat) (nodes.Question, error) { return q, nil }})
		require.NoError(t, err)
		_, err = humanGraph(t, h.Node, nil, labStore()).Invoke(t.Context(), nil, thread)
		require.ErrorContains(t, err, want)
	}
	_, err := nodes.NewHuman(nodes.HumanConfig[labChat]{Question: nodes.Question{Text: "x"}, Ask: func(labChat) (nodes.Question, error) { return nodes.Question{}, nil }})
	require.ErrorContains(t, err, "a Question and Ask")
	h, err := nodes.NewHuman(nodes.HumanConfig[labChat]{Ask: func(labChat) (nodes.Question, error) {
		return nodes.Question{Text: "x", Choices: []nodes.Choice{{Value: "a", Goto: "yes"}}}, nil
	}})
	require.NoError(t, err)
	_, err = humanGraph(t, h.Node, nil, labStore()).Invoke(t.Context(), nil, thread)
	require.ErrorContains(t, err, `leads to "yes", which is not in Goto`)
}

func TestHumanNeedsAStore(t *testing.T) {
	t.Parallel()
	h, err := nodes.NewHuman(nodes.HumanConfig[labChat]{Question: nodes.Question{Text: "x"}})
	require.NoError(t, err)
	_, err = humanGraph(t, h.Node, nil, nil).Invoke(t.Context(), nil, nil)
	require.ErrorIs(t, err, graph.ErrNoStore)
}

func TestReviewer(t *testing.T) {
	t.Parallel()
	draft := nodes.Review{Actions: []nodes.Action{{Name: "send", Args: json.RawMessage(`{"text":"hi"}`)}}}
	for name, c := range map[string]struct {
		review  nodes.Review
		answers []any
		problem string
		value   string
		at      string
	}{
		"approve": {review: draft, answers: []any{"approve"}, value: "approve", at: "ai: at yes\n"},
		"reject":  {review: draft, answers: []any{map[string]any{"type": "reject", "message": "rude"}}, value: "reject rude", at: "ai: at no\n"},
		"edit": {review: draft, answers: []any{map[string]any{"decisions": []any{map[string]any{"type": "edit", "edited_action": map[string]any{"name": "send", "args": map[string]any{"text": "hello"}}}}}},
			value: `edit {"text":"hello"}`},
		"not allowed": {review: nodes.Review{Actions: draft.Actions, Configs: []nodes.ReviewConfig{{Name: "send", Allowed: []nodes.DecisionKind{nodes.Approve}}}},
			answers: []any{"reject", "approve"}, problem: `reject is not allowed for "send"`, value: "approve", at: "ai: at yes\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := nodes.NewReviewer(nodes.ReviewerConfig[labChat]{
				Ask: func(labChat) (nodes.Review, error) { return c.review, nil },
				Into: func(ds []nodes.Decision) ([]state.Write[labChat], error) {
					text := string(ds[0].Kind)
					if ds[0].Message != "" {
						text += " " + ds[0].Message
					}
					if ds[0].Edited != nil {
						text += " " + string(ds[0].Edited.Args)
					}
					return graph.Input(labValue.Set(text)), nil
				},
				Goto: map[nodes.DecisionKind]string{nodes.Approve: "yes", nodes.Reject: "no"},
			})
			require.NoError(t, err)
			g := humanGraph(t, r.Node, r.NodeConfig(), labStore())
			res, err := g.Invoke(t.Context(), nil, thread)
			fine(t, err)
			require.Contains(t, questionAt(t, res), `"action_requests"`)
			for i, a := range c.answers {
				res, err = g.Resume(t.Context(), graph.Answer(a), thread)
				fine(t, err)
				if i == 0 && c.problem != "" {
					require.Contains(t, questionAt(t, res), jsonText(t, c.problem))
				}
			}
			require.Equal(t, c.value, res.State.Value)
			require.Equal(t, c.at, labLines(res.State.Messages))
		})
	}
	_, err := nodes.NewReviewer(nodes.ReviewerConfig[labChat]{})
	require.ErrorContains(t, err, "needs Ask")
	ask := func(labChat) (nodes.Review, error) { return nodes.Review{}, nil }
	_, err = nodes.NewReviewer(nodes.ReviewerConfig[labChat]{Ask: ask, Goto: map[nodes.DecisionKind]string{"maybe": "yes"}})
	require.ErrorContains(t, err, `the decision "maybe"`)
	r, err := nodes.NewReviewer(nodes.ReviewerConfig[labChat]{Ask: ask})
	require.NoError(t, err)
	_, err = humanGraph(t, r.Node, nil, labStore()).Invoke(t.Context(), nil, thread)
	require.ErrorContains(t, err, "it has no actions")
}

// jsonText is a text as it is inside of a JSON text.
func jsonText(t testing.TB, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	require.NoError(t, err)
	return string(data[1 : len(data)-1])
}

func ExampleNewHuman() {
	human, err := nodes.NewHuman(nodes.HumanConfig[chat]{
		Question: nodes.Question{Text: "Deploy now?", Choices: []nodes.Choice{{Value: "yes", Goto: "deploy"}, {Value: "no"}}},
		Messages: chatTalk,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := graph.New(chatSchema)
	b.AddNode("ask", human.Node, human.NodeConfig())
	b.AddNode("deploy", func(context.Context, chat) (graph.Command[chat], error) {
		return graph.Commands[chat]{}.Update(chatFields.Messages.Add(state.Text(state.RoleAI, "Deployed."))), nil
	}, nil)
	b.AddEdge(graph.Start, "ask")
	g, err := b.Compile(&graph.Config{Store: checkpoint.NewMemory(nil)})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := g.Invoke(context.Background(), nil, thread)
	fmt.Println(res.Interrupts[0].Value, errors.Is(err, graph.ErrInterrupted))
	res, err = g.Resume(context.Background(), graph.Answer("perhaps"), thread)
	fmt.Println(res.Interrupts[0].Value.(map[string]any)["problem"], errors.Is(err, graph.ErrInterrupted))
	res, err = g.Resume(context.Background(), graph.Answer("Yes"), thread)
	for _, m := range res.State.Messages {
		fmt.Println(string(m.Role)+":", m.Text())
	}
	fmt.Println(err)
	// Output:
	// map[choices:[map[value:yes] map[value:no]] text:Deploy now? type:question] true
	// "perhaps" is none of yes, no true
	// ai: Deploy now?
	// human: yes
	// ai: Deployed.
	// <nil>
}

// A question of a model pauses the run; each answer comes to a graph that is made
// anew, and nothing is asked of the model twice.
func TestAskPersonResumesTheSameAgent(t *testing.T) {
	t.Parallel()
	ask, err := nodes.AskPerson()
	require.NoError(t, err)
	store := labStore()
	m := labRounds(t,
		labCalls(labCall("c1", "ask_person", `{"question":"Which number?"}`), labCall("c2", "ask_person", `{"question":"Which region?","choices":["eu","us","EU"," "]}`),
			labCall("c3", "ask_person", `{"question":" "}`)),
		labSay("Thanks."))
	process := func() *graph.Graph[labChat] {
		return labAgent(t, nodes.AgentConfig[labChat]{Model: m, Tools: []nodes.Tool{ask}}, &graph.Config{Store: store})
	}
	res, err := process().Invoke(t.Context(), labHuman("Help."), thread)
	fine(t, err)
	require.Len(t, res.Interrupts, 2)
	answers := map[string]any{}
	for _, q := range res.Interrupts {
		v := q.Value.(map[string]any)
		if v["text"] == "Which number?" {
			answers[q.ID] = " "
			continue
		}
		require.Equal(t, []any{map[string]any{"value": "eu"}, map[string]any{"value": "us"}}, v["choices"])
		answers[q.ID] = "Eu"
	}
	res, err = process().Resume(t.Context(), graph.AnswerByID(answers), thread)
	fine(t, err)
	require.Contains(t, questionAt(t, res), `"problem":"it is empty"`)
	res, err = process().Resume(t.Context(), graph.Answer("4711"), thread)
	fine(t, err)
	require.Equal(t, graph.OutcomeDone, res.Outcome)
	require.Equal(t, []string{"4711", "eu", "Error: it has no Text"}, labResults(res.State.Messages))
	require.Equal(t, 2, len(m.requests()))
	require.Equal(t, 2, res.State.Calls)
	labPaired(t, res.State.Messages)
}

// X-09: the answer goes to the agent that asked, in the same frame, and no
// handoff is counted.
func TestX09_AskPersonInATeam(t *testing.T) {
	t.Parallel()
	ask, err := nodes.AskPerson()
	require.NoError(t, err)
	store := labStore()
	front := labScript(t, labCalls(labHand("h1", "rag", true)), labSay("It is paid."))
	rag := labScript(t, labCalls(labCall("q", "ask_person", `{"question":"Your customer number?"}`)), labSay("paid"))
	process := func() *graph.Graph[labDesk] {
		worker := labMember("rag", rag)
		worker.Agent.Tools = []nodes.Tool{ask}
		return labTeam(t, nil, &graph.Config{Store: store}, labMember("front", front), worker)
	}
	res, err := process().Invoke(t.Context(), deskHuman("Is it paid?"), thread)
	fine(t, err)
	require.Contains(t, questionAt(t, res), "Your customer number?")
	require.Equal(t, "rag", res.Interrupts[0].Node)
	frames, log := len(res.State.Handoffs.Frames), labLog(&res.State)
	require.Equal(t, "rag", res.State.Handoffs.Active)

	res, err = process().Resume(t.Context(), graph.Answer("4711"), thread)
	fine(t, err)
	require.Equal(t, graph.OutcomeDone, res.Outcome)
	require.Equal(t, 2, len(rag.requests()))
	require.Equal(t, 2, len(front.requests()))
	require.Equal(t, 2, frames)
	require.Len(t, labLog(&res.State), len(log))
	require.Equal(t, "It is paid.", res.State.Messages[len(res.State.Messages)-1].Text())
	require.Equal(t, []string{"4711"}, labResults(rag.requests()[1].Messages))
}

func ExampleAskPerson() {
	ask, err := nodes.AskPerson()
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := nodes.NewAgent(nodes.AgentConfig[chat]{Messages: chatTalk, Tools: []nodes.Tool{ask}, Model: says(
		model.Response{Message: state.Message{ToolCalls: []state.ToolCall{{ID: "c1", Name: "ask_person", Args: json.RawMessage(`{"question":"For how many?"}`)}}}},
		model.Response{Message: state.Text(state.RoleAI, "A table for four.")})})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := graph.New(chatSchema)
	b.AddNode("agent", a.Node, nil)
	b.AddEdge(graph.Start, "agent")
	g, err := b.Compile(&graph.Config{Store: checkpoint.NewMemory(nil)})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := g.Invoke(context.Background(), graph.Input(chatFields.Messages.Add(state.Text(state.RoleHuman, "A table, please."))), thread)
	fmt.Println(res.Interrupts[0].Value, errors.Is(err, graph.ErrInterrupted))
	res, err = g.Resume(context.Background(), graph.Answer("four"), thread)
	fmt.Println(res.State.Messages[len(res.State.Messages)-1].Text(), err)
	// Output:
	// map[text:For how many? type:question] true
	// A table for four. <nil>
}
