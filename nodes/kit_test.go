package nodes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// labModel is a model of a function that holds each request to what the model's
// provider takes, and keeps it.
type labModel struct {
	t       testing.TB
	profile *transcript.Profile
	answer  func(ctx context.Context, r *model.Request) (*model.Response, error)
	stream  func(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] // in place of answer

	mu    sync.Mutex
	asked []model.Request
	times map[string]int // by what was asked
}

func (m *labModel) Info() model.Info {
	return model.Info{Provider: "lab", Name: "m", Profile: m.profile}
}

func (m *labModel) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	if err := transcript.Check(r.Messages, m.profile); err != nil {
		m.t.Errorf("the model was sent what its provider refuses: %v\n%s", err, labLines(r.Messages))
	}
	hash := r.Hash()
	if hash == "" {
		_, err := r.MarshalJSON()
		m.t.Errorf("the request has no canonical form: %v", err)
	}
	m.mu.Lock()
	m.asked = append(m.asked, *r)
	if m.times == nil {
		m.times = map[string]int{}
	}
	m.times[hash]++
	m.mu.Unlock()
	if m.stream != nil {
		return m.stream(ctx, r)
	}
	return model.Func(m.answer).Stream(ctx, r)
}

// requests are those that came.
func (m *labModel) requests() []model.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[:len(m.asked):len(m.asked)]
}

// labScript is a model that gives answers one after another.
func labScript(t testing.TB, answers ...model.Response) *labModel {
	var mu sync.Mutex
	n := 0
	return &labModel{t: t, answer: func(context.Context, *model.Request) (*model.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		if n == len(answers) {
			return nil, fmt.Errorf("the script has no answer %d", n+1)
		}
		n++
		return &answers[n-1], nil
	}}
}

// labRounds is a model whose answer follows from the request alone: it is the one
// behind as many as the conversation holds of its own since the last question.
func labRounds(t testing.TB, answers ...model.Response) *labModel {
	return &labModel{t: t, answer: func(_ context.Context, r *model.Request) (*model.Response, error) {
		n := 0
		for i := range r.Messages {
			switch r.Messages[i].Role {
			case state.RoleAI:
				n++
			case state.RoleHuman:
				n = 0
			}
		}
		if n >= len(answers) {
			return nil, fmt.Errorf("the script has no answer %d", n+1)
		}
		return &answers[n], nil
	}}
}

// labSay is an answer in words that costs 10 and 5 tokens.
func labSay(text string) model.Response {
	return model.Response{Message: state.Text(state.RoleAI, text), Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 5}}
}

// labCalls is an answer that calls tools.
func labCalls(calls ...state.ToolCall) model.Response {
	return model.Response{Message: state.Message{Role: state.RoleAI, ToolCalls: calls}, Stop: model.StopCalls, Usage: model.Usage{Input: 10, Output: 5}}
}

func labCall(id, name, args string) state.ToolCall {
	return state.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}

// labHand is a call of the handoff tool. back: the result comes back.
func labHand(id, target string, back bool) state.ToolCall {
	return labCall(id, "handoff_to_specialist", fmt.Sprintf(`{"targetAgentId":%q,"explanation":"it is theirs","task":"do it","returnControl":%v}`, target, back))
}

// labTool is a tool that answers with a text.
func labTool(name string, run func(ctx context.Context) (string, error)) nodes.Tool {
	return nodes.Tool{Name: name, Run: func(ctx context.Context, _ json.RawMessage) (string, error) { return run(ctx) }}
}

func labFixed(name, text string) nodes.Tool {
	return labTool(name, func(context.Context) (string, error) { return text, nil })
}

// labChat is the state of an agent alone.
type labChat struct {
	state.Conversation
	Tokens int    `json:"tokens"`
	Calls  int    `json:"calls"`
	Value  string `json:"value"`
}

var (
	labFields = state.ConversationFields(func(c *labChat) *state.Conversation { return &c.Conversation })
	labTokens = state.NewCounter("tokens", func(c *labChat) *int { return &c.Tokens })
	labCount  = state.NewCounter("calls", func(c *labChat) *int { return &c.Calls })
	labValue  = state.NewValue("value", func(c *labChat) *string { return &c.Value })
	labSchema = state.MustSchema[labChat](labFields, labTokens, labCount, labValue)
	labTalk   = nodes.Talk(labFields.Messages, func(c *labChat) *[]state.Message { return &c.Messages })
	labNoon   = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
)

func labClock() time.Time { return labNoon }

// labAgent makes a graph of one agent.
func labAgent(t testing.TB, cfg nodes.AgentConfig[labChat], c *graph.Config) *graph.Graph[labChat] {
	t.Helper()
	if cfg.Messages == nil {
		cfg.Messages = labTalk
	}
	if cfg.Clock == nil {
		cfg.Clock = labClock
	}
	if cfg.Usage == nil {
		cfg.Usage = func(u model.Usage, calls int) []state.Write[labChat] {
			return graph.Input(labTokens.Add(u.Total()), labCount.Add(calls))
		}
	}
	a, err := nodes.NewAgent(cfg)
	require.NoError(t, err)
	b := graph.New(labSchema)
	b.AddNode("agent", a.Node, nil)
	b.AddEdge(graph.Start, "agent")
	g, err := b.Compile(c)
	require.NoError(t, err)
	return g
}

