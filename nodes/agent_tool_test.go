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
	"github.com/graphrun/graphrun/state"
)

func asTool(t testing.TB, name string, cfg nodes.AgentConfig[labChat]) nodes.Tool {
	t.Helper()
	tool, err := nodes.AsTool(name, "Does "+name+".", cfg)
	require.NoError(t, err)
	return tool
}

// labByTask is a model that answers by the task that is asked first, and by how
// many answers it has given to it.
func labByTask(t testing.TB, answers map[string][]model.Response) *labModel {
	return &labModel{t: t, answer: func(_ context.Context, r *model.Request) (*model.Response, error) {
		task, n := "", 0
		for _, m := range r.Messages {
			switch m.Role {
			case state.RoleHuman:
				task = m.Text()
			case state.RoleAI:
				n++
			}
		}
		if n >= len(answers[task]) {
			return nil, fmt.Errorf("the script has no answer %d to %q", n+1, task)
		}
		return &answers[task][n], nil
	}}
}

func TestAgentToolWorksInAConversationOfItsOwn(t *testing.T) {
	t.Parallel()
	inner := labScript(t, labCalls(labCall("c1", "look", "{}")), labSay("It rains."))
	var seen []string
	look := labTool("look", func(ctx context.Context) (string, error) {
		s, ok := nodes.StateOf[labChat](ctx)
		call, _ := nodes.CallOf(ctx)
		seen = append(seen, fmt.Sprintln(ok, s.Messages[0].Text(), call.Agent, call.Name))
		return "rain", nil
	})
	outer := labScript(t, labCalls(labCall("c1", "weather", `{"task":"How is it in Oslo?"}`)), labSay("Take an umbrella."))
	res, err := labRun(t, nodes.AgentConfig[labChat]{Model: outer, Instructions: "Secret.", Tools: []nodes.Tool{asTool(t, "weather", nodes.AgentConfig[labChat]{
		Model: inner, Tools: []nodes.Tool{look}, Prompt: func(s labChat) (string, error) { return "Asked: " + s.Messages[0].Text(), nil },
	})}})
	require.NoError(t, err)
	require.Equal(t, "human: Go.\nai agent:  [c1 weather {\"task\":\"How is it in Oslo?\"}]\ntool weather of c1: It rains.\nai agent: Take an umbrella.\n", labLines(res.State.Messages))
	require.Equal(t, "system: Asked: Go.\nhuman: How is it in Oslo?\n", labLines(inner.requests()[0].Messages))
	require.Equal(t, []string{"true Go. weather look\n"}, seen)
	require.Equal(t, 4*15, res.State.Tokens)
	require.Equal(t, 4, res.State.Calls)
}

// Two calls of the same tool in one turn, nested ones too, do not meet.
func TestAgentToolCallsDoNotMeet(t *testing.T) {
	t.Parallel()
	ask, err := nodes.AskPerson()
	require.NoError(t, err)
	asks := labCalls(labCall("q", "ask_person", `{"question":"Which?"}`))
	inner := labByTask(t, map[string][]model.Response{"a": {asks, labSay("A")}, "b": {asks, labSay("B")}})
	store := labStore()
	outer := labScript(t, labCalls(labCall("x", "do", `{"task":"a"}`), labCall("y", "do", `{"task":"b"}`)), labSay("AB"))
	process := func() *graph.Graph[labChat] {
		deep := asTool(t, "deep", nodes.AgentConfig[labChat]{Model: inner, Tools: []nodes.Tool{ask}})
		between := labByTask(t, map[string][]model.Response{
			"a": {labCalls(labCall("d", "deep", `{"task":"a"}`)), labSay("of a")}, "b": {labCalls(labCall("d", "deep", `{"task":"b"}`)), labSay("of b")},
		})
		return labAgent(t, nodes.AgentConfig[labChat]{Model: outer, Tools: []nodes.Tool{asTool(t, "do", nodes.AgentConfig[labChat]{Model: between, Tools: []nodes.Tool{deep}})}}, &graph.Config{Store: store})
	}
	res, err := process().Invoke(t.Context(), labHuman("Go."), thread)
	fine(t, err)
	require.Len(t, res.Interrupts, 2)
	for _, q := range res.Interrupts {
		require.True(t, strings.HasSuffix(q.Key, "/ask:0"), q.Key)
	}
	answers := map[string]any{}
	for _, q := range res.Interrupts {
		answers[q.ID] = "this"
	}
	res, err = process().Resume(t.Context(), graph.AnswerByID(answers), thread)
	require.NoError(t, err)
	require.Equal(t, []string{"of a", "of b"}, labResults(res.State.Messages))
	require.Equal(t, 4, len(inner.requests()))
	require.Equal(t, 2, len(outer.requests()))
	require.Equal(t, 2+4+4, res.State.Calls)
	require.Equal(t, 10*15, res.State.Tokens)
}

