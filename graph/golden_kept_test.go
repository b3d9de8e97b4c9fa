package graph_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// The golden cases that take a thread. Each has a store of its own in memory
// and the thread "t".

var onT = &graph.RunConfig{Thread: "t"}

// keptGraph compiles a graph with a store.
func keptGraph(t testing.TB, cfg *graph.Config, parts func(b *graph.Builder[Page])) *graph.Graph[Page] {
	t.Helper()
	return pageGraph(t, cfg, parts).On(checkpoint.NewMemory(nil), nil)
}

// begin runs a graph on its thread.
func begin(g *graph.Graph[Page], in ...state.Write[Page]) (graph.Result[Page], error) {
	return g.Invoke(context.Background(), in, onT)
}

// goOn resumes the thread without an answer.
func goOn(g *graph.Graph[Page]) (graph.Result[Page], error) {
	return g.Resume(context.Background(), graph.Answers{}, onT)
}

// answered resumes the thread with an answer.
func answered(g *graph.Graph[Page], v any) (graph.Result[Page], error) {
	return g.Resume(context.Background(), graph.Answer(v), onT)
}

// from goes on from a checkpoint.
func from(g *graph.Graph[Page], checkpoint string, a graph.Answers) (graph.Result[Page], error) {
	return g.Resume(context.Background(), a, &graph.RunConfig{Thread: "t", At: checkpoint})
}

func stands(t testing.TB, g *graph.Graph[Page]) *graph.Snapshot[Page] {
	t.Helper()
	s, err := g.State(context.Background(), "t", "")
	require.NoError(t, err)
	return s
}

// rows are the checkpoints of the thread, newest first: "source step: x > next".
func rows(t testing.TB, g *graph.Graph[Page]) []string {
	t.Helper()
	var out []string
	for s, err := range g.History(context.Background(), "t", nil) {
		require.NoError(t, err)
		out = append(out, fmt.Sprintf("%s %d: %s > %s", s.Source, s.Step, strings.Join(s.Values.X, " "), strings.Join(s.Next, " ")))
	}
	return out
}

// atStep is the oldest checkpoint of a step.
func atStep(t testing.TB, g *graph.Graph[Page], step int) string {
	t.Helper()
	name := ""
	for s, err := range g.History(context.Background(), "t", nil) {
		require.NoError(t, err)
		if s.Step == step {
			name = s.Checkpoint
		}
	}
	require.NotEmpty(t, name)
	return name
}

// paused requires that a run waits.
func paused(t testing.TB, out graph.Result[Page], err error) graph.Result[Page] {
	t.Helper()
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Equal(t, graph.OutcomeInterrupted, out.Outcome)
	return out
}

// ended requires that a run is done.
func ended(t testing.TB, out graph.Result[Page], err error) Page {
	t.Helper()
	require.NoError(t, err)
	require.Equal(t, graph.OutcomeDone, out.Outcome)
	return out.State
}

// counted counts how often a node is called.
func counted(n *atomic.Int32, work pageNode) pageNode {
	return func(ctx context.Context, s Page) (pageCmd, error) {
		n.Add(1)
		return work(ctx, s)
	}
}

// questioner is a node that asks a question and appends the answer to x.
func questioner(ctx context.Context, s Page) (pageCmd, error) {
	answer, err := graph.Interrupt[string](ctx, "", "what? "+s.Item)
	return page.Update(pageX.Append(s.Item + answer)), err
}
