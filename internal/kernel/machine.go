package kernel

import (
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/state"
)

// Machine is one run of a plan. It is not safe for concurrent use, but the
// results of different open tasks may be filled in by different goroutines.
type Machine struct {
	plan  *Plan
	store *state.Store

	step    int // of the open tasks
	used    int // supersteps since Start
	tasks   []Task
	results []Result
	open    int
	ready   bool // the lone task's update is already applied to the next state
	closed  bool

	spare    []Task  // the other task buffer
	due      []int32 // nodes of the next step
	sends    bool    // the step sends tasks
	marked   []int   // by node: the last step it was put into due for, + 1
	arrived  []bool  // by join and source
	count    []int32 // by join: how many sources arrived
	filled   []int32 // joins that became full in this step
	deferred []int32 // nodes that wait until nothing else is due, sorted when released
	waiting  []bool  // by node: it is in deferred
	kept     []Task  // to be put beside the tasks of the next step
	effects  Effects
}

// Effects is what came of Advance: the driver saves what was committed, then
// runs the open tasks, unless the run is over. It is valid until the next call
// of the machine.
type Effects struct {
	Committed bool    // the step's updates are in the store
	Step      int     // the step that was committed or that failed
	Closed    bool    // the run is over
	Outcome   Outcome // how, if it is
}

// Ending is how a run ended.
type Ending uint8

// How a run can end.
const (
	Done      Ending = iota // nothing is due
	Broken                  // a task failed, or the step's updates do not go together
	Stopped                 // it was cancelled
	Exhausted               // the limit of supersteps is used up and work is left
	Left                    // a task left the graph by a command to the parent
	Waiting                 // tasks wait for answers, or the run was paused
)

// Outcome tells how a run ended.
type Outcome struct {
	Ending Ending
	Err    error    // Broken: why
	Task   int      // Broken: the task at fault, -1 if none alone is
	Out    *Outward // Left: the command to the parent
}

// NewMachine returns a machine for the plan; Start begins a run on it.
func NewMachine(p *Plan) *Machine {
	return &Machine{
		plan:    p,
		marked:  make([]int, len(p.Nodes)),
		waiting: make([]bool, len(p.Nodes)),
		arrived: make([]bool, p.marks()),
		count:   make([]int32, len(p.Joins)),
	}
}

// Start begins a run on the store's state. The one open task is that of the
// Start node at the given step: its result is the input of the run.
func (m *Machine) Start(store *state.Store, step int) {
	m.Clear()
	m.store, m.step = store, step
	m.launch(append(m.spare[:0], Task{Node: StartNode}))
}

// SetInput lets the Start task carry the run's input to the process that runs
// it, as a send carries its writes. It is for drivers that send the Start task
// away, because routers choose behind it; called between Start and EncodeTask.
func (m *Machine) SetInput(u *state.Changes) {
	m.tasks[0].From = &Packet{Start, u.Overlay()}
}

// Clear forgets the run, so that the machine holds on to nothing of it.
func (m *Machine) Clear() {
	m.store, m.closed, m.used, m.open, m.ready, m.kept = nil, false, 0, 0, false, nil
	clear(m.tasks[:cap(m.tasks)])
	clear(m.spare[:cap(m.spare)])
	clear(m.results[:cap(m.results)])
	m.tasks, m.spare, m.results = m.tasks[:0], m.spare[:0], m.results[:0]
	clear(m.marked)
	m.dropWaits()
	m.effects = Effects{}
}

// Plan returns the plan that the machine runs.
func (m *Machine) Plan() *Plan { return m.plan }

// Store returns the store that the machine applies updates to.
func (m *Machine) Store() *state.Store { return m.store }

// Step returns the number of the step whose tasks are open.
func (m *Machine) Step() int { return m.step }

// Tasks returns the tasks of the current step in their order.
func (m *Machine) Tasks() []Task { return m.tasks }