func TestAgentToolFails(t *testing.T) {
	t.Parallel()
	loops := &labModel{t: t, answer: func(context.Context, *model.Request) (*model.Response, error) {
		r := labCalls(labCall("", "look", "{}"))
		return &r, nil
	}}
	broken := &labModel{t: t, answer: func(context.Context, *model.Request) (*model.Response, error) {
		return nil, &model.Error{Class: model.Quota, Text: "no money"}
	}}
	look := labFixed("look", "x")
	for name, c := range map[string]struct {
		cfg   nodes.AgentConfig[labChat]
		args  string
		want  string
		calls int
	}{
		"limit":   {nodes.AgentConfig[labChat]{Model: loops, Tools: []nodes.Tool{look}, Limits: nodes.Limits{ModelCalls: 3}}, `{"task":"a"}`, `Error: nodes: agent "do" has reached its limit of 3 model calls`, 5},
		"model":   {nodes.AgentConfig[labChat]{Model: broken}, `{"task":"a"}`, "no money", 2},
		"no task": {nodes.AgentConfig[labChat]{Model: broken}, `{"task":""}`, "Error: the arguments do not fit", 2},
		"prompt":  {nodes.AgentConfig[labChat]{Model: broken, Prompt: func(labChat) (string, error) { return "", errLab }}, `{"task":"a"}`, "Error: injected failure", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outer := labScript(t, labCalls(labCall("c", "do", c.args)), labSay("sorry"))
			res, err := labRun(t, nodes.AgentConfig[labChat]{Model: outer, Tools: []nodes.Tool{asTool(t, "do", c.cfg)}})
			require.NoError(t, err)
			require.Contains(t, labResults(res.State.Messages)[0], c.want)
			require.Equal(t, c.calls, res.State.Calls)
		})
	}
}

// What a tool's models cost counts for the caller's bound of tokens.
func TestAgentToolCountsForTheCallersLimit(t *testing.T) {
	t.Parallel()
	outer := labScript(t, labCalls(labCall("c", "do", `{"task":"a"}`)), labSay("never"))
	_, err := labRun(t, nodes.AgentConfig[labChat]{Model: outer, Limits: nodes.Limits{Tokens: 30}, Tools: []nodes.Tool{asTool(t, "do", nodes.AgentConfig[labChat]{Model: labScript(t, labSay("done"))})}})
	require.ErrorIs(t, err, graph.ErrLimit)
	require.Equal(t, 1, len(outer.requests()))
}

func TestAgentToolAnswersByOutputAndByTools(t *testing.T) {
	t.Parallel()
	out, err := nodes.JSON[labChat, struct{ N int }]("n", nil)
	require.NoError(t, err)
	end := labFixed("finish_it", "ended")
	end.Ends = true
	for want, cfg := range map[string]nodes.AgentConfig[labChat]{
		`{"N":3}`: {Model: labScript(t, labSay("three"), labSay("```json\n{\"N\":3}\n```")), Output: out},
		"ended":   {Model: labScript(t, labCalls(labCall("e", "finish_it", "{}"))), Tools: []nodes.Tool{end}},
	} {
		outer := labScript(t, labCalls(labCall("c", "do", `{"task":"a"}`)), labSay("ok"))
		res, err := labRun(t, nodes.AgentConfig[labChat]{Model: outer, Tools: []nodes.Tool{asTool(t, "do", cfg)}})
		require.NoError(t, err)
		require.Equal(t, []string{want}, labResults(res.State.Messages))
	}
}