func labHuman(text string) []state.Write[labChat] {
	return graph.Input(labFields.Messages.Add(state.Text(state.RoleHuman, text)))
}

// labRun asks a graph of one agent something.
func labRun(t testing.TB, cfg nodes.AgentConfig[labChat]) (graph.Result[labChat], error) {
	t.Helper()
	return labAgent(t, cfg, nil).Invoke(t.Context(), labHuman("Go."), &graph.RunConfig{Thread: "t", CheckViews: true})
}

// labStore is a memory store of a thread "t".
func labStore() checkpoint.Store { return checkpoint.NewMemory(nil) }

// labLines tells messages in short.
func labLines(ms []state.Message) string {
	var b strings.Builder
	for i := range ms {
		m := &ms[i]
		fmt.Fprintf(&b, "%s", m.Role)
		if m.Name != "" {
			fmt.Fprintf(&b, " %s", m.Name)
		}
		if m.ToolCallID != "" {
			fmt.Fprintf(&b, " of %s", m.ToolCallID)
		}
		fmt.Fprintf(&b, ": %s", m.Text())
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " [%s %s %s]", c.ID, c.Name, c.Args)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// labResults are the texts of the results in messages, in their order.
func labResults(ms []state.Message) (texts []string) {
	for i := range ms {
		if ms[i].Role == state.RoleTool {
			texts = append(texts, ms[i].Text())
		}
	}
	return texts
}

// labPaired requires that each call has exactly one result, that ids are unique,
// and that every provider can be sent a projection.
func labPaired(t testing.TB, ms []state.Message) {
	t.Helper()
	results, seen, ids := map[string]int{}, map[string]bool{}, map[string]bool{}
	for i := range ms {
		if id := ms[i].ID; id != "" {
			require.False(t, ids[id], "two messages have the id %s", id)
			ids[id] = true
		}
		if ms[i].Role == state.RoleTool {
			results[ms[i].ToolCallID]++
		}
		for _, c := range ms[i].ToolCalls {
			require.NotEmpty(t, strings.TrimSpace(c.ID))
			require.False(t, seen[c.ID], "two calls have the id %s:\n%s", c.ID, labLines(ms))
			seen[c.ID] = true
		}
	}
	for id := range seen {
		require.Equal(t, 1, results[id], "results of the call %s:\n%s", id, labLines(ms))
	}
	require.Len(t, results, len(seen), "a result has no call:\n%s", labLines(ms))
	for _, p := range []*transcript.Profile{nil, transcript.OpenAI(), transcript.Anthropic(), transcript.Gemini(), transcript.Compatible()} {
		sent, _ := transcript.Project(ms, p)
		require.NoError(t, transcript.Check(sent, p))
	}
}

// labDesk is the state of a team.
type labDesk struct {
	handoffs.State
	Grade string `json:"grade"`
}

var (
	deskFields = handoffs.FieldsOf(func(d *labDesk) *handoffs.State { return &d.State })
	deskGrade  = state.NewValue("grade", func(d *labDesk) *string { return &d.Grade })
	deskSchema = state.MustSchema[labDesk](deskFields, deskGrade)
)

// labMember is a member with a model.
func labMember(id string, m model.Model) nodes.Member[labDesk] {
	return nodes.Member[labDesk]{Profile: handoffs.Profile{ID: id}, Agent: &nodes.AgentConfig[labDesk]{Model: m}}
}

// labTeam makes the graph of a team.
func labTeam(t testing.TB, p *handoffs.Policy, c *graph.Config, members ...nodes.Member[labDesk]) *graph.Graph[labDesk] {
	t.Helper()
	team, err := nodes.NewTeam(nodes.TeamConfig[labDesk]{
		Members: members, Team: handoffs.TeamConfig[labDesk]{Fields: deskFields, Policy: p, Clock: labClock},
	})
	require.NoError(t, err)
	if c == nil {
		c = &graph.Config{RecursionLimit: 200}
	}
	g, err := team.Compile(deskSchema, c)
	require.NoError(t, err)
	return g
}

func deskHuman(text string) []state.Write[labDesk] {
	return graph.Input(deskFields.Messages.Add(state.Text(state.RoleHuman, text)))
}

// labAsk says something to a team.
func labAsk(t testing.TB, g *graph.Graph[labDesk], text string) graph.Result[labDesk] {
	t.Helper()
	res, err := g.Invoke(t.Context(), deskHuman(text), &graph.RunConfig{Thread: "t"})
	require.NoError(t, err)
	require.Equal(t, graph.OutcomeDone, res.Outcome)
	labPaired(t, res.State.Messages)
	return res
}

// labLog tells what was handed over, and what became of it.
func labLog(d *labDesk) (lines []string) {
	for h := range handoffs.History(handoffs.LogOf(d.HandoffLog), handoffs.Filter{}) {
		line := fmt.Sprintf("%s %s>%s %s", h.Kind, h.From, h.To, h.Status)
		if h.Code != "" {
			line += " !" + string(h.Code)
		}
		lines = append(lines, line)
	}
	return lines
}
