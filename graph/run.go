package graph

import (
	"context"
	"sync/atomic"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// run is one run of a program. Its goroutine owns the machine; the one that
// called watches, and takes the machine over if that goroutine is stuck in a
// node that is deaf to its context.
type run struct {
	prog  *program
	m     *kernel.Machine
	store *state.Store
	ctx   context.Context
	done  <-chan struct{} // of ctx; nil if it cannot end
	frame *frame
	input state.Changes

	tracked   bool     // what changes behind the input is remembered
	first     int      // the step of the input; -1: there is none, the run goes on
	committed int      // the last step that was applied
	due       []string // nodes of the tasks that were due before the input
	undone    []string // those of them without a result
	dropped   []string // the due ones, once the input has ended them
	told      []Event  // to be told before the first step
	storeErr  error    // what went wrong with the store

	where   atomic.Uint32 // whether the run's goroutine is in a task
	signals chan signal   // from the run's goroutine and workers to the watcher; nil: the caller runs it
	crew    *crew         // of the step that is running, if it has several tasks
	alone   *taskContext  // of the step that is running, if it has one task
	deaf    []TaskRef     // tasks that were left behind
	spent   bool          // tasks were given up: workers may still signal
	behind  behind        // where it goes on if an index ends its goroutine
	over    bool
	end     ending
	worker  worker        // of the run's goroutine
	slab    []taskContext // for lone tasks, none of them handed out yet
}

// Where the run's goroutine is. It enters a task only from the machine, and
// the watcher may take the machine only while it is in a task.
const (
	inMachine uint32 = iota
	inTask
	inIndex
	taken
)

// signal tells the watcher something. Trouble comes before finished.
type signal uint8

const (
	trouble  signal = iota // a task of a step with several has failed
	finished               // the run's goroutine has ended the run
)

// ending is how a run came out.
type ending struct {
	outcome Outcome
	err     error
	next    []string
	left    *kernel.Outward // the command to the parent graph, if it left by one
	asks    []journal.Ask   // open questions
}

// job is what a run is started with.
type job struct {
	ctx   context.Context
	input state.Changes
	frame frame
	track bool             // it is a subgraph's: remember what changes behind the input
	log   logState         // where the thread's log stands, if there is a store
	fresh bool             // the input is new; else a run with a log goes on
	held  *checkpoint.Part // what the log is to get at the end of the thread's run
}

// start takes a run from the pool and sets it up.
func (p *program) start(j *job) *run {
	r, ok := p.runs.Get().(*run)
	if !ok {
		r = &run{prog: p, m: kernel.NewMachine(p.plan), store: p.layout.NewStore(p.zero)}
	}
	f := j.frame
	f.prog, f.ctx, f.first, f.log, f.shift, f.resumed = p, j.ctx, nil, nil, 0, 0
	if f.memory == nil && f.session == nil {
		f.memory = &memory{}
	}
	r.ctx, r.done, r.frame, r.input = j.ctx, j.ctx.Done(), &f, j.input
	r.tracked, r.first, r.committed = j.track, 0, 0
	r.m.Start(r.store, 0)
	return r
}

// release gives a run back, if nobody can be using it any more.
func (r *run) release(clean bool) {
	if !clean || r.spent || len(r.deaf) > 0 {
		return
	}
	r.m.Clear()
	r.store.Reset(r.prog.zero)
	r.ctx, r.done, r.frame, r.input = nil, nil, nil, state.Changes{}
	r.crew, r.alone, r.behind, r.over, r.end = nil, nil, behind{}, false, ending{}
	r.signals = nil
	r.due, r.undone, r.dropped, r.told, r.storeErr = nil, nil, nil, nil, nil
	r.worker.choice = kernel.Command{}
	r.prog.runs.Put(r)
}

// inline runs steps of one task on the caller's goroutine: nothing can cancel
// them, so nobody needs to watch. It stops at a step with several tasks, of
// which one may fail while another is deaf. It reports whether the run is over.
func (r *run) inline() bool {
	r.tell()
	for !r.over && len(r.m.Tasks()) == 1 {
		r.step()
	}
	return r.over
}

// launch lets the run work on a goroutine of its own. The channel belongs to
// this run alone: a pooled one might be that of a synctest bubble.
func (r *run) launch() {
	r.signals = make(chan signal, 2)
	go r.main()
}

// main is the run's goroutine.
func (r *run) main() {
	reserve(0)
	defer r.exit()
	r.tell()
	for !r.over {
		if !r.step() {
			return
		}
	}
}

// reserve makes the goroutine's stack grow once, while there is nothing on it
// to move, instead of in steps below a node.
//
//go:noinline
func reserve(i int) byte {
	var room [4 << 10]byte
	return room[i]
}

// exit ends the run's goroutine. If a node ended it by runtime.Goexit the run
// goes on in another one.
func (r *run) exit() {
	switch {
	case r.where.Load() == taken: // nothing of the run may be looked at any more
	case r.over:
		r.signals <- finished
	case r.where.CompareAndSwap(inIndex, inMachine):
		r.storeFault(&indexError{ErrGoexit})
		go r.endBehind()
	case r.where.CompareAndSwap(inTask, inMachine) || r.where.Load() == inMachine:
		r.lost()
		go r.main()
	}
}

// step runs the tasks of one superstep and lets the machine go on. It is false
// if the run was taken over meanwhile.
func (r *run) step() bool {
	if r.m.Open() > 0 {
		if len(r.m.Tasks()) == 1 {
			if !r.lone() {
				return false
			}
		} else if !r.several() {
			return false
		}
	}
	r.advance()
	return true
}

// advance commits the step that has run and opens the next one.
func (r *run) advance() {
	r.crew = nil
	tasks := len(r.m.Tasks())
	pause := r.frame.after != nil && r.meets(r.frame.after)
	e := r.m.Advance()
	if e.Committed {
		r.committed = e.Step
		r.behind = behind{e, tasks, false}
		r.commit(e.Step, tasks)
	}
	if !e.Closed {
		e = r.goingOn(e, pause)
	}
	if e.Closed {
		r.finish(e, tasks)
		return
	}
	if r.frame.sink != nil {
		r.noteStep()
	}
}

// commit saves and tells a step that the machine has committed.
func (r *run) commit(step, tasks int) {
	source := "loop"
	if step == r.first {
		if source = "input"; r.tracked {
			r.store.Track()
		}
	}
	if log := r.frame.log; log != nil {
		if err := log.Commit(r.m, step, source); err != nil {
			r.storeFault(err)
			return // it is not saved: nobody is told of it
		}
	} else if r.frame.memory.used.Load() && len(r.frame.at.ns) == 0 {
		r.frame.memory.clear()
	}
	if step == r.first && len(r.due) > 0 {
		if r.dropped = r.due; r.frame.sink != nil {
			r.frame.sink.put(&Dropped{Head: r.frame.at.head(step, 0, 0), Nodes: r.dropped})
		}
	}
	if r.frame.sink != nil {
		r.noteCommit(step, tasks)
	}
}

// goingOn ends the run before the next step if there is a reason to.
func (r *run) goingOn(e *kernel.Effects, pause bool) *kernel.Effects {
	switch {
	case r.storeErr != nil || r.cancelled() || r.drained():
		return r.m.Stop()
	case pause || r.frame.before != nil && r.meets(r.frame.before):
		return r.m.Pause()
	}
	return e
}

// meets reports whether a task of the step is one of the marked nodes.
func (r *run) meets(marks []bool) bool {
	for _, t := range r.m.Tasks() {
		if t.Node != kernel.StartNode && marks[t.Node] {
			return true
		}
	}
	return false
}

// drained reports whether the run was asked to end, by its drain or because
// its thread was taken over.
func (r *run) drained() bool {
	if r.taken() {
		r.storeErr = ErrTakenOver
		return true
	}
	if r.frame.drain == nil {
		return false
	}
	select {
	case <-r.frame.drain:
		return true
	default:
		return false
	}
}

// taken reports whether another writer is known to have taken the thread over.
func (r *run) taken() bool {
	if r.frame.session == nil {
		return false
	}
	select {
	case <-r.frame.session.lost:
		return true
	default:
		return false
	}
}

// finish ends the run: what it has brought is saved first.
func (r *run) finish(e *kernel.Effects, tasks int) {
	r.saveStep(e)
	if log := r.frame.log; log != nil {
		r.behind = behind{e, tasks, true}
		r.storeFault(log.Close(r.m, e.Outcome.Ending != kernel.Done && e.Outcome.Ending != kernel.Left || !r.tracked))
	}
	r.tellEnd(e, tasks)
}

// tellEnd notes how the run came out.
func (r *run) tellEnd(e *kernel.Effects, tasks int) {
	step := e.Step
	r.end = r.conclude(e)
	if r.dropped == nil && r.due != nil { // the input came to nothing: what was due still is
		r.end.next = r.undone
	}
	r.noteEnd(r.end, step, tasks)
	r.over = true
}

// cancelled reports whether the run's context has ended.
func (r *run) cancelled() bool {
	if r.done == nil {
		return false
	}
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// context returns the context of a lone task, cut from a slab.
func (r *run) context(task *kernel.Task) *taskContext {
	if len(r.slab) == 0 {
		r.slab = make([]taskContext, 64)
	}
	t := &r.slab[0]
	r.slab = r.slab[1:]
	t.frame, t.nodeID, t.sent, t.attempt = r.frame, task.Node, task.From != nil, 1
	t.id = r.m.ID(0)
	return t
}

// lone runs the step's only task on the run's goroutine.
func (r *run) lone() bool {
	task := &r.m.Tasks()[0]
	t := r.context(task)
	r.alone = t
	res := r.m.Result(0) // not asked for once the run may be taken over
	watched := r.done != nil
	if watched {
		r.where.Store(inTask)
	}
	r.perform(t, task, res, &r.worker)
	if watched && !r.where.CompareAndSwap(inTask, inMachine) {
		return false
	}
	r.m.Done(t.id)
	return true
}

// lost notes that a node ended the run's goroutine.
func (r *run) lost() {
	if r.crew != nil {
		return
	}
	if r.m.Open() == 0 { // a reducer did
		*r.m.Result(0) = kernel.Result{Status: kernel.Failed, Err: r.placed(r.m.Step(), ErrGoexit)}
		return
	}
	r.fail(r.alone, r.m.Result(0), ErrGoexit)
	r.m.Done(r.alone.id)
}
