package graph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// noting is a store in memory that notes the rows of what it has stored.
type noting struct {
	checkpoint.Store
	mu   sync.Mutex
	got  []string
	last checkpoint.Writer
}

func newNoting() *noting { return &noting{Store: checkpoint.NewMemory(nil)} }

func (n *noting) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	w, err := n.Store.Claim(ctx, thread, busy)
	if err != nil {
		return nil, err
	}
	n.last = &notingWriter{w, n, thread}
	return n.last, nil
}

type notingWriter struct {
	checkpoint.Writer
	to     *noting
	thread string
}

func (w *notingWriter) Append(ctx context.Context, parts []checkpoint.Part) error {
	if err := w.Writer.Append(ctx, parts); err != nil {
		return err
	}
	w.to.mu.Lock()
	defer w.to.mu.Unlock()
	for _, p := range parts {
		for _, c := range p.Commits {
			place := strings.TrimSuffix(w.thread+" "+strings.ReplaceAll(p.NS, "\x00", "/"), " ")
			for _, r := range c.Index {
				w.to.got = append(w.to.got, fmt.Sprintf("%s #%d %s %s %v", place, c.Seq, r.Table, r.Key, r.Columns))
			}
		}
	}
	return nil
}

// take returns what was noted and forgets it.
func (n *noting) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	defer func() { n.got = nil }()
	return n.got
}

// turn is an index that tells what it was called with.
func turn(before, after desk) []checkpoint.Row {
	return []checkpoint.Row{{Table: "turns", Key: strings.Join(before.Log, "") + ">" + strings.Join(after.Log, "")}}
}

// topics is an index with a row for a topic that is new.
func topics(before, after desk) []checkpoint.Row {
	if before.Topic == after.Topic {
		return nil
	}
	return []checkpoint.Row{{Table: "topics", Key: after.Topic, Columns: []checkpoint.Column{{Name: "said", Value: int64(len(after.Log))}}}}
}

type deskIndex = func(before, after desk) []checkpoint.Row

// indexedDesk makes a graph of a and b, with indexes; b asks.
func indexedDesk(t testing.TB, store checkpoint.Store, indexes ...deskIndex) *graph.Graph[desk] {
	t.Helper()
	b := graph.New(deskSchema)
	b.AddNode("a", says("a"), nil)
	b.AddNode("b", inquires("", "b?"), nil)
	b.AddEdge(graph.Start, "a")
	b.AddEdge("a", "b")
	for _, rows := range indexes {
		b.AddIndex(rows)
	}
	g, err := b.Compile(&graph.Config{Store: store})
	require.NoError(t, err)
	return g
}

func TestIndexRowsGoWithTheCommitsOfSteps(t *testing.T) {
	steps := []string{"t #1 turns >. []", "t #1 topics tea [{said 1}]", "t #2 turns .>.a []"}
	rest := []string{"t #3 turns .a>.ab? yes []"}
	for _, d := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			store := newNoting()
			g := indexedDesk(t, store, turn, topics)
			cfg := on("t")
			cfg.Durability = d
			_, err := g.Invoke(t.Context(), graph.Input(deskTopic.Set("tea"), deskLog.Append(".")), cfg)
			require.ErrorIs(t, err, graph.ErrInterrupted)
			if d == graph.DurabilityExit { // one commit, of all that the run did
				steps = []string{"t #2 turns >.a []", "t #2 topics tea [{said 2}]"}
			}
			require.Equal(t, steps, store.take())
			_, err = g.Resume(t.Context(), graph.Answer("yes"), cfg)
			require.NoError(t, err)
			require.Equal(t, rest, store.take(), "the state before is that of the thread")
			_, err = g.Resume(t.Context(), graph.Answers{}, cfg)
			require.NoError(t, err)
			require.Empty(t, store.take(), "nothing was left to do")
		})
	}
}

