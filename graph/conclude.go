package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/internal/kernel"
)

// conclude tells how a run came out.
func (r *run) conclude(e *kernel.Effects) ending {
	o := &e.Outcome
	if r.storeErr != nil {
		return r.abandoned(e)
	}
	switch o.Ending {
	case kernel.Done:
		return ending{outcome: OutcomeDone}
	case kernel.Left:
		if len(r.frame.at.ns) == 0 {
			return r.stray(e)
		}
		return ending{outcome: OutcomeDone, left: o.Out}
	case kernel.Exhausted:
		next := r.left()
		err := fmt.Errorf("%w of %d supersteps: work is left for %s", ErrRecursionLimit, r.prog.plan.Limit, strings.Join(next, ", "))
		return ending{outcome: OutcomeLimit, err: r.placed(e.Step, err), next: next}
	case kernel.Stopped:
		return ending{outcome: OutcomeCancelled, err: r.placed(e.Step, r.cause()), next: r.left()}
	case kernel.Waiting:
		return r.waiting()
	}
	return r.broken(e)
}

// stray is conclude for a run that leaves for a parent graph and has none.
func (r *run) stray(e *kernel.Effects) ending {
	failed := &Error{
		Thread: r.frame.thread, Step: e.Step,
		Err: fmt.Errorf("%w: it leaves for a parent graph, but this graph was started by itself", ErrUndeclared),
	}
	for i := range r.m.Tasks() {
		if r.m.Result(i).Command.Parent() != nil {
			ref := r.ref(i)
			failed.Node, failed.Task = ref.Node, ref.Task
			break
		}
	}
	return ending{outcome: OutcomeFailed, err: failed, next: r.names()}
}

// waiting is conclude for a run that is paused.
func (r *run) waiting() ending {
	var asks []journal.Ask
	for i := range r.m.Tasks() {
		var p *pausedError
		if res := r.m.Result(i); res.Status == kernel.Paused && errors.As(res.Err, &p) {
			asks = append(asks, p.asks...)
		}
	}
	return ending{outcome: OutcomeInterrupted, err: r.placed(r.m.Step(), &pausedError{asks}), next: r.left(), asks: asks}
}

// abandoned is conclude for a run whose store failed, or that lost its thread.
func (r *run) abandoned(e *kernel.Effects) ending {
	outcome := OutcomeFailed
	if errors.Is(r.storeErr, ErrTakenOver) {
		outcome = OutcomeCancelled
	}
	err := r.storeErr
	if e.Outcome.Err != nil {
		err = fmt.Errorf("%w; %w", err, e.Outcome.Err)
	}
	return ending{outcome: outcome, err: r.placed(e.Step, err), next: r.left()}
}

// broken is conclude for a run with a failure.
func (r *run) broken(e *kernel.Effects) ending {
	err, all := r.failure(e)
	outcome := OutcomeFailed
	if errors.Is(err, ErrRecursionLimit) || errors.Is(err, ErrLimit) {
		outcome = OutcomeLimit
	}
	if r.cancelled() {
		outcome = OutcomeCancelled
		err = r.placed(e.Step, fmt.Errorf("%w; %w", r.cause(), err))
	} else if with := r.withDeaf(err); with != err {
		err = r.placed(e.Step, with)
	}
	next := r.left()
	if all {
		next = r.names()
	}
	return ending{outcome: outcome, err: err, next: next}
}

// failure returns the error of a failed step, and whether all of its tasks
// are left to do.
func (r *run) failure(e *kernel.Effects) (err error, all bool) {
	err = e.Outcome.Err
	var placed *Error
	if errors.As(err, &placed) {
		return err, false
	}
	if a, b, field, ok := kernel.Conflict(err); ok && a != b {
		clash := &clash{fmt.Sprintf("%v: %s both write %q, which takes one writer a step", ErrInvalidUpdate, r.pair(a, b), field), err}
		return r.placed(e.Step, clash), true
	}
	if _, _, field, ok := kernel.Conflict(err); ok {
		err = fmt.Errorf("it writes %q twice, which takes one write a step: %w", field, err)
	}
	failed := r.placed(e.Step, fmt.Errorf("%w: %w", ErrInvalidUpdate, err)).(*Error)
	if i := e.Outcome.Task; i >= 0 {
		ref := r.ref(i)
		failed.Node, failed.Task = ref.Node, ref.Task
	}
	return failed, true
}

// clash is a conflict told with the names of the nodes: the text of the
// underlying error, which knows only positions, is left out.
type clash struct {
	text string
	err  error
}

func (c *clash) Error() string   { return c.text }
func (c *clash) Unwrap() []error { return []error{ErrInvalidUpdate, c.err} }

func (r *run) pair(a, b int) string {
	x, y := r.ref(a), r.ref(b)
	return fmt.Sprintf("node %q (task %s) and node %q (task %s)", x.Node, x.Task, y.Node, y.Task)
}

// cause tells why the run was cancelled, and which nodes were left behind.
func (r *run) cause() error {
	switch {
	case r.taken():
		return r.withDeaf(fmt.Errorf("%w: %w", ErrCancelled, ErrTakenOver))
	case !r.cancelled():
		return r.withDeaf(fmt.Errorf("%w: %w", ErrCancelled, ErrDrained))
	}
	return r.withDeaf(fmt.Errorf("%w: %w", ErrCancelled, context.Cause(r.ctx)))
}

// withDeaf adds to an error the tasks that were left behind: those of this
// run, and those that timeouts and subgraphs of cancelled tasks gave up.
func (r *run) withDeaf(err error) error {
	for i := range r.m.Results() {
		if res := r.m.Result(i); res.Status == kernel.Cancelled && errors.Is(res.Err, ErrLeftBehind) {
			err = fmt.Errorf("%w; %w", err, res.Err)
		}
	}
	if len(r.deaf) == 0 {
		return err
	}
	names := make([]string, len(r.deaf))
	for i, d := range r.deaf {
		names[i] = fmt.Sprintf("node %q (task %s)", d.Node, d.Task)
	}
	return fmt.Errorf("%w; %w: %s did not end within %v", err, ErrLeftBehind, strings.Join(names, ", "), r.prog.cfg.grace())
}

// placed gives an error of the run as a whole its place.
func (r *run) placed(step int, err error) error {
	e := &Error{Thread: r.frame.thread, NS: r.frame.at.ns, Step: step, Err: err}
	if len(r.deaf) == 1 {
		e.Node, e.Task = r.deaf[0].Node, r.deaf[0].Task
	}
	return e
}

// left returns the nodes of the tasks without a result, one entry a task.
func (r *run) left() []string {
	return r.nodesOf(func(i int) bool { return r.m.Result(i).Status != kernel.Succeeded })
}

// names returns the nodes of all tasks of the step.
func (r *run) names() []string { return r.nodesOf(func(int) bool { return true }) }

func (r *run) nodesOf(counts func(task int) bool) []string {
	var out []string
	for i, t := range r.m.Tasks() {
		if t.Node != kernel.StartNode && counts(i) {
			out = append(out, r.prog.plan.Name(t.Node))
		}
	}
	return out
}
