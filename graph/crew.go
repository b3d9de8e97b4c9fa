package graph

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphrun/graphrun/internal/kernel"
)

// crew runs the tasks of a step that has several. Workers come by invitation:
// the run's goroutine works too, and a worker that takes a task while more
// wait starts at most one further worker that has not begun yet. So trivial
// tasks stay on few goroutines, and tasks that block spread at once. A crew
// serves one step and is never used again: late workers may still look at it.
type crew struct {
	run     *run
	n       int
	results []kernel.Result // of the tasks, for as long as they are not given up
	ready   []bool          // tasks that have their results; nil: none
	limit   int32
	frame   frame // with the step's context
	cancel  context.CancelCauseFunc
	tasks   []crewTask
	working atomic.Int32 // workers that have begun or are invited
	invited atomic.Bool  // a worker was started and has not begun
	stopped atomic.Bool  // no further task is begun
	once    sync.Once
	signals chan signal // trouble at the first failure, finished behind the last task
	queue   queue

	_     [cacheLine]byte // the rest is written for every task
	count atomic.Int32    // tasks that are complete
}

// cacheLine is how far apart memory must be for two processors to write to it
// without waiting for each other.
const cacheLine = 64

// crewTask is what a crew keeps of a task, on a cache line of its own: tasks
// that stand side by side are mostly run by different processors.
type crewTask struct {
	context taskContext
	done    atomic.Bool // its result is complete
	_       [cacheLine - 36]byte
}

func newCrew(r *run) *crew {
	n := len(r.m.Tasks())
	c := &crew{
		run: r, n: n, limit: int32(min(n, 1<<20)), results: r.m.Results(),
		tasks: make([]crewTask, n), signals: make(chan signal, 2),
	}
	if r.m.Open() < n {
		c.ready = make([]bool, n)
		for i := range c.ready {
			c.ready[i] = r.m.Result(i).Status != kernel.Open
		}
	}
	if most := r.prog.cfg.MaxConcurrency; most > 0 {
		c.limit = int32(min(most, n))
	}
	if r.frame.check { // one by one, so that no task is blamed for what another one did
		c.limit = 1
	}
	c.working.Store(1) // the run's goroutine
	c.frame = *r.frame
	c.frame.ctx, c.cancel = context.WithCancelCause(r.ctx)
	c.queue.fill(r)
	return c
}

// several runs the step's tasks, or goes on with them if a node ended the
// run's goroutine in between. It is false if the run was taken over.
func (r *run) several() bool {
	if r.crew == nil {
		r.crew = newCrew(r)
	}
	c := r.crew
	r.where.Store(inTask)
	c.work(&r.worker)
	if !r.where.CompareAndSwap(inTask, inMachine) {
		return false
	}
	c.wait()
	c.cancel(nil)
	return true
}

// work runs tasks until there are none left to begin.
func (c *crew) work(w *worker) {
	current, settled := -1, 0
	defer func() {
		if current >= 0 { // the node ended this goroutine by runtime.Goexit
			c.run.fail(&c.tasks[current].context, &c.results[current], ErrGoexit)
			c.queue.free(current)
			c.settle(current)
			settled++
		}
		c.report(settled)
	}()
	for {
		i, more := c.queue.take()
		if i < 0 {
			return
		}
		if c.ready != nil && c.ready[i] { // it was done before the run went on
			c.queue.free(i)
			c.tasks[i].done.Store(true)
			settled++
			continue
		}
		if c.stopped.Load() || c.frame.ctx.Err() != nil {
			c.results[i].Status = kernel.Cancelled
			c.queue.free(i)
			c.settle(i)
			settled++
			continue
		}
		if more && !c.invited.Load() {
			c.invite()
		}
		current = i
		c.begin(i, w)
		current = -1
		c.queue.free(i)
		c.settle(i)
		settled++
	}
}

// report notes how many tasks a worker has completed, when it finds no more to
// begin. Behind it the worker may touch nothing but the crew: the run may go
// on, or be over.
func (c *crew) report(tasks int) {
	if tasks > 0 && int(c.count.Add(int32(tasks))) == c.n {
		c.signals <- finished
	}
}

// invite starts another worker, unless one has yet to begin or the limit is
// reached.
func (c *crew) invite() {
	if c.working.Load() >= c.limit || !c.invited.CompareAndSwap(false, true) {
		return
	}
	if c.working.Load() >= c.limit { // another one was invited, and began, in between
		c.invited.Store(false)
		return
	}
	c.working.Add(1)
	go func() {
		c.invited.Store(false)
		reserve(0)
		c.serve()
	}()
}

// serve works until no task is left to begin. If a node ends the goroutine
// another one takes its place.
func (c *crew) serve() {
	served := false
	defer func() {
		if !served {
			go c.serve()
			return
		}
		c.working.Add(-1)
	}()
	c.work(&worker{})
	served = true
}

func (c *crew) begin(i int, w *worker) {
	r, t := c.run, &c.tasks[i].context
	task := &r.m.Tasks()[i]
	t.frame, t.nodeID, t.sent, t.attempt = &c.frame, task.Node, task.From != nil, 1
	t.id = r.m.ID(i)
	r.perform(t, task, &c.results[i], w)
}

// settle notes that the result of a task is complete.
func (c *crew) settle(i int) {
	c.run.save(c.tasks[i].context.id, &c.results[i], &c.frame)
	failed, cause := c.results[i].Status == kernel.Failed && !c.run.prog.cfg.FinishSiblings, c.results[i].Err
	c.tasks[i].done.Store(true) // first, so that the failure counts however short the grace period
	if failed {
		c.stop(cause)
	}
}

// stop cancels the tasks at work and lets no further one begin.
func (c *crew) stop(cause error) {
	c.once.Do(func() {
		c.stopped.Store(true)
		c.cancel(cause)
		c.signals <- trouble
		c.run.signals <- trouble
	})
}

// wait waits for all tasks, but for cancelled ones only for the grace period.
func (c *crew) wait() {
	ended := c.run.done
	var grace <-chan time.Time
	for {
		select {
		case s := <-c.signals:
			if s == finished {
				c.tell()
				return
			}
		case <-ended:
		case <-grace:
			c.forsake()
			return
		}
		if grace == nil {
			c.stopped.Store(true)
			ended, grace = nil, time.After(c.run.prog.patience)
		}
	}
}

// tell tells the machine that every task is done.
func (c *crew) tell() {
	for i := range c.n {
		c.run.m.Done(c.run.m.ID(i))
	}
}

// forsake gives up the tasks that are not done and remembers those at work.
func (c *crew) forsake() {
	c.stopped.Store(true)
	done := make([]bool, c.n)
	for i := range done {
		done[i] = c.tasks[i].done.Load()
		if !done[i] && c.queue.begun(i) {
			c.run.leave(i, &c.tasks[i].context)
		}
	}
	c.run.spent = true
	c.run.m.Forsake(func(i int) bool { return done[i] })
}
