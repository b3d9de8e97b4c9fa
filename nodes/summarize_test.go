package nodes_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

func summarizeGraph(t testing.TB, cfg nodes.SummarizeConfig[labChat], c *graph.Config) *graph.Graph[labChat] {
	t.Helper()
	cfg.Messages = labTalk
	cfg.Usage = func(u model.Usage, calls int) []state.Write[labChat] {
		return graph.Input(labTokens.Add(u.Total()), labCount.Add(calls))
	}
	n, err := nodes.NewSummarize(cfg)
	require.NoError(t, err)
	b := graph.New(labSchema)
	b.AddNode("sum", n.Node, nil)
	b.AddEdge(graph.Start, "sum")
	g, err := b.Compile(c)
	require.NoError(t, err)
	return g
}

// talkOf makes a conversation of a line: "h" a human's message, "a" an AI's, "s" a
// system message, "S" a summary, "c1" a call with the id 1, "c1+2" one message
// with two, "r1" the result of 1.
func talkOf(line string) (ms []state.Message) {
	for i, word := range strings.Fields(line) {
		m := state.Text(map[byte]state.Role{'h': state.RoleHuman, 'a': state.RoleAI, 's': state.RoleSystem, 'S': state.RoleSystem, 'c': state.RoleAI, 'r': state.RoleTool}[word[0]], fmt.Sprintf("%s%d", word, i))
		switch word[0] {
		case 'S':
			m.Name = "summary"
		case 'c':
			m.Content = nil
			for _, id := range strings.Split(word[1:], "+") {
				m.ToolCalls = append(m.ToolCalls, labCall(id, "look", "{}"))
			}
		case 'r':
			m.ToolCallID, m.Name = word[1:], "look"
		}
		ms = append(ms, m)
	}
	return ms
}

// lineOf is the other way around.
func lineOf(ms []state.Message) string {
	var words []string
	for _, m := range ms {
		word := map[state.Role]string{state.RoleHuman: "h", state.RoleAI: "a", state.RoleSystem: "s", state.RoleTool: "r" + m.ToolCallID}[m.Role]
		if m.Name == "summary" {
			word = "S"
		}
		for i, c := range m.ToolCalls {
			word = strings.TrimPrefix(word, "a")
			word += map[bool]string{true: "c", false: "+"}[i == 0] + c.ID
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestSummarizeKeepsWhatBelongsTogether(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		talk, want string
		keep       int
	}{
		"last ones":           {talk: "h a h a h a", keep: 2, want: "S h a"},
		"small enough":        {talk: "h a h", keep: 1, want: "h a h"},
		"call with result":    {talk: "h a c1 r1 a h", keep: 3, want: "S c1 r1 a h"},
		"call with results":   {talk: "h a c1+2 r1 r2 a h", keep: 3, want: "S c1+2 r1 r2 a h"},
		"late result":         {talk: "h c1 a a r1 a h", keep: 3, want: "S c1 r1 a h"},
		"open call":           {talk: "h a c1 a h a", keep: 2, want: "S c1 h a"},
		"half open":           {talk: "h a c1+2 r2 h a", keep: 2, want: "S c1+2 r2 h a"},
		"id used again":       {talk: "h c1 r1 a c1 r1 a h", keep: 3, want: "S c1 r1 a h"},
		"result of nothing":   {talk: "h a r9 a a h", keep: 1, want: "S h"},
		"last human":          {talk: "h a h c1 r1 c2 r2", keep: 2, want: "S h c2 r2"},
		"last human behind":   {talk: "h c1 r1 c2 r2", keep: 2, want: "h S c2 r2"},
		"system in front":     {talk: "s s h a h a", keep: 2, want: "s s S h a"},
		"system within":       {talk: "h a s a h a", keep: 2, want: "S h a"},
		"summary of before":   {talk: "s S a h a h a", keep: 2, want: "s S h a"},
		"summary at the end":  {talk: "h a a a S", keep: 2, want: "h S a"},
		"nothing new":         {talk: "S h a h a", keep: 4, want: "S h a h a"},
		"none":                {talk: "h a a a h", keep: -1, want: "S h"},
		"all that is default": {talk: "a a a a a a a h", want: "S a a a a a h"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := labScript(t, labSay(" It was long. "))
			talk := talkOf(c.talk)
			res, err := summarizeGraph(t, nodes.SummarizeConfig[labChat]{Summary: nodes.Summarizer{Model: m}, Most: 4, Keep: c.keep}, nil).
				Invoke(t.Context(), graph.Input(labFields.Messages.Add(talk...)), nil)
			require.NoError(t, err)
			require.Equal(t, c.want, lineOf(res.State.Messages))
			asked := 1
			if c.want == c.talk {
				asked = 0
			}
			require.Equal(t, asked, len(m.requests()))
			require.Equal(t, asked, res.State.Calls)
			require.Equal(t, asked*15, res.State.Tokens)
			if asked == 0 {
				return
			}
			sent := m.requests()[0].Messages[1].Text()
			for i, old := range talk {
				if old.Name == "summary" {
					require.Contains(t, sent, "What was before it, in short:\n\n"+old.Text())
				}
				gone := true
				for _, left := range res.State.Messages {
					gone = gone && left.Text() != old.Text()
				}
				if old.Text() != "" && old.Role != state.RoleSystem {
					require.Equal(t, gone, strings.Contains(sent, old.Text()), "message %d", i)
				}
			}
			for _, left := range res.State.Messages {
				if left.Name == "summary" {
					require.Equal(t, "What was said before, in short:\nIt was long.", left.Text())
					require.NotEmpty(t, left.ID)
				}
			}
		})
	}
}

func TestSummarizeByTokens(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{5: "S h", 6: "h a h"} { // 3 texts of 2 bytes, each a token by itself, and a summary
		m := labScript(t, labSay("x"))
		res, err := summarizeGraph(t, nodes.SummarizeConfig[labChat]{Summary: nodes.Summarizer{Model: m}, Tokens: most, Keep: 1, Count: func(s string) int { return len(s) }}, nil).
			Invoke(t.Context(), graph.Input(labFields.Messages.Add(talkOf("h a h")...)), nil)
		require.NoError(t, err)
		require.Equal(t, want, lineOf(res.State.Messages))
	}
}

func TestSummarizeFails(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]nodes.SummarizeConfig[labChat]{
		"needs Messages":       {Summary: nodes.Summarizer{Model: labScript(t)}, Most: 1},
		"needs Summary.Model":  {Messages: labTalk, Most: 1},
		"needs Tokens or Most": {Messages: labTalk, Summary: nodes.Summarizer{Model: labScript(t)}},
	} {
		_, err := nodes.NewSummarize(cfg)
		require.ErrorContains(t, err, want)
	}
	g := summarizeGraph(t, nodes.SummarizeConfig[labChat]{Summary: nodes.Summarizer{Model: labScript(t, labSay(" "))}, Most: 1, Keep: 1}, nil)
	_, err := g.Invoke(t.Context(), graph.Input(labFields.Messages.Add(talkOf("h a h")...)), nil)
	require.ErrorIs(t, err, nodes.ErrAnswer)
}

