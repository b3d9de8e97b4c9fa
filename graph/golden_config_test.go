package graph_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// flight counts how many tasks are at work at once.
type flight struct{ now, most atomic.Int32 }

// node works for a second.
func (f *flight) node(ctx context.Context, _ Page) (pageCmd, error) {
	n := f.now.Add(1)
	defer f.now.Add(-1)
	for {
		if m := f.most.Load(); n <= m || f.most.CompareAndSwap(m, n) {
			break
		}
	}
	time.Sleep(time.Second)
	return page.Update(pageSum.Add(1)), nil
}

// spread adds a node that sends n tasks to "work" and goes to "other".
func spread(b *graph.Builder[Page], n int, work pageNode, cfg *graph.NodeConfig) {
	packets := make([]graph.Packet[Page], n)
	for i := range packets {
		packets[i] = page.To("work")
	}
	b.AddNode("split", gives(page.All(page.Goto("other"), page.Send(packets...))),
		&graph.NodeConfig{Goto: []string{"other"}, Send: []string{"work"}})
	b.AddNode("work", work, cfg)
	b.AddEdge(graph.Start, "split")
}

func TestMaxConcurrency(t *testing.T) {
	cases := []struct {
		name             string
		run, node        int
		most, mostOfNode int32
		seconds          int
	}{
		{"none", 0, 0, 13, 12, 1},
		{"of the run", 4, 0, 4, 4, 4},
		{"of the node", 0, 3, 4, 3, 4},
		{"of both", 2, 3, 2, 2, 7},
		{"one by one", 1, 0, 1, 1, 13},
		{"of the node: one", 0, 1, 2, 1, 12},
		{"less than nothing is none", -1, -1, 13, 12, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var all, work flight
				g := pageGraph(t, &graph.Config{MaxConcurrency: c.run}, func(b *graph.Builder[Page]) {
					spread(b, 12, func(ctx context.Context, s Page) (pageCmd, error) {
						n := all.now.Add(1)
						defer all.now.Add(-1)
						all.most.Store(max(all.most.Load(), n))
						return work.node(ctx, s)
					}, &graph.NodeConfig{MaxConcurrency: c.node})
					b.AddNode("other", all.node, nil)
				})
				began := time.Now()
				require.Equal(t, 13, done(t, g).Sum)
				require.Equal(t, c.most, all.most.Load())
				require.Equal(t, c.mostOfNode, work.most.Load())
				require.Equal(t, time.Duration(c.seconds)*time.Second, time.Since(began))
			})
		})
	}
}

func TestManySends(t *testing.T) {
	g := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		spread(b, 10_000, gives(page.Update(pageSum.Add(1))), nil)
		b.AddNode("other", gives(pageCmd{}), nil)
	})
	require.Equal(t, 10_000, done(t, g).Sum)
}

// Nil and zero configs mean the same everywhere.
func TestZeroConfigs(t *testing.T) {
	for _, cfg := range []*graph.Config{nil, {}} {
		for _, node := range []*graph.NodeConfig{nil, {}} {
			for _, rc := range []*graph.RunConfig{nil, {}} {
				b := graph.New(pageSchema)
				b.AddNode("a", appends("a"), node)
				b.AddEdge(graph.Start, "a")
				g, err := b.Compile(cfg)
				require.NoError(t, err)
				out, err := g.Invoke(context.Background(), nil, rc)
				require.NoError(t, err)
				require.Equal(t, []string{"a"}, out.State.X)
				require.Equal(t, 1, out.Step)
				require.Empty(t, g.Name())
				require.Empty(t, g.Warnings())
				require.Same(t, pageSchema, g.Schema())
			}
		}
	}
}

func TestGraceBelowZeroMeansNone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		g := pageGraph(t, &graph.Config{Grace: -1}, func(b *graph.Builder[Page]) { beside(b, map[string]pageNode{"deaf": deaf(release)}) })
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := g.Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrLeftBehind)
		require.Less(t, time.Since(began), time.Second+10*time.Millisecond)
		close(release)
	})
}

// A graph does not change with its builder.
func TestCompiledGraphsStandAlone(t *testing.T) {
	b := graph.New(pageSchema)
	chain(b, "a", "b")
	first, err := b.Compile(&graph.Config{Name: "first"})
	require.NoError(t, err)
	b.AddNode("c", appends("c"), nil)
	b.AddEdge("b", "c")
	b.AddEdge("a", "c")
	second, err := b.Compile(nil)
	require.NoError(t, err)
	require.Equal(t, strings.Fields("a b"), done(t, first).X)
	require.Equal(t, strings.Fields("a b c c"), done(t, second).X)
	require.Equal(t, "first", first.Name())
	require.NotEqual(t, first.Fingerprint(), second.Fingerprint())
	again, err := b.Compile(nil)
	require.NoError(t, err)
	require.Equal(t, second.Fingerprint(), again.Fingerprint())
}
