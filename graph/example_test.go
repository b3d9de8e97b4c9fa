package graph_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// Ticket is the state of the examples: a support ticket on its way.
type Ticket struct {
	Text   string
	Kind   string
	Notes  []string
	Cost   int
	Answer string
	Part   string // of the text, for one task
}

var (
	ticketText   = state.NewValue("text", func(t *Ticket) *string { return &t.Text })
	ticketKind   = state.NewValue("kind", func(t *Ticket) *string { return &t.Kind })
	ticketNotes  = state.NewList("notes", func(t *Ticket) *[]string { return &t.Notes })
	ticketCost   = state.NewCounter("cost", func(t *Ticket) *int { return &t.Cost })
	ticketAnswer = state.NewValue("answer", func(t *Ticket) *string { return &t.Answer })
	ticketPart   = state.NewLocal("part", func(t *Ticket) *string { return &t.Part })
	ticketSchema = state.MustSchema(ticketText, ticketKind, ticketNotes, ticketCost, ticketAnswer, ticketPart)
	ticket       graph.Commands[Ticket]
)

type ticketCmd = graph.Command[Ticket]

func classify(_ context.Context, t Ticket) (ticketCmd, error) {
	kind := "question"
	if strings.Contains(t.Text, "invoice") {
		kind = "billing"
	}
	return ticket.Update(ticketKind.Set(kind), ticketCost.Add(1)), nil
}

func answer(text string) graph.Node[Ticket] {
	return func(context.Context, Ticket) (ticketCmd, error) {
		return ticket.Update(ticketAnswer.Set(text), ticketCost.Add(10)), nil
	}
}

func note(text string) graph.Node[Ticket] {
	return func(context.Context, Ticket) (ticketCmd, error) { return ticket.Update(ticketNotes.Append(text)), nil }
}

// A graph that classifies a ticket and lets one of two nodes answer it.
func ExampleBuilder() {
	b := graph.New(ticketSchema)
	b.AddNode("classify", classify, nil)
	b.AddNode("billing", answer("We look at your invoice."), nil)
	b.AddNode("question", answer("Read the manual, please."), nil)
	b.AddEdge(graph.Start, "classify")
	b.AddChoice("classify", func(t Ticket) string { return t.Kind }, "billing", "question")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(context.Background(), graph.Input(ticketText.Set("My invoice is wrong.")), nil)
	fmt.Println(out.State.Answer, out.State.Cost, out.Outcome, err)
	// Output: We look at your invoice. 11 done <nil>
}

// Compile tells everything that is wrong with a graph, with its place.
func ExampleBuilder_Compile() {
	b := graph.New(ticketSchema).At(graph.Place{File: "support.go"})
	b.AddNode("classify", classify, nil)
	b.AddNode("answer", answer("Thanks."), nil)
	b.AddEdge(graph.Start, "clasify")
	b.AddEdge("classify", "reply")
	_, err := b.Compile(nil)
	fmt.Println(err)
	// Output:
	// graph: support.go: edge: there is no node "clasify"; did you mean "classify"?
	// support.go: edge: there is no node "reply"
}

// A waiting edge: the report is written once, after both checks.
func ExampleBuilder_AddJoin() {
	b := graph.New(ticketSchema)
	b.AddNode("spelling", note("spelling is fine"), nil)
	b.AddNode("fetch", note("fetched the sources"), nil)
	b.AddNode("facts", note("facts are fine"), nil)
	b.AddNode("report", note("report"), nil)
	b.AddEdge(graph.Start, "spelling")
	b.AddEdge(graph.Start, "fetch")
	b.AddEdge("fetch", "facts")
	b.AddJoin([]string{"spelling", "facts"}, "report")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(context.Background(), nil, nil)
	fmt.Println(strings.Join(out.State.Notes, "; "), err)
	// Output: fetched the sources; spelling is fine; facts are fine; report <nil>
}

// A node that goes where its command says.
func ExampleCommands_Goto() {
	b := graph.New(ticketSchema)
	b.AddNode("classify", func(_ context.Context, t Ticket) (ticketCmd, error) {
		if t.Text == "" {
			return ticket.Goto(graph.End, ticketNotes.Append("nothing to do")), nil
		}
		return ticket.Goto("answer", ticketNotes.Append("to be answered")), nil
	}, &graph.NodeConfig{Goto: []string{"answer"}})
	b.AddNode("answer", answer("Thanks."), nil)
	b.AddEdge(graph.Start, "classify")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"Hello", ""} {
		out, err := g.Invoke(context.Background(), graph.Input(ticketText.Set(text)), nil)
		fmt.Printf("%q %v %v\n", out.State.Answer, out.State.Notes, err)
	}
	// Output:
	// "Thanks." [to be answered] <nil>
	// "" [nothing to do] <nil>
}

