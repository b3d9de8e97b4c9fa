package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// chat makes a graph of one node that answers the last thing it was told.
func chat(cfg *graph.Config) *graph.Graph[desk] {
	b := graph.New(deskSchema)
	b.AddNode("answer", func(_ context.Context, d desk) (graph.Command[desk], error) {
		return deskCmd.Update(deskLog.Append(fmt.Sprintf("you told me %d things about %s", len(d.Log)/2+1, d.Topic))), nil
	}, nil)
	b.AddEdge(graph.Start, "answer")
	return compiled(b, cfg)
}

// compiled compiles a graph that is known to be right.
func compiled(b *graph.Builder[desk], cfg *graph.Config) *graph.Graph[desk] {
	g, err := b.Compile(cfg)
	if err != nil {
		panic(err)
	}
	return g
}

// A chat is a thread: each call goes on where the last one ended, in this
// process or another.
func ExampleGraph_Invoke_thread() {
	g := chat(&graph.Config{Store: checkpoint.NewMemory(nil)})
	cfg := &graph.RunConfig{Thread: "ada"}
	for _, text := range []string{"tea is green", "tea is hot"} {
		res, err := g.Invoke(context.Background(), graph.Input(deskLog.Append(text), deskTopic.Set("tea")), cfg)
		fmt.Println(res.State.Log[len(res.State.Log)-1], err)
	}
	// Output:
	// you told me 1 things about tea <nil>
	// you told me 2 things about tea <nil>
}

// publishing asks a person before it publishes.
func publishing(cfg *graph.Config) *graph.Graph[desk] {
	b := graph.New(deskSchema)
	b.AddNode("review", func(ctx context.Context, d desk) (graph.Command[desk], error) {
		yes, err := graph.Interrupt[bool](ctx, "publish", "publish "+d.Topic+"?")
		if err != nil || !yes {
			return deskCmd.Goto(graph.End), err
		}
		return deskCmd.Goto("publish"), nil
	}, &graph.NodeConfig{Goto: []string{"publish"}})
	b.AddNode("publish", func(_ context.Context, d desk) (graph.Command[desk], error) {
		return deskCmd.Update(deskLog.Append(d.Topic + " is published")), nil
	}, nil)
	b.AddEdge(graph.Start, "review")
	return compiled(b, cfg)
}

// A node asks a person, and the run ends. It goes on with the answer, hours
// or processes later.
func ExampleInterrupt() {
	g := publishing(&graph.Config{Store: checkpoint.NewMemory(nil)})
	cfg := &graph.RunConfig{Thread: "t"}
	res, err := g.Invoke(context.Background(), graph.Input(deskTopic.Set("the paper")), cfg)
	fmt.Println(res.Outcome, errors.Is(err, graph.ErrInterrupted), res.Interrupts[0].Value)
	res, err = g.Resume(context.Background(), graph.Answer(true), cfg)
	fmt.Println(res.Outcome, err, res.State.Log)
	// Output:
	// interrupted true publish the paper?
	// done <nil> [the paper is published]
}

// Where several questions are open they are answered by their ids, in any
// order and not all at once.
func ExampleAnswerByID() {
	b := graph.New(deskSchema)
	for _, who := range []string{"ada", "bob"} {
		b.AddNode(who, func(ctx context.Context, _ desk) (graph.Command[desk], error) {
			answer, err := graph.Interrupt[string](ctx, "", "coming, "+who+"?")
			return deskCmd.Update(deskLog.Append(who + ": " + answer)), err
		}, nil)
		b.AddEdge(graph.Start, who)
	}
	g := compiled(b, &graph.Config{Store: checkpoint.NewMemory(nil)})
	cfg := &graph.RunConfig{Thread: "t"}
	res, _ := g.Invoke(context.Background(), nil, cfg)
	for _, q := range []graph.Question{res.Interrupts[1], res.Interrupts[0]} {
		res, _ = g.Resume(context.Background(), graph.AnswerByID(map[string]any{q.ID: "yes"}), cfg)
		fmt.Println("asked", q.Value, "left", res.Next)
	}
	fmt.Println(res.State.Log)
	// Output:
	// asked coming, bob? left [ada]
	// asked coming, ada? left []
	// [ada: yes bob: yes]
}

// What a node does before it asks is not done again when it goes on.
func ExampleOnce() {
	b := graph.New(deskSchema)
	b.AddNode("book", func(ctx context.Context, _ desk) (graph.Command[desk], error) {
		seat, err := graph.Once(ctx, "reserve", func(context.Context) (string, error) {
			fmt.Println("reserving a seat")
			return "12A", nil
		})
		if err != nil {
			return graph.Command[desk]{}, err
		}
		name, err := graph.Interrupt[string](ctx, "", "who sits on "+seat+"?")
		return deskCmd.Update(deskLog.Append(name + " on " + seat)), err
	}, nil)
	b.AddEdge(graph.Start, "book")
	g := compiled(b, &graph.Config{Store: checkpoint.NewMemory(nil)})
	cfg := &graph.RunConfig{Thread: "t"}
	res, _ := g.Invoke(context.Background(), nil, cfg)
	fmt.Println(res.Interrupts[0].Value)
	res, err := g.Resume(context.Background(), graph.Answer("Ada"), cfg)
	fmt.Println(res.State.Log, err)
	// Output:
	// reserving a seat
	// who sits on 12A?
	// [Ada on 12A] <nil>
}

