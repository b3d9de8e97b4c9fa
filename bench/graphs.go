package bench

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/graph"
)

// unbounded lets graphs run as long as they have work, and skips the checks of
// shape that large graphs would spend their build time on.
var unbounded = graph.Config{RecursionLimit: -1, Lenient: true}

// chain is n nodes one after another.
func (h *handles8) chain(n int) (*graph.Graph[S8], error) {
	b := graph.New(h.schema)
	from := graph.Start
	for i := range n {
		name := fmt.Sprintf("node%05d", i)
		b.AddNode(name, h.work(), nil)
		b.AddEdge(from, name)
		from = name
	}
	return b.Compile(&unbounded)
}

// loop is one node and a router that goes round n times.
func (h *handles8) loop(n int) (*graph.Graph[S8], error) {
	b := graph.New(h.schema)
	b.AddNode("work", h.work(), nil)
	b.AddEdge(graph.Start, "work")
	b.AddChoice("work", func(s S8) string {
		if s.N < n {
			return "work"
		}
		return graph.End
	}, "work", graph.End)
	return b.Compile(&unbounded)
}

// gotos is one node that goes round n times by its command.
func (h *handles8) gotos(n int) (*graph.Graph[S8], error) {
	b := graph.New(h.schema)
	b.AddNode("work", func(_ context.Context, s S8) (graph.Command[S8], error) {
		if s.N < n-1 {
			return h.cmd.Goto("work", h.n.Add(1), h.log.Append(s.N)), nil
		}
		return h.cmd.Update(h.n.Add(1), h.log.Append(s.N)), nil
	}, &graph.NodeConfig{Goto: []string{"work"}})
	b.AddEdge(graph.Start, "work")
	return b.Compile(&unbounded)
}

// fanEdges is a node, n branches by static edges, and a node that waits for
// all of them.
func (h *handles8) fanEdges(n int) (*graph.Graph[S8], error) {
	b := graph.New(h.schema)
	b.AddNode("split", h.work(), nil)
	b.AddNode("zjoin", h.work(), nil)
	b.AddEdge(graph.Start, "split")
	branches := make([]string, n)
	for i := range branches {
		branches[i] = fmt.Sprintf("branch%05d", i)
		b.AddNode(branches[i], h.work(), nil)
		b.AddEdge("split", branches[i])
	}
	b.AddJoin(branches, "zjoin")
	return b.Compile(&unbounded)
}

// fanSends is a node that sends n tasks to another, and a node behind it.
func (h *handles8) fanSends(n int) (*graph.Graph[S8], error) {
	b := graph.New(h.schema)
	b.AddNode("split", func(_ context.Context, s S8) (graph.Command[S8], error) {
		packets := make([]graph.Packet[S8], n)
		for i := range packets {
			packets[i] = h.cmd.To("branch", h.item.Set(i))
		}
		return h.cmd.All(h.cmd.Update(h.n.Add(1), h.log.Append(s.N)), h.cmd.Send(packets...)), nil
	}, &graph.NodeConfig{Send: []string{"branch"}})
	b.AddNode("branch", h.work(), nil)
	b.AddNode("join", h.work(), nil)
	b.AddEdge(graph.Start, "split")
	b.AddEdge("branch", "join")
	return b.Compile(&unbounded)
}
