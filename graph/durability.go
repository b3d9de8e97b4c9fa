package graph

import (
	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
)

// Durability says when the supersteps of a run are saved in its store. What
// may be lost in each mode is a table in docs/durability.md.
type Durability uint8

// The modes.
const (
	// DurabilitySync saves a step before the next one starts.
	DurabilitySync Durability = iota
	// DurabilityAsync saves steps, in order, while the run goes on. An error
	// of the store ends the run at the next step, at the latest at its end.
	DurabilityAsync
	// DurabilityExit saves once, where the run ends, in one checkpoint: a
	// process that is killed loses the run.
	DurabilityExit
)

func (d Durability) mode() journal.Mode {
	switch d {
	case DurabilityAsync:
		return journal.Async
	case DurabilityExit:
		return journal.Exit
	}
	return journal.Sync
}

// Busy says what a run, an update or a fork does about a thread that another
// one is writing to, in this process or another.
type Busy = checkpoint.Busy

// What can be done about a busy thread.
const (
	BusyReject    = checkpoint.Reject   // fail with ErrBusy
	BusyEnqueue   = checkpoint.Enqueue  // wait until the other one has ended
	BusyInterrupt = checkpoint.TakeOver // end the other one, which fails with ErrTakenOver, and go on from its last step
)

// On returns the same graph with its threads in another store, and long-term
// memory in items; either may be nil.
func (g *Graph[S]) On(store checkpoint.Store, items checkpoint.Items) *Graph[S] {
	return &Graph[S]{program: g.program, schema: g.schema, keep: keeping{store, items, g.keep.evolution}}
}

// Evolved returns the same graph with another word on which changes are fine.
func (g *Graph[S]) Evolved(e Evolution) *Graph[S] {
	return &Graph[S]{program: g.program, schema: g.schema, keep: keeping{g.keep.store, g.keep.items, e}}
}
