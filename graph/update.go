package graph

import (
	"context"
	"fmt"
	"strconv"

	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// UpdateConfig holds what an update can be given. Nil means its zero value.
type UpdateConfig struct {
	// At is the checkpoint to update instead of the newest: a fork of it is
	// made the newest first.
	At string
	// Keep leaves the other tasks due that were due, with the results of those
	// that are done; the others begin anew. By default they are dropped.
	Keep bool
	Busy Busy
}

// Updated tells what an update did.
type Updated struct {
	Checkpoint string   // that it made
	Step       int      // its number
	Next       []string // the nodes of the tasks that are due now, one entry a task
	Dropped    []string // the nodes of tasks that are due no more, one entry a task
}

// Update writes to the state of a thread as if a node had returned the writes:
// the node's edges and routers say what is due then. If the node was due it
// counts as done. Start as the node is as a new input.
func (g *Graph[S]) Update(ctx context.Context, thread, node string, writes []state.Write[S], cfg *UpdateConfig) (*Updated, error) {
	u, err := g.program.update(ctx, &g.keep, thread, node, state.ChangesOf(writes), cfg)
	return u, g.threadError(thread, err)
}

func (p *program) update(ctx context.Context, keep *keeping, thread, node string, writes state.Changes, cfg *UpdateConfig) (u *Updated, err error) {
	if cfg == nil {
		cfg = &UpdateConfig{}
	}
	id, err := p.actor(node)
	if err != nil {
		return nil, err
	}
	err = keep.edit(ctx, p, thread, cfg.Busy, func(s *session) error {
		u, err = s.update(ctx, id, &writes, cfg)
		return err
	})
	return u, err
}

// update is the update of a thread that this process is the writer of.
func (s *session) update(ctx context.Context, id int32, writes *state.Changes, cfg *UpdateConfig) (*Updated, error) {
	if cfg.At != "" {
		if err := s.fork(cfg.At, nil, true); err != nil {
			return nil, err
		}
	}
	j := &job{ctx: ctx, log: s.log}
	j.frame.session, j.frame.thread = s, s.thread
	r := s.prog.start(j)
	defer r.release(true)
	if err := r.restore(j); err != nil {
		return nil, err
	}
	return r.impersonate(id, writes, cfg.Keep)
}

// actor returns the node that an update acts as.
func (p *program) actor(node string) (int32, error) {
	if node == Start {
		return kernel.StartNode, nil
	}
	if id, ok := p.plan.ID(node); ok {
		return id, nil
	}
	if node == "" {
		return 0, fmt.Errorf("%w: an update needs the node that it acts as", ErrUndeclared)
	}
	return 0, fmt.Errorf("%w: the graph has no node %q%s", ErrUndeclared, node, meant(node, p.plan.Names))
}

// impersonate commits a step in which only the given node ran, with the given
// writes.
func (r *run) impersonate(id int32, writes *state.Changes, keep bool) (*Updated, error) {
	u := &Updated{}
	var rest []kernel.Task
	var done []doneTask
	acted := false
	for i, t := range r.m.Tasks() {
		if t.Node == id && !acted {
			acted = true
			continue
		}
		if res := r.m.Result(i); res.Status == kernel.Succeeded {
			done = append(done, doneTask{t, *res})
		}
		rest = append(rest, t)
		if !keep {
			u.Dropped = append(u.Dropped, r.prog.plan.Name(t.Node))
		}
	}
	if !keep {
		rest = nil
	}
	r.m.Impersonate(id, rest)
	if err := r.act(writes); err != nil {
		return nil, err
	}
	e := r.m.Advance()
	if !e.Committed {
		return nil, fmt.Errorf("%w: %w", ErrInvalidUpdate, e.Outcome.Err)
	}
	if err := r.frame.log.Commit(r.m, e.Step, "update"); err != nil {
		return nil, storeError(err)
	}
	if keep {
		r.keepDone(done)
	}
	if err := r.frame.log.Close(r.m, true); err != nil {
		return nil, storeError(err)
	}
	u.Checkpoint, u.Step, u.Next = strconv.FormatInt(r.frame.log.Head(), 10), e.Step, r.names()
	return u, nil
}

// act makes the result of the task that an update stands for.
func (r *run) act(writes *state.Changes) error {
	task, res := &r.m.Tasks()[0], r.m.Result(0)
	t := r.context(task)
	*res.Command.Writes() = *writes
	if len(t.node().routers) > 0 {
		if err := r.route(t, res, &r.worker); err != nil {
			return t.placed(err)
		}
	} else if err := r.prog.layout.CheckAlone(writes); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidUpdate, err)
	}
	res.Status = kernel.Succeeded
	r.m.Done(t.id)
	return nil
}

// doneTask is a task with its result.
type doneTask struct {
	task   kernel.Task
	result kernel.Result
}

// keepDone saves results again, with their tasks where they stand now.
func (r *run) keepDone(done []doneTask) {
	for _, d := range done {
		for i, t := range r.m.Tasks() {
			if t.Node == d.task.Node && t.From == d.task.From {
				r.storeFault(r.frame.log.SaveResult(r.m.ID(i), &d.result))
			}
		}
	}
}

// UpdateJSON is Update with the writes as JSON, {"field": value}, as inputs
// and events have them.
func (g *Graph[S]) UpdateJSON(ctx context.Context, thread, node string, values []byte, cfg *UpdateConfig) (*Updated, error) {
	writes, err := g.program.layout.DecodeUpdate(values)
	if err != nil {
		return nil, g.threadError(thread, fmt.Errorf("%w: %w", ErrInvalidUpdate, err))
	}
	u, err := g.program.update(ctx, &g.keep, thread, node, writes, cfg)
	return u, g.threadError(thread, err)
}
