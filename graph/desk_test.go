package graph_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// desk is the state of the tests about threads.
type desk struct {
	Log   []string `json:"log"`
	Topic string   `json:"topic"`
}

var (
	deskLog    = state.NewList("log", func(d *desk) *[]string { return &d.Log })
	deskTopic  = state.NewValue("topic", func(d *desk) *string { return &d.Topic })
	deskSchema = state.MustSchema(deskLog, deskTopic)
	deskCmd    graph.Commands[desk]
)

// deskNodes are the nodes of a graph by their names.
type deskNodes map[string]graph.Node[desk]

// deskGraph makes a graph of nodes and of edges such as "START a"; "a+b c" is
// a waiting edge.
func deskGraph(t testing.TB, cfg *graph.Config, nodes deskNodes, edges ...string) *graph.Graph[desk] {
	t.Helper()
	b := graph.New(deskSchema)
	for name, work := range nodes {
		b.AddNode(name, work, nil)
	}
	for _, e := range edges {
		from, to, _ := strings.Cut(e, " ")
		if strings.Contains(from, "+") {
			b.AddJoin(strings.Split(from, "+"), to)
		} else {
			b.AddEdge(from, to)
		}
	}
	g, err := b.Compile(cfg)
	require.NoError(t, err)
	return g
}

// onMemory is a config with a store of its own.
func onMemory() *graph.Config { return &graph.Config{Store: checkpoint.NewMemory(nil)} }

// says makes a node that adds a text to the log.
func says(text string) graph.Node[desk] {
	return func(context.Context, desk) (graph.Command[desk], error) {
		return deskCmd.Update(deskLog.Append(text)), nil
	}
}

// inquires makes a node that asks one question and notes the answer.
func inquires(key, value string) graph.Node[desk] {
	return func(ctx context.Context, _ desk) (graph.Command[desk], error) {
		answer, err := graph.Interrupt[string](ctx, key, value)
		return deskCmd.Update(deskLog.Append(value + " " + answer)), err
	}
}

var errTired = errors.New("tired")

// calls counts the calls of nodes and lets some fail.
type calls struct {
	mu sync.Mutex
	n  map[string]int
}

// failing makes a node that fails as often as told, then says its name.
func (c *calls) failing(name string, times int) graph.Node[desk] {
	return func(ctx context.Context, d desk) (graph.Command[desk], error) {
		if c.count(name) <= times {
			return graph.Command[desk]{}, errTired
		}
		return says(name)(ctx, d)
	}
}

func (c *calls) count(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[name]++
	return c.n[name]
}

func on(thread string) *graph.RunConfig { return &graph.RunConfig{Thread: thread} }

// deskState reads where a thread stands.
func deskState(t testing.TB, g *graph.Graph[desk], thread, at string) *graph.Snapshot[desk] {
	t.Helper()
	s, err := g.State(context.Background(), thread, at)
	require.NoError(t, err)
	return s
}
