package crash_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/anthropic"
	"github.com/graphrun/graphrun/nodes/model/openai"
	"github.com/graphrun/graphrun/state"
)

// Desk is the state of agents with models.
type Desk struct {
	handoffs.State
	Tokens int    `json:"tokens"`
	Calls  int    `json:"calls"`
	Best   string `json:"best"`
}

var (
	deskTeam   = handoffs.FieldsOf(func(d *Desk) *handoffs.State { return &d.State })
	deskTokens = state.NewCounter("tokens", func(d *Desk) *int { return &d.Tokens })
	deskCalls  = state.NewCounter("calls", func(d *Desk) *int { return &d.Calls })
	deskBest   = state.NewValue("best", func(d *Desk) *string { return &d.Best })
	deskSchema = state.MustSchema[Desk](deskTeam, deskTokens, deskCalls, deskBest)
	deskTalk   = nodes.Talk(deskTeam.Messages, func(d *Desk) *[]state.Message { return &d.Messages })
)

// errand is what a user wants of agents with models.
type errand struct {
	name string
	says []string // by the user, a run each
	asks int      // how often people are asked
	make func(s *stage) (*graph.Graph[Desk], error)
}

// errands are those whose processes are killed. What their models say is in the
// script of the same name.
var errands = []errand{
	{name: "alone", says: []string{"Compare Oslo, Rome and Lima.", "And how are they in winter?"}, make: (*stage).alone},
	{name: "team", says: []string{"Deploy, but test first.", "What does the log say?", "Back to the start."}, make: (*stage).team},
	{name: "asked", says: []string{"Book a room in Rome.", "Now one in Lima."}, asks: 3, make: (*stage).asked},
}

func errandOf(name string) (*errand, error) {
	at := slices.IndexFunc(errands, func(e errand) bool { return e.name == name })
	if at < 0 {
		return nil, fmt.Errorf("there is no errand %q", name)
	}
	return &errands[at], nil
}

// errandNow is the time of all that agents do.
var errandNow = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

func errandClock() time.Time { return errandNow }

// agent is what all agents have in common.
func (s *stage) agent(m model.Model, instructions string, tools ...nodes.Tool) nodes.AgentConfig[Desk] {
	return nodes.AgentConfig[Desk]{Model: m, Instructions: instructions, Tools: tools, Clock: errandClock, Usage: func(u model.Usage, calls int) []state.Write[Desk] {
		return graph.Input(deskTokens.Add(u.Total()), deskCalls.Add(calls))
	}}
}

// models are the two that there are, at the server of the parent.
func (s *stage) models() (gpt, claude model.Model, err error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	gpt, err = openai.New(openai.Config{Name: "gpt", Key: "sk-test", BaseURL: s.URL + "/v1", HTTP: client})
	if err == nil {
		claude, err = anthropic.New(anthropic.Config{Name: "claude", Key: "sk-test", BaseURL: s.URL, HTTP: client})
	}
	return gpt, claude, err
}

// single makes the graph of one agent.
func single(cfg nodes.AgentConfig[Desk]) (*graph.Graph[Desk], error) {
	cfg.Name, cfg.Messages = "agent", deskTalk
	a, err := nodes.NewAgent(cfg)
	if err != nil {
		return nil, err
	}
	b := graph.New(deskSchema)
	b.AddNode("agent", a.Node, nil)
	b.AddEdge(graph.Start, "agent")
	return b.Compile(nil)
}

// alone is an agent with tools side by side, an answer that must fit a schema and
// does not at first, and a memory that needs a summary. Some of its tools are
// agents too, at work side by side.
func (s *stage) alone() (*graph.Graph[Desk], error) {
	gpt, claude, err := s.models()
	if err != nil {
		return nil, err
	}
	inner := s.agent(claude, "You know winters.", s.tool("look"))
	inner.Usage = nil
	winter, err := nodes.AsTool("winter", "Tells of a city's winter.", inner)
	if err != nil {
		return nil, err
	}
	cfg := s.agent(gpt, "You compare cities.", s.tool("look"), s.tool("rank"), winter)
	cfg.Memory = nodes.Memory{Last: 8, Summary: &nodes.Summarizer{Model: claude}}
	type best struct{ City string }
	cfg.Output, err = nodes.JSON("best", func(b best) []state.Write[Desk] { return graph.Input(deskBest.Set(b.City)) })
	if err != nil {
		return nil, err
	}
	return single(cfg)
}

// team is a generalist that calls one specialist and hands over to another.
func (s *stage) team() (*graph.Graph[Desk], error) {
	gpt, claude, err := s.models()
	if err != nil {
		return nil, err
	}
	member := func(id string, m model.Model, text string, tools ...nodes.Tool) nodes.Member[Desk] {
		cfg := s.agent(m, text, tools...)
		return nodes.Member[Desk]{Profile: handoffs.Profile{ID: id, Description: text}, Agent: &cfg}
	}
	team, err := nodes.NewTeam(nodes.TeamConfig[Desk]{
		Members: []nodes.Member[Desk]{
			member("generalist", gpt, "You lead.", s.tool("look")),
			member("tester", claude, "You test.", s.tool("run"), s.tool("lint")),
			member("closer", gpt, "You deploy.", s.tool("ship"), s.tool("read_log")),
		},
		Team: handoffs.TeamConfig[Desk]{
			Fields: deskTeam, Clock: errandClock,
			Policy: &handoffs.Policy{Entry: "generalist", Limits: handoffs.Limits{Tokens: 1_000_000, Handoffs: 20}},
		},
	})
	if err != nil {
		return nil, err
	}
	return team.Compile(deskSchema, &graph.Config{RecursionLimit: 200})
}

// asked is an agent that asks people: in the middle of a tool, before a tool, and
// by the tool for that.
func (s *stage) asked() (*graph.Graph[Desk], error) {
	gpt, _, err := s.models()
	if err != nil {
		return nil, err
	}
	ask, err := nodes.AskPerson()
	if err != nil {
		return nil, err
	}
	pay := s.tool("pay")
	pay.Approve = true
	return single(s.agent(gpt, "You book rooms.", s.bookTool(), s.tool("look"), pay, ask))
}
