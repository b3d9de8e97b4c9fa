package graphfile_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/state"
)

// conformanceCase is one recorded case of testdata/conformance.
type conformanceCase struct {
	Graph   json.RawMessage `json:"graph"`
	Session []struct {
		Op     string          `json:"op"`
		Input  json.RawMessage `json:"input"`
		Expect struct {
			Steps []recordedStep `json:"steps"`
			Error string         `json:"error"`
		} `json:"expect"`
	} `json:"session"`
}

// recordedStep is one superstep. Values are nil if the step did not finish.
type recordedStep struct {
	Updates []recordedUpdate `json:"updates"`
	Values  map[string]any   `json:"values"`
}

// recordedUpdate is what a node wrote; nil for a subgraph's own node.
type recordedUpdate struct {
	NS     []string       `json:"ns"`
	Node   string         `json:"node"`
	Update map[string]any `json:"update"`
}

// runOnly says whether a case needs nothing but runs without a store.
func (c *conformanceCase) runOnly() bool {
	return len(c.Session) == 1 && c.Session[0].Op == "run"
}

func readCase(t *testing.T, path string) *conformanceCase {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var c conformanceCase
	require.NoError(t, json.Unmarshal(data, &c))
	return &c
}

func conformanceFiles(t *testing.T, group string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "conformance", group+"-*.json"))
	require.NoError(t, err)
	require.Len(t, files, 40)
	return files
}

func TestConformance(t *testing.T) {
	t.Parallel()
	ran, passed := 0, 0
	for _, group := range []string{"static", "branch", "command", "send", "defer", "subgraph"} {
		for _, path := range conformanceFiles(t, group) {
			c := readCase(t, path)
			if !c.runOnly() {
				require.Equal(t, "subgraph", group, "only subgraph cases may need a store: %s", path)
				continue
			}
			ran++
			name := strings.TrimSuffix(filepath.Base(path), ".json")
			if t.Run(name, func(t *testing.T) { c.check(t, name) }) {
				passed++
			}
		}
	}
	require.Equal(t, 226, ran)
	t.Logf("conformance: %d of %d cases of the groups that need no store", passed, ran)
}

// TestConformanceFilesLoad loads the graphs of all 400 cases, also of those
// whose sessions need a store.
func TestConformanceFilesLoad(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "conformance", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 400)
	for _, path := range files {
		_, err := graphfile.Parse(filepath.Base(path), readCase(t, path).Graph, nil)
		assert.NoError(t, err)
	}
}

func (c *conformanceCase) check(t *testing.T, name string) {
	f, err := graphfile.Parse(name, c.Graph, nil)
	require.NoError(t, err)
	op := c.Session[0]
	in, err := f.Input(op.Input)
	require.NoError(t, err)
	steps, kind := record(t, f.Graph(), in)
	want := op.Expect.Steps
	if kind == string(graph.KindInvalidUpdate) {
		steps, want = committed(steps), committed(want)
	}
	assert.Equal(t, op.Expect.Error, kind)
	assert.Equal(t, comparable(want, told(want)), comparable(steps, told(want)))
}

// committed leaves out a last step that did not finish.
func committed(steps []recordedStep) []recordedStep {
	if n := len(steps); n > 0 && steps[n-1].Values == nil {
		return steps[:n-1]
	}
	return steps
}

// record runs a graph and gathers its events as the cases tell them.
func record(t *testing.T, g *graph.Graph[state.Record], in []state.Write[state.Record]) (steps []recordedStep, kind string) {
	t.Helper()
	var open recordedStep
	for e, err := range g.Stream(context.Background(), in, nil) {
		if err != nil {
			var failed *graph.Error
			require.ErrorAs(t, err, &failed)
			kind = string(failed.Kind())
			continue
		}
		switch e := e.(type) {
		case *graph.TaskFinished:
			if !e.Leaves {
				open.Updates = append(open.Updates, recordedUpdate{e.NS, e.Node, generic(t, e.Update)})
			}
		case *graph.StepCommitted:
			if len(e.NS) == 0 {
				open.Values = generic(t, e.State)
				steps, open = append(steps, open), recordedStep{}
			}
		}
	}
	if len(open.Updates) > 0 {
		steps = append(steps, open)
	}
	return steps, kind
}

// generic is a value as it comes out of JSON.
func generic(t *testing.T, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// told are the nodes of which only the name is given: subgraphs' own nodes.
func told(steps []recordedStep) map[string]bool {
	names := map[string]bool{}
	for _, s := range steps {
		for _, u := range s.Updates {
			if u.Update == nil {
				names[u.path()] = true
			}
		}
	}
	return names
}

func (u *recordedUpdate) path() string {
	return strings.Join(append(slices.Clone(u.NS), u.Node), "/")
}

// comparable makes steps equal that mean the same: updates in one order, null
// fields left out, and the name alone of the nodes in nameOnly.
func comparable(steps []recordedStep, nameOnly map[string]bool) []string {
	var out []string
	for _, s := range steps {
		var lines []string
		for _, u := range s.Updates {
			line := u.path()
			if !nameOnly[line] {
				line += " " + compact(u.Update)
			}
			lines = append(lines, line)
		}
		slices.Sort(lines)
		out = append(out, strings.Join(lines, "\n")+"\n=> "+compact(s.Values))
	}
	return out
}

func compact(fields map[string]any) string {
	if fields == nil {
		return "(not finished)"
	}
	for k, v := range fields {
		if v == nil {
			delete(fields, k)
		}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return errors.Join(errors.New("cannot be shown"), err).Error()
	}
	return string(data)
}
