package kernel

import "slices"

// route marks what the finished step makes due: static edges, waiting edges,
// gotos and the choices of routers. Sends are taken up by collect.
func (m *Machine) route() {
	m.due, m.sends = m.due[:0], false
	m.refill()
	for i := range m.tasks {
		n := m.plan.Node(m.tasks[i].Node)
		for _, to := range n.Next {
			m.trigger(to)
		}
		for _, f := range n.Feeds {
			m.arrive(f)
		}
		if r := &m.results[i]; r.Command.to != "" || r.Command.rest != nil || r.Routes != (Routes{}) {
			m.follow(n, r)
		}
	}
	for _, join := range m.filled {
		m.empty(join)
	}
	m.filled = m.filled[:0]
}

// follow marks what a task's command and routers chose.
func (m *Machine) follow(n *Node, r *Result) {
	for to := range r.Command.Gotos() {
		if to != End {
			m.trigger(find(n.Goto, to))
		}
	}
	for i := range r.Routes.Len() {
		m.trigger(r.Routes.At(i))
	}
	m.sends = m.sends || r.Command.rest != nil || r.Routes.rest != nil
}

// trigger makes a node due once; a deferred node waits.
func (m *Machine) trigger(node int32) {
	if node < 0 {
		return
	}
	if m.plan.Nodes[node].Defer {
		if !m.waiting[node] {
			m.waiting[node] = true
			m.deferred = append(m.deferred, node)
		}
		return
	}
	if m.marked[node] != m.step+1 {
		m.marked[node] = m.step + 1
		m.due = append(m.due, node)
	}
}

// arrive notes that a source of a join has run. A full join triggers its node
// and begins anew when all tasks of the step have been noted, whatever their
// order; that of a deferred node stays full until the node ran.
func (m *Machine) arrive(f Feed) {
	j := &m.plan.Joins[f.Join]
	if m.arrived[j.base+int(f.Place)] {
		return
	}
	m.arrived[j.base+int(f.Place)] = true
	m.count[f.Join]++
	if int(m.count[f.Join]) < len(j.Sources) {
		return
	}
	m.trigger(j.To)
	if !m.plan.Nodes[j.To].Defer {
		m.filled = append(m.filled, f.Join)
	}
}

// refill lets the full joins of deferred nodes that ran begin anew.
func (m *Machine) refill() {
	if len(m.plan.Joins) == 0 {
		return
	}
	for i := range m.tasks {
		if t := &m.tasks[i]; t.Node != StartNode && t.From == nil && m.plan.Nodes[t.Node].Defer {
			m.emptyFull(m.plan.Nodes[t.Node].Waits)
		}
	}
}

func (m *Machine) emptyFull(joins []int32) {
	for _, j := range joins {
		if int(m.count[j]) == len(m.plan.Joins[j].Sources) {
			m.empty(j)
		}
	}
}

func (m *Machine) empty(join int32) {
	j := &m.plan.Joins[join]
	clear(m.arrived[j.base : j.base+len(j.Sources)])
	m.count[join] = 0
}

// dropWaits forgets half-filled joins and deferred nodes.
func (m *Machine) dropWaits() {
	clear(m.arrived)
	clear(m.count)
	clear(m.waiting)
	m.deferred = m.deferred[:0]
}

// collect makes the tasks of the next step: the nodes due, by name, then the
// sends, task by task. If there are none the deferred nodes are due.
func (m *Machine) collect() []Task {
	tasks := m.spare[:0]
	if !slices.IsSorted(m.due) {
		slices.Sort(m.due)
	}
	for _, node := range m.due {
		tasks = append(tasks, Task{Node: node})
	}
	for i := range m.results {
		if !m.sends {
			break
		}
		n, r := m.plan.Node(m.tasks[i].Node), &m.results[i]
		tasks = addSent(tasks, n.Send, r.Command.Packets())
		tasks = addSent(tasks, n.Relay, r.Routes.Packets())
	}
	if len(m.kept) > 0 {
		tasks = m.retained(tasks)
	}
	if len(tasks) == 0 && len(m.deferred) > 0 {
		tasks = m.release(tasks)
	}
	return tasks
}

func addSent(tasks []Task, to []Target, packets []Packet) []Task {
	for i := range packets {
		if node := find(to, packets[i].To); node >= 0 {
			tasks = append(tasks, Task{Node: node, From: &packets[i]})
		}
	}
	return tasks
}

// release makes all deferred nodes due at once.
func (m *Machine) release(tasks []Task) []Task {
	slices.Sort(m.deferred)
	for _, node := range m.deferred {
		m.waiting[node] = false
		tasks = append(tasks, Task{Node: node})
	}
	m.deferred = m.deferred[:0]
	return tasks
}
