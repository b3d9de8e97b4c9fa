// Package checkpoint keeps what a run must not lose: for each thread an
// append-only log of commits, and what has been done since the last one.
//
// Everything in a store is bytes. What they mean, and when what is written, is
// the engine's business; package graph does it for you. You need this package
// to choose a store, to look at what is stored, and to write a store of your
// own.
//
// # Stores
//
// [Memory] lives as long as the process: for tests, and for runs that need not
// outlive it. Package checkpoint/sqlite keeps everything in one file and
// survives a crash at any instant. Package checkpoint/sealed encrypts what any other store
// keeps. They all pass the suite of package checkpoint/checkpointtest, and so
// should one of your own.
//
// # Threads, namespaces and logs
//
// A thread is one conversation or job, by a name of your choice: any bytes but
// none at all. It has a log of its own, under the namespace "", and one for
// each run of a subgraph within it, under a namespace that [Child] makes of
// the commit behind which the subgraph's task ran and the task's place there.
// [Within] says whether one namespace is inside another one. A [Log] is a
// thread and a namespace; a log without commits does not exist, and neither
// does a thread without logs.
//
// # Commits
//
// A [Commit] is what one superstep did, or an input, an update from outside, a
// fork. Its Seq is its place in the log: numbers rise, and may leave gaps. Its
// Parent is the commit it goes on from, most often the one before it; after a
// fork an earlier one.
//
// A commit holds a whole state or a change of one. Base says which: that of a
// whole one is its own Seq; that of any other is the Seq of the newest whole
// one before it, hence the Base of its neighbour. To rebuild the state of a
// commit one needs all commits from its Base on, and these [Store.Load]
// returns:
//
//	Seq     1   2   3   4   5   6
//	Base    1   1   1   4   4   4     1 and 4 are whole
//
//	Load 3: 1 2 3     Load 4: 4     Load 6, or 0 for the newest: 4 5 6
//
// The newest commit is the log's head. Whoever appends says in [Part] which
// head he believes in; if it is another one, nothing is written and the error
// is [ErrConflict]. So two who know nothing of each other cannot go on from
// one commit both.
//
// # Pending
//
// Between two commits there is more to keep: the result of a task that has
// finished while its siblings run, an answer that came. Such a [Pending] entry
// is kept behind the head under a key. The next commit says all that they
// said, so it removes them.
//
// # Writers
//
// [Store.Claim] makes you a thread's only [Writer]; [Busy] says what is to
// happen if there is one. You can be refused, wait in line, or take the thread
// over: then the old writer is fenced off, his Append fails with [ErrFenced],
// and Lost tells him, if the store can. Reading needs no claim.
//
// What one Append writes, be it to several logs of the thread, becomes visible
// at once or not at all. An error of the store says that nothing was written,
// except where a connection or a disk failed on the way: then load the head to
// know.
//
// # Old commits
//
// Time travel loads an old commit. A fork appends a whole one that names it as
// its Parent. [Store.Copy] makes a second thread to try things on.
// [Writer.Prune] ends a log's past at one commit, with the runs of subgraphs
// behind it; [Store.Delete] removes a thread.
//
// # Long-term memory
//
// [Items] are JSON values by namespace and key that outlive threads and are
// shared by them. [MemoryItems] keeps them in memory, package checkpoint/sealed encrypts
// what another one keeps. In a [Swapper] several can change one item, and none undoes
// what another one did.
//
// # Writing a store
//
// [CheckParts], [CheckBase], [CheckWhole], [CheckItem] and [Filter] are the
// rules that do not depend on how a store works, so that all stores refuse the
// same. Wrap the errors of this package, which callers branch on.
package checkpoint
