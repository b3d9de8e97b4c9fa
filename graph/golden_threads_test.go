package graph_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// The golden cases that take a thread, observed on LangGraph as the others.

// G3 on a thread: LangGraph raises the conflict again whenever the thread is
// read or gone on with; here it can be read, the step is tried again by a
// resume, and new input ends it.
func TestG03AThreadBehindAConflict(t *testing.T) {
	writes := func(s string) pageNode {
		return func(_ context.Context, p Page) (pageCmd, error) {
			if p.W == "agree" {
				return pageCmd{}, nil
			}
			return page.Update(pageV.Set(s)), nil
		}
	}
	g := keptGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, map[string]pageNode{"a": writes("a"), "b": writes("b")}) })
	for i, again := range []func() (graph.Result[Page], error){
		func() (graph.Result[Page], error) { return begin(g, pageX.Append("in")) },
		func() (graph.Result[Page], error) { return goOn(g) },
	} {
		_, err := again()
		require.ErrorIs(t, err, state.ErrConflict, i)
		require.Equal(t, []string{"a", "b"}, stands(t, g).Next)
		require.Equal(t, []string{"in"}, stands(t, g).Values.X)
	}
	out, err := begin(g, pageW.Set("agree"))
	require.Equal(t, []string{"a", "b"}, out.Dropped)
	require.Equal(t, []string{"in"}, ended(t, out, err).X)
}

// G7, second run: the thread goes on where the limit stopped it, as on
// LangGraph, which takes a limit with each call. Here the limit is the
// graph's, and every run and resume has it anew.
func TestG07AResumeHasItsOwnLimit(t *testing.T) {
	g := keptGraph(t, &graph.Config{RecursionLimit: 3}, func(b *graph.Builder[Page]) {
		b.AddNode("a", appends("a"), nil)
		b.AddEdge(graph.Start, "a")
		b.AddChoice("a", func(s Page) string {
			if len(s.X) < 6 {
				return "a"
			}
			return graph.End
		}, "a", graph.End)
	})
	out, err := begin(g)
	require.ErrorIs(t, err, graph.ErrRecursionLimit)
	require.Equal(t, graph.OutcomeLimit, out.Outcome)
	require.Equal(t, []string{"a"}, stands(t, g).Next)
	require.Len(t, stands(t, g).Values.X, 3)
	out, err = goOn(g)
	require.Len(t, ended(t, out, err).X, 6)
	require.Equal(t, 6, out.Step)
}

// G10 on a thread: run 1 reaches only a, run 2 only b. On LangGraph c runs in
// run 2.
func TestG10HalfFilledWaitsDoNotOutliveTheRun(t *testing.T) {
	g := keptGraph(t, nil, waitsForBoth)
	out, err := begin(g)
	require.Equal(t, []string{"a"}, ended(t, out, err).X)
	out, err = begin(g, pageV.Set("b"), pageW.Set("no a"))
	require.Equal(t, []string{"a", "b"}, ended(t, out, err).X)
}

// pausing is the chain a, b, c with pauses before and behind b.
func pausing(t testing.TB) *graph.Graph[Page] {
	t.Helper()
	return keptGraph(t, &graph.Config{InterruptBefore: []string{"b"}, InterruptAfter: []string{"b"}}, func(b *graph.Builder[Page]) { chain(b, "a", "b", "c") })
}

// G11: a stop before b, one behind b, then the end. LangGraph's history has a
// row more, step -1, with the input before it is applied.
func TestG11PausesBeforeAndBehindANode(t *testing.T) {
	g := pausing(t)
	out, err := begin(g, pageX.Append("in"))
	require.Equal(t, []string{"b"}, paused(t, out, err).Next)
	require.Empty(t, out.Interrupts)
	out, err = goOn(g)
	require.Equal(t, []string{"c"}, paused(t, out, err).Next)
	out, err = goOn(g)
	require.Equal(t, []string{"in", "a", "b", "c"}, ended(t, out, err).X)
	require.Equal(t, []string{"loop 3: in a b c > ", "loop 2: in a b > c", "loop 1: in a > b", "input 0: in > a"}, rows(t, g))
}

