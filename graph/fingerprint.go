package graph

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"

	"github.com/graphrun/graphrun/internal/kernel"
)

// fingerprint is a short text that is the same for graphs with the same nodes,
// edges, targets, fields and subgraphs, and almost surely differs for others.
// What the nodes do is not part of it.
func (prog *program) fingerprint() string {
	p, lay := prog.plan, prog.layout
	h := fnv.New128a()
	for _, name := range lay.Fields() {
		info, _ := lay.Info(name)
		fmt.Fprintf(h, "field %q %q %v\n", name, info.Kind, info.Type)
	}
	describe := func(name string, n *kernel.Node) {
		fmt.Fprintf(h, "node %q %v %v %v %v %v\n", name, n.Next, n.Goto, n.Send, n.Relay, n.Defer)
	}
	describe(Start, &p.Entry)
	for i := range p.Nodes {
		describe(p.Names[i], &p.Nodes[i])
		if child := prog.nodes[i].child; child != nil {
			fmt.Fprintf(h, "subgraph %s\n", child.plan.Print)
		}
	}
	for i := range p.Joins {
		fmt.Fprintf(h, "join %v %d\n", p.Joins[i].Sources, p.Joins[i].To)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Fingerprint returns a text that is the same for graphs with the same nodes,
// edges, targets, fields and subgraphs: two processes that exchange tasks compare it.
func (g *Graph[S]) Fingerprint() string { return g.program.plan.Print }
