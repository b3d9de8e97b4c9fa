package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// per reports the time of one of n parts of an operation.
func per(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
}

// measure runs a graph of parts nodes that ends with the counter at want.
func measure(b *testing.B, g *graph.Graph[S8], err error, parts, want int) {
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		out, err := g.Invoke(context.Background(), nil, nil)
		if err != nil || out.State.N != want {
			b.Fatalf("n = %d, want %d: %v", out.State.N, want, err)
		}
	}
	per(b, parts)
}

// measureByHand runs a baseline of parts nodes that ends with the counter at want.
func measureByHand(b *testing.B, run func(context.Context, int) (S8, error), n, parts, want int) {
	b.ReportAllocs()
	for b.Loop() {
		s, err := run(context.Background(), n)
		if err != nil || s.N != want {
			b.Fatalf("n = %d, want %d: %v", s.N, want, err)
		}
	}
	per(b, parts)
}

func BenchmarkChain(b *testing.B) {
	h := newHandles8()
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("engine/%d", n), func(b *testing.B) {
			g, err := h.chain(n)
			measure(b, g, err, n, n)
		})
		b.Run(fmt.Sprintf("goroutine/%d", n), func(b *testing.B) { measureByHand(b, goroutineByHand, n, n, n) })
		b.Run(fmt.Sprintf("loop/%d", n), func(b *testing.B) { measureByHand(b, loopByHand, n, n, n) })
	}
}

func BenchmarkLoop(b *testing.B) {
	h := newHandles8()
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("router/%d", n), func(b *testing.B) {
			g, err := h.loop(n)
			measure(b, g, err, n, n)
		})
		b.Run(fmt.Sprintf("goto/%d", n), func(b *testing.B) {
			g, err := h.gotos(n)
			measure(b, g, err, n, n)
		})
		b.Run(fmt.Sprintf("goroutine/%d", n), func(b *testing.B) { measureByHand(b, goroutineByHand, n, n, n) })
	}
}

func BenchmarkFan(b *testing.B) {
	h := newHandles8()
	for _, n := range []int{10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("edges/%d", n), func(b *testing.B) {
			g, err := h.fanEdges(n)
			measure(b, g, err, n, n+2)
		})
		b.Run(fmt.Sprintf("sends/%d", n), func(b *testing.B) {
			g, err := h.fanSends(n)
			measure(b, g, err, n, n+2)
		})
		b.Run(fmt.Sprintf("errgroup/%d", n), func(b *testing.B) { measureByHand(b, errgroupByHand, n, n, n+2) })
	}
}

func BenchmarkWide(b *testing.B) {
	const n = 50
	g, err := wide(n)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		out, err := g.Invoke(context.Background(), nil, nil)
		if err != nil || out.State.F000 != 1 || out.State.F049 != 1 {
			b.Fatal(out.State.F000, out.State.F049, err)
		}
	}
	per(b, n)
}

// BenchmarkWideBase is the chain of 8 fields at the length of BenchmarkWide.
func BenchmarkWideBase(b *testing.B) {
	g, err := newHandles8().chain(50)
	measure(b, g, err, 50, 50)
}

// BenchmarkGrowing is a list that grows by one a step: the time a step stays
// the same however long the list is.
func BenchmarkGrowing(b *testing.B) {
	h := newHandles8()
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g, err := h.loop(n)
			measure(b, g, err, n, n)
		})
	}
}

// BenchmarkCancellable is the chain in a run that somebody watches, because
// its context can end.
func BenchmarkCancellable(b *testing.B) {
	const n = 1_000
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	g, err := newHandles8().chain(n)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if out, err := g.Invoke(ctx, nil, nil); err != nil || out.State.N != n {
			b.Fatal(out.State.N, err)
		}
	}
	per(b, n)
}

// BenchmarkRun is what a run costs beside its steps.
func BenchmarkRun(b *testing.B) {
	g, err := newHandles8().chain(1)
	measure(b, g, err, 1, 1)
}

// BenchmarkStream is the chain with every event made and read.
func BenchmarkStream(b *testing.B) {
	const n = 1_000
	g, err := newHandles8().chain(n)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		events := 0
		for _, err := range g.Stream(context.Background(), nil, nil) {
			if err != nil {
				b.Fatal(err)
			}
			events++
		}
		if events < 3*n {
			b.Fatal(events)
		}
	}
	per(b, n)
}

func TestWorkloadsComputeTheSameAsByHand(t *testing.T) {
	t.Parallel()
	const n = 40
	h := newHandles8()
	fan, err := errgroupByHand(context.Background(), n)
	require.NoError(t, err)
	line, err := loopByHand(context.Background(), n)
	require.NoError(t, err)
	apart, err := goroutineByHand(context.Background(), n)
	require.NoError(t, err)
	require.Equal(t, line, apart)
	for name, c := range map[string]struct {
		build func(int) (*graph.Graph[S8], error)
		want  S8
	}{
		"chain": {h.chain, line}, "loop": {h.loop, line}, "gotos": {h.gotos, line},
		"edges": {h.fanEdges, fan}, "sends": {h.fanSends, fan},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := c.build(n)
			require.NoError(t, err)
			out, err := g.Invoke(context.Background(), nil, nil)
			require.NoError(t, err)
			require.Equal(t, c.want, out.State)
		})
	}
	g, err := wide(350)
	require.NoError(t, err)
	out, err := g.Invoke(context.Background(), nil, nil)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2, 1}, []int{out.State.F000, out.State.F049, out.State.F299})
}