// pausedTwice is the thread of G11 at its end.
func pausedTwice(t testing.TB) *graph.Graph[Page] {
	t.Helper()
	g := pausing(t)
	out, err := begin(g, pageX.Append("in"))
	paused(t, out, err)
	out, err = goOn(g)
	paused(t, out, err)
	out, err = goOn(g)
	ended(t, out, err)
	return g
}

// G12: the thread of G11 goes on from the checkpoint of step 1: b runs, without
// a stop before it, and there is a stop behind it. The history has a fork and
// a step more, as on LangGraph.
func TestG12GoingOnFromAnEarlierCheckpoint(t *testing.T) {
	g := pausedTwice(t)
	out, err := from(g, atStep(t, g, 1), graph.Answers{})
	require.Equal(t, []string{"c"}, paused(t, out, err).Next)
	require.Equal(t, []string{"loop 3: in a b > c", "fork 2: in a > b"}, rows(t, g)[:2])
	require.Len(t, rows(t, g), 6)
}

// G13: new input at the checkpoint of step 1 of G11. Here a fork of it is made
// first, as for every run that begins at a checkpoint; LangGraph writes the
// input behind the checkpoint itself.
func TestG13NewInputAtAnEarlierCheckpoint(t *testing.T) {
	g := pausedTwice(t)
	out, err := g.Invoke(context.Background(), graph.Input(pageX.Append("new")), &graph.RunConfig{Thread: "t", At: atStep(t, g, 1)})
	require.Equal(t, []string{"b"}, paused(t, out, err).Next)
	require.Equal(t, []string{"b"}, out.Dropped)
	require.Equal(t, []string{"loop 4: in a new a > b", "input 3: in a new > a", "fork 2: in a > b", "loop 3: in a b c > "}, rows(t, g)[:4])
}

// G14, second run: what is done is not done again, and the updates are applied
// in their order. LangGraph's state shows what ok wrote at once; here it is
// that of the last step that was applied.
func TestG14WhatIsDoneIsNotDoneAgain(t *testing.T) {
	var ok, bad atomic.Int32
	g := keptGraph(t, &graph.Config{FinishSiblings: true}, func(b *graph.Builder[Page]) {
		beside(b, map[string]pageNode{
			"ok": counted(&ok, appends("ok")),
			"bad": counted(&bad, func(context.Context, Page) (pageCmd, error) {
				if bad.Load() == 1 {
					return pageCmd{}, errBroken
				}
				return page.Update(pageX.Append("bad")), nil
			}),
		})
	})
	_, err := begin(g)
	require.ErrorIs(t, err, errBroken)
	s := stands(t, g)
	require.Equal(t, []string{"bad"}, s.Next)
	require.Empty(t, s.Values.X)
	require.Equal(t, errBroken.Error(), s.Tasks[0].Error)
	require.True(t, s.Tasks[1].Done)
	var told []string
	for u, err := range graph.Updates(g.StreamResume(context.Background(), graph.Answers{}, onT)) {
		require.NoError(t, err)
		told = append(told, u.Node)
	}
	require.Equal(t, []string{"bad"}, told) // LangGraph tells ok's update again, marked as cached
	require.Equal(t, []string{"bad", "ok"}, stands(t, g).Values.X)
	require.EqualValues(t, 1, ok.Load())
	require.EqualValues(t, 2, bad.Load())
}

// askBeside has a node that asks and one beside it.
func askBeside(t testing.TB, p pageNode) *graph.Graph[Page] {
	t.Helper()
	return keptGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, map[string]pageNode{"ask": questioner, "p": p}) })
}

// G15: p is done although the node beside it asks, and is not done again.
// LangGraph's values show what p wrote while the question is open; here the
// step is not applied yet.
func TestG15AQuestionDoesNotStopTheOthers(t *testing.T) {
	var calls atomic.Int32
	g := askBeside(t, counted(&calls, appends("p")))
	out, err := begin(g)
	require.Empty(t, paused(t, out, err).State.X)
	require.Equal(t, []string{"ask"}, out.Next)
	require.Len(t, out.Interrupts, 1)
	require.Equal(t, "what? ", out.Interrupts[0].Value)
	out, err = answered(g, "yes")
	require.Equal(t, []string{"yes", "p"}, ended(t, out, err).X)
	require.EqualValues(t, 1, calls.Load())
}

