package nodes_test

import (
	"context"
	"errors"
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

// longTalk is a conversation of n turns, each with a tool.
func longTalk(n int) []state.Write[labChat] {
	var ms []state.Message
	for i := range n {
		q := state.Text(state.RoleHuman, fmt.Sprintf("question %d %s", i, strings.Repeat("x", 100)))
		c := state.Message{Role: state.RoleAI, ToolCalls: []state.ToolCall{labCall(fmt.Sprint("c", i), "look", "{}"), labCall(fmt.Sprint("d", i), "look", "{}")}}
		ms = append(ms, q, c)
		for _, call := range c.ToolCalls {
			r := state.Text(state.RoleTool, "seen "+call.ID)
			r.ToolCallID, r.Name = call.ID, "look"
			ms = append(ms, r)
		}
		ms = append(ms, state.Text(state.RoleAI, fmt.Sprintf("answer %d", i)))
	}
	return graph.Input(labFields.Messages.Add(append(ms, state.Text(state.RoleHuman, "the last question"))...))
}

// What the model gets is bounded, whatever the bound, and valid for its provider;
// what is kept is all.
func TestMemory(t *testing.T) {
	t.Parallel()
	for _, p := range []*transcript.Profile{nil, transcript.OpenAI(), transcript.Anthropic(), transcript.Gemini(), transcript.Compatible()} {
		for name, memory := range map[string]nodes.Memory{
			"all": {}, "tokens 200": {Tokens: 200}, "tokens 60": {Tokens: 60}, "last 1": {Last: 1}, "last 2": {Last: 2}, "last 3": {Last: 3}, "last 4": {Last: 4},
			"last 7": {Last: 7}, "both": {Last: 20, Tokens: 150}, "words": {Tokens: 40, Count: func(s string) int { return len(strings.Fields(s)) }},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := labScript(t, labCalls(labCall("new", "look", "{}")), labSay("done"))
				m.profile = p
				g := labAgent(t, nodes.AgentConfig[labChat]{Model: m, Instructions: "Be kind.", Memory: memory, Tools: []nodes.Tool{labFixed("look", "seen new")}}, nil)
				res, err := g.Invoke(t.Context(), longTalk(10), nil)
				require.NoError(t, err)
				require.Len(t, res.State.Messages, 54)
				first, second := labLines(m.requests()[0].Messages), labLines(m.requests()[1].Messages)
				for _, sent := range []string{first, second} {
					require.True(t, strings.HasPrefix(sent, "system: Be kind."), sent)
					require.Equal(t, name == "all", strings.Contains(sent, "question 4"))
				}
				require.Contains(t, first, "the last question")
				require.Contains(t, second, "seen new")
				if memory.Tokens > 0 {
					require.Contains(t, first, "question 0", "the first question stays")
				}
			})
		}
	}
}

// What does not fit is told in short, once for each call, also when the call that
// it was made for fails.
func TestSummaryOfWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	sums := 0
	teller := &labModel{t: t, answer: func(_ context.Context, r *model.Request) (*model.Response, error) {
		sums++
		a := labSay("it was about " + fmt.Sprint(strings.Count(r.Messages[1].Text(), "question")) + " questions")
		return &a, nil
	}}
	fails := true
	m := labRounds(t, labSay("done"))
	answer := m.answer
	m.answer = func(ctx context.Context, r *model.Request) (*model.Response, error) {
		if fails {
			fails = false
			return nil, errors.New("no luck")
		}
		return answer(ctx, r)
	}
	store := labStore()
	g := labAgent(t, nodes.AgentConfig[labChat]{Model: m, Instructions: "Be kind.", Memory: nodes.Memory{Last: 1, Summary: &nodes.Summarizer{Model: teller}}}, &graph.Config{Store: store})
	cfg := &graph.RunConfig{Thread: "t"}
	_, err := g.Invoke(t.Context(), longTalk(10), cfg)
	require.ErrorContains(t, err, "no luck")
	res, err := g.Resume(t.Context(), graph.Answers{}, cfg)
	require.NoError(t, err)
	require.Equal(t, 1, sums, "it is kept by itself")
	require.Equal(t, 30, res.State.Tokens, "and counts")
	require.Equal(t, 2, res.State.Calls, "as a call too")
	sent := m.requests()[1].Messages
	require.Equal(t, []state.Part{{Type: "text", Text: "Be kind."}, {Type: "text", Text: "What was said before, in short:\nit was about 9 questions"}}, sent[0].Content)
	require.Contains(t, sent[1].Text(), "question 0", "the first one stays itself")
	require.Contains(t, sent[len(sent)-1].Text(), "the last question")
	require.NotContains(t, labLines(res.State.Messages), "in short")
}

// A summary that cannot be made fails the turn, and says of what.
func TestSummaryThatFails(t *testing.T) {
	t.Parallel()
	broken := &labModel{t: t, answer: func(context.Context, *model.Request) (*model.Response, error) { return nil, errors.New("no luck") }}
	g := labAgent(t, nodes.AgentConfig[labChat]{Model: labScript(t), Memory: nodes.Memory{Last: 1, Summary: &nodes.Summarizer{Model: broken}}}, nil)
	_, err := g.Invoke(t.Context(), longTalk(3), nil)
	require.ErrorContains(t, err, "the summary of")
	require.ErrorContains(t, err, "no luck")
}

// A summary is in a team's budget, also if the call that it was made for fails.
func TestSummaryInATeam(t *testing.T) {
	t.Parallel()
	teller := labRounds(t, labSay("in short"))
	broken := &labModel{t: t, answer: func(context.Context, *model.Request) (*model.Response, error) { return nil, errors.New("no luck") }}
	for name, tt := range map[string]struct {
		model *labModel
		calls int
	}{"done": {labRounds(t, labSay("done")), 2}, "failed": {broken, 1}} {
		t.Run(name, func(t *testing.T) {
			a := labMember("a", tt.model)
			a.Agent.Memory = nodes.Memory{Last: 1, Summary: &nodes.Summarizer{Model: teller}}
			g := labTeam(t, &handoffs.Policy{Entry: "a"}, &graph.Config{Store: labStore(), RecursionLimit: 100}, a)
			ms := []state.Message{state.Text(state.RoleHuman, "one"), state.Text(state.RoleAI, "two"), state.Text(state.RoleHuman, "three")}
			_, err := g.Invoke(t.Context(), graph.Input(deskFields.Messages.Add(ms...)), &graph.RunConfig{Thread: "t"})
			if tt.model == broken {
				require.ErrorContains(t, err, "no luck")
			} else {
				require.NoError(t, err)
			}
			snap, err := g.State(t.Context(), "t", "")
			require.NoError(t, err)
			require.Equal(t, handoffs.Usage{Tokens: 15 * tt.calls, Calls: tt.calls}, snap.Values.Handoffs.Spent)
		})
	}
}