// Open returns how many tasks of the step have no result yet.
func (m *Machine) Open() int { return m.open }

// ID returns the id of task i.
func (m *Machine) ID(i int) TaskID { return TaskID{int32(m.step), int32(i)} }

// Result returns where the result of task i goes. It belongs to whoever runs
// the task until Done is called.
func (m *Machine) Result(i int) *Result { return &m.results[i] }

// Results returns where the results of the step's tasks go. A worker that may
// be left behind keeps to the slice it was given, for Forsake makes another.
func (m *Machine) Results() []Result { return m.results }

// Done tells that the result of a task is complete. It is false, and nothing
// happens, if the task is not one of the open ones.
func (m *Machine) Done(id TaskID) bool {
	if !m.isOpen(id) || m.results[id.Index].Status == Open {
		return false
	}
	m.results[id.Index].told = true
	m.open--
	return true
}

// isOpen reports whether a task of this id waits for its result.
func (m *Machine) isOpen(id TaskID) bool {
	return !m.closed && int(id.Step) == m.step && id.Index >= 0 && int(id.Index) < len(m.tasks) && !m.results[id.Index].told
}

// Forsake gives up the tasks of the step that are not done: they count as
// cancelled, and what their workers may still write is never read. done says
// which results are complete.
func (m *Machine) Forsake(done func(i int) bool) {
	fresh := make([]Result, len(m.results))
	for i := range fresh {
		if done(i) {
			fresh[i] = m.results[i]
		} else {
			fresh[i].Status = Cancelled
		}
		fresh[i].told = true
	}
	m.results, m.open = fresh, 0
}

// Preview applies the update of the step's only task to the next state and
// returns that state: what the task's routers see. A Result that does not
// succeed after all leaves no trace.
func (m *Machine) Preview() (any, error) {
	if err := m.store.ApplyAlone(&m.results[0].Command.update); err != nil {
		return nil, err
	}
	m.ready = true
	return m.store.Next(), nil
}

// Stop ends the run between two steps.
func (m *Machine) Stop() *Effects { return m.close(Outcome{Ending: Stopped, Task: -1}) }

// Advance commits the step, whose tasks must all be done, and plans the next.
// Behind the run's end it does nothing.
func (m *Machine) Advance() *Effects {
	m.effects.Step, m.effects.Committed = m.step, false
	if m.closed { // nothing more happens
		return &m.effects
	}
	if len(m.tasks) == 0 { // it was resumed where nothing was due
		return m.close(Outcome{Ending: Done, Task: -1})
	}
	if m.open > 0 {
		return m.close(Outcome{Ending: Broken, Task: -1, Err: fmt.Errorf("kernel: step %d has %d open tasks", m.step, m.open)})
	}
	if len(m.results) > 1 {
		m.store.Begin()
	}
	if r := &m.results[0]; len(m.results) > 1 || r.Status != Succeeded || r.Command.rest != nil {
		if out, bad := m.judge(); bad {
			return m.close(out)
		}
	}
	if task, err := m.apply(); err != nil {
		return m.close(Outcome{Ending: Broken, Task: task, Err: err})
	}
	m.store.Commit()
	m.effects.Committed = true
	if to := m.sole(); to >= 0 {
		return m.follow1(to)
	}
	m.route()
	return m.next()
}

// sole returns the one node that the step's one task leads to, if it is as
// simple as that: no waiting edge, no deferred node, no send. Else it is -1.
func (m *Machine) sole() int32 {
	if len(m.tasks) != 1 || m.tasks[0].Node == StartNode || m.kept != nil {
		return -1
	}
	n, r := &m.plan.Nodes[m.tasks[0].Node], &m.results[0]
	if len(n.Feeds) > 0 || n.Defer || len(n.Next)+r.Routes.Len() > 1 || r.Command.rest != nil || r.Routes.rest != nil {
		return -1
	}
	to := int32(-1)
	switch {
	case len(n.Next) == 1:
		to = n.Next[0]
	case r.Routes.n == 1:
		to = r.Routes.few[0]
	}
	if name := r.Command.to; name != "" && name != End {
		if to >= 0 {
			return -1
		}
		to = find(n.Goto, name)
	}
	if to < 0 || m.plan.Nodes[to].Defer {
		return -1
	}
	return to
}

