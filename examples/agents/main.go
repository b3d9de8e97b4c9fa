// Agents shows two agents on models in a team: a generalist that asks a
// specialist for help, with a tool. With OPENAI_API_KEY set, and OPENAI_BASE_URL
// for another server, they work on a real model; without, on one that is a
// function of this file.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/openai"
	"github.com/graphrun/graphrun/state"
)

// Desk is the state: the conversation and what handoffs keep.
type Desk struct{ handoffs.State }

var (
	fields = handoffs.FieldsOf(func(d *Desk) *handoffs.State { return &d.State })
	schema = state.MustSchema[Desk](fields)
)

// order is what the tool looks up.
func order(_ context.Context, in struct {
	Number int `json:"number" jsonschema:"the number of the order"`
}) (string, error) {
	return fmt.Sprintf("order %d left the house on Monday", in.Number), nil
}

// team makes the two agents.
func team(m model.Model) (*handoffs.Team[Desk], error) {
	tool, err := nodes.NewTool("order", "Looks an order up.", order)
	if err != nil {
		return nil, err
	}
	return nodes.NewTeam(nodes.TeamConfig[Desk]{
		Team: handoffs.TeamConfig[Desk]{
			Fields: fields,
			Policy: &handoffs.Policy{Limits: handoffs.Limits{Handoffs: 6}},
		},
		Members: []nodes.Member[Desk]{
			{
				Profile: handoffs.Profile{ID: "front"},
				Agent:   &nodes.AgentConfig[Desk]{Model: m, Instructions: "You talk to the customer."},
			},
			{
				Profile: handoffs.Profile{ID: "store", Specialization: "where orders are"},
				Agent:   &nodes.AgentConfig[Desk]{Model: m, Instructions: "You know the orders.", Tools: []nodes.Tool{tool}},
			},
		},
	})
}

// pretend answers as a model would.
func pretend(_ context.Context, r *model.Request) (*model.Response, error) {
	last := r.Messages[len(r.Messages)-1]
	switch store := strings.HasPrefix(r.Messages[0].Text(), "You know"); {
	case store && last.Role == state.RoleTool:
		return &model.Response{Message: state.Text(state.RoleAI, "Order 7 left on Monday.")}, nil
	case store:
		return calls("order", `{"number":7}`), nil
	case last.Role == state.RoleTool:
		return &model.Response{Message: state.Text(state.RoleAI, "It is on its way since Monday.")}, nil
	}
	return calls("handoff_to_specialist", `{"targetAgentId":"store","explanation":"it is about an order","task":"Find out where order 7 is.","returnControl":true}`), nil
}

// calls is an answer that calls a tool.
func calls(tool, args string) *model.Response {
	return &model.Response{Message: state.Message{ToolCalls: []state.ToolCall{{Name: tool, Args: json.RawMessage(args)}}}}
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var m model.Model = model.Func(pretend)
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		real, err := openai.New(openai.Config{Name: cmp.Or(os.Getenv("MODEL"), "gpt-4o-mini"), Key: key, BaseURL: os.Getenv("OPENAI_BASE_URL")})
		if err != nil {
			return err
		}
		m = &model.Retry{Model: real}
	}
	t, err := team(m)
	if err != nil {
		return err
	}
	g, err := t.Compile(schema, nil)
	if err != nil {
		return err
	}
	ask := fields.Messages.Add(state.Text(state.RoleHuman, "Where is my order 7?"))
	for e, err := range g.Stream(ctx, graph.Input(ask), nil) {
		if err != nil {
			return err
		}
		show(e)
	}
	return nil
}

// show prints what agents say as it comes, tools and handoffs.
func show(e graph.Event) {
	c, ok := e.(*graph.Custom)
	if !ok {
		return
	}
	switch v := c.Value.(type) {
	case nodes.MessageEvent:
		switch v.Kind {
		case nodes.TellsText:
			fmt.Printf("%s: %s\n", v.Agent, v.Text)
		case nodes.TellsCall:
			fmt.Printf("%s calls %s\n", v.Agent, v.Call.Name)
		}
	case nodes.ToolEvent:
		if v.Phase == nodes.ToolEnds {
			fmt.Printf("%s: %s\n", v.Tool, v.Text)
		}
	}
}
