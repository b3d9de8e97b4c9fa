package conformance

import (
	"errors"
	"fmt"
)

// Driver does operations on one thread of one graph.
type Driver interface {
	// Do does an operation and tells what was seen; at is the checkpoint to
	// start from, "" for where the thread stands. That a run fails or pauses is
	// no error here.
	Do(op *Operation, at string) (*Told, error)
	// State tells where the thread stands.
	State() (*Checkpoint, error)
	// History tells all checkpoints of the thread, newest first.
	History() ([]Checkpoint, error)
}

// Checkpoint is a state of the thread, in the form of the command's JSON.
type Checkpoint struct {
	Values     Fields   `json:"values"`
	Next       []string `json:"next"`
	Interrupts []struct {
		ID    string `json:"id"`
		Node  string `json:"node"`
		Value any    `json:"value"`
	} `json:"interrupts"`
	Name   string `json:"checkpoint"`
	Step   int    `json:"step"`
	Source string `json:"source"`
}

// ReadCheckpoint reads the JSON of a state.
func ReadCheckpoint(data []byte) (*Checkpoint, error) {
	c := &Checkpoint{}
	if err := decode(data, c); err != nil {
		return nil, fmt.Errorf("conformance: state %s: %w", data, err)
	}
	return c, nil
}

// Told is what was seen of an operation while it was done.
type Told struct {
	steps []Step
	open  []Update // of the step at work
	first int      // the number of the first step
	kind  string
	asked []string // the ids of the questions that were told
}

// Wrote notes the update of a task.
func (t *Told) Wrote(ns []string, node string, update []byte) error {
	u := Update{NS: ns, Node: node}
	if err := decode(update, &u.Fields); err != nil {
		return fmt.Errorf("conformance: update %s of node %q: %w", update, node, err)
	}
	t.open = append(t.open, u)
	return nil
}

// Stood notes the root's values behind a step, which is an error if the step
// does not follow the one before.
func (t *Told) Stood(step int, values []byte) error {
	if len(t.steps) == 0 {
		t.first = step
	}
	if want := t.first + len(t.steps); step != want {
		return fmt.Errorf("conformance: step %d is told where step %d was due", step, want)
	}
	s := Step{Updates: t.open}
	if err := decode(values, &s.Values); err != nil {
		return fmt.Errorf("conformance: values %s: %w", values, err)
	}
	if s.Values == nil {
		return errors.New("conformance: the values behind a step are null")
	}
	t.steps, t.open = append(t.steps, s), nil
	return nil
}

// Asked notes the id of a question.
func (t *Told) Asked(id string) { t.asked = append(t.asked, id) }

// Failed notes the kind of the error that ended the operation.
func (t *Told) Failed(kind string) { t.kind = kind }

// all returns the steps, with one that did not finish at the end.
func (t *Told) all() []Step {
	if len(t.open) == 0 {
		return t.steps
	}
	return append(t.steps[:len(t.steps):len(t.steps)], Step{Updates: t.open})
}