// One task for each paragraph of a document; their notes come in the order of
// the sends, however long each takes.
func ExampleCommands_Send() {
	b := graph.New(ticketSchema)
	b.AddNode("split", func(_ context.Context, t Ticket) (ticketCmd, error) {
		var packets []graph.Packet[Ticket]
		for _, p := range strings.Split(t.Text, "\n") {
			packets = append(packets, ticket.To("summarise", ticketPart.Set(p)))
		}
		return ticket.Send(packets...), nil
	}, &graph.NodeConfig{Send: []string{"summarise"}})
	b.AddNode("summarise", func(_ context.Context, t Ticket) (ticketCmd, error) {
		first, _, _ := strings.Cut(t.Part, " ")
		return ticket.Update(ticketNotes.Append(first), ticketCost.Add(len(t.Part))), nil
	}, &graph.NodeConfig{MaxConcurrency: 4})
	b.AddNode("collect", func(_ context.Context, t Ticket) (ticketCmd, error) {
		return ticket.Update(ticketAnswer.Set(strings.Join(t.Notes, ", "))), nil
	}, nil)
	b.AddEdge(graph.Start, "split")
	b.AddEdge("summarise", "collect")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(context.Background(), graph.Input(ticketText.Set("Printers are slow.\nScreens flicker.\nMice run away.")), nil)
	fmt.Println(out.State.Answer, out.State.Cost, err)
	// Output: Printers, Screens, Mice 48 <nil>
}

// A subgraph shares the fields that both graphs have by one name. It hands
// back what it changed: the note is not doubled.
func ExampleAddSubgraph() {
	inner := graph.New(ticketSchema)
	inner.AddNode("draft", answer("Dear customer, …"), nil)
	inner.AddNode("check", note("checked"), nil)
	inner.AddEdge(graph.Start, "draft")
	inner.AddEdge("draft", "check")
	write, err := inner.Compile(&graph.Config{Name: "write"})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := graph.New(ticketSchema)
	b.AddNode("receive", note("received"), nil)
	graph.AddSubgraph[Ticket, Ticket](b, "write", write, nil)
	b.AddEdge(graph.Start, "receive")
	b.AddEdge("receive", "write")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(context.Background(), nil, nil)
	fmt.Println(out.State.Answer, out.State.Notes, out.State.Cost, err)
	// Output: Dear customer, … [received checked] 10 <nil>
}

// A specialist that finds out that the ticket is not for it leaves its graph
// for another node of the parent graph.
func ExampleToParent() {
	inner := graph.New(ticketSchema)
	inner.AddNode("look", func(_ context.Context, t Ticket) (ticketCmd, error) {
		if t.Kind != "billing" {
			return graph.ToParent[Ticket](ticket.Goto("support", ticketNotes.Append("not about money"))), nil
		}
		return ticket.Update(ticketAnswer.Set("Paid.")), nil
	}, &graph.NodeConfig{Exit: graph.ExitTo[Ticket]("support")})
	inner.AddEdge(graph.Start, "look")
	billing, err := inner.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := graph.New(ticketSchema)
	graph.AddSubgraph[Ticket, Ticket](b, "billing", billing, nil)
	b.AddNode("support", answer("Have you tried turning it off and on?"), nil)
	b.AddEdge(graph.Start, "billing")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(context.Background(), graph.Input(ticketKind.Set("technical")), nil)
	fmt.Println(out.State.Notes, out.State.Answer, err)
	// Output: [not about money] Have you tried turning it off and on? <nil>
}

// Attempts of a node that calls something unreliable.
func ExampleRetryPolicy() {
	errBusy := errors.New("the model is busy")
	calls := 0
	b := graph.New(ticketSchema)
	b.AddNode("ask", func(ctx context.Context, _ Ticket) (ticketCmd, error) {
		if calls++; calls < 3 {
			return ticketCmd{}, errBusy
		}
		info, err := graph.Task(ctx)
		return ticket.Update(ticketNotes.Append(fmt.Sprintf("attempt %d of task %s", info.Attempt, info.Task))), err
	}, &graph.NodeConfig{Retry: &graph.RetryPolicy{
		MaxAttempts:     5,
		InitialInterval: time.Millisecond,
		RetryOn:         func(err error) bool { return errors.Is(err, errBusy) },
	}, Timeout: time.Minute})
	b.AddEdge(graph.Start, "ask")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(context.Background(), nil, nil)
	fmt.Println(out.State.Notes, err)
	// Output: [attempt 3 of task 1.0] <nil>
}