// A summary that was made is not made again when another node of the step
// fails.
func TestSummarizeAsksOnce(t *testing.T) {
	t.Parallel()
	store := labStore()
	m := labScript(t, labSay("short"))
	fails := true
	process := func() *graph.Graph[labChat] {
		n, err := nodes.NewSummarize(nodes.SummarizeConfig[labChat]{Messages: labTalk, Summary: nodes.Summarizer{Model: m}, Most: 2, Keep: 1})
		require.NoError(t, err)
		b := graph.New(labSchema)
		b.AddNode("sum", func(ctx context.Context, s labChat) (graph.Command[labChat], error) {
			c, err := n.Node(ctx, s)
			if err == nil && fails {
				err = errLab
			}
			return c, err
		}, nil)
		b.AddEdge(graph.Start, "sum")
		g, err := b.Compile(&graph.Config{Store: store})
		require.NoError(t, err)
		return g
	}
	_, err := process().Invoke(t.Context(), graph.Input(labFields.Messages.Add(talkOf("h a h")...)), thread)
	require.ErrorIs(t, err, errLab)
	fails = false
	res, err := process().Resume(t.Context(), graph.Answers{}, thread)
	require.NoError(t, err)
	require.Equal(t, "S h", lineOf(res.State.Messages))
	require.Equal(t, 1, len(m.requests()))
}

func ExampleNewSummarize() {
	n, err := nodes.NewSummarize(nodes.SummarizeConfig[chat]{
		Messages: chatTalk, Most: 4, Keep: 2,
		Summary: nodes.Summarizer{Model: says(model.Response{Message: state.Text(state.RoleAI, "Bob wants a table for four.")})},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := graph.New(chatSchema)
	b.AddNode("summarize", n.Node, nil)
	b.AddEdge(graph.Start, "summarize")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	talk := []state.Message{
		state.Text(state.RoleHuman, "I am Bob."), state.Text(state.RoleAI, "Hello Bob."), state.Text(state.RoleHuman, "A table, please."),
		state.Text(state.RoleAI, "For how many?"), state.Text(state.RoleHuman, "Four."), state.Text(state.RoleAI, "When?"),
	}
	res, err := g.Invoke(context.Background(), graph.Input(chatFields.Messages.Add(talk...)), nil)
	for _, m := range res.State.Messages {
		fmt.Println(string(m.Role)+":", m.Text())
	}
	fmt.Println(err)
	// Output:
	// system: What was said before, in short:
	// Bob wants a table for four.
	// human: Four.
	// ai: When?
	// <nil>
}
