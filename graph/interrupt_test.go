package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// replies makes a node that asks for an R and notes it as JSON.
func replies[R any](key string, value any) graph.Node[desk] {
	return func(ctx context.Context, _ desk) (graph.Command[desk], error) {
		answer, err := graph.Interrupt[R](ctx, key, value)
		if err != nil {
			return graph.Command[desk]{}, err
		}
		text, err := json.Marshal(answer)
		return deskCmd.Update(deskLog.Append(string(text))), err
	}
}

func TestAnswersHaveTypes(t *testing.T) {
	type verdict struct {
		OK  bool   `json:"ok"`
		Why string `json:"why"`
	}
	for name, c := range map[string]struct {
		node   graph.Node[desk]
		answer any
		want   string
	}{
		"text":    {replies[string]("", 1), "yes", `"yes"`},
		"number":  {replies[int]("", "how many?"), 3, `3`},
		"nothing": {replies[*string]("", nil), nil, `null`},
		"any":     {replies[any]("", []string{"a"}), map[string]any{"n": 2.0}, `{"n":2}`},
		"struct":  {replies[verdict]("", map[string]any{"q": 1}), verdict{true, "fine"}, `{"ok":true,"why":"fine"}`},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			g := deskGraph(t, onMemory(), deskNodes{"a": c.node}, "START a")
			res, err := g.Invoke(ctx, nil, on("t"))
			require.ErrorIs(t, err, graph.ErrInterrupted)
			require.Equal(t, graph.OutcomeInterrupted, res.Outcome)
			require.Len(t, res.Interrupts, 1)
			res, err = g.Resume(ctx, graph.Answer(c.answer), on("t"))
			require.NoError(t, err)
			require.JSONEq(t, c.want, res.State.Log[0])
		})
	}
}

func TestAQuestionTellsWhatIsAsked(t *testing.T) {
	ctx := t.Context()
	g := deskGraph(t, onMemory(), deskNodes{"a": replies[string]("colour", map[string]any{"of": "the door", "n": 2})}, "START a")
	res, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	q := res.Interrupts[0]
	require.Equal(t, "colour", q.Key)
	require.Equal(t, "a", q.Node)
	require.Empty(t, q.NS)
	require.Equal(t, map[string]any{"of": "the door", "n": int64(2)}, q.Value)
	require.Equal(t, res.Interrupts, deskState(t, g, "t", "").Interrupts)
	line, err := json.Marshal(deskState(t, g, "t", ""))
	require.NoError(t, err)
	require.Contains(t, string(line), `"interrupts":[{"id":"`+q.ID+`","node":"a","value":{"n":2,"of":"the door"}}]`)
	again, err := g.Resume(ctx, graph.Answers{}, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted, "without an answer it asks again")
	require.Equal(t, res.Interrupts, again.Interrupts)
}

// crossing asks in two nodes side by side.
func crossing(t *testing.T) *graph.Graph[desk] {
	return deskGraph(t, onMemory(), deskNodes{"a": inquires("", "left?"), "b": inquires("", "right?")}, "START a", "START b")
}

func TestAnswersByID(t *testing.T) {
	ctx := t.Context()
	g := crossing(t)
	res, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	left, right := res.Interrupts[0].ID, res.Interrupts[1].ID
	require.NotEqual(t, left, right)
	res, err = g.Resume(ctx, graph.AnswerByID(map[string]any{right: "no"}), on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted, "a part is enough to go on with")
	require.Equal(t, left, res.Interrupts[0].ID)
	res, err = g.Resume(ctx, graph.Answer("yes"), on("t"))
	require.NoError(t, err, "one is left: a plain answer will do")
	require.Equal(t, []string{"left? yes", "right? no"}, res.State.Log)
}

func TestAnswersThatDoNotFit(t *testing.T) {
	ctx := t.Context()
	g := crossing(t)
	res, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	id := res.Interrupts[0].ID
	for name, a := range map[string]graph.Answers{
		"plain, two are open": graph.Answer("yes"),
		"unknown id":          graph.AnswerByID(map[string]any{"x": 1}),
		"one of two unknown":  graph.AnswerByID(map[string]any{id: "yes", "x": 1}),
		"no JSON":             graph.AnswerByID(map[string]any{id: make(chan int)}),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := g.Resume(ctx, a, on("t"))
			require.ErrorIs(t, err, graph.ErrAnswer)
			require.Equal(t, res.Interrupts, deskState(t, g, "t", "").Interrupts, "nothing counts as answered")
		})
	}
	_, err = g.Resume(ctx, graph.AnswerByID(map[string]any{id: "yes"}), &graph.RunConfig{Thread: "t", At: "1"})
	require.ErrorIs(t, err, graph.ErrAnswer, "behind a fork no question is open")
	_, err = g.Update(ctx, "t", "a", nil, nil)
	require.NoError(t, err)
	_, err = g.Resume(ctx, graph.Answer("yes"), on("t"))
	require.ErrorIs(t, err, graph.ErrAnswer, "no question is open")
}

