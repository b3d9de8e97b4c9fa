package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/state"
)

// Snapshot is where a thread stands, or stood, at a checkpoint.
type Snapshot[S any] struct {
	Values     S          // of the checkpoint, not what tasks that are done since have written
	Next       []string   // the nodes of the tasks that are left, one entry a task
	Interrupts []Question // open questions
	// Tasks are all tasks of the step behind the checkpoint. Only if there are
	// none is the run over: Next is empty as well when a process was killed
	// between its step's last result and the checkpoint behind it.
	Tasks      []TaskState
	Checkpoint string // its name; checkpoints of one thread are numbered in the order they were made
	Parent     string // the checkpoint that it goes on from; empty: none
	Step       int
	Source     string // "input", "loop", "update" or "fork"
	At         time.Time

	layout *state.Layout
}

// TaskState is a task of the step behind a checkpoint. What tasks have brought
// is known behind the newest checkpoint only; the runs of subgraphs everywhere.
type TaskState struct {
	ID         string // within the thread
	Node       string
	Done       bool   // its result is saved: it will not run again
	Error      string // of its last failure; empty: none
	Interrupts []Question
	Child      *ChildState // nil: it has run no subgraph
}

// ChildState is where the run of a subgraph stands, or ended.
type ChildState struct {
	NS         string // of its log in the store
	Step       int
	Values     json.RawMessage
	Next       []string
	Interrupts []Question
	Tasks      []TaskState
}

// MarshalJSON writes the form that the command prints.
func (s *Snapshot[S]) MarshalJSON() ([]byte, error) {
	values, err := s.layout.AppendState(nil, &s.Values)
	if err != nil {
		return nil, err
	}
	type asked struct {
		ID    string          `json:"id"`
		Node  string          `json:"node"`
		NS    []string        `json:"ns,omitempty"`
		Value json.RawMessage `json:"value"`
	}
	interrupts := []asked{}
	for _, q := range s.Interrupts {
		value, err := encodeValue(q.Value)
		if err != nil {
			return nil, err
		}
		interrupts = append(interrupts, asked{q.ID, q.Node, q.NS, value})
	}
	return json.Marshal(struct {
		Values     json.RawMessage `json:"values"`
		Next       []string        `json:"next"`
		Interrupts []asked         `json:"interrupts"`
		Checkpoint string          `json:"checkpoint"`
		Parent     string          `json:"parent,omitempty"`
		Step       int             `json:"step"`
		Source     string          `json:"source"`
	}{values, append([]string{}, s.Next...), interrupts, s.Checkpoint, s.Parent, s.Step, s.Source})
}

// State returns where a thread stands; with a checkpoint, where it stood there.
// It may be called while the thread is being written to. A thread or a
// checkpoint that does not exist is an ErrUnknown.
func (g *Graph[S]) State(ctx context.Context, thread, checkpoint string) (*Snapshot[S], error) {
	v, err := g.viewer(ctx, thread)
	if err != nil {
		return nil, err
	}
	log, err := v.at(checkpoint)
	if err != nil {
		return nil, g.threadError(thread, err)
	}
	st, err := g.program.rebuild(log)
	if err != nil {
		return nil, g.threadError(thread, err)
	}
	s := snapshotOf[S](v, g.program, st, log.Last, log.Meta)
	due, err := v.of(g.program, "", log)
	if err != nil {
		return nil, g.threadError(thread, err)
	}
	s.Next, s.Interrupts = outstanding(due)
	s.Tasks, err = v.tasks(due)
	return s, g.threadError(thread, err)
}

// rebuild returns a store with the state of a loaded commit.
func (p *program) rebuild(log *logState) (*state.Store, error) {
	st := p.layout.NewStore(p.zero)
	return st, storeError(journal.Rebuild(st, p.layout, log.Commits, log.Version, false))
}

// outstanding returns the nodes of the tasks that are left, and all that is
// asked.
func outstanding(due []dueTask) (next []string, asked []Question) {
	for i := range due {
		if due[i].result == nil {
			next = append(next, due[i].node)
		}
		asked = append(asked, questionsIn(due[i].open)...)
	}
	return next, asked
}

