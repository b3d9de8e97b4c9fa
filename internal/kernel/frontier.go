package kernel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/graphrun/graphrun/state"
)

// Frontier is where a run stands between two steps: the tasks that are due,
// and what waiting edges and deferred nodes remember. With the state it is all
// that a machine needs to go on. Nodes and waiting edges go by their names, so
// that a graph to which others were added still understands it.
type Frontier struct {
	Tasks    []Due    `json:"t,omitempty"`
	Waits    []Wait   `json:"w,omitempty"`
	Deferred []string `json:"d,omitempty"`
}

// Due is a task that is due: a text, or [node, writes] if it was sent.
type Due struct {
	Node string
	Over json.RawMessage // what it was sent with; nil if it was not sent
}

// Wait is a waiting edge that some of its sources have reached.
type Wait struct {
	To   string   `json:"to"`
	From []string `json:"from"`
	Got  []string `json:"got"`
}

// MarshalJSON writes the short form.
func (d Due) MarshalJSON() ([]byte, error) {
	if d.Over == nil {
		return json.Marshal(d.Node)
	}
	return json.Marshal([]any{d.Node, d.Over})
}

// UnmarshalJSON reads either form.
func (d *Due) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		return json.Unmarshal(data, &d.Node)
	}
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil || len(pair) != 2 {
		return fmt.Errorf("%w: a task that was sent is [node, writes]", ErrWire)
	}
	d.Over = pair[1]
	return json.Unmarshal(pair[0], &d.Node)
}

// AppendFrontier writes where the machine stands, as one JSON object, behind
// an Advance.
func (m *Machine) AppendFrontier(dst []byte, lay *state.Layout) ([]byte, error) {
	dst = append(dst, `{"t":[`...)
	for i := range m.tasks {
		if i > 0 {
			dst = append(dst, ',')
		}
		t := &m.tasks[i]
		if t.From == nil {
			dst = append(dst, m.plan.quoted[t.Node]...)
			continue
		}
		dst = append(append(append(dst, '['), m.plan.quoted[t.Node]...), ',')
		over := t.From.Over.Changes()
		var err error
		if dst, err = lay.AppendChanges(dst, &over); err != nil {
			return nil, fmt.Errorf("what was sent to node %q: %w", m.plan.Name(t.Node), err)
		}
		dst = append(dst, ']')
	}
	dst = append(dst, ']')
	dst = m.appendWaits(dst)
	if len(m.deferred) > 0 {
		dst = append(dst, `,"d":[`...)
		for i, node := range slices.Sorted(slices.Values(m.deferred)) {
			dst = appendListed(dst, i, m.plan.quoted[node])
		}
		dst = append(dst, ']')
	}
	return append(dst, '}'), nil
}

func (m *Machine) appendWaits(dst []byte) []byte {
	n := 0
	for j := range m.plan.Joins {
		if m.count[j] == 0 {
			continue
		}
		if n++; n == 1 {
			dst = append(dst, `,"w":[`...)
		} else {
			dst = append(dst, ',')
		}
		join := &m.plan.Joins[j]
		dst = append(append(append(dst, `{"to":`...), m.plan.quoted[join.To]...), `,"from":[`...)
		for i, s := range join.Sources {
			dst = appendListed(dst, i, m.plan.quoted[s])
		}
		dst = append(dst, `],"got":[`...)
		got := 0
		for i, s := range join.Sources {
			if m.arrived[join.base+i] {
				dst = appendListed(dst, got, m.plan.quoted[s])
				got++
			}
		}
		dst = append(dst, "]}"...)
	}
	if n > 0 {
		dst = append(dst, ']')
	}
	return dst
}

func appendListed(dst []byte, i int, item []byte) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(dst, item...)
}

// DecodeFrontier reads what AppendFrontier wrote.
func DecodeFrontier(data []byte) (*Frontier, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	f := &Frontier{}
	if err := dec.Decode(f); err != nil {
		return nil, fmt.Errorf("%w: what is due: %w", ErrWire, err)
	}
	return f, nil
}

// Rename gives nodes of a frontier their new names.
func (f *Frontier) Rename(names map[string]string) {
	change := func(name *string) {
		if to, ok := names[*name]; ok {
			*name = to
		}
	}
	for i := range f.Tasks {
		change(&f.Tasks[i].Node)
	}
	for i := range f.Waits {
		w := &f.Waits[i]
		change(&w.To)
		for k := range w.From {
			change(&w.From[k])
		}
		for k := range w.Got {
			change(&w.Got[k])
		}
	}
	for i := range f.Deferred {
		change(&f.Deferred[i])
	}
}

