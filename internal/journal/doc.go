// Package journal keeps the log of a run in a checkpoint store: what each
// superstep did to the state, what is due behind it, and what tasks of the
// step at work have brought so far.
//
// A commit of the log has a Meta, what is due and which graph wrote it, and a
// Body, what changed: the physical operations behind the reducers, as
//
//	[[field, verb, value], …]
//
// or, when the operations since the last one outweigh it, the whole state:
//
//	{"state": {…}}
//
// It also has the rows that the graph's indexes make of the state before and
// after it; in Exit mode, of that at the run's start and at its end.
//
// Subgraphs hand their parent what they changed, so their logs also tell the
// logical writes, where these are not the operations themselves ("writes"),
// and what they come to so far ("diff").
//
// A Queue stands between the journals of a thread, its own and those of its
// subgraphs, and the store: it writes at once, behind the run, or at its end.
package journal