func TestIndexRowsOfUpdatesAndForks(t *testing.T) {
	ctx, store := t.Context(), newNoting()
	g := indexedDesk(t, store, turn)
	_, err := g.Invoke(ctx, graph.Input(deskLog.Append(".")), on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	store.take()
	for _, c := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"an update", func() error {
			_, err := g.Update(ctx, "t", "b", graph.Input(deskLog.Append("u")), nil)
			return err
		}, []string{"t #3 turns .a>.au []"}},
		{"a fork", func() error {
			_, err := g.Fork(ctx, "t", "1", nil)
			return err
		}, nil},
		{"a fork to its own thread", func() error {
			_, err := g.Fork(ctx, "t", "1", &graph.ForkConfig{To: "t"})
			return err
		}, nil},
		{"an update of an older checkpoint", func() error {
			_, err := g.Update(ctx, "t", "b", graph.Input(deskLog.Append("v")), &graph.UpdateConfig{At: "2"})
			return err
		}, []string{"t #7 turns .a>.av []"}},
		{"a run from an older checkpoint", func() error {
			cfg := on("t")
			cfg.At, cfg.Durability = "1", graph.DurabilityExit
			_, err := g.Invoke(ctx, graph.Input(deskLog.Append("!")), cfg)
			if errors.Is(err, graph.ErrInterrupted) {
				return nil
			}
			return err
		}, []string{"t #10 turns .>.!a []"}},
		{"a fork into a new thread", func() error {
			_, err := g.Fork(ctx, "t", "3", &graph.ForkConfig{To: "new"})
			return err
		}, []string{"new #11 turns >.au []"}},
		{"a prune", func() error {
			_, err := g.Prune(ctx, "t", 1, graph.BusyReject)
			return err
		}, nil},
	} {
		require.NoError(t, c.do(), c.name)
		require.Equal(t, c.want, store.take(), c.name)
	}
}

// indexedHost runs a graph of x and what follows it, with an index, as the node
// of another one.
func indexedHost(t testing.TB, store checkpoint.Store, follow ...graph.Node[desk]) *graph.Graph[desk] {
	t.Helper()
	inner, last := graph.New(deskSchema), "x"
	inner.AddNode(last, says("x"), nil)
	inner.AddEdge(graph.Start, last)
	for _, node := range follow {
		next := string(last[0] + 1)
		inner.AddNode(next, node, nil)
		inner.AddEdge(last, next)
		last = next
	}
	inner.AddIndex(turn)
	sub, err := inner.Compile(nil)
	require.NoError(t, err)
	b := graph.New(deskSchema)
	graph.AddSubgraph(b, "host", sub, &graph.Mount[desk, desk]{
		NodeConfig: graph.NodeConfig{Retry: &graph.RetryPolicy{InitialInterval: -1, MaxAttempts: 3}},
	})
	b.AddEdge(graph.Start, "host")
	b.AddIndex(func(before, after desk) []checkpoint.Row {
		rows := turn(before, after)
		rows[0].Table = "outer"
		return rows
	})
	g, err := b.Compile(&graph.Config{Store: store})
	require.NoError(t, err)
	return g
}

func TestIndexRowsOfSubgraphs(t *testing.T) {
	for name, c := range map[string]struct {
		mode       graph.Durability
		want, rest []string
	}{
		"sync": {graph.DurabilitySync,
			[]string{"t #1 outer >. []", "t 1.0 #1 turns >. []", "t 1.0 #2 turns .>.x []"},
			[]string{"t 1.0 #3 turns .x>.xy? yes []", "t #2 outer .>.xy? yes []"}},
		"exit, where a run that has ended leaves no log": {graph.DurabilityExit,
			[]string{"t 1.0 #2 turns >.x []", "t #1 outer >. []"},
			[]string{"t #2 outer .>.xy? yes []"}},
	} {
		t.Run(name, func(t *testing.T) {
			store := newNoting()
			g := indexedHost(t, store, inquires("", "y?"))
			cfg := on("t")
			cfg.Durability = c.mode
			_, err := g.Invoke(t.Context(), graph.Input(deskLog.Append(".")), cfg)
			require.ErrorIs(t, err, graph.ErrInterrupted)
			require.Equal(t, c.want, store.take())
			_, err = g.Resume(t.Context(), graph.Answer("yes"), cfg)
			require.NoError(t, err)
			require.Equal(t, c.rest, store.take())
		})
	}
}