func TestAnAnswerOfAnotherTypeLeavesTheQuestionOpen(t *testing.T) {
	ctx := t.Context()
	g := deskGraph(t, onMemory(), deskNodes{"a": replies[int]("", "how many?")}, "START a")
	_, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	_, err = g.Resume(ctx, graph.Answer("many"), on("t"))
	require.ErrorIs(t, err, graph.ErrAnswer)
	require.Len(t, deskState(t, g, "t", "").Interrupts, 1)
	res, err := g.Resume(ctx, graph.Answer(3), on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"3"}, res.State.Log)
}

func TestAPlainAnswerBehindAFork(t *testing.T) {
	ctx := t.Context()
	g := deskGraph(t, onMemory(), deskNodes{"a": inquires("", "again?")}, "START a")
	_, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	_, err = g.Resume(ctx, graph.Answer("yes"), on("t"))
	require.NoError(t, err)
	at := &graph.RunConfig{Thread: "t", At: "1"}
	res, err := g.Resume(ctx, graph.Answer("no"), at)
	require.NoError(t, err)
	require.Equal(t, []string{"again? no"}, res.State.Log, "the answer is for what is asked behind the fork")
	at.At = "2"
	_, err = g.Resume(ctx, graph.Answer("no"), at)
	require.ErrorIs(t, err, graph.ErrAnswer, "nothing is due there that could ask")
	require.Equal(t, "4", deskState(t, g, "t", "").Checkpoint, "and nothing was forked")
}

func TestSeveralQuestionsOfOneTask(t *testing.T) {
	ctx := t.Context()
	together := func(ctx context.Context, _ desk) (graph.Command[desk], error) {
		var all sync.WaitGroup
		answers, errs := make([]string, 2), make([]error, 2)
		for i, key := range []string{"when", "where"} {
			all.Go(func() { answers[i], errs[i] = graph.Interrupt[string](ctx, key, key+"?") })
		}
		all.Wait()
		return deskCmd.Update(deskLog.Append(answers...)), errors.Join(errs...)
	}
	g := deskGraph(t, onMemory(), deskNodes{"a": together}, "START a")
	res, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Len(t, res.Interrupts, 2)
	answers := map[string]any{}
	for _, q := range res.Interrupts {
		answers[q.ID] = q.Key + "!"
	}
	res, err = g.Resume(ctx, graph.AnswerByID(answers), on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"when!", "where!"}, res.State.Log)
}

func TestQuestionsThatCannotBeAsked(t *testing.T) {
	ctx := t.Context()
	_, err := graph.Interrupt[string](ctx, "", "hello?")
	require.ErrorIs(t, err, graph.ErrNotInTask)
	bare := deskGraph(t, nil, deskNodes{"a": inquires("", "hello?")}, "START a")
	_, err = bare.Invoke(ctx, nil, nil)
	require.ErrorIs(t, err, graph.ErrNoStore)
	for name, c := range map[string]struct {
		node graph.Node[desk]
		want string
	}{
		"a key twice": {func(ctx context.Context, _ desk) (graph.Command[desk], error) {
			_, _ = graph.Interrupt[string](ctx, "k", 1)
			_, err := graph.Interrupt[string](ctx, "k", 2)
			return graph.Command[desk]{}, err
		}, `node "a" asks by the key "k" twice`},
		"no JSON": {inquiresAny(make(chan int)), "its value cannot be stored"},
	} {
		t.Run(name, func(t *testing.T) {
			g := deskGraph(t, onMemory(), deskNodes{"a": c.node}, "START a")
			res, err := g.Invoke(ctx, nil, on("t"))
			require.ErrorContains(t, err, c.want)
			require.Equal(t, graph.OutcomeFailed, res.Outcome)
		})
	}
}

func inquiresAny(value any) graph.Node[desk] {
	return func(ctx context.Context, _ desk) (graph.Command[desk], error) {
		_, err := graph.Interrupt[string](ctx, "", value)
		return graph.Command[desk]{}, err
	}
}

func TestARetryDoesNotAskAgain(t *testing.T) {
	ctx := t.Context()
	c := &calls{}
	b := graph.New(deskSchema)
	b.AddNode("a", func(ctx context.Context, _ desk) (graph.Command[desk], error) {
		answer, err := graph.Interrupt[string](ctx, "", "go on?")
		if err == nil && c.count("a") == 1 {
			err = errTired
		}
		return deskCmd.Update(deskLog.Append(answer)), err
	}, &graph.NodeConfig{Retry: &graph.RetryPolicy{InitialInterval: -1}})
	b.AddEdge(graph.Start, "a")
	g, err := b.Compile(onMemory())
	require.NoError(t, err)
	_, err = g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted, "a question is no failure: it is not retried")
	res, err := g.Resume(ctx, graph.Answer("yes"), on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"yes"}, res.State.Log)
	require.Equal(t, 2, c.n["a"])
}

