package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/graph"
)

func TestAThreadGoesOnWhereItStands(t *testing.T) {
	ctx := t.Context()
	store := checkpoint.NewMemory(nil)
	compile := func() *graph.Graph[desk] { // as each process does
		return deskGraph(t, &graph.Config{Store: store}, deskNodes{"a": says("a"), "b": says("b")}, "START a", "a b")
	}
	res, err := compile().Invoke(ctx, graph.Input(deskTopic.Set("tea")), on("t"))
	require.NoError(t, err)
	require.Equal(t, 2, res.Step)
	res, err = compile().Invoke(ctx, nil, on("t"))
	require.NoError(t, err)
	require.Equal(t, desk{[]string{"a", "b", "a", "b"}, "tea"}, res.State)
	require.Equal(t, 5, res.Step, "steps count over the thread's life")
	other, err := compile().Invoke(ctx, nil, on("another"))
	require.NoError(t, err)
	require.Empty(t, other.State.Topic, "threads know nothing of each other")
}

func TestWhatThreadsAreRefused(t *testing.T) {
	ctx := t.Context()
	nodes := deskNodes{"a": says("a")}
	kept, bare := deskGraph(t, onMemory(), nodes, "START a"), deskGraph(t, nil, nodes, "START a")
	_, err := kept.Invoke(ctx, nil, on("t"))
	require.NoError(t, err)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	paused := on("t")
	paused.InterruptBefore = []string{"aa"}
	for name, c := range map[string]struct {
		g       *graph.Graph[desk]
		ctx     context.Context
		cfg     *graph.RunConfig
		want    error
		kind    graph.Kind
		refuses string // "both" runs and resumes, or "resume" only
	}{
		"no thread":          {kept, ctx, nil, graph.ErrNoThread, graph.KindStore, "both"},
		"unknown checkpoint": {kept, ctx, &graph.RunConfig{Thread: "t", At: "7"}, graph.ErrUnknown, graph.KindStore, "both"},
		"no number":          {kept, ctx, &graph.RunConfig{Thread: "t", At: "first"}, graph.ErrUnknown, graph.KindStore, "both"},
		"unknown thread, at": {kept, ctx, &graph.RunConfig{Thread: "u", At: "1"}, graph.ErrUnknown, graph.KindStore, "both"},
		"unknown thread":     {kept, ctx, on("u"), graph.ErrUnknown, graph.KindStore, "resume"},
		"no store":           {bare, ctx, on("t"), graph.ErrNoStore, graph.KindStore, "resume"},
		"no store, at":       {bare, ctx, &graph.RunConfig{At: "1"}, graph.ErrNoStore, graph.KindStore, "both"},
		"unknown node":       {kept, ctx, paused, graph.ErrUndeclared, graph.KindNode, "both"},
		"context is over":    {kept, gone, on("t"), graph.ErrCancelled, graph.KindCancelled, "both"},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(res graph.Result[desk], err error) {
				var placed *graph.Error
				require.ErrorIs(t, err, c.want)
				require.ErrorAs(t, err, &placed)
				require.Equal(t, c.kind, placed.Kind())
				require.NotEqual(t, graph.OutcomeDone, res.Outcome)
			}
			check(c.g.Resume(c.ctx, graph.Answers{}, c.cfg))
			if c.refuses == "both" {
				check(c.g.Invoke(c.ctx, nil, c.cfg))
			}
			var last error
			for _, err := range c.g.StreamResume(c.ctx, graph.Answers{}, c.cfg) {
				last = err
			}
			require.ErrorIs(t, last, c.want)
		})
	}
	require.Equal(t, "2", deskState(t, kept, "t", "").Checkpoint, "nothing of that has left a trace")
}

func TestAResumeRunsOnlyWhatIsLeft(t *testing.T) {
	ctx := t.Context()
	c := &calls{}
	cfg := onMemory()
	cfg.FinishSiblings = true
	g := deskGraph(t, cfg, deskNodes{"a": c.failing("a", 0), "b": c.failing("b", 1), "c": c.failing("c", 0)}, "START a", "START b", "a+b c")
	res, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, errTired)
	require.Equal(t, []string{"b"}, res.Next, "a is done, its result is kept")
	s := deskState(t, g, "t", "")
	require.Equal(t, []string{"b"}, s.Next)
	require.True(t, s.Tasks[0].Done)
	require.Equal(t, errTired.Error(), lastWords(": "+s.Tasks[1].Error))
	res, err = g.Resume(ctx, graph.Answers{}, on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, res.State.Log)
	require.Equal(t, map[string]int{"a": 1, "b": 2, "c": 1}, c.n)
	res, err = g.Resume(ctx, graph.Answers{}, on("t"))
	require.NoError(t, err, "where nothing is left the run is done at once")
	require.Equal(t, graph.OutcomeDone, res.Outcome)
}

