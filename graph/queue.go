package graph

import (
	"sync"
	"sync/atomic"
)

// queue hands out the tasks of a step in their order. If nodes have limits,
// a task waits while as many of its node are at work as may be.
type queue struct {
	n    int32
	_    [cacheLine]byte
	next atomic.Int32
	_    [cacheLine]byte

	limited bool // the rest is used only then
	mu      sync.Mutex
	nodes   []int32
	limits  []int32 // by task
	state   []bool  // by task: begun
	atWork  map[int32]int32
	first   int // no task before it waits
}

func (q *queue) fill(r *run) {
	tasks := r.m.Tasks()
	q.n = int32(len(tasks))
	for i := range tasks {
		q.limited = q.limited || r.prog.node(tasks[i].Node).limit > 0
	}
	if !q.limited {
		return
	}
	q.nodes, q.limits, q.state = make([]int32, q.n), make([]int32, q.n), make([]bool, q.n)
	q.atWork = map[int32]int32{}
	for i := range tasks {
		q.nodes[i], q.limits[i] = tasks[i].Node, int32(r.prog.node(tasks[i].Node).limit)
	}
}

// take returns the next task to begin, -1 if none can begin now, and whether
// another one could. Whoever ends a task asks again, so none is forgotten.
func (q *queue) take() (i int, more bool) {
	if !q.limited {
		n := q.next.Add(1)
		if n > q.n {
			q.next.Store(q.n) // stays small however often it is asked
			return -1, false
		}
		return int(n - 1), n < q.n
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	i = q.ready(q.first)
	if i < 0 {
		return -1, false
	}
	q.state[i] = true
	q.atWork[q.nodes[i]]++
	for q.first < len(q.state) && q.state[q.first] {
		q.first++
	}
	return i, q.ready(q.first) >= 0
}

func (q *queue) ready(from int) int {
	for i := from; i < len(q.state); i++ {
		if !q.state[i] && (q.limits[i] == 0 || q.atWork[q.nodes[i]] < q.limits[i]) {
			return i
		}
	}
	return -1
}

// free notes that a task has ended.
func (q *queue) free(i int) {
	if !q.limited {
		return
	}
	q.mu.Lock()
	q.atWork[q.nodes[i]]--
	q.mu.Unlock()
}

// begun reports whether a task was handed out.
func (q *queue) begun(i int) bool {
	if !q.limited {
		return int32(i) < min(q.next.Load(), q.n)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.state[i]
}