// follow1 opens the one task that follows a lone one.
func (m *Machine) follow1(to int32) *Effects {
	m.used++
	m.step++
	m.tasks[0] = Task{Node: to}
	m.results[0].reset()
	m.open = 1
	if m.plan.Limit > 0 && m.used >= m.plan.Limit {
		return m.close(Outcome{Ending: Exhausted, Task: -1})
	}
	return &m.effects
}

// judge looks at the results in task order, and takes notice of their updates,
// before anything is applied. Failures end the run before cancellation does,
// that before pauses, those before commands to the parent, and those before
// updates that do not go together.
func (m *Machine) judge() (out Outcome, bad bool) {
	var leaves *Outward
	stopped, paused, clash := false, false, Outcome{Ending: Broken}
	for i := range m.results {
		r := &m.results[i]
		switch {
		case r.Status == Failed:
			return Outcome{Ending: Broken, Task: i, Err: r.Err}, true
		case r.Status == Paused:
			paused = true
		case r.Status != Succeeded:
			stopped = true
		case r.Command.rest != nil && r.Command.rest.parent != nil:
			leaves = mergeOutward(leaves, r.Command.rest.parent)
		case clash.Err == nil && len(m.results) > 1:
			clash.Task, clash.Err = i, m.store.Check(i, &r.Command.update)
		}
	}
	switch {
	case stopped:
		return Outcome{Ending: Stopped, Task: -1}, true
	case paused:
		return Outcome{Ending: Waiting, Task: -1}, true
	case leaves != nil:
		return Outcome{Ending: Left, Task: -1, Out: leaves}, true
	}
	return clash, clash.Err != nil
}

// apply applies the updates in task order. It returns the task at fault.
func (m *Machine) apply() (int, error) {
	switch {
	case m.ready:
		m.ready = false
		return 0, nil
	case len(m.results) == 1:
		return 0, m.store.ApplyAlone(&m.results[0].Command.update)
	}
	for i := range m.results {
		if err := m.store.Apply(i, &m.results[i].Command.update); err != nil {
			return i, err
		}
	}
	return 0, nil
}

// next opens the tasks that are due, or closes the run.
func (m *Machine) next() *Effects {
	if m.tasks[0].Node != StartNode {
		m.used++
	}
	tasks := m.collect()
	m.step++
	switch {
	case len(tasks) == 0:
		m.dropWaits()
		m.launch(tasks)
		return m.close(Outcome{Ending: Done, Task: -1})
	case m.plan.Limit > 0 && m.used >= m.plan.Limit:
		m.launch(tasks)
		return m.close(Outcome{Ending: Exhausted, Task: -1})
	}
	m.launch(tasks)
	return &m.effects
}

// launch makes tasks the open ones; the former buffer becomes the spare one.
func (m *Machine) launch(tasks []Task) {
	m.spare, m.tasks = m.tasks[:0], tasks
	n := len(tasks)
	if cap(m.results) < n {
		m.results = make([]Result, n, n+n/2)
	}
	m.results = m.results[:n]
	for i := range m.results {
		m.results[i].reset()
	}
	m.open = n
}

func (m *Machine) close(out Outcome) *Effects {
	m.closed = true
	m.effects.Closed, m.effects.Outcome = true, out
	return &m.effects
}

// Conflict returns the tasks that an error of Advance names as writers of one
// field; false if it is about something else.
func Conflict(err error) (first, second int, field string, ok bool) {
	var c *state.ConflictError
	if !errors.As(err, &c) {
		return 0, 0, "", false
	}
	return c.First, c.Second, c.Field, true
}
