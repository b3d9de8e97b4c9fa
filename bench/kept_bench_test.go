package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// BenchmarkKept is the chain with a thread in the memory store: every step is
// saved before the next one starts.
func BenchmarkKept(b *testing.B) {
	h := newHandles8()
	for _, n := range []int{100, 1_000, 10_000} {
		g, err := h.chain(n)
		require.NoError(b, err)
		for _, d := range []struct {
			name string
			mode graph.Durability
		}{{"sync", graph.DurabilitySync}, {"exit", graph.DurabilityExit}} {
			b.Run(fmt.Sprintf("%s/%d", d.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					kept := g.On(checkpoint.NewMemory(nil), nil)
					out, err := kept.Invoke(context.Background(), nil, &graph.RunConfig{Thread: "t", Durability: d.mode})
					if err != nil || out.State.N != n {
						b.Fatalf("n = %d, want %d: %v", out.State.N, n, err)
					}
				}
				per(b, n)
			})
		}
	}
}
