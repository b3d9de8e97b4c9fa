package handoffs_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// plainSteps makes a graph of so many steps that say something and hand nothing
// off, over the state of benchTeam.
func plainSteps(b *testing.B, steps int) *graph.Graph[benched] {
	build := graph.New(benchSchema)
	var do graph.Commands[benched]
	build.AddNode("a", func(_ context.Context, s benched) (graph.Command[benched], error) {
		m := state.Text(state.RoleAI, "go on with it")
		m.Name = "a"
		return do.Update(benchFields.Messages.Add(m)), nil
	}, nil)
	build.AddEdge(graph.Start, "a")
	build.AddChoice("a", func(s benched) string {
		if len(s.Messages) < steps {
			return "a"
		}
		return graph.End
	}, "a", graph.End)
	g, err := build.Compile(&graph.Config{RecursionLimit: -1})
	require.NoError(b, err)
	return g
}

// BenchmarkTransferInSQLite is a transfer in a file, every step of which is on
// the disk before the next one begins (full) or at the latest when SQLite copies
// its log (normal), beside a plain step. A transfer has two
// steps: that of the agent and that of process_handoff.
func BenchmarkTransferInSQLite(b *testing.B) {
	team, err := benchTeam(b, transfers, "a", "b").Compile(benchSchema, &graph.Config{RecursionLimit: -1})
	require.NoError(b, err)
	for _, c := range []struct {
		name string
		g    *graph.Graph[benched]
	}{{"plain", plainSteps(b, rounds)}, {"transfer", team}} {
		for _, sync := range []struct {
			name string
			how  sqlite.Synchronous
		}{{"full", sqlite.Full}, {"normal", sqlite.Normal}} {
			b.Run(c.name+"/"+sync.name, func(b *testing.B) {
				s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "x.db"), &sqlite.Config{Synchronous: sync.how})
				require.NoError(b, err)
				defer func() { require.NoError(b, s.Close()) }()
				g := c.g.On(s, nil)
				for i := 0; b.Loop(); i++ {
					if _, err := g.Invoke(b.Context(), nil, &graph.RunConfig{Thread: fmt.Sprint("t", i)}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/rounds, "µs/"+c.name)
			})
		}
	}
}

// BenchmarkTransferInLongConversation is a transfer in memory with so many
// messages in the state, of which the target gets all.
func BenchmarkTransferInLongConversation(b *testing.B) {
	whole, err := benchTeam(b, transfers, "a", "b").Compile(benchSchema, &graph.Config{RecursionLimit: -1})
	require.NoError(b, err)
	for _, n := range []int{10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			said := make([]state.Message, n)
			for i := range said {
				said[i] = state.Text(state.RoleHuman, fmt.Sprintf("message %d of a conversation that has gone on for long", i))
				said[i].ID = fmt.Sprint("m", i)
			}
			b.ReportAllocs()
			for b.Loop() {
				g := whole.On(inMemory(), nil)
				if _, err := g.Invoke(b.Context(), graph.Input(benchFields.Messages.Add(said...)), &graph.RunConfig{Thread: "t"}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rounds, "ns/handoff")
		})
	}
}
