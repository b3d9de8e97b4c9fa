package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/state"
)

// WireVersion is the version of the stored and sent forms of this package.
const WireVersion = 1

// ErrWire is behind errors about bytes that are not a task, a result or a
// snapshot of the graph at hand.
var ErrWire = errors.New("kernel: unfit bytes")

// Kind names the sort of an error, for forms in which errors are text.
type Kind string

// Fault is an error that came as text from elsewhere.
type Fault struct {
	Sort    Kind
	Message string
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// Kind returns the sort of the error.
func (f *Fault) Kind() Kind { return f.Sort }

// WireTask is a task as it is sent to a worker in another process: all that
// running it needs, beside the graph itself.
type WireTask struct {
	V     int             `json:"v"`
	Graph string          `json:"graph"` // the graph's fingerprint
	ID    TaskID          `json:"id"`
	Node  string          `json:"node"`
	State json.RawMessage `json:"state"`          // at the start of the step
	Over  json.RawMessage `json:"over,omitempty"` // what a send lays over it
}

// WireResult is a result as it comes back. In a thread's log, which knows
// version, graph and task, it stands without them.
type WireResult struct {
	V      int             `json:"v,omitempty"`
	Graph  string          `json:"graph,omitempty"`
	ID     TaskID          `json:"id,omitzero"`
	Status string          `json:"status"`
	Update json.RawMessage `json:"update,omitempty"`
	Goto   []string        `json:"goto,omitempty"`
	Send   []wirePacket    `json:"send,omitempty"`
	Routes wireRoutes      `json:"routes,omitzero"`
	Kind   Kind            `json:"kind,omitempty"`
	Error  string          `json:"error,omitempty"`
}

type wirePacket struct {
	To   string          `json:"to"`
	Over json.RawMessage `json:"over"`
}

type wireRoutes struct {
	Goto []string     `json:"goto,omitempty"`
	Send []wirePacket `json:"send,omitempty"`
}

var statusNames = []string{"open", "ok", "failed", "cancelled", "paused"}

// String returns the status's stored name.
func (s Status) String() string { return statusNames[s] }

// Fits refuses forms of another version or another graph.
func fits(v int, graph, mine string) error {
	if v != WireVersion {
		return fmt.Errorf("%w: version %d, want %d", ErrWire, v, WireVersion)
	}
	if graph != mine {
		return fmt.Errorf("%w: of graph %s, want %s", ErrWire, graph, mine)
	}
	return nil
}

// EncodeTask returns the wire form of task i of the current step.
func (m *Machine) EncodeTask(i int, lay *state.Layout) ([]byte, error) {
	t := &m.tasks[i]
	w := WireTask{V: WireVersion, Graph: m.plan.Print, ID: m.ID(i), Node: m.plan.Name(t.Node)}
	var err error
	if w.State, err = lay.AppendState(nil, m.store.State()); err != nil {
		return nil, err
	}
	if w.Over, err = t.encodeOver(lay); err != nil {
		return nil, err
	}
	return json.Marshal(w)
}

// encodeOver returns what the task was sent with; nothing if it was not sent.
func (t *Task) encodeOver(lay *state.Layout) (json.RawMessage, error) {
	if t.From == nil {
		return nil, nil
	}
	return t.From.encode(lay)
}

func (p *Packet) encode(lay *state.Layout) (json.RawMessage, error) {
	u := p.Over.Changes()
	return lay.AppendChanges(nil, &u)
}

// AdoptTask makes a new machine's one open task that of a wire form, on the
// state that it carries.
func (m *Machine) AdoptTask(data []byte, lay *state.Layout) (TaskID, error) {
	var w WireTask
	if err := json.Unmarshal(data, &w); err != nil {
		return w.ID, fmt.Errorf("%w: task: %w", ErrWire, err)
	}
	if err := fits(w.V, w.Graph, m.plan.Print); err != nil {
		return w.ID, err
	}
	if w.ID.Step < 0 || w.ID.Index < 0 {
		return w.ID, fmt.Errorf("%w: task %d.%d", ErrWire, w.ID.Step, w.ID.Index)
	}
	t, err := m.plan.decodeTask(lay, w.Node, w.Over)
	if err != nil {
		return w.ID, err
	}
	st, err := lay.LoadState(w.State)
	if err != nil {
		return w.ID, fmt.Errorf("%w: %w", ErrWire, err)
	}
	m.Start(lay.NewStore(st), int(w.ID.Step))
	m.tasks[0] = t
	return w.ID, nil
}

func (p *Plan) decodeTask(lay *state.Layout, node string, over json.RawMessage) (Task, error) {
	t := Task{Node: StartNode}
	if node != Start {
		id, ok := p.ID(node)
		if !ok {
			return t, fmt.Errorf("%w: the graph has no node %q", ErrWire, node)
		}
		t.Node = id
	}
	if len(over) > 0 {
		u, err := lay.DecodeChanges(over)
		if err != nil {
			return t, fmt.Errorf("%w: %w", ErrWire, err)
		}
		t.From = &Packet{node, u.Overlay()}
	}
	return t, nil
}

// EncodeResult returns the wire form of the result of task i, with the given
// id. A command to a parent graph has none: subgraphs run within their task.
func (m *Machine) EncodeResult(i int, id TaskID, lay *state.Layout) ([]byte, error) {
	w, err := m.wireResult(i, id, lay)
	if err != nil {
		return nil, err
	}
	return json.Marshal(w)
}

// EncodeSaved returns the stored form of a result that succeeded.
func (p *Plan) EncodeSaved(r *Result, lay *state.Layout) ([]byte, error) {
	w, err := p.wireResult(r, lay)
	if err != nil {
		return nil, err
	}
	return json.Marshal(w)
}

// AcceptSaved takes a result in its stored form for task i, and tells that the
// task is done.
func (m *Machine) AcceptSaved(i int, data []byte, lay *state.Layout) error {
	var w WireResult
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("%w: result: %w", ErrWire, err)
	}
	if i < 0 || i >= len(m.tasks) {
		return fmt.Errorf("%w: a result of task %d of %d", ErrWire, i, len(m.tasks))
	}
	r, err := m.plan.decodeResult(&w, m.tasks[i].Node, lay)
	if err != nil {
		return err
	}
	m.results[i] = r
	m.Done(m.ID(i))
	return nil
}

