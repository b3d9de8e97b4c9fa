package graph

import (
	"context"
	"iter"

	"github.com/graphrun/graphrun/state"
)

// RunConfig holds what a run can be given. Nil means its zero value.
type RunConfig struct {
	// Thread names the thread of the run in ids, errors and events.
	Thread string
	// CheckViews makes every task fail that changes what it was given of the
	// state, other than by appending to lists: for tests, for it costs the
	// encoding of the whole state twice a task. The error is ErrMutated.
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
// what tasks finish within the grace period counts as finished.
func (g *Graph[S]) Invoke(ctx context.Context, in []state.Write[S], cfg *RunConfig) (Result[S], error) {
	j := newJob(ctx, in, cfg)
	return g.collect(g.program.invoke(&j))
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

func (g *Graph[S]) collect(c *conclusion) (Result[S], error) {
	return Result[S]{State: *c.state.(*S), Outcome: c.outcome, Step: c.step, Next: c.next}, c.err
}

// conclusion is what is left of a run when it is given back.
type conclusion struct {
	ending
	state any
	step  int
	diff  state.Changes // of subgraphs: what changed since the input
}

// invoke runs the program to its end.
func (p *program) invoke(j *job) *conclusion {
	if err := p.refuse(j); err != nil {
		return err
	}
	r := p.start(*j)
	go r.main()
	clean := r.await(nil, nil)
	return r.giveBack(clean)
}

// refuse says why a run cannot begin; nil if it can.
func (p *program) refuse(j *job) *conclusion {
	var err error
	switch {
	case j.ctx.Err() != nil:
		return p.stillborn(OutcomeCancelled, j, joinCause(j.ctx))
	case len(p.cfg.InterruptBefore)+len(p.cfg.InterruptAfter) > 0:
		err = ErrNoStore
		return p.stillborn(OutcomeFailed, j, wrapText("interrupt_before and interrupt_after", err))
	}
	return nil
}

func (p *program) stillborn(o Outcome, j *job, err error) *conclusion {
	placed := &Error{Thread: j.frame.thread, NS: j.frame.at.ns, Err: err}
	return &conclusion{ending: ending{outcome: o, err: placed}, state: p.layout.Fresh()}
}

// giveBack takes what remains of a run and returns it to the pool.
func (r *run) giveBack(clean bool) *conclusion {
	c := &conclusion{ending: r.end, state: r.prog.layout.Fresh(), step: r.committed}
	r.prog.layout.Copy(c.state, r.store.State())
	if r.tracked {
		c.diff = r.store.Diff()
	}
	if clean && len(r.deaf) == 0 {
		r.release()
	}
	return c
}
