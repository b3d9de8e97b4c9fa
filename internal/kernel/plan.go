package kernel

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// The reserved names of the places where a graph begins and ends.
const (
	Start = "START"
	End   = "END"
)

// StartNode is the node id of Start, whose one task is the input of a run.
const StartNode = -1

// Plan is a compiled graph as the machine sees it. Node ids are ranks of the
// sorted names, so that the order of names is the order of ids. A Plan does
// not change and may be shared by any number of machines.
type Plan struct {
	Names []string // sorted
	Nodes []Node   // by id
	Entry Node     // the edges out of Start
	Joins []Join
	Print string // the graph's fingerprint
	Limit int    // supersteps a run may make; 0 or less: no limit

	quoted [][]byte // the names as JSON
}

// Node is a node's way on.
type Node struct {
	Next  []int32  // static edges, sorted
	Feeds []Feed   // the waiting edges it is a source of
	Waits []int32  // the waiting edges that lead to it
	Goto  []Target // what its commands may go to, by name; End is always allowed
	Send  []Target // what its packets may be sent to, by name
	Relay []Target // what the routers on its edges may send to, by name
	Defer bool     // runs when nothing else is due
}

// Target is a node that a command may name.
type Target struct {
	Name string
	ID   int32
}

// Join is a waiting edge: To runs once all sources have run.
type Join struct {
	Sources []int32
	To      int32
	base    int // of its marks in the machine
}

// Feed is a node's place among the sources of a join.
type Feed struct{ Join, Place int32 }

// NewPlan makes the plan of the given node names, still without edges.
func NewPlan(names []string) *Plan {
	names = slices.Clone(names)
	sort.Strings(names)
	return &Plan{Names: names, Nodes: make([]Node, len(names)), quoted: quote(names)}
}

// ID returns the id of a node's name; false if there is none.
func (p *Plan) ID(name string) (int32, bool) {
	i, ok := slices.BinarySearch(p.Names, name)
	return int32(i), ok
}

// Name returns the name of a node's id.
func (p *Plan) Name(id int32) string {
	if id == StartNode {
		return Start
	}
	return p.Names[id]
}

// Node returns a node by its id, Start included.
func (p *Plan) Node(id int32) *Node {
	if id == StartNode {
		return &p.Entry
	}
	return &p.Nodes[id]
}

// AddJoin adds a waiting edge.
func (p *Plan) AddJoin(sources []int32, to int32) {
	j := Join{Sources: slices.Clone(sources), To: to}
	if n := len(p.Joins); n > 0 {
		j.base = p.Joins[n-1].base + len(p.Joins[n-1].Sources)
	}
	for place, s := range sources {
		p.Nodes[s].Feeds = append(p.Nodes[s].Feeds, Feed{int32(len(p.Joins)), int32(place)})
	}
	p.Nodes[to].Waits = append(p.Nodes[to].Waits, int32(len(p.Joins)))
	p.Joins = append(p.Joins, j)
}

// marks is how many sources all joins have together.
func (p *Plan) marks() int {
	if n := len(p.Joins); n > 0 {
		return p.Joins[n-1].base + len(p.Joins[n-1].Sources)
	}
	return 0
}

// Targets returns the declared targets of the given names, which must all be
// nodes of the plan.
func (p *Plan) Targets(names []string) []Target {
	var out []Target
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if id, ok := p.ID(name); ok {
			out = append(out, Target{name, id})
		}
	}
	return out
}

// Check says whether a node's command names only targets that it may name.
func (p *Plan) Check(id int32, c *Command) error {
	n := p.Node(id)
	for to := range c.Gotos() {
		if to != End && find(n.Goto, to) < 0 {
			return p.undeclared(id, "go to", to, n.Goto)
		}
	}
	for _, packet := range c.Packets() {
		if find(n.Send, packet.To) < 0 {
			return p.undeclared(id, "send to", packet.To, n.Send)
		}
	}
	return nil
}

// find returns the id of a target, -1 if it is not declared. In a short list
// it compares one by one: mostly the name is the same string, which the
// runtime sees by its pointer.
func find(targets []Target, name string) int32 {
	if len(targets) <= 8 {
		for i := range targets {
			if targets[i].Name == name {
				return targets[i].ID
			}
		}
		return -1
	}
	i, ok := slices.BinarySearchFunc(targets, name, func(t Target, name string) int { return strings.Compare(t.Name, name) })
	if !ok {
		return -1
	}
	return targets[i].ID
}

// UndeclaredError tells of a command that names a target which its node did
// not declare.
type UndeclaredError struct {
	Node, Verb, Target string
	Declared           []string
	Known              bool // there is a node of that name
}

// Error names node and target and what to do.
func (e *UndeclaredError) Error() string {
	if !e.Known {
		return fmt.Sprintf("node %q cannot %s %q: the graph has no such node", e.Node, e.Verb, e.Target)
	}
	return fmt.Sprintf("node %q did not declare that it may %s %q (declared: %s)", e.Node, e.Verb, e.Target, listed(e.Declared))
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (p *Plan) undeclared(id int32, verb, target string, declared []Target) error {
	_, known := p.ID(target)
	e := &UndeclaredError{Node: p.Name(id), Verb: verb, Target: target, Known: known}
	for _, t := range declared {
		e.Declared = append(e.Declared, t.Name)
	}
	return e
}
