package graph_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/graph"
)

func TestThreadsOfAStore(t *testing.T) {
	store := checkpoint.NewMemory(nil)
	g := deskGraph(t, &graph.Config{Store: store}, deskNodes{"a": says("a"), "b": inquires("", "b?")}, "START a", "START b")
	require.Empty(t, threadsOf(t, store))
	for _, thread := range []string{"monday", "friday"} {
		_, err := g.Invoke(t.Context(), nil, on(thread))
		require.ErrorIs(t, err, graph.ErrInterrupted)
	}
	_, err := g.Resume(t.Context(), graph.Answer("yes"), on("friday"))
	require.NoError(t, err)
	all := threadsOf(t, store)
	require.Len(t, all, 2)
	require.Equal(t, graph.ThreadInfo{Thread: "friday", Checkpoint: "2", Checkpoints: 2, Step: 1, Next: []string{}}, all[0])
	require.Equal(t, graph.ThreadInfo{Thread: "monday", Checkpoint: "1", Checkpoints: 1, Step: 0, Next: []string{"a", "b"}}, all[1], "a is done, and named nonetheless")
}

// threadsOf lists threads, without the times.
func threadsOf(t *testing.T, store checkpoint.Store) (out []graph.ThreadInfo) {
	t.Helper()
	for info, err := range graph.Threads(t.Context(), store) {
		require.NoError(t, err)
		require.False(t, info.At.IsZero())
		out = append(out, graph.ThreadInfo{Thread: info.Thread, Checkpoint: info.Checkpoint, Checkpoints: info.Checkpoints, Step: info.Step, Next: info.Next})
	}
	return out
}

func TestManyThreads(t *testing.T) {
	store := checkpoint.NewMemory(nil)
	g := deskGraph(t, &graph.Config{Store: store}, deskNodes{"a": says("a")}, "START a")
	for i := range 250 { // several pages
		_, err := g.Invoke(t.Context(), nil, on(string(rune('a'+i/26))+string(rune('a'+i%26))))
		require.NoError(t, err)
	}
	all := threadsOf(t, store)
	require.Len(t, all, 250)
	for i := range all[1:] {
		require.Less(t, all[i].Thread, all[i+1].Thread)
	}
}

func TestThreadsOfABrokenStore(t *testing.T) {
	broken := errors.New("the disk is gone")
	store := checkpointtest.NewFailing(checkpoint.NewMemory(nil))
	store.FailAt(1, broken, false)
	for _, err := range graph.Threads(t.Context(), store) {
		require.ErrorIs(t, err, graph.ErrStore)
		require.ErrorIs(t, err, broken)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range graph.Threads(gone, checkpoint.NewMemory(nil)) {
		require.ErrorIs(t, err, graph.ErrCancelled)
	}
}
