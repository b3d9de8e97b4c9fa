package graph

import (
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/internal/kernel"
)

// logged is what a journal needs of the program.
func (p *program) logged() journal.Graph {
	g := journal.Graph{Plan: p.plan, Layout: p.layout, Shape: p.described}
	if len(p.indexes) > 0 {
		g.Index = p.rows
	}
	return g
}

// logged is that of the run's program, with its own way to call the indexes. A
// store without tables is spared them, unless nodes are being checked as well.
func (r *run) logged() journal.Graph {
	g := r.prog.logged()
	if g.Index == nil {
		return g
	}
	g.Index = r.rows
	if t, ok := r.frame.session.keep.store.(checkpoint.Tabular); ok && !t.HasTables() && !r.frame.check {
		g.Index = nil
	}
	return g
}

// restore gives a run its journal, and puts its machine where the log stands.
func (r *run) restore(j *job) error {
	s, log := j.frame.session, &j.log
	if log.Stand == nil {
		r.frame.log = journal.New(s.queue, r.logged(), j.frame.at.path, j.track)
		r.frame.log.Enter(0)
		s.leads(r.frame.log, j.track)
		r.store.Journal(true)
		return nil
	}
	if err := s.accept(r.prog, j.frame.at.ns, log, j.fresh); err != nil {
		return err
	}
	if err := journal.Rebuild(r.store, r.prog.layout, log.Commits, log.Version, j.track); err != nil {
		return storeError(err)
	}
	step := log.Last.Step + 1
	r.frame.log = journal.Resume(s.queue, r.logged(), j.frame.at.path, j.track, log.Loaded, log.Stand)
	s.leads(r.frame.log, j.track)
	if j.held != nil {
		r.frame.log.Adopt(*j.held)
	}
	r.frame.log.Enter(step)
	r.frame.shift, r.committed = r.frame.log.Shift(), log.Last.Step
	r.store.Journal(true)
	due := log.Meta.Due
	due.Rename(s.keep.evolution.Renamed)
	if j.fresh {
		return r.enterAnew(s, step, &due)
	}
	r.frame.resumed, r.first = step, -1
	return r.goOn(s, log, &due, step)
}

// enterAnew lets new input begin behind what the log remembers. What is due
// there is dropped.
func (r *run) enterAnew(s *session, step int, due *kernel.Frontier) error {
	r.first = step
	asked, err := s.asks()
	if err != nil {
		return err
	}
	if asked {
		r.frame.log.NoteAsk()
	}
	for i, t := range due.Tasks {
		r.due = append(r.due, t.Node)
		if s.log.Tasks.Results[i] == nil {
			r.undone = append(r.undone, t.Node)
		}
	}
	if err := r.m.Reenter(r.store, step, due); err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	return nil
}

// goOn gives the machine the tasks that are due, with what they have brought
// already. Tasks that wait for an answer that is not there are not run again.
func (r *run) goOn(s *session, log *logState, due *kernel.Frontier, step int) error {
	if err := r.m.Resume(r.store, step, due, r.prog.layout); err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	tasks, err := s.survey().of(r.prog, r.frame.at.path, log)
	if err != nil {
		return err
	}
	for i := range tasks {
		t := &tasks[i]
		switch {
		case t.result != nil:
			if err := r.m.AcceptSaved(i, t.result, r.prog.layout); err != nil {
				return fmt.Errorf("%w: what node %q has brought already: %w", ErrChanged, t.node, err)
			}
		case t.waits:
			r.wait(i, t.open)
		}
		if t.asked || log.Tasks.Asked {
			r.frame.log.NoteAsk()
		}
	}
	return nil
}

// wait makes a task one that waits with the questions it had.
func (r *run) wait(i int, open []located) {
	asks := make([]journal.Ask, len(open))
	for k, o := range open {
		asks[k] = o.Ask
		h := r.frame.at.head(r.m.Step(), i+1, int32(k))
		h.NS = o.Path
		r.told = append(r.told, &Asked{Head: h, Question: question(o.Ask)})
	}
	*r.m.Result(i) = kernel.Result{Status: kernel.Paused, Err: &pausedError{asks}}
	r.m.Done(r.m.ID(i))
}

// tell tells what is to be told before the first step.
func (r *run) tell() {
	if r.frame.sink != nil {
		if r.first < 0 && len(r.m.Tasks()) > 0 {
			r.noteStep()
		}
		for _, e := range r.told {
			r.frame.sink.put(e)
		}
	}
	r.told = nil
}

// save keeps what a task has brought, with the thread. A result that cannot be
// stored is a failure of its task.
func (r *run) save(t kernel.TaskID, res *kernel.Result, f *frame) {
	if f.log == nil {
		return
	}
	var err error
	switch res.Status {
	case kernel.Succeeded:
		err = f.log.SaveResult(t, res)
	case kernel.Paused:
		f.log.NoteAsk()
		if p, ok := res.Err.(*pausedError); ok && len(p.asks) > 0 && len(p.asks[0].Path) == len(f.at.ns) {
			err = f.log.SaveAsks(t, p.asks)
		}
	case kernel.Failed:
		fault := journal.Fault{Kind: KindNode, Message: res.Err.Error()}
		if placed, ok := res.Err.(*Error); ok {
			fault = journal.Fault{Kind: placed.Kind(), Message: placed.Err.Error()}
		}
		err = f.log.SaveFault(t, fault)
	}
	if err != nil && res.Status == kernel.Succeeded {
		failed := r.placed(int(t.Step), storeError(err)).(*Error)
		ref := r.ref(int(t.Index))
		failed.Node, failed.Task = ref.Node, ref.Task
		*res = kernel.Result{Status: kernel.Failed, Err: failed}
	}
}

// saveStep keeps what the tasks of a step brought that was not committed: of
// one with several tasks the results are kept already. Results that do not go
// together are dropped, all of them.
func (r *run) saveStep(e *kernel.Effects) {
	log := r.frame.log
	n := len(r.m.Tasks())
	if log == nil || e.Committed || n > 0 && r.m.Tasks()[0].Node == kernel.StartNode {
		return
	}
	if e.Outcome.Ending == kernel.Broken && e.Outcome.Task >= 0 && r.m.Result(e.Outcome.Task).Status == kernel.Succeeded {
		r.storeFault(log.DropResults(n))
		return
	}
	if n == 1 {
		r.save(r.m.ID(0), r.m.Result(0), r.frame)
	}
}

// storeFault remembers the first error of the store.
func (r *run) storeFault(err error) {
	if err != nil && r.storeErr == nil {
		r.storeErr = storeError(err)
	}
}
