package graph

import (
	"time"

	"github.com/graphrun/graphrun/checkpoint"
)

// Config holds what a graph can be given when it is compiled. Nil means its
// zero value.
type Config struct {
	Name string // shown in drawings; may be empty

	// RecursionLimit is how many supersteps each run, and each run of it as a
	// subgraph, may make; 0: 25; less: no bound. A run fails by it only if
	// work is left.
	RecursionLimit int

	// MaxConcurrency is how many tasks of a run may be at work at once; 0 or
	// less: as many as there are. The tasks of a subgraph's run are not
	// counted: that has the bound of its own graph.
	MaxConcurrency int

	// Grace is how long a cancelled task may take to end before it is left
	// behind; 0: one second; less: not at all.
	Grace time.Duration

	// FinishSiblings lets the other tasks of a step end by themselves when
	// one has failed. By default their contexts are cancelled with its error.
	FinishSiblings bool

	// InterruptBefore and InterruptAfter name nodes before and after which a
	// run pauses. Without a store runs of such a graph fail with ErrNoStore.
	InterruptBefore, InterruptAfter []string

	// Store keeps the threads of the graph; nil: nothing is kept, runs have no
	// past and cannot pause. With a store every run needs a thread. The stores
	// of graphs that are mounted as subgraphs are not used: their logs are
	// kept with those of the graph that was started.
	Store checkpoint.Store

	// Items is long-term memory for the graph's nodes, which reach it by
	// LongTerm; nil: there is none.
	Items checkpoint.Items

	// Evolution says which changes of the graph are no obstacle to going on
	// with threads that an older one began.
	Evolution Evolution

	// Lenient leaves out the warnings about nodes that cannot be reached, waits
	// that cannot fill and writers that can meet, which are costly for very
	// large graphs.
	Lenient bool
}

const (
	defaultLimit = 25
	defaultGrace = time.Second
)

func (c *Config) limit() int {
	switch {
	case c.RecursionLimit == 0:
		return defaultLimit
	case c.RecursionLimit < 0:
		return 0
	}
	return c.RecursionLimit
}

func (c *Config) grace() time.Duration {
	if c.Grace == 0 {
		return defaultGrace
	}
	return max(c.Grace, 0)
}
