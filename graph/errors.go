package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// What callers branch on. Errors of runs are *Error and wrap one of these or
// the node's own error.
var (
	// ErrInvalidUpdate: the updates of a step do not go together or do not
	// fit the state. It is also a state.ErrConflict if two writers met.
	ErrInvalidUpdate = errors.New("invalid update")
	// ErrRecursionLimit: the supersteps a run may make are used up.
	ErrRecursionLimit = errors.New("recursion limit")
	// ErrLimit: another bound was hit; nodes wrap it to say so.
	ErrLimit = errors.New("limit")
	// ErrTimeout: an attempt of a node took longer than its timeout.
	ErrTimeout = errors.New("timeout")
	// ErrCancelled: the run was cancelled. The cause is wrapped beside it.
	ErrCancelled = errors.New("cancelled")
	// ErrLeftBehind: a node did not end when its context did, and was left
	// behind after the grace period. What it still does has no effect.
	ErrLeftBehind = errors.New("left behind")
	// ErrUndeclared: a command names a target that its node did not declare.
	ErrUndeclared = errors.New("undeclared target")
	// ErrGoexit: user code ended its goroutine by runtime.Goexit, as
	// testing.T.FailNow does. The task is neither retried nor handled. In a
	// run whose context cannot end (context.Background) a task that is alone
	// in its step may run on the caller's goroutine, which then ends with it.
	ErrGoexit = errors.New("runtime.Goexit was called")
	// ErrMutated: a node, router or error handler changed what it was given of
	// the state.
	ErrMutated = errors.New("the view of the state was changed")
	// ErrNoStore: what was asked for needs a checkpoint store.
	ErrNoStore = errors.New("not supported without a store")
	// ErrNoThread: with a store every run needs a thread.
	ErrNoThread = errors.New("no thread named")
	// ErrUnknown: the store has no such thread or checkpoint.
	ErrUnknown = errors.New("unknown")
	// ErrStore: the store failed. The thread is as it was last saved.
	ErrStore = errors.New("the store failed")
	// ErrBusy: the thread is being written to by another run.
	ErrBusy = checkpoint.ErrBusy
	// ErrTakenOver: another run has taken the thread over.
	ErrTakenOver = errors.New("the thread was taken over by another run")
	// ErrDrained: the run was asked to end behind the step at work, and did.
	ErrDrained = errors.New("drained")
	// ErrInterrupted: the run waits for answers, or was paused before or
	// after a node. Nodes return it as they get it from Interrupt.
	ErrInterrupted = errors.New("interrupted")
	// ErrAnswer: an answer does not fit the open questions.
	ErrAnswer = errors.New("the answer does not fit")
	// ErrChanged: the graph is not the one that the thread was begun with.
	ErrChanged = errors.New("the graph has changed")
	// ErrInvalidGraph: Compile found problems; the error is a *CompileError.
	ErrInvalidGraph = errors.New("invalid graph")
	// ErrLineType: a value that was emitted wants a type of line that it cannot
	// have.
	ErrLineType = errors.New("no type of line for emitted values")
	// ErrNotInTask: a function for nodes was called with another context.
	ErrNotInTask = errors.New("the context is not that of a task")
	// ErrStreamClosed is the cause of the context's end in a run whose stream
	// was left.
	ErrStreamClosed = errors.New("the stream was left")
)

// Kind names the sort of an error in events and in the command's output.
type Kind = kernel.Kind

// The kinds of errors of runs.
const (
	KindNode           Kind = "node_error"      // the node's own error, and all that has no other kind
	KindInvalidUpdate  Kind = "invalid_update"  // ErrInvalidUpdate
	KindRecursionLimit Kind = "recursion_limit" // ErrRecursionLimit
	KindTimeout        Kind = "timeout"         // ErrTimeout
	KindCancelled      Kind = "cancelled"       // ErrCancelled
	KindLimit          Kind = "limit"           // ErrLimit
	KindStore          Kind = "store"           // ErrStore, ErrNoStore, ErrBusy, ErrChanged
)

// Error is what every failed run returns: the error with the place where it
// came up. Fields that do not apply are zero.
type Error struct {
	Thread  string   // the run's thread, if it has one
	NS      []string // the subgraph's path of node names; empty: the root
	Step    int
	Node    string // "" if no single node is at fault
	Task    string // the task's id
	Attempt int    // 1 for the first
	Err     error
}

// Error says where and what.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("graph: ")
	if e.Thread != "" {
		fmt.Fprintf(&b, "thread %q: ", e.Thread)
	}
	if len(e.NS) > 0 {
		fmt.Fprintf(&b, "subgraph %q: ", strings.Join(e.NS, "/"))
	}
	fmt.Fprintf(&b, "step %d: ", e.Step)
	if e.Node != "" {
		fmt.Fprintf(&b, "node %q: ", e.Node)
	}
	if _, told := e.Err.(*repeated); e.Attempt > 1 && !told {
		fmt.Fprintf(&b, "attempt %d: ", e.Attempt)
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the error without its place.
func (e *Error) Unwrap() error { return e.Err }

// Kind returns the sort of the error.
func (e *Error) Kind() Kind {
	switch {
	case isAny(e.Err, ErrStore, ErrNoStore, ErrNoThread, ErrUnknown, ErrBusy, ErrChanged):
		return KindStore
	case isAny(e.Err, ErrCancelled, ErrTakenOver):
		return KindCancelled
	case errors.Is(e.Err, ErrRecursionLimit):
		return KindRecursionLimit
	case errors.Is(e.Err, ErrInvalidUpdate):
		return KindInvalidUpdate
	case errors.Is(e.Err, ErrTimeout):
		return KindTimeout
	case errors.Is(e.Err, ErrLimit):
		return KindLimit
	}
	var fault *kernel.Fault
	if errors.As(e.Err, &fault) && fault.Sort != "" {
		return fault.Sort
	}
	return KindNode
}

// PanicError is a panic of a node, a router, an error handler, an index, a
// function of a Mount or a retry condition.
type PanicError struct {
	Value any
	Stack []byte
}

// Error shows the value; the stack is in the field.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// isConflict reports whether err tells of writes that do not go together.
func isConflict(err error) bool { return errors.Is(err, state.ErrConflict) }

// isAny reports whether err is one of several.
func isAny(err error, of ...error) bool {
	return slices.ContainsFunc(of, func(e error) bool { return errors.Is(err, e) })
}

// listed shows the names that were declared.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
