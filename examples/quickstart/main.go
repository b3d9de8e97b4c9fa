// Quickstart is the program of the README.
package main

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

type Doc struct{ Drafts []string }

func main() {
	drafts := state.NewList("drafts", func(d *Doc) *[]string { return &d.Drafts })
	var cmd graph.Commands[Doc]

	b := graph.New(state.MustSchema(drafts))
	b.AddNode("write", func(ctx context.Context, d Doc) (graph.Command[Doc], error) {
		return cmd.Update(drafts.Append(fmt.Sprint("draft ", len(d.Drafts)+1))), nil
	}, nil)
	b.AddEdge(graph.Start, "write")
	b.AddChoice("write", func(d Doc) string {
		if len(d.Drafts) < 3 {
			return "write"
		}
		return graph.End
	}, "write", graph.End)
	g, err := b.Compile(nil)
	if err != nil {
		panic(err)
	}
	out, err := g.Invoke(context.Background(), nil, nil)
	fmt.Println(out.Outcome, out.State.Drafts, err)
}