// Resume goes on with a run on the store's state: its open tasks are those of
// the frontier, at the given step. The limit of supersteps counts afresh.
// After an error the machine must be started anew.
func (m *Machine) Resume(store *state.Store, step int, f *Frontier, lay *state.Layout) error {
	if step < 1 || step >= math.MaxInt32 {
		return fmt.Errorf("%w: a step numbered %d", ErrWire, step)
	}
	m.Clear()
	m.store, m.step = store, step
	tasks := m.spare[:0]
	for i := range f.Tasks {
		t, err := m.plan.decodeTask(lay, f.Tasks[i].Node, f.Tasks[i].Over)
		if err == nil && t.Node == StartNode {
			err = fmt.Errorf("%w: %s is due", ErrWire, Start)
		}
		if err != nil {
			return err
		}
		tasks = append(tasks, t)
	}
	m.launch(tasks)
	return m.recall(f)
}

// Reenter begins with another input a run whose waiting edges and deferred
// nodes remember what those of the frontier do. Its tasks are dropped.
func (m *Machine) Reenter(store *state.Store, step int, f *Frontier) error {
	m.Start(store, step)
	if err := m.recall(f); err != nil {
		return err
	}
	for i := range f.Tasks {
		if id, ok := m.plan.ID(f.Tasks[i].Node); ok && f.Tasks[i].Over == nil {
			m.leave(id)
		}
	}
	return nil
}

// leave drops a task that was due: the full waits of a deferred node begin
// anew, as if it had run.
func (m *Machine) leave(node int32) {
	if node >= 0 && m.plan.Nodes[node].Defer {
		m.emptyFull(m.plan.Nodes[node].Waits)
	}
}

// recall takes over what waiting edges and deferred nodes remember.
func (m *Machine) recall(f *Frontier) error {
	for i := range f.Waits {
		if err := m.recallWait(&f.Waits[i]); err != nil {
			return err
		}
	}
	return m.recallDeferred(f.Deferred)
}

// recallDeferred makes deferred nodes wait that did.
func (m *Machine) recallDeferred(names []string) error {
	for _, name := range names {
		id, ok := m.plan.ID(name)
		if !ok || !m.plan.Nodes[id].Defer {
			return fmt.Errorf("%w: node %q is not deferred", ErrWire, name)
		}
		m.trigger(id)
	}
	return nil
}

func (m *Machine) recallWait(w *Wait) error {
	for j := range m.plan.Joins {
		join := &m.plan.Joins[j]
		if m.count[j] > 0 || m.plan.Name(join.To) != w.To || !m.named(join.Sources, w.From) {
			continue
		}
		for i, s := range join.Sources {
			if slices.Contains(w.Got, m.plan.Name(s)) {
				m.arrived[join.base+i] = true
				m.count[j]++
			}
		}
		if int(m.count[j]) != len(w.Got) || len(w.Got) == 0 || int(m.count[j]) == len(join.Sources) && !m.plan.Nodes[join.To].Defer {
			return fmt.Errorf("%w: the waiting edge from %q to %q was reached by %q", ErrWire, w.From, w.To, w.Got)
		}
		return nil
	}
	return fmt.Errorf("%w: the graph has no waiting edge from %q to %q", ErrWire, w.From, w.To)
}

func (m *Machine) named(nodes []int32, names []string) bool {
	return slices.EqualFunc(nodes, names, func(id int32, name string) bool { return m.plan.Name(id) == name })
}

// Impersonate drops the tasks of the step, but for those that are kept, and
// opens one of the given node, StartNode included: what Done and Advance then
// do is as if it had run. The kept ones are due again beside those that the
// Advance finds due; a node that is due already is not due twice.
func (m *Machine) Impersonate(node int32, kept []Task) {
	for _, t := range m.tasks {
		if t.From == nil && !slices.Contains(kept, t) {
			m.leave(t.Node)
		}
	}
	m.launch(append(m.spare[:0], Task{Node: node}))
	m.results[0].Command, m.results[0].Routes = Command{}, Routes{}
	m.kept = kept
}

// retained merges the kept tasks into those that are due: nodes by their
// names, then sends, those that were sent earlier first.
func (m *Machine) retained(due []Task) []Task {
	var tasks []Task
	for _, t := range m.kept {
		if t.From != nil || !slices.ContainsFunc(due, func(u Task) bool { return u.From == nil && u.Node == t.Node }) {
			tasks = append(tasks, t)
		}
	}
	m.kept = nil
	tasks = append(tasks, due...)
	slices.SortStableFunc(tasks, func(a, b Task) int {
		switch {
		case a.From == nil && b.From == nil:
			return int(a.Node - b.Node)
		case a.From == nil:
			return -1
		case b.From == nil:
			return 1
		}
		return 0
	})
	return tasks
}

// Pause ends the run before the open tasks, which stay due.
func (m *Machine) Pause() *Effects { return m.close(Outcome{Ending: Waiting, Task: -1}) }

// quote writes the names of a plan's nodes as JSON.
func quote(names []string) [][]byte {
	out := make([][]byte, len(names))
	for i, name := range names {
		out[i], _ = json.Marshal(name) // a text always has a JSON form
	}
	return out
}
