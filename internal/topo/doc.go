// Package topo describes the shape of a graph in plain data, answers questions
// about that shape and draws it.
//
// A [Graph] holds names and edges, nothing that runs. It is made by the packages
// that know real nodes, checked there and handed here:
//
//	g := &topo.Graph{
//		Name:  "support",
//		Nodes: []topo.Node{{Name: "triage"}, {Name: "answer"}},
//		Edges: []topo.Edge{
//			{From: topo.Start, To: "triage"},
//			{From: "triage", To: "answer", Kind: topo.Conditional, Label: "known"},
//			{From: "triage", To: topo.End, Kind: topo.Conditional},
//			{From: "answer", To: "triage"},
//		},
//	}
//
// # Questions
//
// [Graph.Reachable] and [Graph.Fillable] tell what a run can come to and which
// waits can never fill. [Graph.Components] and [Graph.Cycles] find what can run
// again. [Graph.Meetings] finds nodes that can run in one superstep, each with the
// steps that lead there. [Nearest] is the "did you mean" of error messages.
//
// All of them look at one level: a subgraph is one node of the graph around it.
// None changes the graph, each gives the same answer for the same graph, and all
// may run at the same time on one graph that nobody changes. They take any input:
// a name that only an edge holds is treated as a node. They use loops and not
// recursion, so that a chain of a hundred thousand nodes is fine.
//
// # Drawing
//
// [Draw] writes Mermaid, DOT, a drawing for terminals or JSON. Names and labels may
// hold any text. A graph that cannot be drawn truly (two nodes of one name, an edge
// to nowhere) is refused with a list of everything that is wrong with it.
//
// The terminal drawing is in layers and meant for graphs of up to about fifteen
// nodes; a graph too large or too wide for it becomes a list of nodes, each with its
// targets, which leaves nothing out.
package topo
