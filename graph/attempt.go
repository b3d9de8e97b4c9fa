package graph

import (
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/graphrun/graphrun/internal/kernel"
)

// insist runs a node until an attempt succeeds, its retry policy gives up or
// the task's context ends. Then its error handler may stand in.
func (r *run) insist(t *taskContext, view any, out *kernel.Command) error {
	began := time.Now()
	for {
		err := r.attempt(t, view, out)
		if err == nil {
			return nil
		}
		if t.Err() != nil || err == ErrGoexit || isAny(err, ErrInterrupted, ErrAnswer, ErrDrained, ErrTakenOver, ErrStore) {
			return err
		}
		wait, again, err := t.node().retry.again(int(t.attempt), began, err)
		if !again {
			return r.rescue(t, view, err, out)
		}
		if t.frame.sink != nil {
			t.frame.sink.put(&TaskRetried{Head: t.head(), TaskRef: t.ref(), Attempt: int(t.attempt), Err: err})
		}
		if err := pause(t, wait); err != nil {
			return err
		}
		if t.frame.session != nil {
			t.frame.session.takeQuestions(t.frame.place(t.id)) // they were another attempt's
		}
		t = t.again()
	}
}

// rescue calls the error handler of a node, if it has one.
func (r *run) rescue(t *taskContext, view any, err error, out *kernel.Command) error {
	if t.attempt > 1 {
		err = &repeated{int(t.attempt), err}
	}
	if t.node().handler == nil {
		return err
	}
	again := r.viewing(t, handling{t.node().handler, t.placed(err)}, view, out)
	if again != nil {
		return fmt.Errorf("error handler: %w (called for: %w)", again, err)
	}
	return nil
}

// repeated is the error of the last of several attempts.
type repeated struct {
	attempts int
	err      error
}

func (e *repeated) Error() string { return fmt.Sprintf("after %d attempts: %v", e.attempts, e.err) }

func (e *repeated) Unwrap() error { return e.err }

// handling lets guarded call an error handler.
type handling struct {
	handler rescuer
	failed  *Error
}

func (h handling) call(ctx context.Context, view any, out *kernel.Command) error {
	return h.handler.rescue(ctx, view, h.failed, out)
}

// attempt runs a node once, within its timeout.
func (r *run) attempt(t *taskContext, view any, out *kernel.Command) error {
	*out = kernel.Command{}
	if t.frame.check {
		return r.checked(view, func() error { return r.timed(t, view, out) })
	}
	return r.timed(t, view, out)
}

// viewing calls user code that is given a view.
func (r *run) viewing(t *taskContext, work caller, view any, out *kernel.Command) error {
	if t.frame.check {
		return r.checked(view, func() error { return guarded(t, work, view, out) })
	}
	return guarded(t, work, view, out)
}

// checked calls user code between two fingerprints of its view.
func (r *run) checked(view any, call func() error) error {
	seed := maphash.MakeSeed()
	before, err := r.prog.layout.Digest(seed, view)
	if err != nil {
		return err
	}
	failed := call()
	after, err := r.prog.layout.Digest(seed, view)
	if err == nil && before != after {
		err = fmt.Errorf("%w: it assigned to an element, a key or through a pointer of the state it was given; write with the fields' handles instead", ErrMutated)
	}
	if err != nil {
		return err
	}
	return failed
}

// attempted is what an attempt on a goroutine of its own comes to.
type attempted struct {
	command kernel.Command
	err     error
}

// timed runs a node with a timeout on a goroutine of its own, with a view and
// a context of its own, so that it can be left behind.
func (r *run) timed(t *taskContext, view any, out *kernel.Command) error {
	if t.node().timeout <= 0 {
		return guarded(t, t.node().work, view, out)
	}
	late := fmt.Errorf("%w of %v", ErrTimeout, t.node().timeout)
	ctx, cancel := context.WithTimeoutCause(t.frame.ctx, t.node().timeout, late)
	defer cancel()
	own := r.prog.layout.Fresh()
	r.prog.layout.Copy(own, view)
	done := make(chan attempted, 1)
	go func(t *taskContext, work caller) {
		result := attempted{err: ErrGoexit}
		defer func() { done <- result }()
		result.err = guarded(t, work, own, &result.command)
	}(t.within(ctx), t.node().work)
	select {
	case a := <-done:
		return settle(ctx, late, a, out)
	case <-ctx.Done():
	}
	grace := time.NewTimer(t.node().grace)
	defer grace.Stop()
	select {
	case a := <-done:
		return settle(ctx, late, a, out)
	case <-grace.C:
		err := fmt.Errorf("%w: it did not end within %v of its context's end", ErrLeftBehind, r.prog.cfg.grace())
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
}

// settle takes what an attempt came to; one that outlived its timeout has
// failed whatever it came to, also if the run was cancelled since.
func settle(ctx context.Context, late error, a attempted, out *kernel.Command) error {
	if context.Cause(ctx) == late {
		if a.err != nil && !becauseOf(ctx, a.err) {
			return fmt.Errorf("%w: %w", late, a.err)
		}
		return late
	}
	*out = a.command
	return a.err
}
