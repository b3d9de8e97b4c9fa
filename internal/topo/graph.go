package topo

import "fmt"

// Start and End are the names of the two ends of every graph. They may stand in an
// [Edge] but are not nodes.
const (
	Start = "START"
	End   = "END"
)

// EdgeKind tells when an edge is followed.
type EdgeKind uint8

// The kinds of edges.
const (
	Static      EdgeKind = iota // always followed
	Conditional                 // a router on an edge may choose it
	Declared                    // a node's own command may go there (goto)
	Sent                        // a node may send there
	Joined                      // part of a waiting edge: the target waits for all sources of the same Join id
)

// String returns the kind's name in lower case, which is also its name in JSON.
func (k EdgeKind) String() string {
	switch k {
	case Static:
		return "static"
	case Conditional:
		return "conditional"
	case Declared:
		return "declared"
	case Sent:
		return "sent"
	case Joined:
		return "joined"
	}
	return fmt.Sprintf("edge kind %d", uint8(k))
}

// Node is one node of a graph.
type Node struct {
	// Name is unique within its graph and neither empty nor Start nor End.
	Name string
	// Deferred nodes run when nothing else is due.
	Deferred bool
	// Inner is the graph that runs inside the node, nil for a plain node.
	Inner *Graph
	// Note is a short text shown with the name, such as "interrupt before".
	// Empty means none.
	Note string
}

// Edge leads from one node to another.
//
// A node makes its choices through choosers. Its Conditional edges with the same
// Router belong to one chooser, and so do its Declared and Sent edges with the same
// Router: the command that the node returns. Each time the node runs, each of its
// choosers takes exactly one outcome. Edges of one chooser with the same Choice above
// zero are one outcome and are followed together; an edge with Choice zero is an
// outcome of its own. An outcome that leads nowhere is an edge to End.
type Edge struct {
	// From and To are node names; From may be Start, To may be End.
	From, To string
	// Kind tells when the edge is followed.
	Kind EdgeKind
	// Label is shown on the arrow, for example a condition. It may be empty.
	Label string
	// Join tells, for Joined edges, which wait the edge is part of. All edges of one
	// wait share the id, which is not negative, and have the same target.
	Join int
	// Router tells apart the choosers of one node. A node with one router on its
	// edges and one command leaves it zero.
	Router int
	// Choice names the outcome that the edge belongs to, see above.
	Choice int
	// Many marks a Sent edge that may start several tasks of its target in one step,
	// such as one for each element of a list.
	Many bool
}

// optional reports whether the edge is followed only when it is chosen.
func (e Edge) optional() bool {
	return e.Kind == Conditional || e.Kind == Declared || e.Kind == Sent
}

// Graph is the shape of one graph. Its zero value is an empty graph. The order of
// nodes and edges is kept by drawings and breaks ties everywhere.
type Graph struct {
	Name  string
	Nodes []Node
	Edges []Edge
}
