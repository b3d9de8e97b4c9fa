package graph

import (
	"context"
	"fmt"
	"iter"

	"github.com/graphrun/graphrun/state"
)

// RunConfig holds what a run can be given. Nil means its zero value.
type RunConfig struct {
	// Thread names the thread of the run in ids, errors and events.
	Thread string
	// CheckViews makes every node, router and error handler fail that changes
	// what it was given of the state, other than by appending to lists: for
	// tests, for it costs the encoding of the whole state twice a call, and the
	// tasks of a step run one by one. The error is ErrMutated.
	CheckViews bool
}

// Result is how a run came out. Its State is that of the last superstep whose
// updates were applied, also if the run failed after it.
type Result[S any] struct {
	State   S
	Outcome Outcome
	Step    int      // number of the last applied step; the input is 0
	Next    []string // the nodes of the tasks that are left, one entry a task
}

// Input makes the input of a run: writes that are applied as step 0.
func Input[S any](writes ...state.Write[S]) []state.Write[S] { return writes }

// Invoke runs the graph on an input, which may be empty, until nothing is
// due. The error is nil only if the outcome is OutcomeDone; else it is an
// *Error, and the Result tells what was reached. Cancelling ctx ends the run;
// what tasks finish within the grace period counts as finished, and nodes that
// take longer are left behind.
//
// With a context that cannot end, such as context.Background(), the only task
// of a step runs on the caller's goroutine, as in any function: nothing can
// cancel it, and if it calls runtime.Goexit it ends the caller.
func (g *Graph[S]) Invoke(ctx context.Context, in []state.Write[S], cfg *RunConfig) (Result[S], error) {
	j := newJob(ctx, in, cfg)
	if bad := g.program.refuse(&j); bad != nil {
		return Result[S]{Outcome: bad.outcome}, bad.err
	}
	r, clean := g.program.invoke(&j)
	out, err := Result[S]{State: *r.store.State().(*S), Outcome: r.end.outcome, Step: r.committed, Next: r.end.next}, r.end.err
	r.release(clean)
	return out, err
}

// Stream runs the graph like Invoke and yields every event of the run, those
// of subgraphs included. The last event is that of the run's end; if it did
// not end well its error is yielded behind it, with a nil event. Leaving the
// loop cancels the run and waits for it. A slow loop slows the run down.
func (g *Graph[S]) Stream(ctx context.Context, in []state.Write[S], cfg *RunConfig) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		j := newJob(ctx, in, cfg)
		g.program.stream(&j, yield)
	}
}

func newJob[S any](ctx context.Context, in []state.Write[S], cfg *RunConfig) job {
	j := job{ctx: ctx, input: state.ChangesOf(in)}
	if cfg != nil {
		j.frame.thread, j.frame.check = cfg.Thread, cfg.CheckViews
	}
	return j
}

// invoke runs the program to its end. The run must be released when what is
// left of it has been read; clean says whether it can be used again.
func (p *program) invoke(j *job) (r *run, clean bool) {
	r = p.start(j)
	if r.done == nil && j.frame.sink == nil && r.inline() {
		return r, true
	}
	go r.main()
	return r, r.await(nil, nil)
}

// refuse says why a run cannot begin; nil if it can.
func (p *program) refuse(j *job) *ending {
	outcome, err := OutcomeFailed, error(nil)
	switch {
	case j.ctx.Err() != nil:
		outcome, err = OutcomeCancelled, fmt.Errorf("%w: %w", ErrCancelled, context.Cause(j.ctx))
	case len(p.cfg.InterruptBefore)+len(p.cfg.InterruptAfter) > 0:
		err = fmt.Errorf("interrupt_before and interrupt_after: %w", ErrNoStore)
	default:
		return nil
	}
	return &ending{outcome: outcome, err: &Error{Thread: j.frame.thread, NS: j.frame.at.ns, Err: err}}
}
