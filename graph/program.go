package graph

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/internal/topo"
	"github.com/graphrun/graphrun/state"
)

// program is a compiled graph without its state type. It does not change and
// serves any number of runs at once.
type program struct {
	name     string
	cfg      Config
	plan     *kernel.Plan
	layout   *state.Layout
	entry    node          // Start: no work, only routers
	nodes    []node        // by id
	zero     any           // the state before the input; never changed
	patience time.Duration // how long after its context's end a run may take
	indexes  []indexer     // of rows for tables beside the log
	shape    *topo.Graph
	warnings []Problem
	runs     sync.Pool // of *run

	described func() json.RawMessage // its description, made when it is first asked for

	before, after []bool // by node: runs pause there; nil: nowhere
}

// node is what the runner needs of a node.
type node struct {
	id      int32
	name    string
	work    caller
	routers []router
	handler rescuer
	retry   *RetryPolicy
	timeout time.Duration
	grace   time.Duration // how long after its context's end it may take
	limit   int
	exit    Exit
	plain   bool     // no retry, timeout, handler
	child   *program // of a subgraph
}

// router is a conditional edge.
type router struct {
	by      caller
	one     chooser // by, if it names one target; else nil
	targets []kernel.Target
}

// slack is how much longer a run waits for something inside it that gives up
// tasks itself: what lies further inside names them better.
const slack = 20 * time.Millisecond

// beWaitedFor adds a node that may take a while to end.
func (p *program) beWaitedFor(n *node, child *program) {
	n.grace = p.cfg.grace()
	if child != nil {
		n.grace = max(n.grace, child.patience+slack)
	}
	most := n.grace
	if n.timeout > 0 {
		most += slack
	}
	p.patience = max(p.patience, most)
}

func (p *program) node(id int32) *node {
	if id == kernel.StartNode {
		return &p.entry
	}
	return &p.nodes[id]
}
