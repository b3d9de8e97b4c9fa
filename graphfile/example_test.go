package graphfile_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

func ExampleParse() {
	f, err := graphfile.Parse("support.yaml", []byte(`
name: support
state:
  log:   {reduce: append}
  done:  {type: int, reduce: sum}
  items: {reduce: append}
nodes:
  triage:
    update: {log: "${len(items)} items"}
    send: {to: worker, each: "${items}", input: {item: "${it}"}}
  worker:
    update: {log: "worked on ${item}", done: 1}
  report:
    cases:
      - {when: done > 1, update: {log: "${done} are done"}}
      - {update: {log: nothing to do}}
edges:
  - START -> triage
  - worker -> report
`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := f.Input([]byte(`{"items": ["a", "b"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := f.Graph().Invoke(context.Background(), in, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	log, _ := result.State.Get("log")
	fmt.Println(log)
	// Output: [2 items worked on a worked on b 2 are done]
}

func ExampleParse_problems() {
	_, err := graphfile.Parse("support.yaml", []byte(`
state:
  topic: {type: string}
nodes:
  triage: {update: {topc: "${topc}"}, timeout: 5 minutes}
edges:
  - START -> traige
`), nil)
	fmt.Println(err)
	// Output:
	// support.yaml:5:21: error: unknown field "topc"
	//     5 |   triage: {update: {topc: "${topc}"}, timeout: 5 minutes}
	//       |                     ^
	//       = did you mean "topic"?
	// support.yaml:5:30: error: unknown name "topc"
	//     5 |   triage: {update: {topc: "${topc}"}, timeout: 5 minutes}
	//       |                              ^
	//       = did you mean "topic"?
	// support.yaml:5:48: error: "timeout": "5 minutes" is not a duration
	//     5 |   triage: {update: {topc: "${topc}"}, timeout: 5 minutes}
	//       |                                                ^
	//       = write it like "500ms", "2s" or "1h30m"
	// support.yaml:7:14: error: unknown node "traige"
	//     7 |   - START -> traige
	//       |              ^
	//       = did you mean "triage"?
}

// A node written in Go stands beside those of the file. It makes its writes
// with the schema that the file declares.
func ExampleOptions() {
	var f *graphfile.File
	count := func(_ context.Context, s state.Record) (graph.Command[state.Record], error) {
		text, _ := s.Get("text")
		words, err := f.Schema().Write("words", len(strings.Fields(fmt.Sprint(text))))
		return graph.Commands[state.Record]{}.Update(words), err
	}
	f, err := graphfile.Parse("count.yaml", []byte(`
state:
  text:  {type: string}
  words: {type: int}
  note:  {type: string}
nodes:
  judge:
    cases:
      - {when: words > 3, update: {note: "long: ${words} words"}}
      - {update: {note: short}}
edges:
  - START -> count -> judge
`), &graphfile.Options{Nodes: map[string]graph.Node[state.Record]{"count": count}})
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := f.Input([]byte(`{"text": "to be or not to be"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := f.Graph().Invoke(context.Background(), in, nil)
	note, _ := result.State.Get("note")
	fmt.Println(note, err)
	// Output: long: 6 words <nil>
}

func ExampleFile_Input() {
	f, err := graphfile.Parse("x.yaml", []byte("state: {topic: {type: string}}\nnodes: {a: {}}\nedges: [START -> a]"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = f.Input([]byte(`{"topik": "billing"}`))
	fmt.Println(err)
	// Output: graphfile: input: the state has no field "topik"; did you mean "topic"?
}

func ExampleFile_Warnings() {
	f, err := graphfile.Parse("x.yaml", []byte(`
state: {topic: {type: string}}
nodes: {a: {update: {topic: x}}, b: {update: {topic: y}}}
edges: [START -> a, START -> b]
`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Warnings()[0].Summary())
	// Output: x.yaml:3:34: warning: "a" and "b" may write "topic" in one step, which takes one writer: a + b
}

// Agents hand work to one another; what they say and do is scripted.
func Example_agents() {
	f, err := graphfile.Parse("support.yaml", []byte(`
state: {ticket: {type: string}}
agents:
  triage:
    turns:
      - handoff: {capability: refunds, kind: call, task: "refund ${ticket}"}
      - say: "Done: ${turn.results[0].outcome.text}."
  billing: {capabilities: [refunds], turns: [{return: "refunded, as you wished: ${turn.task}"}]}
`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := f.Input([]byte(`{"ticket": "T-17"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := f.Graph().Invoke(context.Background(), in, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	look, err := handoffs.Records{Schema: f.Schema()}.Look(&result.State)
	if err != nil {
		fmt.Println(err)
		return
	}
	for h := range handoffs.History(look.Log, handoffs.Filter{}) {
		fmt.Println(h.From, "called", h.To+":", h.Status)
	}
	fmt.Println(look.Messages[len(look.Messages)-1].Text())
	// Output:
	// triage called billing: returned
	// Done: refunded, as you wished: refund T-17.
}
