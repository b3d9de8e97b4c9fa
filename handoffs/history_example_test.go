package handoffs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// exampleLog is the log of a session in which dojo handed to librarian, who
// handed back.
func exampleLog() handoffs.Log {
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	hand := func(seq int, from, to string) handoffs.Entry {
		r := handoffs.Record{ID: fmt.Sprint("h", seq), From: from, To: to, Kind: handoffs.Transfer, Reason: handoffs.Delegation, At: at}
		return handoffs.Entry{Seq: seq, At: at, Handoff: r.ID, Record: &r, From: from, To: to, Kind: r.Kind,
			Stages: []handoffs.Status{handoffs.Requested, handoffs.Validated, handoffs.Accepted, handoffs.Running}}
	}
	return handoffs.LogOf([]handoffs.Entry{
		hand(1, "dojo", "librarian"),
		{Seq: 2, At: at.Add(time.Second), Handoff: "h1", From: "dojo", To: "librarian", Kind: handoffs.Transfer, Stages: []handoffs.Status{handoffs.Completed}},
		hand(3, "librarian", "dojo"),
	})
}

func ExampleHistory() {
	for h := range handoffs.History(exampleLog(), handoffs.Filter{}) {
		fmt.Println(h.ID, h.From, h.To, h.Status, h.Duration())
	}
	last, _ := handoffs.Last(exampleLog(), handoffs.Filter{})
	fmt.Println("last:", last.ID)
	fmt.Println("from dojo:", handoffs.Count(exampleLog(), handoffs.Filter{From: "dojo"}))
	// Output:
	// h1 dojo librarian completed 1s
	// h3 librarian dojo running 0s
	// last: h3
	// from dojo: 1
}

func ExampleStatistics() {
	s := handoffs.Statistics(exampleLog(), nil)
	fmt.Println(s.Handoffs, "handoffs,", s.Agents["dojo"].Sent, "from dojo, success rate", s.SuccessRate)
	// Output: 2 handoffs, 1 from dojo, success rate 1
}

func ExampleFlow() {
	text, err := handoffs.Flow(exampleLog(), graph.Mermaid)
	if err != nil {
		panic(err)
	}
	fmt.Print(text)
	// Output:
	// flowchart TD
	//   n0["dojo"]
	//   n1["librarian"]
	//   n0 -->|"delegation (1)"| n1
	//   n1 -->|"delegation ↺ (2)"| n0
	//   class n0,n1 step
}

func ExampleOutbox() {
	ctx, b := context.Background(), bus.NewLocal(nil)
	box := handoffs.Outbox{Bus: b}
	for range 2 { // the second time after a crash, say
		next, err := box.Publish(ctx, "s1", exampleLog(), 0)
		if err != nil {
			panic(err)
		}
		fmt.Println("told up to", next)
	}
	for _, m := range b.History(bus.Filter{}) {
		fmt.Println(m.ID, m.Type, m.Source, m.Target)
	}
	// Output:
	// told up to 3
	// told up to 3
	// h1/handoff AGENT_HANDOFF dojo librarian
	// h1/task TASK_COMPLETED librarian dojo
	// h3/handoff AGENT_HANDOFF librarian dojo
}

func ExampleTrigger() {
	t := handoffs.Trigger{On: "security.alert", Target: "security", Task: "look into {host}"}
	alert := bus.Message{ID: "a-1", Type: "security.alert", Payload: map[string]any{"host": "db-1"}}
	session, c, fires, err := t.Fire(&alert)
	fmt.Println(fires, err, len(session) > 0)
	fmt.Println(c.Priority, c.Target, c.Task)
	// Output:
	// true <nil> true
	// urgent security look into db-1
}
