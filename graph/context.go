package graph

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/graphrun/graphrun/internal/kernel"
)

// taskContext is the context of one task. It is never used for another task,
// for a node that was left behind may still hold it.
type taskContext struct {
	context.Context
	frame   *frame
	node    *node
	first   *taskContext // of the first attempt; nil if this is it
	id      kernel.TaskID
	sent    bool
	attempt int
	events  atomic.Int32 // of all attempts, in the first one's context
	ended   atomic.Bool  // set if somebody listens
}

// frame is what the tasks of a run may still ask for when the run is over.
type frame struct {
	at     at
	thread string
	sink   sink
	check  bool // look for nodes that change their view
}

type taskKey struct{}

// Value answers for the task and leaves the rest to the run's context.
func (t *taskContext) Value(key any) any {
	if _, ok := key.(taskKey); ok {
		return t
	}
	return t.Context.Value(key)
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
		Thread: t.frame.thread, NS: t.frame.at.ns, Node: t.node.name,
		Step: t.id.Step, Attempt: t.attempt, Task: t.frame.taskID(t.id),
	}, nil
}

// Emit adds a Custom event to the run's stream. It may be called by several
// goroutines of a node at once, and waits while the reader of the stream is
// behind. What is emitted after the task has ended is dropped.
func Emit(ctx context.Context, value any) error {
	t, err := taskOf(ctx)
	if err != nil {
		return err
	}
	if t.frame.sink != nil && !t.start().ended.Load() {
		t.frame.sink.put(&Custom{Head: t.head(), TaskRef: t.ref(), Value: value})
	}
	return nil
}

// Interrupt asks a question and pauses the run until it is answered. Runs
// without a checkpoint store cannot pause: the error is then ErrNoStore.
func Interrupt[R any](ctx context.Context, key string, value any) (R, error) {
	var none R
	t, err := taskOf(ctx)
	if err != nil {
		return none, err
	}
	return none, fmt.Errorf("graph: node %q: interrupt %q (%v): %w", t.node.name, key, value, ErrNoStore)
}

// start returns the context of the task's first attempt.
func (t *taskContext) start() *taskContext {
	if t.first != nil {
		return t.first
	}
	return t
}

// again returns a context for another attempt.
func (t *taskContext) again() *taskContext {
	return &taskContext{
		Context: t.Context, frame: t.frame, node: t.node, first: t.start(),
		id: t.id, sent: t.sent, attempt: t.attempt + 1,
	}
}

// within returns the same attempt with another context inside.
func (t *taskContext) within(ctx context.Context) *taskContext {
	c := t.again()
	c.Context, c.attempt = ctx, t.attempt
	return c
}

func (t *taskContext) head() Head {
	return t.frame.at.head(t.id.Step, t.id.Index+1, t.start().events.Add(1)-1)
}

func (t *taskContext) ref() TaskRef {
	return TaskRef{Node: t.node.name, Task: t.frame.taskID(t.id), Sent: t.sent}
}

// taskID makes the id of a task: it tells thread, subgraph, step and place.
func (f *frame) taskID(id kernel.TaskID) string {
	var b strings.Builder
	if f.thread != "" {
		b.WriteString(f.thread + "/")
	}
	for i := 0; i+1 < len(f.at.prefix); i += 3 {
		fmt.Fprintf(&b, "%d.%d/", f.at.prefix[i], f.at.prefix[i+1]-1)
	}
	fmt.Fprintf(&b, "%d.%d", id.Step, id.Index)
	return b.String()
}

// ref names task i of the current step.
func (r *run) ref(i int) TaskRef {
	t := &r.m.Tasks()[i]
	return TaskRef{
		Node: r.prog.plan.Name(t.Node), Sent: t.Sent,
		Task: r.frame.taskID(kernel.TaskID{Step: r.m.Step(), Index: i}),
	}
}
