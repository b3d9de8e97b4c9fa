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
	run      *run
	n        int
	limit    int32
	queue    queue
	ctx      context.Context
	frame    *frame // with ctx
	cancel   context.CancelCauseFunc
	contexts []taskContext
	done     []atomic.Bool // by task: its result is complete
	count    atomic.Int32  // tasks that are complete
	working  atomic.Int32  // workers that have begun or are invited
	invited  atomic.Bool   // a worker was started and has not begun
	stopped  atomic.Bool   // no further task is begun
	broken   chan struct{} // closed at the first failure
	once     sync.Once
	complete chan struct{}
}

func newCrew(r *run) *crew {
	n := len(r.m.Tasks())
	c := &crew{
		run: r, n: n, limit: int32(min(n, 1<<20)),
		contexts: make([]taskContext, n), done: make([]atomic.Bool, n),
		broken: make(chan struct{}), complete: make(chan struct{}, 1),
	}
	if most := r.prog.cfg.MaxConcurrency; most > 0 {
		c.limit = int32(min(most, n))
	}
	c.ctx, c.cancel = context.WithCancelCause(r.ctx)
	c.frame = r.frame.within(c.ctx)
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
	current := -1
	defer func() {
		if current >= 0 { // the node ended this goroutine by runtime.Goexit
			c.run.fail(&c.contexts[current], c.run.m.Result(current), ErrGoexit)
			c.queue.free(current)
			c.settle(current)
			c.invite()
		}
	}()
	for {
		i, more := c.queue.take()
		if i < 0 {
			return
		}
		if c.stopped.Load() || c.ctx.Err() != nil {
			c.run.m.Result(i).Status = kernel.Cancelled
			c.settle(i)
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
	}
}

// invite starts another worker, unless one has yet to begin or the limit is
// reached.
func (c *crew) invite() {
	if c.working.Load()+1 >= c.limit || !c.invited.CompareAndSwap(false, true) {
		return
	}
	c.working.Add(1)
	go func() {
		c.invited.Store(false)
		defer c.working.Add(-1)
		c.work(&worker{})
	}()
}

func (c *crew) begin(i int, w *worker) {
	r, t := c.run, &c.contexts[i]
	task := &r.m.Tasks()[i]
	t.frame, t.nodeID, t.sent, t.attempt = c.frame, task.Node, task.Sent(), 1
	t.id = r.m.ID(i)
	r.perform(t, task, r.m.Result(i), w)
}

// settle notes that the result of a task is complete. Behind it a worker may
// touch nothing but the crew: the run may go on, or be over.
func (c *crew) settle(i int) {
	if res := c.run.m.Result(i); res.Status == kernel.Failed && !c.run.prog.cfg.FinishSiblings {
		c.stop(res.Err)
	}
	c.done[i].Store(true)
	if int(c.count.Add(1)) == c.n {
		c.complete <- struct{}{}
	}
}

// stop cancels the tasks at work and lets no further one begin.
func (c *crew) stop(cause error) {
	c.once.Do(func() {
		c.stopped.Store(true)
		c.cancel(cause)
		close(c.broken)
		c.run.signals <- trouble
	})
}

// wait waits for all tasks, but for cancelled ones only for the grace period.
func (c *crew) wait() {
	select {
	case <-c.complete:
		c.tell()
		return
	case <-c.broken:
	case <-c.run.done:
	}
	c.stopped.Store(true)
	grace := time.NewTimer(c.run.prog.cfg.grace())
	defer grace.Stop()
	select {
	case <-c.complete:
		c.tell()
	case <-grace.C:
		c.forsake()
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
		done[i] = c.done[i].Load()
		if !done[i] && c.queue.begun(i) {
			c.run.deaf = append(c.run.deaf, c.run.ref(i))
		}
	}
	c.run.m.Forsake(func(i int) bool { return done[i] })
}