func lastWords(text string) string { return text[strings.LastIndex(text, ": ")+2:] }

func TestNewInputDropsWhatIsDue(t *testing.T) {
	ctx := t.Context()
	c := &calls{}
	g := deskGraph(t, onMemory(), deskNodes{"a": c.failing("a", 2)}, "START a")
	_, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, errTired)
	var lines []byte
	for e, err := range g.Stream(ctx, nil, on("t")) {
		if err != nil {
			require.ErrorIs(t, err, errTired)
			break
		}
		if d, ok := e.(*graph.Dropped); ok {
			require.Equal(t, []string{"a"}, d.Nodes)
			lines, err = graph.AppendLines(lines, e)
			require.NoError(t, err)
		}
	}
	require.Contains(t, string(lines), `"type":"dropped"`)
	require.Contains(t, string(lines), `"data":["a"]`)
	res, err := g.Invoke(ctx, nil, on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, res.Dropped)
}

func TestAConflictDropsTheResultsOfItsStep(t *testing.T) {
	ctx := t.Context()
	c := &calls{}
	names := func(name string) graph.Node[desk] {
		return func(context.Context, desk) (graph.Command[desk], error) {
			if c.count(name) > 1 && name == "b" {
				return graph.Command[desk]{}, nil
			}
			return deskCmd.Update(deskTopic.Set(name)), nil
		}
	}
	g := deskGraph(t, onMemory(), deskNodes{"a": names("a"), "b": names("b")}, "START a", "START b")
	res, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInvalidUpdate)
	require.Equal(t, []string{"a", "b"}, res.Next)
	require.Equal(t, []string{"a", "b"}, deskState(t, g, "t", "").Next)
	res, err = g.Resume(ctx, graph.Answers{}, on("t"))
	require.NoError(t, err)
	require.Equal(t, "a", res.State.Topic)
	require.Equal(t, map[string]int{"a": 2, "b": 2}, c.n)
}

func TestTheLimitCountsAfreshInEachRun(t *testing.T) {
	ctx := t.Context()
	cfg := onMemory()
	cfg.RecursionLimit = 2
	g := deskGraph(t, cfg, deskNodes{"a": says("a"), "b": says("b"), "c": says("c")}, "START a", "a b", "b c")
	res, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrRecursionLimit)
	require.Equal(t, graph.OutcomeLimit, res.Outcome)
	require.Equal(t, []string{"c"}, res.Next)
	res, err = g.Resume(ctx, graph.Answers{}, on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, res.State.Log)
}

func TestDurabilitySaysWhatIsSavedWhen(t *testing.T) {
	ctx := t.Context()
	for name, c := range map[string]struct {
		mode graph.Durability
		rows []string
	}{
		"sync":  {graph.DurabilitySync, []string{"input", "loop", "loop"}},
		"async": {graph.DurabilityAsync, []string{"input", "loop", "loop"}},
		"exit":  {graph.DurabilityExit, []string{"loop"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := deskGraph(t, onMemory(), deskNodes{"a": says("a"), "b": says("b")}, "START a", "a b")
			cfg := on("t")
			cfg.Durability = c.mode
			_, err := g.Invoke(ctx, nil, cfg)
			require.NoError(t, err)
			require.Equal(t, c.rows, sources(t, g, "t"))
			require.Equal(t, 2, deskState(t, g, "t", "").Step)
		})
	}
}

// sources returns how the checkpoints of a thread were made, oldest first.
func sources(t *testing.T, g *graph.Graph[desk], thread string) (out []string) {
	t.Helper()
	for s, err := range g.History(t.Context(), thread, nil) {
		require.NoError(t, err)
		out = append([]string{s.Source}, out...)
	}
	return out
}

// busyDesk is a graph whose first call waits to be let go, or for its context.
func busyDesk(t *testing.T, store checkpoint.Store) (g *graph.Graph[desk], begun, leave chan struct{}) {
	begun, leave = make(chan struct{}), make(chan struct{})
	c := &calls{}
	g = deskGraph(t, &graph.Config{Store: store}, deskNodes{"a": func(ctx context.Context, d desk) (graph.Command[desk], error) {
		if c.count("a") > 1 {
			return says("second")(ctx, d)
		}
		close(begun)
		select {
		case <-leave:
			return says("first")(ctx, d)
		case <-ctx.Done():
			return graph.Command[desk]{}, context.Cause(ctx)
		}
	}}, "START a")
	return g, begun, leave
}

