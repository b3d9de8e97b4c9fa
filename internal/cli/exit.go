package cli

import "github.com/graphrun/graphrun/graph"

// The exit codes of the command.
const (
	ExitDone    = 0   // it did what it was asked for
	ExitFailed  = 1   // the run failed, or its results could not be written
	ExitUsage   = 2   // arguments or input are wrong, or a file cannot be read
	ExitInvalid = 3   // the graph file has errors
	ExitPaused  = 4   // the run waits for an answer
	ExitTest    = 5   // a test failed
	ExitLimit   = 6   // a bound was hit
	ExitStopped = 130 // the user stopped it
)

const exitHelp = `Exit codes:
  0    done
  1    the run failed, by a timeout or a store too, or its output could not be written
  2    wrong usage or input, or a file that cannot be read: nothing is known about it yet
  3    the graph file was read and is invalid
  4    the run is paused
  5    a test failed
  6    a limit was hit: the recursion limit or another bound
  130  stopped by the user (ctrl-c or SIGTERM)`

// exitOf returns the code for the end of a run.
func exitOf(o graph.Outcome) int {
	switch o {
	case graph.OutcomeDone:
		return ExitDone
	case graph.OutcomeInterrupted:
		return ExitPaused
	case graph.OutcomeCancelled:
		return ExitStopped
	case graph.OutcomeLimit:
		return ExitLimit
	}
	return ExitFailed
}