// The past of a thread can be read, and gone on from: here a question is
// answered in another way.
func ExampleGraph_Fork() {
	ctx := context.Background()
	g := publishing(&graph.Config{Store: checkpoint.NewMemory(nil)})
	cfg := &graph.RunConfig{Thread: "t"}
	_, _ = g.Invoke(ctx, graph.Input(deskTopic.Set("the paper")), cfg)
	_, _ = g.Resume(ctx, graph.Answer(false), cfg)
	before := ""
	for s, err := range g.History(ctx, "t", nil) {
		fmt.Println(s.Checkpoint, s.Source, s.Next, err)
		before = s.Checkpoint
	}
	name, err := g.Fork(ctx, "t", before, nil)
	fmt.Println("fork", name, err)
	_, _ = g.Resume(ctx, graph.Answers{}, cfg) // it asks again
	res, err := g.Resume(ctx, graph.Answer(true), cfg)
	fmt.Println(res.State.Log, err)
	// Output:
	// 2 loop [] <nil>
	// 1 input [review] <nil>
	// fork 3 <nil>
	// [the paper is published] <nil>
}

// Update writes to a thread in a node's name: the run goes on as if the node
// had returned that.
func ExampleGraph_Update() {
	ctx := context.Background()
	g := publishing(&graph.Config{Store: checkpoint.NewMemory(nil)})
	cfg := &graph.RunConfig{Thread: "t"}
	_, _ = g.Invoke(ctx, graph.Input(deskTopic.Set("the paper")), cfg)
	u, err := g.Update(ctx, "t", graph.Start, graph.Input(deskTopic.Set("the book")), nil)
	fmt.Println("due", u.Next, "dropped", u.Dropped, err)
	res, _ := g.Resume(ctx, graph.Answers{}, cfg)
	fmt.Println(res.Interrupts[0].Value)
	// Output:
	// due [review] dropped [review] <nil>
	// publish the book?
}

// A drain lets the step at work end and saves it: a way to stop a process
// without losing work.
func ExampleRunConfig_drain() {
	stop := make(chan struct{})
	b := graph.New(deskSchema)
	b.AddNode("first", func(context.Context, desk) (graph.Command[desk], error) {
		close(stop) // as a signal handler does
		return deskCmd.Update(deskLog.Append("first")), nil
	}, nil)
	b.AddNode("second", func(context.Context, desk) (graph.Command[desk], error) {
		return deskCmd.Update(deskLog.Append("second")), nil
	}, nil)
	b.AddEdge(graph.Start, "first")
	b.AddEdge("first", "second")
	g := compiled(b, &graph.Config{Store: checkpoint.NewMemory(nil)})
	res, err := g.Invoke(context.Background(), nil, &graph.RunConfig{Thread: "t", Drain: stop})
	fmt.Println(res.Outcome, errors.Is(err, graph.ErrDrained), res.Next)
	res, err = g.Resume(context.Background(), graph.Answers{}, &graph.RunConfig{Thread: "t"})
	fmt.Println(res.State.Log, err)
	// Output:
	// cancelled true [second]
	// [first second] <nil>
}

// Long-term memory is shared by all threads.
func ExampleLongTerm() {
	b := graph.New(deskSchema)
	b.AddNode("greet", func(ctx context.Context, d desk) (graph.Command[desk], error) {
		items, err := graph.LongTerm(ctx)
		if err != nil {
			return graph.Command[desk]{}, err
		}
		greeting := "I do not know you"
		if item, err := items.Get(ctx, []string{"people"}, "name"); err == nil {
			greeting = "hello " + string(item.Value)
		}
		if d.Topic != "" {
			name, _ := json.Marshal(d.Topic)
			err = items.Put(ctx, checkpoint.Item{NS: []string{"people"}, Key: "name", Value: name})
		}
		return deskCmd.Update(deskLog.Append(greeting)), err
	}, nil)
	b.AddEdge(graph.Start, "greet")
	g := compiled(b, &graph.Config{Store: checkpoint.NewMemory(nil), Items: checkpoint.NewMemoryItems(nil)})
	res, err := g.Invoke(context.Background(), graph.Input(deskTopic.Set("Ada")), &graph.RunConfig{Thread: "monday"})
	fmt.Println(res.State.Log, err)
	res, err = g.Invoke(context.Background(), nil, &graph.RunConfig{Thread: "tuesday"})
	fmt.Println(res.State.Log, err)
	// Output:
	// [I do not know you] <nil>
	// [hello "Ada"] <nil>
}

// A thread that has work left goes on with a changed graph only if the change
// is declared.
func ExampleEvolution() {
	store := checkpoint.NewMemory(nil)
	asking := func(node string, fine graph.Evolution) *graph.Graph[desk] {
		b := graph.New(deskSchema)
		b.AddNode(node, func(ctx context.Context, _ desk) (graph.Command[desk], error) {
			answer, err := graph.Interrupt[string](ctx, "", "well?")
			return deskCmd.Update(deskLog.Append(answer)), err
		}, nil)
		b.AddEdge(graph.Start, node)
		return compiled(b, &graph.Config{Store: store, Evolution: fine})
	}
	cfg := &graph.RunConfig{Thread: "t"}
	_, _ = asking("review", graph.Evolution{}).Invoke(context.Background(), nil, cfg)
	_, err := asking("approve", graph.Evolution{}).Resume(context.Background(), graph.Answer("yes"), cfg)
	fmt.Println(errors.Is(err, graph.ErrChanged))
	fine := graph.Evolution{Renamed: map[string]string{"review": "approve"}}
	res, err := asking("approve", fine).Resume(context.Background(), graph.Answer("yes"), cfg)
	fmt.Println(res.State.Log, err)
	// Output:
	// true
	// [yes] <nil>
}