// G16: the thread of G15 is answered at the checkpoint by name: that is a fork,
// where p runs a second time, as on LangGraph.
func TestG16AnAnswerAtACheckpointRunsTheStepAgain(t *testing.T) {
	var calls atomic.Int32
	g := askBeside(t, counted(&calls, appends("p")))
	_, err := begin(g)
	require.ErrorIs(t, err, graph.ErrInterrupted)
	out, err := from(g, stands(t, g).Checkpoint, graph.Answer("yes"))
	require.Equal(t, []string{"yes", "p"}, ended(t, out, err).X)
	require.EqualValues(t, 2, calls.Load())
}

// sendsThree sends p, q and r to a node that asks.
func sendsThree(b *graph.Builder[Page]) {
	b.AddNode("split", gives(page.Send(
		page.To("ask", pageItem.Set("p")), page.To("ask", pageItem.Set("q")), page.To("ask", pageItem.Set("r")),
	)), &graph.NodeConfig{Send: []string{"ask"}})
	b.AddNode("ask", questioner, nil)
	b.AddEdge(graph.Start, "split")
}

// G17: three tasks of one node ask; the answers come by id, in part and in
// another order; the last one needs no id. Updates are applied in the order of
// the sends. An id that is not known is an error here, and none of the answers
// beside it counts; LangGraph passes it over, and shows answered tasks at once.
func TestG17AnswersByID(t *testing.T) {
	g := keptGraph(t, nil, sendsThree)
	out, err := begin(g)
	require.Len(t, paused(t, out, err).Interrupts, 3)
	p, q := out.Interrupts[0].ID, out.Interrupts[1].ID
	byID := func(answers map[string]any) (graph.Result[Page], error) {
		return g.Resume(context.Background(), graph.AnswerByID(answers), onT)
	}
	_, err = answered(g, "which?")
	require.ErrorIs(t, err, graph.ErrAnswer)
	out, err = byID(map[string]any{q: "1"})
	require.Len(t, paused(t, out, err).Interrupts, 2)
	require.Equal(t, []string{"ask", "ask"}, out.Next)
	_, err = byID(map[string]any{p: "2", "unknown": 9})
	require.ErrorIs(t, err, graph.ErrAnswer)
	require.ErrorContains(t, err, "unknown")
	require.Len(t, stands(t, g).Interrupts, 2)
	out, err = byID(map[string]any{p: "2"})
	require.Len(t, paused(t, out, err).Interrupts, 1)
	require.Equal(t, "what? r", out.Interrupts[0].Value)
	out, err = answered(g, "3")
	require.Equal(t, []string{"p2", "q1", "r3"}, ended(t, out, err).X)
}

// G18: the same checkpoint is answered with A and, by its name, with B. On
// LangGraph both return A; here the fork asks again and takes B.
func TestG18AForkDoesNotKnowOldAnswers(t *testing.T) {
	g := keptGraph(t, nil, func(b *graph.Builder[Page]) { beside(b, map[string]pageNode{"ask": questioner}) })
	_, err := begin(g)
	require.ErrorIs(t, err, graph.ErrInterrupted)
	open := stands(t, g).Checkpoint
	out, err := answered(g, "A")
	require.Equal(t, []string{"A"}, ended(t, out, err).X)
	out, err = from(g, open, graph.Answer("B"))
	require.Equal(t, []string{"B"}, ended(t, out, err).X)
	out, err = from(g, open, graph.Answers{})
	require.Len(t, paused(t, out, err).Interrupts, 1)
	out, err = answered(g, "C")
	require.Equal(t, []string{"C"}, ended(t, out, err).X)
}

