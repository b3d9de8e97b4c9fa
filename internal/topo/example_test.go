package topo_test

import (
	"fmt"

	"github.com/graphrun/graphrun/internal/topo"
)

func ExampleDraw() {
	g := &topo.Graph{
		Nodes: []topo.Node{{Name: "split"}, {Name: "left"}, {Name: "right"}, {Name: "gather"}},
		Edges: []topo.Edge{
			{From: topo.Start, To: "split"},
			{From: "split", To: "left"},
			{From: "split", To: "right"},
			{From: "left", To: "gather", Kind: topo.Joined},
			{From: "right", To: "gather", Kind: topo.Joined},
			{From: "gather", To: "split", Kind: topo.Conditional, Label: "again"},
		},
	}
	text, err := topo.Draw(g, topo.DrawOptions{Format: topo.ASCII})
	fmt.Print(text, err)
	// Output:
	//       ( START )
	//           │
	//           ▼
	//       ┌───────┐
	//       │ split │
	//       └───┬───┘
	//     ┌─────┴─────┐
	//     ▼           ▼
	// ┌───────┐   ┌───────┐
	// │ left  │   │ right │
	// └────┬──┘   └──┬────┘
	//      │         │
	//      │         │
	//      ━━━ all ━━━
	//           │
	//           ▼
	//      ┌─────────┐
	//      │ gather  │ ↺ ┄ split (again)
	//      └─────────┘
	//
	// ┄┄ conditional   ━━ all ━━ waits for all   ↺ goes back to
	// <nil>
}

func ExampleGraph_Reachable() {
	g := &topo.Graph{
		Nodes: []topo.Node{{Name: "a"}, {Name: "b"}, {Name: "lost"}},
		Edges: []topo.Edge{{From: topo.Start, To: "a"}, {From: "lost", To: "b"}},
	}
	reach := g.Reachable()
	fmt.Println(reach["a"], reach["b"], reach["lost"])
	// Output: true false false
}

func ExampleGraph_Fillable() {
	g := &topo.Graph{
		Nodes: []topo.Node{{Name: "a"}, {Name: "lost"}, {Name: "gather"}},
		Edges: []topo.Edge{
			{From: topo.Start, To: "a"},
			{From: "a", To: "gather", Kind: topo.Joined, Join: 7},
			{From: "lost", To: "gather", Kind: topo.Joined, Join: 7},
		},
	}
	reach, stuck := g.Fillable()
	fmt.Println(reach["gather"], stuck)
	// Output: false [7]
}

func ExampleGraph_Cycles() {
	g := &topo.Graph{
		Nodes: []topo.Node{{Name: "draft"}, {Name: "critique"}, {Name: "publish"}},
		Edges: []topo.Edge{
			{From: topo.Start, To: "draft"},
			{From: "draft", To: "critique"},
			{From: "critique", To: "draft", Kind: topo.Conditional},
			{From: "critique", To: "publish", Kind: topo.Conditional},
		},
	}
	fmt.Println(g.Cycles())
	fmt.Println(g.Components())
	// Output:
	// [[critique draft]]
	// [[draft critique] [publish]]
}

func ExampleMeetings_Among() {
	g := &topo.Graph{
		Nodes: []topo.Node{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}},
		Edges: []topo.Edge{
			{From: topo.Start, To: "a"},
			{From: "a", To: "b"}, {From: "a", To: "c"},
			{From: "b", To: "d"}, {From: "c", To: "e"},
		},
	}
	m := g.Meetings()
	met, ok := m.Among("d", "e")
	fmt.Println(met.A, met.B, ok, met.Steps)
	_, ok = m.Among("a", "b", "e")
	fmt.Println(ok, m.Complete())
	// Output:
	// d e true [[a] [b c] [d e]]
	// false true
}

func ExampleNearest() {
	known := []string{"triage", "review", "publish"}
	fmt.Println(topo.Nearest("reveiw", known))
	fmt.Println(topo.Nearest("archive", known))
	// Output:
	// review true
	//  false
}
