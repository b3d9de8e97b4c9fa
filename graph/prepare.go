package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/state"
)

// order is what a run of a graph by itself is asked to do: take an input, or
// go on.
type order struct {
	input   state.Changes
	fresh   bool
	answers Answers
}

// prepare makes the job of an order. With a store it claims the thread; then
// the job must be closed.
func (p *program) prepare(ctx context.Context, keep *keeping, o *order, cfg *RunConfig) (*job, *ending) {
	if cfg == nil {
		cfg = &RunConfig{}
	}
	j := &job{ctx: ctx, input: o.input, fresh: o.fresh}
	f := &j.frame
	f.thread, f.check, f.drain, f.items = cfg.Thread, cfg.CheckViews, cfg.Drain, keep.items
	if err := p.pauseAt(j, cfg); err != nil {
		return nil, j.refused(err)
	}
	if keep.store == nil {
		if !o.fresh || cfg.At != "" {
			return nil, j.refused(fmt.Errorf("going on with a thread: %w", ErrNoStore))
		}
		return j, nil
	}
	if ctx.Err() != nil {
		return nil, j.refused(fmt.Errorf("%w: %w", ErrCancelled, context.Cause(ctx)))
	}
	s, err := keep.open(ctx, p, cfg)
	if err != nil {
		return nil, j.refused(err)
	}
	f.session = s
	if err := s.take(o, cfg); err != nil {
		return nil, j.close(j.refused(err))
	}
	j.log, j.ctx = s.log, s.watch(ctx)
	return j, nil
}

// take does what an order needs before the run: the fork of a checkpoint, the
// answers.
func (s *session) take(o *order, cfg *RunConfig) error {
	if s.log.Stand == nil && (!o.fresh || cfg.At != "") {
		return unknownThread(s.thread)
	}
	if cfg.At == "" && s.log.Stand != nil {
		if err := s.accept(s.prog, nil, &s.log, o.fresh); err != nil { // before anything is written
			return err
		}
	}
	switch {
	case cfg.At != "" && o.answers.given():
		return s.forkToAnswer(cfg.At, &o.answers)
	case cfg.At != "":
		return s.fork(cfg.At, nil, false)
	case o.answers.given():
		return s.answer(&o.answers)
	}
	return nil
}

// pauseAt takes over the interrupt lists of a run.
func (p *program) pauseAt(j *job, cfg *RunConfig) error {
	j.frame.before, j.frame.after = p.before, p.after
	for _, list := range []struct {
		names []string
		to    *[]bool
	}{{cfg.InterruptBefore, &j.frame.before}, {cfg.InterruptAfter, &j.frame.after}} {
		if list.names == nil {
			continue
		}
		for _, name := range list.names {
			if _, ok := p.plan.ID(name); !ok {
				return fmt.Errorf("%w: the graph has no node %q to be interrupted at%s", ErrUndeclared, name, meant(name, p.plan.Names))
			}
		}
		*list.to = p.marked(list.names)
	}
	return nil
}

// marked returns which nodes are named; nil if none is.
func (p *program) marked(names []string) []bool {
	if len(names) == 0 {
		return nil
	}
	marks := make([]bool, len(p.plan.Names))
	for i, name := range p.plan.Names {
		marks[i] = slices.Contains(names, name)
	}
	return marks
}

// close gives the job's thread free, if it has one. The run's end stands,
// unless giving free fails.
func (j *job) close(end *ending) *ending {
	if j.frame.session == nil {
		return end
	}
	s := j.frame.session
	if err := s.close(); err != nil && end.err == nil {
		return j.refused(err)
	}
	if _, left := s.takeAnswer(); left && end.err == nil {
		unused := *end
		unused.err = j.refused(fmt.Errorf("%w: no question was asked, the answer is not used", ErrAnswer)).err
		return &unused
	}
	return end
}

// refused is how a run ends that could not begin.
func (j *job) refused(err error) *ending {
	outcome := OutcomeFailed
	if errors.Is(err, ErrCancelled) {
		outcome = OutcomeCancelled
	}
	var placed *Error
	if !errors.As(err, &placed) {
		err = &Error{Thread: j.frame.thread, NS: j.frame.at.ns, Err: err}
	}
	return &ending{outcome: outcome, err: err}
}