// G19: one node fails while another one waits for an answer. The run fails,
// and the question stays open.
func TestG19AFailureBesideAQuestion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var calls atomic.Int32
		g := askBeside(t, counted(&calls, func(context.Context, Page) (pageCmd, error) {
			if calls.Load() == 1 {
				time.Sleep(10 * time.Millisecond) // the question is asked first
				return pageCmd{}, errBroken
			}
			return page.Update(pageX.Append("p")), nil
		}))
		out, err := begin(g)
		require.ErrorIs(t, err, errBroken)
		require.Equal(t, graph.OutcomeFailed, out.Outcome)
		require.Equal(t, []string{"ask", "p"}, stands(t, g).Next)
		require.Len(t, stands(t, g).Interrupts, 1)
		out, err = answered(g, "yes")
		require.Equal(t, []string{"yes", "p"}, ended(t, out, err).X)
	})
}

// G23: a subgraph asks at its second node: the first one does not run again.
// Questions have other ids in a fork.
func TestG23AQuestionInASubgraph(t *testing.T) {
	var first, second atomic.Int32
	sub := pageGraph(t, nil, func(b *graph.Builder[Page]) {
		b.AddNode("first", counted(&first, appends("first")), nil)
		b.AddNode("second", counted(&second, questioner), nil)
		b.AddEdge(graph.Start, "first")
		b.AddEdge("first", "second")
	})
	g := keptGraph(t, nil, func(b *graph.Builder[Page]) {
		graph.AddSubgraph[Page, Page](b, "host", sub, nil)
		b.AddEdge(graph.Start, "host")
	})
	out, err := begin(g)
	asked := paused(t, out, err).Interrupts[0]
	require.Equal(t, "second", asked.Node)
	require.Equal(t, []string{"host"}, asked.NS)
	open := stands(t, g).Checkpoint
	out, err = answered(g, "yes")
	require.Equal(t, []string{"first", "yes"}, ended(t, out, err).X)
	require.EqualValues(t, 1, first.Load())
	require.EqualValues(t, 2, second.Load())
	out, err = from(g, open, graph.Answers{})
	require.NotEqual(t, asked.ID, paused(t, out, err).Interrupts[0].ID)
	require.EqualValues(t, 2, first.Load())
}

// G25: the state is written to as a while a and b are due: what follows a is
// due then, and nothing else; here it is told that b was dropped, and Keep
// leaves it due.
func TestG25AnUpdateAsANode(t *testing.T) {
	for keep, want := range map[bool]string{false: "a2", true: "a2 b"} {
		g := keptGraph(t, &graph.Config{InterruptBefore: []string{"a"}}, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{"a": appends("a"), "b": appends("b")})
			nodes(b, "a2", "b2")
			lead(b, "a>a2", "b>b2")
		})
		_, err := begin(g)
		require.ErrorIs(t, err, graph.ErrInterrupted)
		u, err := g.Update(context.Background(), "t", "a", graph.Input(pageX.Append("as a")), &graph.UpdateConfig{Keep: keep})
		require.NoError(t, err)
		slices.Sort(u.Next)
		require.Equal(t, want, strings.Join(u.Next, " "))
		require.Equal(t, !keep, slices.Equal(u.Dropped, []string{"b"}))
		require.Equal(t, "update", stands(t, g).Source)
		require.Equal(t, []string{"as a"}, stands(t, g).Values.X)
	}
}

// G26: nothing is left on the thread. A resume returns what there is, without
// a step; an answer is an error here, where LangGraph passes it over. There is
// no run with an update alone: Update is that, and it is saved, which
// LangGraph's is not.
func TestG26AFinishedThread(t *testing.T) {
	g := keptGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "a") })
	out, err := begin(g)
	require.Equal(t, []string{"a"}, ended(t, out, err).X)
	before := rows(t, g)
	out, err = goOn(g)
	require.Equal(t, []string{"a"}, ended(t, out, err).X)
	_, err = answered(g, "yes")
	require.ErrorIs(t, err, graph.ErrAnswer)
	require.Equal(t, before, rows(t, g))
	_, err = g.Update(context.Background(), "t", "a", graph.Input(pageX.Append("more")), nil)
	require.NoError(t, err)
	require.Equal(t, append([]string{"update 2: a more > "}, before...), rows(t, g))
}