// snapshotOf makes the snapshot of a commit, without what its tasks brought.
func snapshotOf[S any](v *survey, p *program, st *state.Store, c *checkpoint.Commit, m *journal.Meta) *Snapshot[S] {
	s := &Snapshot[S]{
		Checkpoint: strconv.FormatInt(c.Seq, 10), Step: c.Step, Source: c.Source, At: c.At, layout: p.layout,
	}
	if c.Parent != 0 {
		s.Parent = strconv.FormatInt(c.Parent, 10)
	}
	p.layout.Copy(&s.Values, st.State())
	for _, t := range m.Due.Tasks {
		s.Next = append(s.Next, v.keep.evolution.current(t.Node))
	}
	return s
}

func questionsIn(open []located) []Question {
	out := make([]Question, len(open))
	for i := range open {
		out[i] = question(open[i].Ask)
	}
	return out
}

// viewer reads threads.
func (g *Graph[S]) viewer(ctx context.Context, thread string) (*survey, error) {
	switch {
	case g.keep.store == nil:
		return nil, g.threadError(thread, fmt.Errorf("threads: %w", ErrNoStore))
	case thread == "":
		return nil, g.threadError(thread, ErrNoThread)
	}
	return &survey{ctx, &g.keep, thread}, nil
}

// threadError adds the thread to an error; nil stays nil.
func (g *Graph[S]) threadError(thread string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Thread: thread, Err: err}
}

// at loads the thread's log behind a checkpoint; "": the newest.
func (v *survey) at(name string) (*logState, error) {
	seq, err := checkpointSeq(name)
	if err != nil {
		return nil, err
	}
	log, err := loadLog(v.ctx, v.keep.store, checkpoint.Log{Thread: v.thread}, seq)
	if err == nil && log.Stand != nil || err != nil && !errors.Is(err, ErrUnknown) {
		return &log, err
	}
	if seq != 0 { // is it the checkpoint that is not there, or the thread?
		if newest, err := v.at(""); err == nil {
			return nil, fmt.Errorf("%w: thread %q has no checkpoint %s; its newest is %d", ErrUnknown, v.thread, name, newest.Head)
		}
	}
	return nil, unknownThread(v.thread)
}

// checkpointSeq reads the name of a checkpoint; "" is the newest, 0.
func checkpointSeq(name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	seq, err := strconv.ParseInt(name, 10, 64)
	if err != nil || seq < 1 {
		return 0, fmt.Errorf("%w: checkpoint %q; checkpoints have numbers, see the thread's history", ErrUnknown, name)
	}
	return seq, nil
}

// tasks returns the public form of the tasks behind a checkpoint.
func (v *survey) tasks(due []dueTask) ([]TaskState, error) {
	var out []TaskState
	for i := range due {
		d := &due[i]
		t := TaskState{ID: d.path, Node: d.node, Done: d.result != nil, Interrupts: questionsIn(d.open)}
		if d.fault != nil && !t.Done {
			t.Error = d.fault.Message
		}
		var err error
		if d.child != nil {
			t.Child, err = v.child(d)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// child reads the log of the run that a task has begun; nil if it has not.
func (v *survey) child(d *dueTask) (*ChildState, error) {
	log, err := loadLog(v.ctx, v.keep.store, checkpoint.Log{Thread: v.thread, NS: d.path}, 0)
	if err != nil || log.Stand == nil {
		return nil, err
	}
	st, err := d.child.rebuild(&log)
	if err != nil {
		return nil, err
	}
	c := &ChildState{NS: d.path, Step: log.Last.Step}
	if c.Values, err = d.child.layout.AppendState(nil, st.State()); err != nil {
		return nil, err
	}
	due, err := v.of(d.child, d.path, &log)
	if err != nil {
		return nil, err
	}
	c.Next, c.Interrupts = outstanding(due)
	c.Tasks, err = v.tasks(due)
	return c, err
}
