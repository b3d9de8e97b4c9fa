package bench

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

type S8 struct {
	N    int
	Log  []int
	A    string
	B    string
	C    float64
	D    bool
	E    int
	Meta map[string]int
}

var (
	cmd graph.Commands[S8]
	hN  = state.NewCounter("n", func(s *S8) *int { return &s.N })
	hL  = state.NewList("log", func(s *S8) *[]int { return &s.Log })
	sch = state.MustSchema(hN, hL,
		state.NewValue("a", func(s *S8) *string { return &s.A }),
		state.NewValue("b", func(s *S8) *string { return &s.B }),
		state.NewValue("c", func(s *S8) *float64 { return &s.C }),
		state.NewValue("d", func(s *S8) *bool { return &s.D }),
		state.NewValue("e", func(s *S8) *int { return &s.E }),
		state.NewMap("meta", func(s *S8) *map[string]int { return &s.Meta }),
	)
)

func work(_ context.Context, s S8) (graph.Command[S8], error) {
	return cmd.Update(hN.Add(1), hL.Append(s.N)), nil
}

func chain(n int) *graph.Graph[S8] {
	b := graph.New(sch)
	prev := graph.Start
	for i := range n {
		name := fmt.Sprintf("n%06d", i)
		b.AddNode(name, work, nil)
		b.AddEdge(prev, name)
		prev = name
	}
	g, err := b.Compile(&graph.Config{RecursionLimit: -1, Lenient: true})
	if err != nil {
		panic(err)
	}
	return g
}

func BenchmarkChain(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			g := chain(n)
			b.ReportAllocs()
			for b.Loop() {
				out, err := g.Invoke(context.Background(), nil, nil)
				if err != nil || out.State.N != n {
					b.Fatal(err, out.State.N)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		})
		b.Run("g"+strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var s S8
				for range n {
					var wg sync.WaitGroup
					wg.Add(1)
					go func() { s.N++; s.Log = append(s.Log, s.N); wg.Done() }()
					wg.Wait()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		})
	}
}
