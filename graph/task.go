package graph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/graphrun/graphrun/internal/kernel"
)

// worker is what a goroutine that runs tasks keeps from one to the next.
type worker struct {
	view   any // of a task that was sent, with its writes laid over
	look   any // what routers see
	choice kernel.Command
}

// perform runs a task to its result: the node with its retries and its error
// handler, then the routers on its edges. Both succeed or the task fails.
func (r *run) perform(t *taskContext, task *kernel.Task, res *kernel.Result, w *worker) {
	n, listened := r.prog.node(task.Node), t.frame.sink != nil
	if task.Node == kernel.StartNode {
		res.Command = kernel.Command{}
		*res.Command.Writes() = r.input
		if task.From != nil { // it came from another process
			*res.Command.Writes() = task.From.Over.Changes()
		}
	} else {
		if listened {
			r.noteTask(t)
		}
		if err := r.work(t, n, task, res, w); r.paused(t, res, err) {
			return
		} else if err != nil {
			r.fail(t, res, err)
			return
		}
	}
	if len(n.routers) > 0 && res.Command.Parent() == nil {
		if err := r.route(t, res, w); r.paused(t, res, err) {
			return
		} else if err != nil {
			r.fail(t, res, err)
			return
		}
	}
	res.Status = kernel.Succeeded
	if listened && task.Node != kernel.StartNode {
		r.noteSuccess(t, res)
	}
}

// work runs the node of a task and checks its command.
func (r *run) work(t *taskContext, n *node, task *kernel.Task, res *kernel.Result, w *worker) error {
	view := r.store.State()
	if task.From != nil {
		if w.view == nil {
			w.view = r.prog.layout.Fresh()
		}
		if err := r.prog.layout.Overlay(w.view, view, task.From.Over.All()); err != nil {
			return fmt.Errorf("%w: what was sent: %w", ErrInvalidUpdate, err)
		}
		view = w.view
	}
	var err error
	if n.plain && !t.frame.check {
		err = guarded(t, n.work, view, &res.Command)
	} else {
		err = r.insist(t, view, &res.Command)
	}
	if err != nil {
		return err
	}
	return r.checkCommand(n, &res.Command)
}

// checkCommand refuses commands that their node did not declare.
func (r *run) checkCommand(n *node, c *kernel.Command) error {
	if c.Plain() {
		return nil
	}
	if err := r.prog.plan.Check(n.id, c); err != nil {
		return fmt.Errorf("%w: %w", ErrUndeclared, err)
	}
	if out := c.Parent(); out != nil {
		return n.exit.check(out)
	}
	return nil
}

// guarded calls user code; a panic becomes an error.
func guarded(ctx context.Context, work caller, view any, out *kernel.Command) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return work.call(ctx, view, out)
}

// fail makes the result of a task that failed for good or was cancelled.
func (r *run) fail(t *taskContext, res *kernel.Result, err error) {
	status := kernel.Failed
	if t.Err() != nil && becauseOf(t, err) || isAny(err, ErrDrained, ErrTakenOver) {
		status = kernel.Cancelled
	}
	err = r.blame(t, err)
	*res = kernel.Result{Status: status, Err: err}
	if t.frame.sink != nil {
		e := &TaskFailed{Head: t.head(), TaskRef: t.ref(), Err: err, Cancelled: status == kernel.Cancelled}
		if t.end() {
			t.frame.sink.put(e)
		}
	}
}

// becauseOf reports whether err is how a task answers the end of its context.
func becauseOf(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Cause(ctx))
}

// blame adds the place to a task's error, unless a subgraph already did.
func (r *run) blame(t *taskContext, err error) error {
	var placed *Error
	if errors.As(err, &placed) && len(placed.NS) > len(t.frame.at.ns) {
		return err
	}
	return t.placed(err)
}

func (r *run) noteTask(t *taskContext) {
	if t.open() {
		t.frame.sink.put(&TaskStarted{Head: t.head(), TaskRef: t.ref()})
	}
}

func (r *run) noteSuccess(t *taskContext, res *kernel.Result) {
	e := &TaskFinished{
		Head: t.head(), TaskRef: t.ref(), Leaves: res.Command.Parent() != nil,
		Update: Update{r.prog.layout, *res.Command.Writes()},
	}
	if t.end() {
		t.frame.sink.put(e)
	}
}
