package nodes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// weatherman stands for a model: it asks the tool, and says what it got.
func weatherman(_ context.Context, r *model.Request) (*model.Response, error) {
	if last := r.Messages[len(r.Messages)-1]; last.Role == state.RoleTool {
		return &model.Response{Message: state.Text(state.RoleAI, "It is "+last.Text()+".")}, nil
	}
	call := state.ToolCall{Name: "weather", Args: json.RawMessage(`{"city":"Rome"}`)}
	return &model.Response{Message: state.Message{ToolCalls: []state.ToolCall{call}}}, nil
}

func ExampleNewAgent() {
	weather, err := nodes.NewTool("weather", "The weather of a city.", func(_ context.Context, in struct {
		City string `json:"city" jsonschema:"where"`
	}) (string, error) {
		return "sunny in " + in.City, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	agent, err := nodes.NewAgent(nodes.AgentConfig[chat]{
		Model:        model.Func(weatherman),
		Instructions: "Answer questions about the weather.",
		Messages:     chatTalk,
		Tools:        []nodes.Tool{weather},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := graph.New(chatSchema)
	b.AddNode("agent", agent.Node, nil)
	b.AddEdge(graph.Start, "agent")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := g.Invoke(context.Background(), graph.Input(chatFields.Messages.Add(state.Text(state.RoleHuman, "And in Rome?"))), nil)
	for _, m := range res.State.Messages {
		fmt.Printf("%s %q\n", m.Role, m.Text())
	}
	fmt.Println(err)
	// Output:
	// human "And in Rome?"
	// ai ""
	// tool "sunny in Rome"
	// ai "It is sunny in Rome."
	// <nil>
}

func ExampleNewTool() {
	add, err := nodes.NewTool("add", "Adds two numbers.", func(_ context.Context, in struct {
		A int `json:"a" jsonschema:"the first one"`
		B int `json:"b,omitempty"`
	}) (int, error) {
		return in.A + in.B, nil
	})
	fmt.Println(string(add.Schema), err)
	sum, err := add.Run(context.Background(), json.RawMessage(`{"a": 2, "b": 3}`))
	fmt.Println(sum, err)
	// Output:
	// {"type":"object","properties":{"a":{"type":"integer","description":"the first one"},"b":{"type":"integer"}},"required":["a"],"additionalProperties":false} <nil>
	// 5 <nil>
}

// judgement is what a judge answers.
type judgement struct {
	Score int    `json:"score" jsonschema:"from 0 to 10"`
	Why   string `json:"why"`
}

func ExampleJSON() {
	score := state.NewValue("score", func(s *scored) *int { return &s.Score })
	talk := state.ConversationFields(func(s *scored) *state.Conversation { return &s.Conversation })
	out, err := nodes.JSON("verdict", func(v judgement) []state.Write[scored] { return graph.Input(score.Set(v.Score)) })
	if err != nil {
		fmt.Println(err)
		return
	}
	answers := []string{`{"score": "high"}`, "```json\n{\"score\": 7, \"why\": \"it is short\"}\n```"}
	judge, err := nodes.NewAgent(nodes.AgentConfig[scored]{
		Model: model.Func(func(_ context.Context, r *model.Request) (*model.Response, error) {
			if len(answers) == 1 {
				fmt.Println(r.Messages[len(r.Messages)-1].Text())
			}
			text := answers[0]
			answers = answers[1:]
			return &model.Response{Message: state.Text(state.RoleAI, text)}, nil
		}),
		Messages: nodes.Talk(talk.Messages, func(s *scored) *[]state.Message { return &s.Messages }),
		Output:   out,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := graph.New(state.MustSchema[scored](talk, score))
	b.AddNode("judge", judge.Node, nil)
	b.AddEdge(graph.Start, "judge")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := g.Invoke(context.Background(), graph.Input(talk.Messages.Add(state.Text(state.RoleHuman, "Judge this."))), nil)
	fmt.Println(res.State.Score, err)
	// Output:
	// Your answer cannot be used:
	// at '': missing property 'why'; at '/score': got string, want integer
	// Answer with JSON that fits the schema, and nothing else.
	// 7 <nil>
}

// scored is a conversation with a score.
type scored struct {
	state.Conversation
	Score int `json:"score"`
}

func ExampleNewTeam() {
	type desk struct{ handoffs.State }
	fields := handoffs.FieldsOf(func(d *desk) *handoffs.State { return &d.State })
	pretend := func(_ context.Context, r *model.Request) (*model.Response, error) {
		last := r.Messages[len(r.Messages)-1]
		switch {
		case strings.HasPrefix(r.Messages[0].Text(), "You know refunds."):
			return &model.Response{Message: state.Text(state.RoleAI, "30 euros go back.")}, nil
		case last.Role == state.RoleTool:
			return &model.Response{Message: state.Text(state.RoleAI, "Good news: "+last.Text())}, nil
		}
		args := `{"explanation":"it is about money","task":"give the money back"}`
		return &model.Response{Message: state.Message{ToolCalls: []state.ToolCall{{Name: "transfer_to_billing", Args: json.RawMessage(args)}}}}, nil
	}
	agent := func(instructions string) *nodes.AgentConfig[desk] {
		return &nodes.AgentConfig[desk]{
			Model: model.Func(pretend), Instructions: instructions,
			Handoffs: nodes.Handoffs{PerTarget: true, Kind: handoffs.Call},
		}
	}
	team, err := nodes.NewTeam(nodes.TeamConfig[desk]{
		Team: handoffs.TeamConfig[desk]{Fields: fields, Policy: &handoffs.Policy{Limits: handoffs.Limits{Handoffs: 4}}},
		Members: []nodes.Member[desk]{
			{Profile: handoffs.Profile{ID: "front"}, Agent: agent("You talk to the customer.")},
			{Profile: handoffs.Profile{ID: "billing"}, Agent: agent("You know refunds.")},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := team.Compile(state.MustSchema[desk](fields), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := g.Invoke(context.Background(), graph.Input(fields.Messages.Add(state.Text(state.RoleHuman, "My money!"))), nil)
	fmt.Println(res.State.Messages[len(res.State.Messages)-1].Text(), err)
	for h := range handoffs.History(handoffs.LogOf(res.State.HandoffLog), handoffs.Filter{}) {
		fmt.Println(h.From, "→", h.To, h.Status)
	}
	// Output:
	// Good news: 30 euros go back. <nil>
	// front → billing returned
}
