// Package kernel is the engine's core: a machine that turns the results of a
// superstep's tasks into the next state and the next tasks.
//
// It starts no goroutine, reads no clock, draws no id or random number, ranges
// over no map and does no input or output. A driver owns it: the driver runs
// the tasks, in whatever order and on whatever machines, writes each result
// into the machine and tells it that the task is done. What the machine does
// next depends on the results alone, never on the order in which they came.
//
// One run goes:
//
//	m.Start(store)              // one task, Start, is open: the input
//	for {
//	    for each open task: fill m.Result(i); m.Done(id)
//	    e := m.Advance()        // commits the step, plans the next one
//	    if e.Closed { break }
//	}
//
// Results are matched by task id; late, double and unknown ones are dropped.
// Snapshot and Restore are exact between any two calls, in the middle of a
// step as well. Tasks and results have wire forms for drivers whose workers
// are other processes.
package kernel
