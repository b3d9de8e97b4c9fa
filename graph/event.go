package graph

import (
	"slices"

	"github.com/graphrun/graphrun/state"
)

// Event is one entry of a run's log: a *StepStarted, *TaskStarted,
// *TaskRetried, *TaskFinished, *TaskFailed, *Asked, *Dropped, *StepCommitted,
// *Custom or *RunFinished. Others may be added: a switch over them needs no default that
// fails. An event and what it refers to must not be changed.
type Event interface {
	head() *Head
}

// Head is what every event begins with.
type Head struct {
	// Seq counts the events of a stream from 1, in the order in which they
	// came. Events of tasks that ran at once come in no fixed order.
	Seq int64
	// Pos is the event's place in the run, which is the same in every run
	// that did the same: sorted by Pos, two such logs are equal.
	Pos Pos
	// NS is the path of subgraph nodes; empty for the graph that was started.
	NS []string
	// Step counts over the life of the thread; the input is step 0.
	Step int
}

func (h *Head) head() *Head { return h }

// Pos is a place in a run: step, task (from 1; 0 is the step's begin, the
// number after the last task its end) and count within the task; for events
// of a subgraph the place of its start in the parent comes first.
type Pos []int32

// Compare orders places.
func (p Pos) Compare(q Pos) int { return slices.Compare(p, q) }

// HeadOf returns an event's head.
func HeadOf(e Event) Head { return *e.head() }

// TaskRef names a task in an event.
type TaskRef struct {
	Node string
	Task string // the task's id
	Sent bool   // it was sent, not reached by an edge or goto
}

// StepStarted tells which tasks a step has, in their order.
type StepStarted struct {
	Head
	Tasks []TaskRef
}

// TaskStarted tells that a task begins its first attempt.
type TaskStarted struct {
	Head
	TaskRef
}

// TaskRetried tells that an attempt failed and another one follows.
type TaskRetried struct {
	Head
	TaskRef
	Attempt int // that failed, from 1
	Err     error
}

// TaskFinished tells that a task succeeded, with what it writes.
type TaskFinished struct {
	Head
	TaskRef
	Update Update
	Leaves bool // it left its graph by a command to the parent: its update is not applied here
}

// TaskFailed tells that a task failed for good, was cancelled or was left
// behind.
type TaskFailed struct {
	Head
	TaskRef
	Err       error
	Cancelled bool
}

// Asked tells of an open question of a task, which the run waits with.
type Asked struct {
	Head     // NS is that of the node that asks
	Question Question
}

// Dropped tells that new input has ended what was due.
type Dropped struct {
	Head
	Nodes []string // one entry a task
}

// StepCommitted tells that the updates of a step are applied. State is a copy
// of the state, of the graph's state type.
type StepCommitted struct {
	Head
	State  any
	layout *state.Layout
}

// Custom is a value that a node emitted.
type Custom struct {
	Head
	TaskRef
	Type  string // of its line: what a Typed value said, else "custom", also if empty
	Value any
}

// RunFinished is the last event of a run, subgraphs included.
type RunFinished struct {
	Head
	Outcome Outcome
	Err     error    // nil if the run is done
	Next    []string // the nodes of the tasks that are left, one entry a task
}

// Update is what a task writes, for reading.
type Update struct {
	layout  *state.Layout
	changes state.Changes
}

// MarshalJSON writes {"field": value}, the writes of one field folded.
func (u Update) MarshalJSON() ([]byte, error) {
	if u.layout == nil {
		return []byte("{}"), nil
	}
	return u.layout.AppendShown(nil, &u.changes)
}

// Fields returns the names of the fields written, in the order of the writes.
func (u Update) Fields() []string {
	var out []string
	for i := range u.changes.Len() {
		if f := u.changes.At(i).Field(); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// Outcome says how a run ended. No outcome can be taken for another.
type Outcome string

// The outcomes of runs.
const (
	OutcomeDone        Outcome = "done"        // nothing was left to do
	OutcomeInterrupted Outcome = "interrupted" // it waits for an answer
	OutcomeFailed      Outcome = "failed"      // a task or a step's updates failed
	OutcomeCancelled   Outcome = "cancelled"   // its context ended
	OutcomeLimit       Outcome = "limit"       // a bound was hit and work is left
)

// at is where in a log a run's own events stand: nothing for the root, the
// mounting task for a subgraph.
type at struct {
	ns     []string
	prefix Pos
	path   string // as a namespace of the thread's log
}

func (a *at) head(step, task int, count int32) Head {
	pos := make(Pos, len(a.prefix), len(a.prefix)+3)
	copy(pos, a.prefix)
	return Head{Pos: append(pos, int32(step), int32(task), count), NS: a.ns, Step: step}
}

// sink takes the events of a run. A nil sink takes none.
type sink interface {
	put(Event)
	// offer is put for events that may be lost: it is false if until came
	// before the event was taken.
	offer(until <-chan struct{}, e Event) bool
}

// noteStep tells of the tasks that a step begins with.
func (r *run) noteStep() {
	e := &StepStarted{Head: r.frame.at.head(r.m.Step(), 0, 0)}
	for i := range r.m.Tasks() {
		e.Tasks = append(e.Tasks, r.ref(i))
	}
	r.frame.sink.put(e)
}

func (r *run) noteCommit(step, tasks int) {
	st := r.prog.layout.Fresh()
	r.prog.layout.Copy(st, r.store.State())
	r.frame.sink.put(&StepCommitted{Head: r.frame.at.head(step, tasks+1, 0), State: st, layout: r.prog.layout})
}

func (r *run) noteEnd(e ending, step, tasks int) {
	if r.frame.sink != nil {
		r.frame.sink.put(&RunFinished{Head: r.frame.at.head(step, tasks+1, 1), Outcome: e.outcome, Err: e.err, Next: e.next})
	}
}
