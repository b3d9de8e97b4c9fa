package kernel

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/graphrun/graphrun/state"
)

// snapshot is all that a machine knows, as plain data.
type snapshot struct {
	V        int             `json:"v"`
	Graph    string          `json:"graph"`
	Step     int             `json:"step"`
	Used     int             `json:"used"`
	State    json.RawMessage `json:"state"`
	Tasks    []snapTask      `json:"tasks"`
	Results  []WireResult    `json:"results,omitempty"`  // of the tasks that are done
	Arrived  []Feed          `json:"arrived,omitempty"`  // what joins have seen
	Deferred []string        `json:"deferred,omitempty"` // nodes that wait until nothing else is due
}

type snapTask struct {
	Node string          `json:"node"`
	Over json.RawMessage `json:"over,omitempty"`
}

// Snapshot returns the machine's run as bytes, between any two calls while it
// is not closed. Results that are filled in but not told of are left out.
func (m *Machine) Snapshot(lay *state.Layout) ([]byte, error) {
	if m.closed {
		return nil, fmt.Errorf("%w: the run is over", ErrWire)
	}
	s := snapshot{V: WireVersion, Graph: m.plan.Print, Step: m.step, Used: m.used}
	var err error
	if s.State, err = lay.AppendState(nil, m.store.State()); err != nil {
		return nil, err
	}
	for i := range m.tasks {
		t := snapTask{Node: m.plan.Name(m.tasks[i].Node)}
		if t.Over, err = m.tasks[i].encodeOver(lay); err != nil {
			return nil, err
		}
		s.Tasks = append(s.Tasks, t)
		if m.results[i].told {
			w, err := m.wireResult(i, m.ID(i), lay)
			if err != nil {
				return nil, err
			}
			s.Results = append(s.Results, w)
		}
	}
	m.snapWaits(&s)
	return json.Marshal(s)
}

func (m *Machine) snapWaits(s *snapshot) {
	for j := range m.plan.Joins {
		for place := range m.plan.Joins[j].Sources {
			if m.arrived[m.plan.Joins[j].base+place] {
				s.Arrived = append(s.Arrived, Feed{int32(j), int32(place)})
			}
		}
	}
	for _, node := range slices.Sorted(slices.Values(m.deferred)) {
		s.Deferred = append(s.Deferred, m.plan.Names[node])
	}
}

// Restore returns a machine that goes on where the one went that made the
// snapshot. The plan must be that of the same graph.
func Restore(p *Plan, lay *state.Layout, data []byte) (*Machine, error) {
	var s snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%w: snapshot: %w", ErrWire, err)
	}
	if err := fits(s.V, s.Graph, p.Print); err != nil {
		return nil, err
	}
	if s.Step < 0 || s.Step >= math.MaxInt32 || s.Used < 0 || s.Used > s.Step {
		return nil, fmt.Errorf("%w: a snapshot of step %d, the %dth of its run", ErrWire, s.Step, s.Used)
	}
	st, err := lay.LoadState(s.State)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWire, err)
	}
	m := NewMachine(p)
	m.store, m.step, m.used = lay.NewStore(st), s.Step, s.Used
	var tasks []Task
	for _, st := range s.Tasks {
		t, err := p.decodeTask(lay, st.Node, st.Over)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%w: a snapshot without tasks", ErrWire)
	}
	m.launch(tasks)
	if err := m.restoreWaits(&s); err != nil {
		return nil, err
	}
	if err := m.restoreResults(&s, lay); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Machine) restoreResults(s *snapshot, lay *state.Layout) error {
	for i := range s.Results {
		id := s.Results[i].ID
		if !m.isOpen(id) {
			return fmt.Errorf("%w: a result of task %d.%d, which is not open", ErrWire, id.Step, id.Index)
		}
		r, err := m.plan.decodeResult(&s.Results[i], m.tasks[id.Index].Node, lay)
		if err != nil {
			return err
		}
		m.results[id.Index] = r
		m.Done(id)
	}
	return nil
}

func (m *Machine) restoreWaits(s *snapshot) error {
	for _, f := range s.Arrived {
		if f.Join < 0 || int(f.Join) >= len(m.plan.Joins) || f.Place < 0 || int(f.Place) >= len(m.plan.Joins[f.Join].Sources) {
			return fmt.Errorf("%w: no waiting edge %d has a source %d", ErrWire, f.Join, f.Place)
		}
		at := m.plan.Joins[f.Join].base + int(f.Place)
		if !m.arrived[at] {
			m.arrived[at] = true
			m.count[f.Join]++
		}
	}
	for j := range m.plan.Joins {
		to := m.plan.Joins[j].To
		if int(m.count[j]) == len(m.plan.Joins[j].Sources) && !m.plan.Nodes[to].Defer {
			return fmt.Errorf("%w: waiting edge %d to %q is full", ErrWire, j, m.plan.Name(to))
		}
	}
	return m.recallDeferred(s.Deferred)
}
