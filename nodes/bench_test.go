package nodes_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// instant is a model that answers at once: it calls n tools, then it is done.
type instant struct {
	model.Func
	info model.Info
}

func (m instant) Info() model.Info { return m.info }

func newInstant(n int) model.Model {
	var calls []state.ToolCall
	for i := range n {
		calls = append(calls, labCall(fmt.Sprint("call_", i), "look", `{"city":"Oslo"}`))
	}
	ask, done := labCalls(calls...), labSay("It rains.")
	return instant{info: model.Info{Profile: transcript.OpenAI()}, Func: func(_ context.Context, r *model.Request) (*model.Response, error) {
		if n == 0 || r.Messages[len(r.Messages)-1].Role == state.RoleTool {
			return &done, nil
		}
		return &ask, nil
	}}
}

// BenchmarkTurn is what a turn of an agent costs beside its model and tools: one
// run with one question, in a thread of its own.
func BenchmarkTurn(b *testing.B) {
	for _, store := range []string{"none", "memory", "sqlite"} {
		for _, tools := range []int{0, 1, 4} {
			b.Run(fmt.Sprintf("store=%s/tools=%d", store, tools), func(b *testing.B) {
				benchTurn(b, benchStore(b, store), tools, 0)
			})
		}
	}
}

// BenchmarkLongTalk is the same behind a conversation of some length.
func BenchmarkLongTalk(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) { benchTurn(b, nil, 1, n) })
	}
}

func benchStore(b *testing.B, name string) checkpoint.Store {
	switch name {
	case "memory":
		return checkpoint.NewMemory(nil)
	case "sqlite":
		s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "b.db"), nil)
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, s.Close()) })
		return s
	}
	return nil
}

func benchTurn(b *testing.B, store checkpoint.Store, tools, messages int) {
	g := labAgent(b, nodes.AgentConfig[labChat]{Model: newInstant(tools), Instructions: "Be kind.", Tools: []nodes.Tool{labFixed("look", "rain")}}, &graph.Config{Store: store})
	var past []state.Message
	for len(past) < messages {
		past = append(past, state.Text(state.RoleHuman, fmt.Sprint("question ", len(past))), state.Text(state.RoleAI, "answer"))
	}
	in := graph.Input(labFields.Messages.Add(append(past, state.Text(state.RoleHuman, "Go."))...))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		if _, err := g.Invoke(context.Background(), in, &graph.RunConfig{Thread: fmt.Sprint(i)}); err != nil {
			b.Fatal(err)
		}
	}
}
