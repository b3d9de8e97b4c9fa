package kernel

// TaskID identifies a task within its run: its step, which counts over the
// life of the thread, and its position in the step.
type TaskID struct{ Step, Index int32 }

// Task is one execution of a node. A step's tasks are those due by edges and
// gotos, in the order of their names, then those that were sent, in the order
// of the sends.
type Task struct {
	Node int32
	From *Packet // what it was sent with; nil if an edge or a goto led to it
}

// Status is how a task ended.
type Status uint8

// How a task can end. The zero Status is that of a task still open.
const (
	Open      Status = iota
	Succeeded        // its command and routes count
	Failed           // by itself, with Err
	Cancelled        // because of a sibling's failure or of the run's end
	Paused           // it waits for an answer; Err tells which
)

// Result is what came of a task. Routes are the choices of the routers on the
// edges out of its node, which run with the task.
type Result struct {
	Status  Status
	told    bool // Done was called
	Routes  Routes
	Err     error
	Command Command
}

// reset makes the result that of an open task. What its command refers to is
// left for the next command to overwrite.
func (r *Result) reset() {
	r.Status, r.told, r.Routes.n = Open, false, 0
	if r.Err != nil || r.Routes.rest != nil {
		r.Err, r.Routes.rest = nil, nil
	}
}

// Routes are the nodes and packets that routers chose. The first two nodes
// need no allocation.
type Routes struct {
	n    int32
	few  [2]int32
	rest *moreRoutes
}

type moreRoutes struct {
	nodes   []int32
	packets []Packet
}

// Add appends a node.
func (r *Routes) Add(node int32) {
	if int(r.n) < len(r.few) {
		r.few[r.n] = node
	} else {
		r.more().nodes = append(r.more().nodes, node)
	}
	r.n++
}

// AddPackets appends sends.
func (r *Routes) AddPackets(ps []Packet) {
	if len(ps) > 0 {
		r.more().packets = append(r.more().packets, ps...)
	}
}

func (r *Routes) more() *moreRoutes {
	if r.rest == nil {
		r.rest = &moreRoutes{}
	}
	return r.rest
}

// Len returns the number of nodes.
func (r *Routes) Len() int { return int(r.n) }

// At returns the i-th node.
func (r *Routes) At(i int) int32 {
	if i < len(r.few) {
		return r.few[i]
	}
	return r.rest.nodes[i-len(r.few)]
}

// Packets returns the sends.
func (r *Routes) Packets() []Packet {
	if r.rest == nil {
		return nil
	}
	return r.rest.packets
}
