package graph

import (
	"context"
	"reflect"
	"time"

	"github.com/graphrun/graphrun/internal/kernel"
)

// Node is the work of a node. It gets a view of the state as it was when the
// step began, and must not assign to elements or keys of what it finds there;
// appending to a list of its own copy is safe. It may be called by several
// goroutines at once. Its context ends when the run is cancelled, when a
// sibling fails, or at its timeout; a node that goes on regardless is left
// behind after a grace period. A panic becomes an error that is a
// *PanicError.
type Node[S any] func(ctx context.Context, s S) (Command[S], error)

// ErrorHandler stands in for a node that failed for good, with the node's own
// view of the state. Its command counts as the node's: the node's edges are
// followed. Its error fails the run. It is not called for a cancelled task.
type ErrorHandler[S any] func(ctx context.Context, s S, failed *Error) (Command[S], error)

// NodeConfig holds what a node can be given beside its function. Nil or the
// zero value means: no targets, no retry, no timeout, no limit.
type NodeConfig struct {
	Goto []string // nodes its commands may go to
	Send []string // nodes its commands may send to
	Exit Exit     // where its commands to a parent graph may lead

	// Writes names the fields the node may write. It is used for the warning
	// that two writers of one field can meet in a step; nil: not known.
	Writes []string

	Retry   *RetryPolicy  // nil: one attempt
	Timeout time.Duration // of one attempt; 0 or less: none
	Defer   bool          // it runs when nothing else is due

	// MaxConcurrency is how many tasks of this node may run at once in one
	// run; 0 or less: as many as there are.
	MaxConcurrency int
}

// Exit declares the targets of commands to a parent graph. ExitTo makes it.
type Exit struct {
	parent  reflect.Type
	targets []string // of gotos
	sends   []string
}

// ExitTo declares that a node of a subgraph may leave it by ToParent, and to
// which nodes of the parent graph, whose state is P, it may lead. Mounting
// the subgraph in a graph with another state is an error.
func ExitTo[P any](targets ...string) Exit {
	return ExitBy[P](targets, targets)
}

// ExitBy is ExitTo with the targets of gotos and those of sends told apart.
func ExitBy[P any](gotos, sends []string) Exit {
	return Exit{reflect.TypeFor[P](), gotos, sends}
}

// Router chooses among the targets of a conditional edge: its command may go
// to and send to them, and must not write. It runs with the task of the node
// it follows, and sees the state at the start of the step plus that node's
// own writes. A router that chooses nothing is an error: End says "no way on".
type Router[S any] func(ctx context.Context, s S) (Command[S], error)

// choice is a router that names one target.
type choice[S any] func(s S) string

// chooser is a choice without its state type.
type chooser interface {
	choose(view any) string
}

func (c choice[S]) choose(view any) string {
	s := view.(*S)
	return c(*s)
}

// call makes a choice a caller like other routers.
func (c choice[S]) call(_ context.Context, view any, out *kernel.Command) error {
	*out = kernel.Command{}
	out.SetGoto(c.choose(view))
	return nil
}

// caller is a node's work without its state type.
type caller interface {
	call(ctx context.Context, view any, out *kernel.Command) error
}

func (n Node[S]) call(ctx context.Context, view any, out *kernel.Command) error {
	s := view.(*S)
	c, err := n(ctx, *s)
	*(*Command[S])(out) = c
	return err
}

func (r Router[S]) call(ctx context.Context, view any, out *kernel.Command) error {
	s := view.(*S)
	c, err := r(ctx, *s)
	*(*Command[S])(out) = c
	return err
}

// rescuer is an error handler without its state type.
type rescuer interface {
	rescue(ctx context.Context, view any, failed *Error, out *kernel.Command) error
}

func (h ErrorHandler[S]) rescue(ctx context.Context, view any, failed *Error, out *kernel.Command) error {
	var err error
	*(*Command[S])(out), err = h(ctx, *view.(*S), failed)
	return err
}
