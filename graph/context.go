package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/internal/kernel"
)

// taskContext is the context of one task. It is never used for another task,
// for a node that was left behind may still hold it.
type taskContext struct {
	frame   *frame
	id      kernel.TaskID
	nodeID  int32
	attempt int32        // from 1
	events  atomic.Int32 // of all attempts, in the first one's context; negative: the task has ended
	sent    bool
}

// frame is what tasks of a run share, and may still ask for when the run is
// over. It does not change.
type frame struct {
	prog   *program
	ctx    context.Context // when their work must end
	first  *taskContext    // of a further attempt: the first one's context
	at     at
	thread string
	sink   sink
	check  bool // look for nodes that change their view

	session *session         // nil without a store
	log     *journal.Journal // of this run; nil without a store
	shift   int64            // from a step's number to the checkpoint that its tasks stand behind
	resumed int              // the step that the run went on with; 0: it began
	drain   <-chan struct{}  // closed: end behind the step at work
	items   checkpoint.Items
	memory  *memory // what tasks keep, without a store

	before, after []bool // nodes at which the run pauses; nil: none
}

type taskKey struct{}

// Value answers for the task and leaves the rest to the run's context.
func (t *taskContext) Value(key any) any {
	if _, ok := key.(taskKey); ok {
		return t
	}
	return t.frame.ctx.Value(key)
}

// Deadline is that of the run.
func (t *taskContext) Deadline() (time.Time, bool) { return t.frame.ctx.Deadline() }

// Done is closed when the task's work must end.
func (t *taskContext) Done() <-chan struct{} { return t.frame.ctx.Done() }

// Err says whether the task's work must end.
func (t *taskContext) Err() error { return t.frame.ctx.Err() }

// within returns a frame whose work must end with another context.
func (f *frame) within(ctx context.Context) *frame {
	g := *f
	g.ctx = ctx
	return &g
}

func taskOf(ctx context.Context) (*taskContext, error) {
	if t, ok := ctx.Value(taskKey{}).(*taskContext); ok {
		return t, nil
	}
	return nil, fmt.Errorf("graph: %w", ErrNotInTask)
}

// TaskInfo describes the task that a node's context belongs to.
type TaskInfo struct {
	Thread  string   // the run's thread, if it has one
	NS      []string // the path of subgraph nodes; empty: the root
	Node    string
	Step    int
	Attempt int // from 1
	// Task is the task's id. It is the same in every attempt and, for runs
	// with a thread, in every resume: use it as an idempotency key.
	Task string
}

// Task returns the task that ctx belongs to. The error is ErrNotInTask if ctx
// is not the context of a node, router or error handler.
func Task(ctx context.Context) (TaskInfo, error) {
	t, err := taskOf(ctx)
	if err != nil {
		return TaskInfo{}, err
	}
	return TaskInfo{
		Thread: t.frame.thread, NS: t.frame.at.ns, Node: t.node().name,
		Step: int(t.id.Step), Attempt: int(t.attempt), Task: t.frame.taskID(t.id),
	}, nil
}

// start returns the context of the task's first attempt.
func (t *taskContext) start() *taskContext {
	if t.frame.first != nil {
		return t.frame.first
	}
	return t
}

// open reports whether events may still come from the task.
func (t *taskContext) open() bool { return t.start().events.Load() >= 0 }

// end lets no further event come from the task. It is false if that was so.
func (t *taskContext) end() bool { return t.start().events.Swap(math.MinInt32) >= 0 }

// again returns a context for another attempt.
func (t *taskContext) again() *taskContext {
	c := t.within(t.frame.ctx)
	c.attempt++
	return c
}

// within returns the same attempt with another context inside.
func (t *taskContext) within(ctx context.Context) *taskContext {
	f := t.frame.within(ctx)
	f.first = t.start()
	return &taskContext{frame: f, nodeID: t.nodeID, id: t.id, sent: t.sent, attempt: t.attempt}
}

func (t *taskContext) node() *node { return t.frame.prog.node(t.nodeID) }

// placed gives an error the task's place.
func (t *taskContext) placed(err error) *Error {
	attempt := int(t.attempt)
	if last := (*repeated)(nil); errors.As(err, &last) {
		attempt = last.attempts
	}
	return &Error{
		Thread: t.frame.thread, NS: t.frame.at.ns, Step: int(t.id.Step), Node: t.node().name,
		Task: t.frame.taskID(t.id), Attempt: attempt, Err: err,
	}
}

func (t *taskContext) head() Head {
	return t.frame.at.head(int(t.id.Step), int(t.id.Index)+1, t.start().events.Add(1)-1)
}

func (t *taskContext) ref() TaskRef {
	return TaskRef{Node: t.node().name, Task: t.frame.taskID(t.id), Sent: t.sent}
}

// taskID makes the id of a task: it tells thread, subgraph, the checkpoint
// that it stands behind and its place in the step.
func (f *frame) taskID(id kernel.TaskID) string {
	name := f.place(id)
	if f.thread != "" {
		name = f.thread + "/" + name
	}
	return name
}

// place is the task's id within its thread, and the namespace of the run that
// it starts.
func (f *frame) place(id kernel.TaskID) string {
	return checkpoint.Child(f.at.path, int64(id.Step)+f.shift, int(id.Index))
}

// ref names task i of the current step.
func (r *run) ref(i int) TaskRef {
	t := &r.m.Tasks()[i]
	return TaskRef{
		Node: r.prog.plan.Name(t.Node), Sent: t.From != nil,
		Task: r.frame.taskID(r.m.ID(i)),
	}
}