// A handler stands in for a node that failed for good.
func ExampleBuilder_AddErrorHandler() {
	b := graph.New(ticketSchema)
	b.AddNode("answer", func(context.Context, Ticket) (ticketCmd, error) {
		return ticketCmd{}, errors.New("no model is reachable")
	}, &graph.NodeConfig{Goto: []string{"person"}})
	b.AddErrorHandler("answer", func(_ context.Context, _ Ticket, failed *graph.Error) (ticketCmd, error) {
		return ticket.Goto("person", ticketNotes.Append(failed.Node+": "+failed.Err.Error())), nil
	})
	b.AddNode("person", answer("A colleague will call you."), nil)
	b.AddEdge(graph.Start, "answer")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(context.Background(), nil, nil)
	fmt.Println(out.State.Notes, out.State.Answer, err)
	// Output: [answer: no model is reachable] A colleague will call you. <nil>
}

// reviewed compiles the graph of the stream examples.
func reviewed() *graph.Graph[Ticket] {
	b := graph.New(ticketSchema)
	b.AddNode("classify", classify, nil)
	b.AddNode("answer", func(ctx context.Context, _ Ticket) (ticketCmd, error) {
		for _, word := range []string{"Thank", "you."} {
			if err := graph.Emit(ctx, word); err != nil {
				return ticketCmd{}, err
			}
		}
		return ticket.Update(ticketAnswer.Set("Thank you.")), nil
	}, nil)
	b.AddEdge(graph.Start, "classify")
	b.AddEdge("classify", "answer")
	g, err := b.Compile(&graph.Config{Name: "support"})
	if err != nil {
		panic(err)
	}
	return g
}

// Every event of a run. Leaving the loop would cancel the run.
func ExampleGraph_Stream() {
	for e, err := range reviewed().Stream(context.Background(), nil, nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := e.(type) {
		case *graph.TaskFinished:
			update, _ := e.Update.MarshalJSON()
			fmt.Println(e.Step, e.Node, string(update))
		case *graph.RunFinished:
			fmt.Println(e.Outcome)
		}
	}
	// Output:
	// 1 classify {"kind":"question","cost":1}
	// 2 answer {"answer":"Thank you."}
	// done
}

// What a node emits while it works, a model's tokens say, reaches the reader
// of the stream at once.
func ExampleEmit() {
	for c, err := range graph.Customs(reviewed().Stream(context.Background(), nil, nil)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Node, c.Value)
	}
	// Output:
	// answer Thank
	// answer you.
}

// The state behind every superstep.
func ExampleValues() {
	for t, err := range graph.Values[Ticket](reviewed().Stream(context.Background(), nil, nil)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q %q\n", t.Kind, t.Answer)
	}
	// Output:
	// "" ""
	// "question" ""
	// "question" "Thank you."
}

// The log of a run as JSON lines.
func ExampleAppendLines() {
	var log []byte
	for e, err := range reviewed().Stream(context.Background(), graph.Input(ticketText.Set("Hi")), nil) {
		if err == nil {
			log, err = graph.AppendLines(log, e)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	_, _ = os.Stdout.WriteString(strings.SplitAfter(string(log), "\n")[1])
	// Output: {"v":1,"type":"updates","ns":[],"pos":[1,1,1],"step":1,"node":"classify","data":{"kind":"question","cost":1}}
}

func ExampleGraph_Draw() {
	text, err := reviewed().Draw(graph.ASCII, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range strings.Split(text, "\n") { // without the spaces at the ends
		fmt.Println(strings.TrimRight(line, " "))
	}
	// Output:
	// support
	//
	//   ( START )
	//       │
	//       ▼
	// ┌───────────┐
	// │ classify  │
	// └─────┬─────┘
	//       │
	//       ▼
	//  ┌─────────┐
	//  │ answer  │
	//  └─────────┘
}

// A run that its caller gave up says so, with the reason.
func ExampleGraph_Invoke_cancelled() {
	ctx, cancel := context.WithCancelCause(context.Background())
	b := graph.New(ticketSchema)
	b.AddNode("slow", func(ctx context.Context, _ Ticket) (ticketCmd, error) {
		cancel(errors.New("the customer hung up"))
		<-ctx.Done()
		return ticketCmd{}, ctx.Err()
	}, nil)
	b.AddEdge(graph.Start, "slow")
	g, err := b.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Invoke(ctx, nil, nil)
	fmt.Println(out.Outcome, out.Next, errors.Is(err, graph.ErrCancelled))
	fmt.Println(err)
	// Output:
	// cancelled [slow] true
	// graph: step 1: cancelled: the customer hung up
}
