package nodes_test

import (
	"context"
	"errors"
	"flag"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

var update = flag.Bool("update", false, "write the golden files")

// told is what events tell of a message.
type told struct {
	text, reasoning string
	calls           []nodes.CallEvent
	ends            int
}

// listen takes the events of messages.
func listen(all map[string]*told, e graph.Event) {
	c, ok := e.(*graph.Custom)
	if !ok {
		return
	}
	m, ok := c.Value.(nodes.MessageEvent)
	if !ok {
		return
	}
	if all[m.ID] == nil || m.Kind == nodes.TellsAgain {
		all[m.ID] = &told{}
	}
	x := all[m.ID]
	switch m.Kind {
	case nodes.TellsText:
		x.text += m.Text
	case nodes.TellsReasoning:
		x.reasoning += m.Text
	case nodes.TellsCall:
		x.calls = append(x.calls, *m.Call)
	case nodes.TellsEnd:
		x.ends++
	}
}

// pieces parts a text at random, between bytes.
func pieces(r *rand.Rand, text string) (out []string) {
	for len(text) > 0 {
		n := 1 + r.IntN(min(len(text), 9))
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// chunked streams an answer in pieces, behind attempts that failed on the way.
func chunked(r *rand.Rand, a *model.Response, again int) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for n := range again + 1 {
			var all []model.Chunk
			for _, p := range a.Message.Content {
				for _, text := range pieces(r, p.Text) {
					if p.Type == "reasoning" {
						all = append(all, model.Reasoning{Text: text})
					} else {
						all = append(all, model.Text{Text: text})
					}
				}
			}
			for _, c := range a.Message.ToolCalls {
				all = append(all, model.Call{ToolCall: c})
			}
			if n < again {
				all = append(all[:r.IntN(len(all)+1)], model.Again{Attempt: n + 2, Err: errors.New("cut off")})
			} else {
				all = append(all, model.End{Stop: a.Stop, Usage: a.Usage})
			}
			for _, c := range all {
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// Whatever the pieces that an answer comes in, and however often it is begun
// anew, its events joined are the message in the state.
func TestEventsJoinedAreTheMessage(t *testing.T) {
	t.Parallel()
	words := []string{"Grüße", " ", "日本", "\n", "a", "{\"x\":1}", "🙂", "and so on "}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := func() string {
			var b strings.Builder
			for range 1 + r.IntN(20) {
				b.WriteString(words[r.IntN(len(words))])
			}
			return b.String()
		}
		m := &labModel{t: t}
		rounds := 1 + r.IntN(3)
		m.stream = func(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
			a := labSay("x" + text())
			if r.IntN(2) == 0 {
				a.Message.Content = append([]state.Part{{Type: "reasoning", Text: text()}}, a.Message.Content...)
			}
			if len(m.requests()) < rounds {
				a.Stop = model.StopCalls
				for range 1 + r.IntN(3) {
					a.Message.ToolCalls = append(a.Message.ToolCalls, labCall("look", "look", `{"n":1}`))
				}
			}
			return chunked(r, &a, r.IntN(3))
		}
		g := labAgent(t, nodes.AgentConfig[labChat]{Model: m, Tools: []nodes.Tool{labFixed("look", "seen")}}, &graph.Config{Store: labStore()})
		all := map[string]*told{}
		for e, err := range g.Stream(t.Context(), labHuman("Go."), &graph.RunConfig{Thread: "t"}) {
			require.NoError(t, err)
			listen(all, e)
		}
		snap, err := g.State(t.Context(), "t", "")
		require.NoError(t, err)
		n := 0
		for _, msg := range snap.Values.Messages {
			if msg.Role != state.RoleAI {
				continue
			}
			n++
			x := all[msg.ID]
			require.NotNil(t, x)
			require.Equal(t, 1, x.ends)
			require.Equal(t, msg.Text(), x.text)
			thought := ""
			for _, p := range msg.Content {
				if p.Type == "reasoning" {
					thought += p.Text
				}
			}
			require.Equal(t, thought, x.reasoning)
			require.Len(t, x.calls, len(msg.ToolCalls))
			for i, c := range msg.ToolCalls {
				require.Equal(t, nodes.CallEvent{ID: c.ID, Name: c.Name, Args: string(c.Args)}, x.calls[i])
			}
		}
		require.Len(t, all, n)
		require.Equal(t, rounds, n)
	}
}

// The lines of a run, as other programs read them.
func TestEventLines(t *testing.T) {
	t.Parallel()
	look := labTool("look", func(ctx context.Context) (string, error) {
		return "seen", nodes.Progress(ctx, map[string]any{"percent": 50})
	})
	fails := labTool("fails", func(context.Context) (string, error) { return "", errors.New("no luck") })
	m := &labModel{t: t}
	answers := []model.Response{
		{Message: state.Message{Role: state.RoleAI, Content: []state.Part{{Type: "reasoning", Text: "hm"}, {Type: "text", Text: "I look."}},
			ToolCalls: []state.ToolCall{labCall("c1", "look", `{"city":"Oslo"}`), labCall("c2", "fails", `{}`)}}, Stop: model.StopCalls, Usage: model.Usage{Input: 9, Output: 4, CacheRead: 3, Reasoning: 1}},
		labSay("It rains."),
	}
	m.stream = func(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
		n := len(m.requests()) - 1
		return func(yield func(model.Chunk, error) bool) {
			if n == 1 && (!yield(model.Text{Text: "It sn"}, nil) || !yield(model.Again{Attempt: 2, Err: errors.New("cut off")}, nil)) {
				return
			}
			for c := range answers[n].Chunks() {
				if !yield(c, nil) {
					return
				}
			}
		}
	}
	g := labAgent(t, nodes.AgentConfig[labChat]{Name: "ada", Model: m, Parallel: 1, Tools: []nodes.Tool{look, fails}}, nil)
	var lines []byte
	for e, err := range g.Stream(t.Context(), labHuman("Go."), &graph.RunConfig{Thread: "t"}) {
		require.NoError(t, err)
		if _, ok := e.(*graph.Custom); ok {
			lines, err = graph.AppendLines(lines, e)
			require.NoError(t, err)
		}
	}
	const golden = "testdata/events.golden"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, lines, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(lines))
}

// A run that is resumed tells only what is new.
func TestNothingIsToldAgain(t *testing.T) {
	t.Parallel()
	m := labRounds(t, labCalls(labCall("1", "look", "{}"), labCall("2", "ask", "{}")), labSay("done"))
	g := labAgent(t, nodes.AgentConfig[labChat]{Model: m, Tools: []nodes.Tool{labFixed("look", "seen"), askTool("Sure?")}}, &graph.Config{Store: labStore()})
	cfg := &graph.RunConfig{Thread: "t"}
	kinds := func(events iter.Seq2[graph.Event, error]) (out []string) {
		for e := range events {
			if c, ok := e.(*graph.Custom); ok {
				switch v := c.Value.(type) {
				case nodes.MessageEvent:
					out = append(out, "message "+string(v.Kind))
				case nodes.ToolEvent:
					out = append(out, v.Tool+" "+string(v.Phase))
				}
			}
		}
		return out
	}
	require.ElementsMatch(t, []string{"message tool_call", "message tool_call", "message end", "look begin", "look end", "ask begin"}, kinds(g.Stream(t.Context(), labHuman("Go."), cfg)))
	require.Equal(t, []string{"ask begin", "ask end", "message text", "message end"}, kinds(g.StreamResume(t.Context(), graph.Answer("yes"), cfg)))
}