// G27: LangGraph takes a command that goes to a node as the input of a finished
// thread. Here an update as the node that leads there does it.
func TestG27GoingToANodeOfAFinishedThread(t *testing.T) {
	g := keptGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "a", "b") })
	out, err := begin(g)
	require.Equal(t, []string{"a", "b"}, ended(t, out, err).X)
	u, err := g.Update(context.Background(), "t", "a", nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, u.Next)
	out, err = goOn(g)
	require.Equal(t, []string{"a", "b", "b"}, ended(t, out, err).X)
}

// G28 on a thread: what was done when the run was cancelled is kept, and the
// task that was at work is left to do. LangGraph notes a CancelledError for
// it; here it has no error, for it is not at fault.
func TestG28WhatIsDoneWhenCancelledIsKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var fast, slow atomic.Int32
		g := keptGraph(t, nil, func(b *graph.Builder[Page]) {
			beside(b, map[string]pageNode{
				"fast": counted(&fast, appends("fast")),
				"slow": counted(&slow, func(ctx context.Context, s Page) (pageCmd, error) {
					if slow.Load() == 1 {
						return waits()(ctx, s)
					}
					return page.Update(pageX.Append("slow")), nil
				}),
			})
		})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := g.Invoke(ctx, nil, onT)
		require.ErrorIs(t, err, graph.ErrCancelled)
		s := stands(t, g)
		require.Equal(t, []string{"slow"}, s.Next)
		require.True(t, s.Tasks[0].Done)
		require.False(t, s.Tasks[1].Done)
		require.Empty(t, s.Tasks[1].Error)
		out, err := goOn(g)
		require.Equal(t, []string{"fast", "slow"}, ended(t, out, err).X)
		require.EqualValues(t, 1, fast.Load())
	})
}

// G31: with DurabilityExit a run makes one checkpoint, and with a failure what
// is done is kept beside it.
func TestG31SavingAtTheEnd(t *testing.T) {
	cfg := &graph.RunConfig{Thread: "t", Durability: graph.DurabilityExit}
	g := keptGraph(t, nil, func(b *graph.Builder[Page]) { chain(b, "a", "b", "c") })
	out, err := g.Invoke(context.Background(), nil, cfg)
	require.Equal(t, []string{"a", "b", "c"}, ended(t, out, err).X)
	require.Equal(t, []string{"loop 3: a b c > "}, rows(t, g))

	var ok atomic.Int32
	g = keptGraph(t, &graph.Config{FinishSiblings: true}, func(b *graph.Builder[Page]) {
		chain(b, "a")
		b.AddNode("bad", fails(errBroken), nil)
		b.AddNode("ok", counted(&ok, appends("ok")), nil)
		lead(b, "a>bad", "a>ok")
	})
	_, err = g.Invoke(context.Background(), nil, cfg)
	require.ErrorIs(t, err, errBroken)
	require.Equal(t, []string{"loop 1: a > bad ok"}, rows(t, g))
	s := stands(t, g)
	require.Equal(t, []string{"bad"}, s.Next)
	require.Equal(t, errBroken.Error(), s.Tasks[0].Error)
	_, err = g.Resume(context.Background(), graph.Answers{}, cfg)
	require.ErrorIs(t, err, errBroken)
	require.EqualValues(t, 1, ok.Load())
}

// G32: a node is answered and then fails, with a retry policy. On LangGraph it
// asks again instead of being retried; here the retry has the answer.
func TestG32ARetryKeepsTheAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var failed atomic.Int32
		g := keptGraph(t, nil, func(b *graph.Builder[Page]) {
			b.AddNode("a", func(ctx context.Context, s Page) (pageCmd, error) {
				c, err := questioner(ctx, s)
				if err == nil && failed.Add(1) < 3 {
					return c, errBroken
				}
				return c, err
			}, &graph.NodeConfig{Retry: &graph.RetryPolicy{MaxAttempts: 3}})
			b.AddEdge(graph.Start, "a")
		})
		_, err := begin(g)
		require.ErrorIs(t, err, graph.ErrInterrupted)
		require.Zero(t, failed.Load())
		out, err := answered(g, "yes")
		require.Equal(t, []string{"yes"}, ended(t, out, err).X)
		require.EqualValues(t, 3, failed.Load())
	})
}
