package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Case is a recorded case: a graph, what was done with it on one thread, and
// the thread's history behind all of that.
type Case struct {
	Name    string          `json:"-"` // of the file, without its ending
	Graph   json.RawMessage `json:"graph"`
	Session []Operation     `json:"session"`
	History []HistoryRow    `json:"history"` // newest first
}

// Operation is one entry of a session.
type Operation struct {
	Op     string          `json:"op"`      // "run", "resume", "continue" or "update"
	Input  json.RawMessage `json:"input"`   // of a run
	Value  json.RawMessage `json:"value"`   // of a resume: the answer
	At     *int            `json:"at"`      // of a continue: the row of the history to start from; nil: where the thread stands
	AsNode string          `json:"as_node"` // of an update
	Values json.RawMessage `json:"values"`  // of an update
	Expect Expectation     `json:"expect"`
}

// Expectation is what an operation did. What is nil was not recorded.
type Expectation struct {
	Steps []Step         `json:"steps"`
	Error string         `json:"error"` // the kind; "": none
	State *ExpectedState `json:"state"`
	// StateError says that the reference could not tell the state behind a
	// conflict.
	StateError bool `json:"state_error"`
}

// Step is a superstep: what its nodes wrote, and the values of the root behind
// it, nil if it did not finish.
type Step struct {
	Updates []Update `json:"updates"`
	Values  Fields   `json:"values"`
}

// Update is what a node wrote. The update of a subgraph's own node is nil: its
// name alone is told.
type Update struct {
	NS     []string `json:"ns"`
	Node   string   `json:"node"`
	Fields Fields   `json:"update"`
}

// ExpectedState is where the thread stood behind an operation.
type ExpectedState struct {
	Values     Fields   `json:"values"`
	Next       []string `json:"next"` // sorted
	Interrupts []any    `json:"interrupts"`
}

// HistoryRow is a checkpoint as the reference listed it.
type HistoryRow struct {
	Source string   `json:"source"`
	Next   []string `json:"next"` // sorted
	Values Fields   `json:"values"`
}

// Fields are the values of fields by their names. Numbers are json.Number.
type Fields map[string]any

// Read reads the cases of a directory whose names match the pattern, sorted by
// name. Keys that it does not know are errors, so that nothing of a case goes
// by without being looked at.
func Read(dir, pattern string) ([]*Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, pattern+".json"))
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("conformance: no file in %q matches %q", dir, pattern+".json")
	}
	slices.Sort(files)
	out := make([]*Case, len(files))
	for i, file := range files {
		if out[i], err = readCase(file); err != nil {
			return nil, fmt.Errorf("conformance: %q: %w", file, err)
		}
	}
	return out, nil
}

func readCase(file string) (*Case, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(strings.TrimSuffix(filepath.Base(file), ".json"), data)
}

// Parse reads one case.
func Parse(name string, data []byte) (*Case, error) {
	c := &Case{Name: name}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(c); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the case")
	}
	if len(c.Session) == 0 {
		return nil, errors.New("the session is empty")
	}
	return c, nil
}

// decode reads JSON with numbers as they are written.
func decode(data []byte, to any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode(to)
}
