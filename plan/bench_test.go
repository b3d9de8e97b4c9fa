package plan_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

const benchSteps = 1_000

// benchPlans are plans of a thousand steps each.
func benchPlans() map[string]plan.Plan {
	linear, chains := plan.Plan{ID: "linear"}, plan.Plan{ID: "graph"}
	for i := range benchSteps {
		s := plan.Step{ID: fmt.Sprint("s", i), Agent: []string{"a", "b"}[i%2], Task: "look"}
		linear.Steps = append(linear.Steps, s)
		if i >= 10 { // ten chains that cross each other
			s.DependsOn = []string{fmt.Sprint("s", i-10)}
			if i%10 > 0 {
				s.DependsOn = append(s.DependsOn, fmt.Sprint("s", i-11))
			}
		}
		chains.Steps = append(chains.Steps, s)
	}
	return map[string]plan.Plan{"linear": linear, "graph": chains}
}

// stores are where the bench keeps its threads.
func stores(b *testing.B) map[string]func() checkpoint.Store {
	n := 0
	return map[string]func() checkpoint.Store{
		"memory": func() checkpoint.Store { return checkpoint.NewMemory(nil) },
		"sqlite": func() checkpoint.Store {
			n++
			s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), fmt.Sprint(n, ".db")), nil)
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, s.Close()) })
			return s
		},
	}
}

func benchTeam(b *testing.B) *plan.Team[crew] {
	node := func(context.Context, crew) (graph.Command[crew], error) { return cmd.Update(), nil }
	agent := func(id string) handoffs.Agent[crew] {
		return handoffs.Agent[crew]{Profile: handoffs.Profile{ID: id}, Node: node}
	}
	team, err := plan.NewTeam(plan.TeamConfig[crew]{
		Team: handoffs.TeamConfig[crew]{Agents: []handoffs.Agent[crew]{agent("a"), agent("b")}}, Plan: plan.Config[crew]{Fields: fields},
	})
	require.NoError(b, err)
	return team
}

// BenchmarkPlan is a plan of a thousand steps whose agents do nothing.
func BenchmarkPlan(b *testing.B) {
	whole, err := benchTeam(b).Compile(schema, &graph.Config{RecursionLimit: -1})
	require.NoError(b, err)
	plans := benchPlans()
	for _, kind := range []string{"linear", "graph"} {
		for _, where := range []string{"memory", "sqlite"} {
			b.Run(kind+"/"+where, func(b *testing.B) {
				open := stores(b)[where]
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					g := whole.On(open(), nil)
					b.StartTimer()
					_, err := g.Invoke(b.Context(), graph.Input(fields.Plan.Set(plans[kind])), &graph.RunConfig{Thread: "t"})
					require.NoError(b, err)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchSteps, "ns/step")
			})
		}
	}
}

// BenchmarkPlainStep is a node that goes to itself a thousand times, which a
// step of a plan is compared with.
func BenchmarkPlainStep(b *testing.B) {
	builder := graph.New(schema)
	builder.AddNode("a", func(_ context.Context, s crew) (graph.Command[crew], error) {
		c := s.PlanCourse
		c.Cursor++
		return cmd.Update(fields.Course.Set(c)), nil
	}, nil)
	builder.AddEdge(graph.Start, "a")
	builder.AddChoice("a", func(s crew) string {
		if s.PlanCourse.Cursor < benchSteps {
			return "a"
		}
		return graph.End
	}, "a", graph.End)
	whole, err := builder.Compile(&graph.Config{RecursionLimit: -1})
	require.NoError(b, err)
	for _, where := range []string{"memory", "sqlite"} {
		b.Run(where, func(b *testing.B) {
			open := stores(b)[where]
			for b.Loop() {
				b.StopTimer()
				g := whole.On(open(), nil)
				b.StartTimer()
				_, err := g.Invoke(b.Context(), graph.Input(fields.Course.Set(plan.Course{})), &graph.RunConfig{Thread: "t"})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchSteps, "ns/step")
		})
	}
}