func TestABusyThread(t *testing.T) {
	ctx := t.Context()
	type end struct {
		res graph.Result[desk]
		err error
	}
	for name, c := range map[string]struct {
		busy  graph.Busy
		first error
		log   []string
	}{
		"enqueue":   {graph.BusyEnqueue, nil, []string{"first", "second"}},
		"interrupt": {graph.BusyInterrupt, graph.ErrTakenOver, []string{"second"}},
	} {
		t.Run(name, func(t *testing.T) {
			g, begun, leave := busyDesk(t, checkpoint.NewMemory(nil))
			first, second := make(chan end), make(chan end)
			can, cancel := context.WithCancel(ctx)
			defer cancel()
			go func() { res, err := g.Invoke(can, nil, on("t")); first <- end{res, err} }()
			<-begun
			_, err := g.Invoke(ctx, nil, on("t"))
			require.ErrorIs(t, err, graph.ErrBusy, "by default it is refused")
			_, err = g.Update(ctx, "t", "a", nil, nil)
			require.ErrorIs(t, err, graph.ErrBusy)
			_, err = g.Prune(ctx, "t", 1, graph.BusyReject)
			require.ErrorIs(t, err, graph.ErrBusy)
			_, err = g.Fork(ctx, "t", "", nil)
			require.ErrorIs(t, err, graph.ErrBusy)
			require.Equal(t, []string{"a"}, deskState(t, g, "t", "").Next, "reading is always possible")
			go func() {
				res, err := g.Invoke(ctx, nil, &graph.RunConfig{Thread: "t", Busy: c.busy})
				second <- end{res, err}
			}()
			if c.first == nil {
				close(leave)
			}
			one := <-first
			require.ErrorIs(t, one.err, c.first)
			if c.first != nil {
				require.Equal(t, graph.OutcomeCancelled, one.res.Outcome)
			}
			two := <-second
			require.NoError(t, two.err)
			require.Equal(t, c.log, two.res.State.Log)
		})
	}
}

func TestADrainEndsARunBehindTheStepAtWork(t *testing.T) {
	ctx := t.Context()
	drain := make(chan struct{})
	g := deskGraph(t, onMemory(), deskNodes{"a": func(ctx context.Context, d desk) (graph.Command[desk], error) {
		close(drain)
		return says("a")(ctx, d)
	}, "b": says("b")}, "START a", "a b")
	res, err := g.Invoke(ctx, nil, &graph.RunConfig{Thread: "t", Drain: drain})
	require.ErrorIs(t, err, graph.ErrDrained)
	require.ErrorIs(t, err, graph.ErrCancelled)
	require.Equal(t, graph.OutcomeCancelled, res.Outcome)
	require.Equal(t, []string{"b"}, res.Next)
	res, err = g.Resume(ctx, graph.Answers{}, on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, res.State.Log)
}

func TestAStoreThatFails(t *testing.T) {
	ctx := t.Context()
	broken := errors.New("the disk is full")
	for n := 1; ; n++ {
		store := checkpointtest.NewFailing(checkpoint.NewMemory(nil))
		g := deskGraph(t, &graph.Config{Store: store}, deskNodes{"a": says("a"), "b": says("b")}, "START a", "a b")
		store.FailAt(n, broken, false)
		_, err := g.Invoke(ctx, nil, on("t"))
		if store.Count() < n {
			require.NoError(t, err)
			require.Greater(t, n, 3, "a run claims, loads and appends")
			return
		}
		var placed *graph.Error
		require.ErrorIs(t, err, graph.ErrStore, "call %d", n)
		require.ErrorIs(t, err, broken)
		require.ErrorAs(t, err, &placed)
		require.Equal(t, graph.KindStore, placed.Kind())
	}
}

func TestOnAnotherStore(t *testing.T) {
	ctx := t.Context()
	g := deskGraph(t, onMemory(), deskNodes{"a": says("a")}, "START a")
	_, err := g.Invoke(ctx, nil, on("t"))
	require.NoError(t, err)
	other := g.On(checkpoint.NewMemory(nil), nil)
	_, err = other.State(ctx, "t", "")
	require.ErrorIs(t, err, graph.ErrUnknown)
	res, err := other.Invoke(ctx, nil, on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, res.State.Log)
}