// A person decides about a call of a tool inside of a call; a tool that fails the
// run has its models counted in the team's budget.
func TestAgentToolIsReviewedAndFailsTheRun(t *testing.T) {
	t.Parallel()
	pay := labFixed("pay", "paid")
	pay.Approve = true
	store := labStore()
	inner := labByTask(t, map[string][]model.Response{
		"a": {labCalls(labCall("p", "pay", `{"n":1}`)), labSay("A")}, "b": {labCalls(labCall("p", "pay", `{"n":2}`)), labSay("B")},
	})
	outer := labScript(t, labCalls(labCall("x", "do", `{"task":"a"}`), labCall("y", "do", `{"task":"b"}`)), labSay("AB"))
	process := func() *graph.Graph[labChat] {
		return labAgent(t, nodes.AgentConfig[labChat]{Model: outer, Tools: []nodes.Tool{asTool(t, "do", nodes.AgentConfig[labChat]{Model: inner, Tools: []nodes.Tool{pay}})}}, &graph.Config{Store: store})
	}
	res, err := process().Invoke(t.Context(), labHuman("Go."), thread)
	fine(t, err)
	require.Len(t, res.Interrupts, 2)
	answers := map[string]any{}
	for _, q := range res.Interrupts {
		answers[q.ID] = "approve"
	}
	res, err = process().Resume(t.Context(), graph.AnswerByID(answers), thread)
	require.NoError(t, err)
	require.Equal(t, []string{"A", "B"}, labResults(res.State.Messages))
	require.Equal(t, 4, len(inner.requests()))

	broken := labTool("broken", func(context.Context) (string, error) { return "", errLab })
	broken.Strict = true
	strict, err := nodes.AsTool("do", "", nodes.AgentConfig[labDesk]{Model: labScript(t, labCalls(labCall("b", "broken", "{}"))), Tools: []nodes.Tool{broken}})
	require.NoError(t, err)
	strict.Strict = true
	member := labMember("front", labScript(t, labCalls(labCall("x", "do", `{"task":"a"}`))))
	member.Agent.Tools = []nodes.Tool{strict}
	team, err := nodes.NewTeam(nodes.TeamConfig[labDesk]{Members: []nodes.Member[labDesk]{member, labMember("back", labScript(t))}, Team: deskTeam(&handoffs.Policy{
		Limits: handoffs.Limits{Handoffs: 3}, OnFailure: handoffs.Action{Do: handoffs.EndRun},
	})})
	done, err := teamGraph(t, team, err, nil).Invoke(t.Context(), deskHuman("Go."), thread)
	require.NoError(t, err)
	require.Equal(t, 30, done.State.Handoffs.Spent.Tokens)
	require.Equal(t, 2, done.State.Handoffs.Spent.Calls)
}

func TestAgentToolIsRefused(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]nodes.AgentConfig[labChat]{
		"its Messages must be nil": {Model: labScript(t), Messages: labTalk},
		"Usage must be nil":        {Model: labScript(t), Usage: func(model.Usage, int) []state.Write[labChat] { return nil }},
		"needs a Model":            {},
	} {
		_, err := nodes.AsTool("do", "", cfg)
		require.ErrorContains(t, err, want)
	}
	_, err := nodes.AsTool("do it", "", nodes.AgentConfig[labChat]{Model: labScript(t)})
	require.ErrorContains(t, err, `"do it"`)
	_, err = asTool(t, "do", nodes.AgentConfig[labChat]{Model: labScript(t)}).Run(t.Context(), json.RawMessage(`{"task":"a"}`))
	require.ErrorContains(t, err, "was not called by an agent")
	require.False(t, nodes.Charge(t.Context(), model.Usage{Input: 1}, 1))
}

func ExampleAsTool() {
	translator, err := nodes.AsTool("translate", "Translates into French.", nodes.AgentConfig[chat]{
		Instructions: "Translate into French.", Model: says(model.Response{Message: state.Text(state.RoleAI, "Bonjour.")}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := nodes.NewAgent(nodes.AgentConfig[chat]{Messages: chatTalk, Tools: []nodes.Tool{translator}, Model: says(
		model.Response{Message: state.Message{ToolCalls: []state.ToolCall{{ID: "c1", Name: "translate", Args: json.RawMessage(`{"task":"Hello."}`)}}}},
		model.Response{Message: state.Text(state.RoleAI, "It is Bonjour.")})})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := graph.New(chatSchema)
	b.AddNode("agent", a.Node, nil)
	b.AddEdge(graph.Start, "agent")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := g.Invoke(context.Background(), graph.Input(chatFields.Messages.Add(state.Text(state.RoleHuman, "Hello in French?"))), nil)
	for _, m := range res.State.Messages[2:] {
		fmt.Println(string(m.Role)+":", m.Text())
	}
	fmt.Println(err)
	// Output:
	// tool: Bonjour.
	// ai: It is Bonjour.
	// <nil>
}
