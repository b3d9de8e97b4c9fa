package graph

import (
	"context"
	"fmt"
	"iter"

	"github.com/graphrun/graphrun/state"
)

// RunConfig holds what a run can be given. Nil means its zero value, which is
// enough for graphs without a store.
type RunConfig struct {
	// Thread names the thread of the run: in the store, if there is one, and
	// in ids, errors and events. With a store it is needed.
	Thread string
	// At is a checkpoint of the thread to begin with instead of the newest: a
	// fork of it is made the newest first.
	At string
	// Durability says when steps are saved.
	Durability Durability
	// Busy says what to do if the thread is being written to.
	Busy Busy
	// Drain ends the run behind the step at work when it is closed: what is
	// done is saved. The outcome is OutcomeCancelled, the error ErrDrained,
	// unless the run was done anyway.
	Drain <-chan struct{}
	// InterruptBefore and InterruptAfter replace those of the graph for this
	// run; nil leaves them as they are.
	InterruptBefore, InterruptAfter []string
	// CheckViews makes every node, router and error handler fail that changes
	// what it was given of the state, other than by appending to lists: for
	// tests, for it costs the encoding of the whole state twice a call, and the
	// tasks of a step run one by one. The error is ErrMutated.
	CheckViews bool
}

// Result is how a run came out. Its State is that of the last superstep whose
// updates were applied, also if the run failed after it.
type Result[S any] struct {
	State      S
	Outcome    Outcome
	Step       int        // number of the last applied step; the first input is 0
	Next       []string   // the nodes of the tasks that are left, one entry a task
	Interrupts []Question // open questions, if it was interrupted
	Dropped    []string   // the nodes of tasks that the input has ended, one entry a task
}

// Input makes the input of a run: writes that are applied as a step of its
// own.
func Input[S any](writes ...state.Write[S]) []state.Write[S] { return writes }

// Invoke runs the graph on an input, which may be empty, until nothing is
// due. The error is nil only if the outcome is OutcomeDone; else it is an
// *Error, and the Result tells what was reached. A run that waits for answers
// is an ErrInterrupted. Cancelling ctx ends the run; what tasks finish within
// the grace period counts as finished, and nodes that take longer are left
// behind.
//
// With a store the run goes on from where its thread stands; what was due
// there is dropped, and told in the Result. Every step is saved as Durability
// says, and the results of tasks as they finish.
//
// With a context that cannot end, such as context.Background(), the only task
// of a step runs on the caller's goroutine, as in any function: nothing can
// cancel it, and if it calls runtime.Goexit it ends the caller.
func (g *Graph[S]) Invoke(ctx context.Context, in []state.Write[S], cfg *RunConfig) (Result[S], error) {
	return g.invoke(ctx, &order{input: state.ChangesOf(in), fresh: true}, cfg)
}

// Stream runs the graph like Invoke and yields every event of the run, those
// of subgraphs included. The last event is that of the run's end; if it did
// not end well its error is yielded behind it, with a nil event. Leaving the
// loop cancels the run and waits for it. A slow loop slows the run down.
func (g *Graph[S]) Stream(ctx context.Context, in []state.Write[S], cfg *RunConfig) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		g.program.stream(ctx, &g.keep, &order{input: state.ChangesOf(in), fresh: true}, cfg, yield)
	}
}

// Resume goes on with a thread: behind an interrupt with answers, behind a
// failure, a pause, a limit or a fork without. What is done is not done again.
// Without answers a run that waits for some asks again and runs nothing; where
// nothing is left to do the outcome is OutcomeDone at once.
func (g *Graph[S]) Resume(ctx context.Context, a Answers, cfg *RunConfig) (Result[S], error) {
	return g.invoke(ctx, &order{answers: a}, cfg)
}

// StreamResume is Resume with the events of the run, as Stream yields them.
func (g *Graph[S]) StreamResume(ctx context.Context, a Answers, cfg *RunConfig) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		g.program.stream(ctx, &g.keep, &order{answers: a}, cfg, yield)
	}
}

func (g *Graph[S]) invoke(ctx context.Context, o *order, cfg *RunConfig) (Result[S], error) {
	j, bad := g.program.prepare(ctx, &g.keep, o, cfg)
	if bad != nil {
		return Result[S]{Outcome: bad.outcome}, bad.err
	}
	r, clean, bad := g.program.invoke(j)
	if bad != nil {
		bad = j.close(bad)
		return Result[S]{Outcome: bad.outcome, Next: bad.next}, bad.err
	}
	end := j.close(&r.end)
	out := Result[S]{
		State: *r.store.State().(*S), Outcome: end.outcome, Step: r.committed, Next: end.next,
		Dropped: r.dropped,
	}
	if len(end.asks) > 0 {
		out.Interrupts = questionsOf(end.asks)
	}
	err := end.err
	r.release(clean)
	return out, err
}

// invoke runs the program to its end. The run must be released when what is
// left of it has been read; clean says whether it can be used again.
func (p *program) invoke(j *job) (r *run, clean bool, bad *ending) {
	if r, bad = p.begin(j); bad != nil {
		return nil, false, bad
	}
	if r.done == nil && j.frame.sink == nil && r.inline() {
		return r, true, nil
	}
	r.launch()
	return r, r.await(nil, nil), nil
}

// begin takes a run and sets it up, where its log stands if it has one.
func (p *program) begin(j *job) (*run, *ending) {
	if bad := p.refuse(j); bad != nil {
		return nil, bad
	}
	r := p.start(j)
	if j.frame.session == nil {
		return r, nil
	}
	if err := r.restore(j); err != nil {
		r.release(true)
		return nil, j.refused(err)
	}
	return r, nil
}

// refuse says why a run cannot begin; nil if it can.
func (p *program) refuse(j *job) *ending {
	switch {
	case j.ctx.Err() != nil:
		return j.refused(fmt.Errorf("%w: %w", ErrCancelled, context.Cause(j.ctx)))
	case j.frame.session == nil && (p.before != nil || p.after != nil):
		return j.refused(fmt.Errorf("interrupt_before and interrupt_after: %w", ErrNoStore))
	}
	return nil
}