func TestPausesAtNodes(t *testing.T) {
	for name, c := range map[string]struct {
		graph, run [2][]string // before, after
		next       [][]string  // of the run and each resume
	}{
		"before": {graph: [2][]string{{"b"}, nil}, next: [][]string{{"b"}, nil}},
		"after":  {graph: [2][]string{nil, {"a", "b"}}, next: [][]string{{"b"}, {"c"}, nil}},
		"both":   {graph: [2][]string{{"b"}, {"b"}}, next: [][]string{{"b"}, {"c"}, nil}},
		"by run": {graph: [2][]string{{"a"}, nil}, run: [2][]string{{"b"}, nil}, next: [][]string{{"b"}, nil}},
		"none":   {graph: [2][]string{{"a"}, nil}, run: [2][]string{{}, nil}, next: [][]string{nil}},
		"last":   {graph: [2][]string{nil, {"c"}}, next: [][]string{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := onMemory()
			cfg.InterruptBefore, cfg.InterruptAfter = c.graph[0], c.graph[1]
			g := deskGraph(t, cfg, deskNodes{"a": says("a"), "b": says("b"), "c": says("c")}, "START a", "a b", "b c")
			run := &graph.RunConfig{Thread: "t", InterruptBefore: c.run[0], InterruptAfter: c.run[1]}
			res, err := g.Invoke(t.Context(), nil, run)
			for i, next := range c.next {
				if i > 0 {
					res, err = g.Resume(t.Context(), graph.Answers{}, run)
				}
				require.Equal(t, next, res.Next, "pause %d", i)
				require.Empty(t, res.Interrupts)
				if next != nil {
					require.ErrorIs(t, err, graph.ErrInterrupted)
					require.Equal(t, graph.OutcomeInterrupted, res.Outcome)
				}
			}
			require.NoError(t, err)
			require.Equal(t, []string{"a", "b", "c"}, res.State.Log)
		})
	}
}

func TestAPauseNeedsAStore(t *testing.T) {
	g := deskGraph(t, &graph.Config{InterruptBefore: []string{"a"}}, deskNodes{"a": says("a")}, "START a")
	_, err := g.Invoke(t.Context(), nil, nil)
	require.ErrorIs(t, err, graph.ErrNoStore)
}

func TestAQuestionInsideASubgraph(t *testing.T) {
	ctx := t.Context()
	c := &calls{}
	sub := deskGraph(t, nil, deskNodes{"before": c.failing("before", 0), "ask": inquires("", "inside?")}, "START before", "before ask")
	b := graph.New(deskSchema)
	graph.AddSubgraph(b, "team", sub, nil)
	b.AddEdge(graph.Start, "team")
	g, err := b.Compile(&graph.Config{Store: checkpoint.NewMemory(nil)})
	require.NoError(t, err)
	res, err := g.Invoke(ctx, nil, on("t"))
	require.ErrorIs(t, err, graph.ErrInterrupted)
	require.Equal(t, []string{"team"}, res.Next)
	require.Equal(t, []string{"team"}, res.Interrupts[0].NS)
	require.Equal(t, "ask", res.Interrupts[0].Node)
	child := deskState(t, g, "t", "").Tasks[0].Child
	require.Equal(t, []string{"ask"}, child.Next)
	require.Equal(t, 1, child.Step)
	require.JSONEq(t, `{"log":["before"],"topic":""}`, string(child.Values))
	require.Equal(t, res.Interrupts, child.Interrupts)
	res, err = g.Resume(ctx, graph.Answer("yes"), on("t"))
	require.NoError(t, err)
	require.Equal(t, []string{"before", "inside? yes"}, res.State.Log)
	require.Equal(t, 1, c.n["before"], "what the subgraph has done is not done again")
}

func TestQuestionsInTheStream(t *testing.T) {
	g := deskGraph(t, onMemory(), deskNodes{"a": inquires("k", "well?")}, "START a")
	for _, events := range []func() ([]byte, []graph.Question){
		func() ([]byte, []graph.Question) { return askedIn(t, g.Stream(t.Context(), nil, on("t"))) },
		func() ([]byte, []graph.Question) {
			return askedIn(t, g.StreamResume(t.Context(), graph.Answers{}, on("t")))
		},
	} {
		lines, asked := events()
		require.Len(t, asked, 1)
		require.Equal(t, "k", asked[0].Key)
		require.Contains(t, string(lines), `"type":"interrupt"`)
		require.Contains(t, string(lines), `"value":"well?"`)
		require.Contains(t, string(lines), `"status":"interrupted"`)
	}
}

// askedIn reads the events of a run that is interrupted.
func askedIn(t *testing.T, events func(func(graph.Event, error) bool)) (lines []byte, asked []graph.Question) {
	t.Helper()
	for e, err := range events {
		if err != nil {
			require.ErrorIs(t, err, graph.ErrInterrupted)
			continue
		}
		if a, ok := e.(*graph.Asked); ok {
			asked = append(asked, a.Question)
		}
		lines, err = graph.AppendLines(lines, e)
		require.NoError(t, err)
	}
	return lines, asked
}
