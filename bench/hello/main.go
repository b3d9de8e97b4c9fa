// Hello is the smallest program on the library: what it costs to build and how
// large it gets is measured by bench/size.sh.
package main

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// State holds the text that the graph makes.
type State struct {
	Text string `json:"text"`
}

func main() {
	text := state.NewValue("text", func(s *State) *string { return &s.Text })
	var cmd graph.Commands[State]
	b := graph.New(state.MustSchema(text))
	b.AddNode("greet", func(context.Context, State) (graph.Command[State], error) {
		return cmd.Update(text.Set("hello")), nil
	}, nil)
	b.AddEdge(graph.Start, "greet")
	g, err := b.Compile(nil)
	if err != nil {
		panic(err)
	}
	out, err := g.Invoke(context.Background(), nil, nil)
	fmt.Println(out.State.Text, err)
}
