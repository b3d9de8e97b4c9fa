package graphfile

import (
	"slices"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/graphfile/internal/planning"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/graphfile/internal/team"
)

// graphSpec is a graph as its file tells it. Parts that are wrong were
// reported and are left out.
type graphSpec struct {
	text
	pos source.Pos

	name, description string
	fields            []*fieldSpec
	nodes             []*nodeSpec
	edges             []*edgeSpec
	team              *team.Sections    // nil: it has no agents
	plan              *planning.Section // nil: its agents have no plan
	kit               *agent.Kit        // what its agents may name
	maker             *maker
	limit             int
	before, after     []ref

	// partial tells that parts were left out which may lead to nodes, so that
	// nothing can be said about what leads where.
	partial bool
	// vague tells that nodes may have been left out, so that no name of a node
	// can be called unknown.
	vague bool
	// lost are the names of fields that were left out.
	lost map[string]bool
	// unfit tells that a field does not fit that of the graph around.
	unfit bool
}

// ref is a name with its place.
type ref struct {
	name string
	pos  source.Pos
	part *part // of the text at pos; nil: all of it
}

// part is where in a text a name stands, in characters from 0.
type part struct {
	text *source.Node
	at   int
}

// nodeSpec is one node: with a script, with a graph, written in Go, or an agent.
type nodeSpec struct {
	ref
	retry   *graph.RetryPolicy
	timeout time.Duration
	defers  bool

	script *scriptSpec
	child  *graphSpec
	model  *agent.Spec
	work   *goNode
	agent  bool // its work is that of the team
	failed bool // its kind could not be told
}

// scriptSpec is what a scripted node does, or one of its cases.
type scriptSpec struct {
	pos   source.Pos
	sleep time.Duration
	fail  *task.FailSpec
	asks  []task.AskSpec

	update []entrySpec
	gotos  []ref
	sends  []*sendSpec

	// parent tells that update, goto and send are for the parent graph.
	parent    bool
	parentPos source.Pos

	cases []*caseSpec
}

type caseSpec struct {
	when *source.Node // nil: always
	scriptSpec
}

// entrySpec is a name with a value that may hold expressions.
type entrySpec struct {
	ref
	value *source.Node
}

type sendSpec struct {
	to    ref
	each  *source.Node
	input []entrySpec
	bad   bool // it goes nowhere, and is only checked
}

// edgeSpec is one edge: from one or several nodes, to some, or by cases.
type edgeSpec struct {
	pos   source.Pos
	from  []ref
	waits bool // for all of from
	bad   bool // it leads nowhere, and is only checked
	to    []ref
	cases []*wayCase
}

// wayCase is one case of a conditional edge.
type wayCase struct {
	pos  source.Pos
	when *source.Node // nil: always
	to   []ref
}

// walk calls visit for a script and all its cases, with the names that the
// answers to interrupts have there.
func (s *scriptSpec) walk(bound []string, visit func(s *scriptSpec, bound []string)) {
	bound = slices.Clip(bound)
	for _, a := range s.asks {
		if a.Into != "" {
			bound = append(bound, a.Into)
		}
	}
	visit(s, bound)
	for _, c := range s.cases {
		c.walk(bound, visit)
	}
}
