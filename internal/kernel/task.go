package kernel

import "github.com/graphrun/graphrun/state"

// TaskID identifies a task within its run: its step, which counts over the
// life of the thread, and its position in the step.
type TaskID struct{ Step, Index int32 }

// Task is one execution of a node. A step's tasks are those due by edges and
// gotos, in the order of their names, then those that were sent, in the order
// of the sends.
type Task struct {
	Node int32
	Over *state.Changes // of a send: what is laid over the state; else nil
}

// Sent reports whether the task was sent, not reached by an edge or a goto.
func (t *Task) Sent() bool { return t.Over != nil }

// Status is how a task ended.
type Status uint8

// How a task can end. The zero Status is that of a task still open.
const (
	Open      Status = iota
	Succeeded        // its command and routes count
	Failed           // by itself, with Err
	Cancelled        // because of a sibling's failure or of the run's end
)

// Result is what came of a task. Routes are the choices of the routers on the
// edges out of its node, which run with the task.
type Result struct {
	Status  Status
	Command Command
	Routes  Routes
	Err     error
	told    bool // Done was called
}

// reset makes the result that of an open task. What it refers to is left for
// the next command to overwrite.
func (r *Result) reset() {
	r.Status, r.Err, r.told = Open, nil, false
	r.Routes.n = 0
	if r.Routes.more != nil || r.Routes.Packets != nil {
		r.Routes = Routes{}
	}
}

// Routes are the nodes and packets that routers chose. The first two nodes
// need no allocation.
type Routes struct {
	n       int
	few     [2]int32
	more    []int32
	Packets []Packet
}

// Add appends a node.
func (r *Routes) Add(node int32) {
	if r.n < len(r.few) {
		r.few[r.n] = node
	} else {
		r.more = append(r.more, node)
	}
	r.n++
}

// Len returns the number of nodes.
func (r *Routes) Len() int { return r.n }

// At returns the i-th node.
func (r *Routes) At(i int) int32 {
	if i < len(r.few) {
		return r.few[i]
	}
	return r.more[i-len(r.few)]
}