func (m *Machine) wireResult(i int, id TaskID, lay *state.Layout) (WireResult, error) {
	w, err := m.plan.wireResult(&m.results[i], lay)
	w.V, w.Graph, w.ID = WireVersion, m.plan.Print, id
	return w, err
}

func (p *Plan) wireResult(r *Result, lay *state.Layout) (w WireResult, err error) {
	w.Status = r.Status.String()
	if r.Err != nil {
		w.Error = r.Err.Error()
		var sorted interface{ Kind() Kind }
		if errors.As(r.Err, &sorted) {
			w.Kind = sorted.Kind()
		}
	}
	if r.Status != Succeeded {
		return w, nil
	}
	if r.Command.Parent() != nil {
		return w, fmt.Errorf("%w: a command to the parent graph cannot leave its process", ErrWire)
	}
	if w.Update, err = lay.AppendChanges(nil, &r.Command.update); err != nil {
		return w, err
	}
	for to := range r.Command.Gotos() {
		w.Goto = append(w.Goto, to)
	}
	for k := range r.Routes.Len() {
		w.Routes.Goto = append(w.Routes.Goto, p.Name(r.Routes.At(k)))
	}
	if w.Send, err = encodePackets(r.Command.Packets(), lay); err != nil {
		return w, err
	}
	w.Routes.Send, err = encodePackets(r.Routes.Packets(), lay)
	return w, err
}

func encodePackets(ps []Packet, lay *state.Layout) ([]wirePacket, error) {
	var out []wirePacket
	for i := range ps {
		over, err := ps[i].encode(lay)
		if err != nil {
			return nil, err
		}
		out = append(out, wirePacket{ps[i].To, over})
	}
	return out, nil
}

// AcceptResult takes a result in its wire form and tells that its task is
// done. It is false if the task is not one of the open ones.
func (m *Machine) AcceptResult(data []byte, lay *state.Layout) (bool, error) {
	var w WireResult
	if err := json.Unmarshal(data, &w); err != nil {
		return false, fmt.Errorf("%w: result: %w", ErrWire, err)
	}
	if err := fits(w.V, w.Graph, m.plan.Print); err != nil {
		return false, err
	}
	if !m.isOpen(w.ID) {
		return false, nil
	}
	r, err := m.plan.decodeResult(&w, m.tasks[w.ID.Index].Node, lay)
	if err != nil {
		return false, err
	}
	m.results[w.ID.Index], m.ready = r, false // whatever was previewed here does not count
	return m.Done(w.ID), nil
}

func (p *Plan) decodeResult(w *WireResult, node int32, lay *state.Layout) (r Result, err error) {
	switch w.Status {
	case "ok":
		r.Status = Succeeded
	case "failed", "cancelled":
		r.Status, r.Err = Failed, &Fault{w.Kind, w.Error}
		if w.Status == "cancelled" {
			r.Status = Cancelled
		}
		return r, nil
	default:
		return r, fmt.Errorf("%w: result with status %q", ErrWire, w.Status)
	}
	if r.Command.update, err = lay.DecodeChanges(w.Update); err != nil {
		return r, fmt.Errorf("%w: %w", ErrWire, err)
	}
	if slices.Contains(w.Goto, "") {
		return r, fmt.Errorf("%w: a goto without a name", ErrWire)
	}
	if len(w.Goto) > 0 {
		r.Command.to = w.Goto[0]
	}
	packets, err := decodePackets(w.Send, lay)
	if err != nil {
		return r, err
	}
	if len(w.Goto) > 1 || packets != nil {
		r.Command.rest = &rest{packets: packets}
		if len(w.Goto) > 1 {
			r.Command.rest.to = w.Goto[1:]
		}
	}
	if err := p.Check(node, &r.Command); err != nil {
		return r, fmt.Errorf("%w: %w", ErrWire, err)
	}
	return r, p.decodeRoutes(&r, w, node, lay)
}

func (p *Plan) decodeRoutes(r *Result, w *WireResult, node int32, lay *state.Layout) error {
	relay := p.Node(node).Relay
	for _, to := range w.Routes.Goto {
		id := find(relay, to)
		if id < 0 {
			return fmt.Errorf("%w: %w", ErrWire, p.undeclared(node, "route to", to, relay))
		}
		r.Routes.Add(id)
	}
	for _, packet := range w.Routes.Send {
		if find(relay, packet.To) < 0 {
			return fmt.Errorf("%w: %w", ErrWire, p.undeclared(node, "route a send to", packet.To, relay))
		}
	}
	packets, err := decodePackets(w.Routes.Send, lay)
	r.Routes.AddPackets(packets)
	return err
}

func decodePackets(ws []wirePacket, lay *state.Layout) ([]Packet, error) {
	var out []Packet
	for _, w := range ws {
		over, err := lay.DecodeChanges(w.Over)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrWire, err)
		}
		out = append(out, Packet{w.To, over.Overlay()})
	}
	return out, nil
}
