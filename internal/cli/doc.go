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
// thread, progress, warnings, errors. With --quiet only errors are left there.
//
// # Progress
//
// A run is shown as a live tree if Env.Stderr is a terminal, else as one line
// for each task that ended. Both are views of a ledger, which follows the
// events of the run and knows which task belongs to which subgraph.
//
// # Stopping
//
// The first signal ends the context of the command with the signal as cause:
// a run lets its tasks end within their grace period, tells what was reached
// and ends with code 130. The second signal makes Run return at once, whatever
// is still going on.
package cli
