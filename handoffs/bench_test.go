package handoffs_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// benched is a state with nothing but handoffs.
type benched struct{ handoffs.State }

var (
	benchFields = handoffs.FieldsOf(func(s *benched) *handoffs.State { return &s.State })
	benchSchema = state.MustSchema(benchFields)
)

// rounds is how many handoffs a run of a benchmark makes.
const rounds = 100

// benchTeam is a team whose agents do what next says: nil ends the agent's turn.
// It is told how many handoffs there were, and the turn's number.
func benchTeam(b *testing.B, next func(agent string, made, turn int) *handoffs.Command, agents ...string) *handoffs.Team[benched] {
	var tm *handoffs.Team[benched]
	cfg := handoffs.TeamConfig[benched]{Fields: benchFields, Policy: &handoffs.Policy{Entry: agents[0], Limits: handoffs.Limits{Handoffs: 2 * rounds}}}
	for _, id := range agents {
		cfg.Agents = append(cfg.Agents, handoffs.Agent[benched]{Profile: handoffs.Profile{ID: id}, Node: func(ctx context.Context, s benched) (graph.Command[benched], error) {
			c := next(id, s.Handoffs.Counts["handoffs"], s.Turn.Number)
			if c == nil {
				return graph.Command[benched]{}, nil
			}
			return tm.HandOff(ctx, s, *c)
		}})
	}
	tm, err := handoffs.NewTeam(cfg)
	require.NoError(b, err)
	return tm
}

// benchRuns measures runs of a team, each in a store of its own. The last ones
// are kept, so that there is a heap of a size that does not change.
func benchRuns(b *testing.B, tm *handoffs.Team[benched], store func() checkpoint.Store) {
	whole, err := tm.Compile(benchSchema, &graph.Config{RecursionLimit: 10 * rounds})
	require.NoError(b, err)
	var last [32]*graph.Graph[benched]
	b.ReportAllocs()
	made, least := 0, time.Duration(math.MaxInt64)
	for i := 0; b.Loop(); i++ {
		g := whole.On(store(), nil)
		last[i%len(last)] = g
		began := time.Now()
		out, err := g.Invoke(b.Context(), nil, &graph.RunConfig{Thread: fmt.Sprint("t", b.N, "-", i)})
		if err != nil {
			b.Fatal(err)
		}
		made, least = out.State.Handoffs.Counts["handoffs"], min(least, time.Since(began))
	}
	require.Equal(b, rounds, made)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rounds, "ns/handoff")
	b.ReportMetric(float64(least.Nanoseconds())/rounds, "least-ns/handoff") // of the quickest run: tells more on a busy machine
}

func inMemory() checkpoint.Store { return checkpoint.NewMemory(nil) }

// asked is a command as an agent would make it.
func asked(k handoffs.Kind, target string) *handoffs.Command {
	c := handoffs.NewCommand(target, handoffs.Delegation, "because it can")
	c.Kind, c.Task = k, "go on with it"
	c.Payload = map[string]any{"n": int64(1), "query": "what is it"}
	return &c
}

// toA and toB are made before: what agents spend on their commands is theirs.
var toA, toB = asked(handoffs.Transfer, "a"), asked(handoffs.Transfer, "b")

// transfers hands from a to b and back.
func transfers(agent string, made, _ int) *handoffs.Command {
	switch {
	case made == rounds:
		return nil
	case agent == "a":
		return toB
	}
	return toA
}

// BenchmarkTransfer is a transfer: a step of an agent and one of process_handoff.
func BenchmarkTransfer(b *testing.B) {
	benchRuns(b, benchTeam(b, transfers, "a", "b"), inMemory)
}

// calls lets a call b again and again.
func calls(agent string, made, _ int) *handoffs.Command {
	if agent == "b" || made == rounds {
		return nil
	}
	return asked(handoffs.Call, "b")
}

// BenchmarkCall is a call and its return: two steps of agents and two of
// process_handoff.
func BenchmarkCall(b *testing.B) { benchRuns(b, benchTeam(b, calls, "a", "b"), inMemory) }

// width is how many branches a spawn of a benchmark has.
const width = 4

// spawns lets a start b several times at once, again and again.
func spawns(agent string, made, _ int) *handoffs.Command {
	if agent == "b" || made == rounds {
		return nil
	}
	c := asked(handoffs.Spawn, "")
	for range width {
		c.Branches = append(c.Branches, handoffs.Branch{Target: "b", Task: "go on with it"})
	}
	return c
}

// BenchmarkSpawn is a branch of a spawn of four, and its part of the steps of
// the agent that spawns.
func BenchmarkSpawn(b *testing.B) { benchRuns(b, benchTeam(b, spawns, "a", "b"), inMemory) }

// BenchmarkSQLite is a transfer in a file, saved at each of its two steps, and
// two plain steps of a graph with the same state.
func BenchmarkSQLite(b *testing.B) {
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"), nil)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	b.Run("transfer", func(b *testing.B) {
		benchRuns(b, benchTeam(b, transfers, "a", "b"), func() checkpoint.Store { return store })
	})
	b.Run("plain", func(b *testing.B) {
		g := plainLoop(b).On(store, nil)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := g.Invoke(b.Context(), nil, &graph.RunConfig{Thread: fmt.Sprint("plain", b.N, i)}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rounds, "ns/2-steps")
	})
}

// plainLoop is a graph of two nodes that take turns as those of transfers do.
func plainLoop(b *testing.B) *graph.Graph[benched] {
	var do graph.Commands[benched]
	build := graph.New(benchSchema)
	build.AddNode("a", func(context.Context, benched) (graph.Command[benched], error) {
		return do.Update(benchFields.Messages.Add(state.Text(state.RoleAI, "on"))), nil
	}, nil)
	build.AddNode("b", func(_ context.Context, s benched) (graph.Command[benched], error) {
		if len(s.Messages) == rounds {
			return graph.Command[benched]{}, nil
		}
		return do.Goto("a", benchFields.Active.Set("a")), nil
	}, &graph.NodeConfig{Goto: []string{"a"}})
	build.AddEdge(graph.Start, "a")
	build.AddEdge("a", "b")
	g, err := build.Compile(&graph.Config{RecursionLimit: 10 * rounds})
	require.NoError(b, err)
	return g
}

// BenchmarkCodec writes what a state keeps of handoffs, and looks at it.
func BenchmarkCodec(b *testing.B) {
	tm := benchTeam(b, transfers, "a", "b")
	g, err := tm.Compile(benchSchema, &graph.Config{RecursionLimit: 10 * rounds})
	require.NoError(b, err)
	out, err := g.Invoke(b.Context(), nil, &graph.RunConfig{Thread: "t"})
	require.NoError(b, err)
	s := &out.State
	for _, x := range []state.Encoder{s.Handoffs, s.HandoffLog[0], s.ToolExecutions[0]} {
		b.Run(fmt.Sprintf("%T/append", x), func(b *testing.B) {
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				dst, _ = x.AppendJSON(dst[:0])
			}
			b.SetBytes(int64(len(dst)))
		})
		b.Run(fmt.Sprintf("%T/check", x), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := x.CheckJSON(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