// A subgraph's run that goes on with what an attempt before has done keeps the
// rows of that attempt.
func TestIndexRowsOfAttemptsInExitMode(t *testing.T) {
	store, tries := newNoting(), &calls{}
	g := indexedHost(t, store, tries.failing("y", 2), inquires("", "z?")) // the second attempt brings nothing
	cfg := on("t")
	cfg.Durability = graph.DurabilityExit
	_, err := g.Invoke(t.Context(), graph.Input(deskLog.Append(".")), cfg)
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Equal(t, []string{"t 1.0 #3 turns >.x []", "t 1.0 #3 turns .x>.xy []", "t #1 outer >. []"}, store.take())
}

func TestIndexRowsOfRecords(t *testing.T) {
	schema, err := state.NewRecordSchema(state.RecordField{Name: "n", Reduce: state.ReduceSum, Type: "int"})
	require.NoError(t, err)
	more, err := schema.Write("n", 1)
	require.NoError(t, err)
	var cmd graph.Commands[state.Record]
	for _, d := range []graph.Durability{graph.DurabilitySync, graph.DurabilityExit} {
		b := graph.New(schema.Schema)
		for i, name := range []string{"a", "b", "c"} {
			b.AddNode(name, func(context.Context, state.Record) (graph.Command[state.Record], error) { return cmd.Update(more), nil }, nil)
			b.AddEdge([]string{graph.Start, "a", "b"}[i], name)
		}
		b.AddIndex(func(before, after state.Record) []checkpoint.Row {
			x, _ := before.Get("n")
			y, _ := after.Get("n")
			return []checkpoint.Row{{Table: "sums", Key: fmt.Sprint(x, ">", y)}}
		})
		store := newNoting()
		g, err := b.Compile(&graph.Config{Store: store})
		require.NoError(t, err)
		_, err = g.Invoke(t.Context(), nil, &graph.RunConfig{Thread: "t", Durability: d})
		require.NoError(t, err)
		want := []string{"t #1 sums 0>0 []", "t #2 sums 0>1 []", "t #3 sums 1>2 []", "t #4 sums 2>3 []"}
		if d == graph.DurabilityExit {
			want = []string{"t #4 sums 0>3 []"}
		}
		require.Equal(t, want, store.take())
	}
}

func TestAnIndexIsNotCalledWithoutAStore(t *testing.T) {
	g := indexedDesk(t, nil, func(desk, desk) []checkpoint.Row { panic("it was") })
	_, err := g.Invoke(t.Context(), nil, nil)
	require.ErrorIs(t, err, graph.ErrNoStore, "b asks")
}

func TestAnIndexNeedsAFunction(t *testing.T) {
	b := graph.New(deskSchema)
	b.AddNode("a", says("a"), nil)
	b.AddEdge(graph.Start, "a")
	b.AddIndex(nil)
	_, err := b.Compile(nil)
	require.ErrorIs(t, err, graph.ErrInvalidGraph)
	require.ErrorContains(t, err, "index_test.go:")
	require.ErrorContains(t, err, "an index has no function")
}

// breaks makes an index that does something bad behind node a.
func breaks(bad func() []checkpoint.Row) deskIndex {
	return func(before, after desk) []checkpoint.Row {
		if strings.HasSuffix(strings.Join(after.Log, ""), "a") {
			return bad()
		}
		return turn(before, after)
	}
}

