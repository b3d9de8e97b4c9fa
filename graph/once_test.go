package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

func TestOnceIsDoneOncePerTask(t *testing.T) {
	ctx := t.Context()
	c, store := &calls{}, checkpoint.NewMemory(nil)
	books := func(ctx context.Context, _ desk) (graph.Command[desk], error) {
		ticket, err := graph.Once(ctx, "book", func(context.Context) (int, error) { return c.count("booked"), nil })
		if err != nil {
			return graph.Command[desk]{}, err
		}
		answer, err := graph.Interrupt[string](ctx, "", fmt.Sprint("keep ticket ", ticket, "?"))
		return deskCmd.Update(deskLog.Append(fmt.Sprint(answer, " ", ticket))), err
	}
	compile := func() *graph.Graph[desk] {
		return deskGraph(t, &graph.Config{Store: store}, deskNodes{"a": books}, "START a")
	}
	_, err := compile().Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	res, err := compile().Resume(ctx, graph.Answer("yes"), on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"yes 1"}, res.State.Log, "another process, the same ticket")
	_, err = compile().Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Equal(t, 2, c.n["booked"], "another task books again")
}

func TestOnceInRetries(t *testing.T) {
	for name, cfg := range map[string]*graph.Config{"with a store": onMemory(), "without": nil} {
		t.Run(name, func(t *testing.T) {
			c := &calls{}
			b := graph.New(deskSchema)
			b.AddNode("a", func(ctx context.Context, _ desk) (graph.Command[desk], error) {
				text, err := graph.Once(ctx, "k", func(context.Context) (string, error) {
					if c.count("effect") == 1 {
						return "", errTired // a failure is not kept
					}
					return "done", nil
				})
				if err == nil && c.count("a") < 3 {
					err = errTired
				}
				tally, bad := graph.Tally(ctx, "runs")
				require.NoError(t, bad)
				return deskCmd.Update(deskLog.Append(fmt.Sprint(text, " ", tally))), err
			}, &graph.NodeConfig{Retry: &graph.RetryPolicy{MaxAttempts: 5, InitialInterval: -1}})
			b.AddEdge(graph.Start, "a")
			g, err := b.Compile(cfg)
			require.NoError(t, err)
			res, err := g.Invoke(t.Context(), nil, on("t"))
			require.NoError(t, err)
			require.Equal(t, []string{"done 4"}, res.State.Log)
			require.Equal(t, 2, c.n["effect"])
		})
	}
}

func TestTallyCountsWithTheThread(t *testing.T) {
	ctx, store := t.Context(), checkpoint.NewMemory(nil)
	g := func() *graph.Graph[desk] {
		return deskGraph(t, &graph.Config{Store: store}, deskNodes{"a": func(ctx context.Context, _ desk) (graph.Command[desk], error) {
			n, err := graph.Tally(ctx, "runs")
			if err == nil && n < 3 {
				err = errTired
			}
			return deskCmd.Update(deskLog.Append(fmt.Sprint(n))), err
		}}, "START a")
	}
	_, err := g().Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, errTired)
	_, err = g().Resume(ctx, graph.Answers{}, on("t"))
	require.ErrorIs(t, err, errTired)
	res, err := g().Resume(ctx, graph.Answers{}, on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"3"}, res.State.Log)
}

func TestWhatOnceCannotKeep(t *testing.T) {
	ctx := t.Context()
	_, err := graph.Once(ctx, "k", func(context.Context) (int, error) { return 1, nil })
	require.ErrorIs(t, err, graph.ErrNotInTask)
	_, err = graph.Tally(ctx, "k")
	require.ErrorIs(t, err, graph.ErrNotInTask)
	g := deskGraph(t, onMemory(), deskNodes{"a": func(ctx context.Context, _ desk) (graph.Command[desk], error) {
		_, err := graph.Once(ctx, "l", func(context.Context) (chan int, error) { return nil, nil })
		require.ErrorContains(t, err, "cannot be stored")
		_, err = graph.Once(ctx, "m", func(context.Context) (string, error) { return "text", nil })
		require.NoError(t, err)
		_, err = graph.Once(ctx, "m", func(context.Context) (int, error) { return 1, nil })
		return graph.Command[desk]{}, err
	}}, "START a")
	_, err = g.Invoke(ctx, nil, on("t"))
	require.ErrorContains(t, err, `what was kept by the key "m" is not a int`)
}

func TestLongTermMemory(t *testing.T) {
	ctx := t.Context()
	remembers := func(ctx context.Context, d desk) (graph.Command[desk], error) {
		items, err := graph.LongTerm(ctx)
		if err != nil {
			return graph.Command[desk]{}, err
		}
		before := "nothing"
		if item, err := items.Get(ctx, []string{"topics"}, "last"); err == nil {
			require.NoError(t, json.Unmarshal(item.Value, &before))
		}
		value, err := json.Marshal(d.Topic)
		require.NoError(t, err)
		err = items.Put(ctx, checkpoint.Item{NS: []string{"topics"}, Key: "last", Value: value})
		return deskCmd.Update(deskLog.Append("before: " + before)), err
	}
	g := deskGraph(t, &graph.Config{Store: checkpoint.NewMemory(nil), Items: checkpoint.NewMemoryItems(nil)}, deskNodes{"a": remembers}, "START a")
	_, err := g.Invoke(ctx, graph.Input(deskTopic.Set("tea")), on("monday"))
	require.NoError(t, err)
	res, err := g.Invoke(ctx, graph.Input(deskTopic.Set("milk")), on("tuesday"))
	require.NoError(t, err)
	require.Equal(t, []string{"before: tea"}, res.State.Log, "it is shared by threads")
	_, err = g.On(checkpoint.NewMemory(nil), nil).Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrNoStore)
	_, err = graph.LongTerm(ctx)
	require.ErrorIs(t, err, graph.ErrNotInTask)
}
