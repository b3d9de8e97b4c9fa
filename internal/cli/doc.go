// Package cli is the command graphrun: it reads graph files, checks, draws and
// runs them.
//
// [Run] is the whole command. It takes everything it uses of the world in an
// [Env] and returns the exit code, so that tests run it in their own process.
//
// # Streams
//
// What a command was asked for goes to Env.Stdout: the values of a run or its
// event log, a drawing, a verdict. Everything else goes to Env.Stderr: the
// thread, progress, questions, warnings, errors. With --quiet only errors and
// what a paused run asks are left there.
//
// # Progress
//
// A run is shown as a live tree if Env.Stderr is a terminal, else as one line
// for each task that ended. Both are views of a ledger, which follows the
// events of the run and knows which task belongs to which subgraph. Below the
// tree the plans of the run are lists of their steps; else each change of a plan
// is a line.
//
// # Threads
//
// Every run has a thread in a store, which --store names; without it that is a
// file of the user's. The store is opened when a command needs it and closed
// when it ends; commands that only look open it for reading. Where a run stops
// before its end, the command line that goes on with it is said.
//
// # Stopping
//
// The first signal ends the context of the command with the signal as cause,
// which drains a run: the step at work is finished and saved. The second one
// ends the context of the run, so that the tasks at work are cancelled; two
// seconds later, or at the third signal, Run returns whatever is still going
// on. The code is 130.
package cli