func TestAnIndexThatFails(t *testing.T) {
	panics := breaks(func() []checkpoint.Row { panic("no rows today") })
	for name, c := range map[string]struct {
		index deskIndex
		text  string
		kind  graph.Kind
		is    error
	}{
		"panic":       {panics, `graph: thread "t": step %d: index: panic: no rows today`, graph.KindNode, nil},
		"panic error": {breaks(func() []checkpoint.Row { panic(errTired) }), `graph: thread "t": step %d: index: panic: tired`, graph.KindNode, errTired},
		"goexit":      {breaks(func() []checkpoint.Row { runtime.Goexit(); return nil }), `graph: thread "t": step %d: index: runtime.Goexit was called`, graph.KindNode, graph.ErrGoexit},
		"invalid": {breaks(func() []checkpoint.Row {
			return []checkpoint.Row{{Table: "turns", Key: "k", Columns: []checkpoint.Column{{Name: "n", Value: 1}}}}
		}), `graph: thread "t": step %d: the store failed: index: checkpoint: invalid: table "turns": row "k": column "n": a value is nil, bool, int64, float64, string or []byte, not int`, graph.KindStore, checkpoint.ErrInvalid},
	} {
		for _, d := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
			for _, ctx := range []context.Context{context.Background(), t.Context()} {
				t.Run(fmt.Sprint(name, d, ctx.Done() == nil), func(t *testing.T) {
					failsOnce(t, ctx, d, c.index, func(err error) {
						var placed *graph.Error
						step := 1
						if d == graph.DurabilityExit { // where the run ends
							step = 2
						}
						require.EqualError(t, err, fmt.Sprintf(c.text, step))
						require.ErrorAs(t, err, &placed)
						require.Equal(t, c.kind, placed.Kind())
						if c.is != nil {
							require.ErrorIs(t, err, c.is)
						}
						if strings.HasPrefix(name, "panic") {
							var p *graph.PanicError
							require.ErrorAs(t, err, &p)
							require.Contains(t, string(p.Stack), "index_test.go")
						}
					})
				})
			}
		}
	}
}

// failsOnce lets a run fail by its index, and another one, whose index is
// sound, go on behind it.
func failsOnce(t *testing.T, ctx context.Context, d graph.Durability, bad deskIndex, check func(error)) {
	store := newNoting()
	cfg := &graph.RunConfig{Thread: "t", Durability: d}
	res, err := indexedDesk(t, store, bad).Invoke(ctx, nil, cfg)
	check(err)
	require.Equal(t, graph.OutcomeFailed, res.Outcome)
	sound := indexedDesk(t, store, turn)
	if d == graph.DurabilityExit {
		require.Empty(t, store.take())
		_, err := sound.State(ctx, "t", "")
		require.ErrorIs(t, err, graph.ErrUnknown, "the whole run is one commit")
		return
	}
	require.Equal(t, []string{"t #1 turns > []"}, store.take(), "what was before is kept")
	require.Equal(t, []string{"a"}, deskState(t, sound, "t", "").Next)
	_, err = sound.Resume(ctx, graph.Answers{}, cfg)
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Equal(t, []string{"t #2 turns >a []"}, store.take())
}

func TestAnIndexThatFailsLeavesForksAndUpdatesUndone(t *testing.T) {
	ctx, store := t.Context(), newNoting()
	sound := indexedDesk(t, store, turn)
	_, err := sound.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	store.take()
	bad := indexedDesk(t, store, func(desk, desk) []checkpoint.Row { panic("no rows today") })
	var p *graph.PanicError
	_, err = bad.Update(ctx, "t", "b", graph.Input(deskLog.Append("u")), nil)
	require.ErrorAs(t, err, &p)
	_, err = bad.Update(ctx, "t", "b", graph.Input(deskLog.Append("u")), &graph.UpdateConfig{At: "1"})
	require.ErrorAs(t, err, &p)
	_, err = bad.Fork(ctx, "t", "", &graph.ForkConfig{To: "new"})
	require.ErrorAs(t, err, &p)
	require.NotErrorIs(t, err, graph.ErrStore)
	require.Empty(t, store.take())
	_, err = sound.State(ctx, "new", "")
	require.ErrorIs(t, err, graph.ErrUnknown, "nothing was copied")
	require.Equal(t, "2", deskState(t, sound, "t", "").Checkpoint)
}
