package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const conformance = "../../testdata/conformance"

// recorded is one case recorded from LangGraph.
type recorded struct {
	name    string
	Graph   json.RawMessage `json:"graph"`
	Session []struct {
		Op     string          `json:"op"`
		Input  json.RawMessage `json:"input"`
		Expect expectation     `json:"expect"`
	} `json:"session"`
}

// expectation is what a case says of an operation.
type expectation struct {
	Steps []row  `json:"steps"`
	Error string `json:"error"`
	State *struct {
		Values map[string]any `json:"values"`
		Next   []string       `json:"next"`
	} `json:"state"`
}

// row is a superstep: what its nodes wrote, and the values behind it.
type row struct {
	Updates []written      `json:"updates"`
	Values  map[string]any `json:"values"`
}

// written is what a node wrote. A subgraph's own node is told by name alone.
type written struct {
	NS     []string       `json:"ns"`
	Node   string         `json:"node"`
	Update map[string]any `json:"update"`
}

// cases reads the cases of some groups.
func cases(t *testing.T, groups ...string) []recorded {
	t.Helper()
	var out []recorded
	for _, group := range groups {
		files, err := filepath.Glob(filepath.Join(conformance, group+"-[0-9]*.json"))
		require.NoError(t, err)
		require.Len(t, files, 40, "cases of the group %s in %s", group, conformance)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			c := recorded{name: strings.TrimSuffix(filepath.Base(file), ".json")}
			require.NoError(t, json.Unmarshal(data, &c), file)
			out = append(out, c)
		}
	}
	return out
}

// asks reports whether the case pauses for an answer.
func (c *recorded) asks() bool { return strings.Contains(string(c.Graph), `"interrupt`) }

// TestConformance runs recorded cases through the command and compares what
// the event log tells with what LangGraph did. Of the subgraph cases those
// are left out that wait for an answer, which takes a store.
func TestConformance(t *testing.T) {
	all := cases(t, "static", "branch", "command", "send", "defer", "subgraph")
	all = slices.DeleteFunc(all, func(c recorded) bool { return c.asks() })
	require.Len(t, all, 226)
	agree(t, all)
}

// TestConformanceOfFailures runs the first operation of the cases with
// failures; the others go on from there, which takes a store.
func TestConformanceOfFailures(t *testing.T) { agree(t, cases(t, "failure")) }

// agree runs the first operation of every case and compares.
func agree(t *testing.T, all []recorded) {
	t.Helper()
	dir := t.TempDir()
	passed := 0
	for _, c := range all {
		if t.Run(c.name, func(t *testing.T) {
			out := command(t, "", c.arguments(t, dir)...)
			c.compare(t, out)
		}) {
			passed++
		}
	}
	t.Logf("%d of %d recorded cases agree", passed, len(all))
}

// arguments writes the case's graph to a file and returns the command line.
func (c *recorded) arguments(t *testing.T, dir string) []string {
	t.Helper()
	file := filepath.Join(dir, c.name+".json")
	require.NoError(t, os.WriteFile(file, c.Graph, 0o600))
	args := []string{"run", file, "--store", "memory:", "--thread", "t", "--output", "jsonl"}
	if in := c.Session[0].Input; len(in) > 0 {
		args = append(args, "--input", string(in))
	}
	return args
}

// compare checks the outcome of a run.
func (c *recorded) compare(t *testing.T, out output) {
	t.Helper()
	want := c.Session[0].Expect
	log := records(t, out.stdout)
	require.NotEmpty(t, log, out.stderr)
	rows := rowsOf(t, log)
	if n := len(rows); want.Error == "invalid_update" && n > len(want.Steps) && rows[n-1].Values == nil {
		rows = rows[:n-1]
	}
	require.Equal(t, textsOf(want.Steps, nil), textsOf(rows, want.Steps), out.stderr)
	end := log[len(log)-1]
	require.Equal(t, "done", end.Type)
	require.Equal(t, want.Error, errorOf(log), out.stderr)
	status, code := expectedEnd(want.Error)
	require.Equal(t, status, end.Status)
	require.Equal(t, code, out.code)
	if want.State == nil {
		return
	}
	if want.State.Values != nil {
		require.Equal(t, present(want.State.Values), present(lastValues(rows)))
	}
	if want.State.Next != nil {
		slices.Sort(end.Next)
		require.Equal(t, want.State.Next, append([]string{}, end.Next...))
	}
}

func errorOf(log []record) string {
	for _, r := range log {
		if r.Type == "error" {
			return r.Kind
		}
	}
	return ""
}

func expectedEnd(kind string) (status string, code int) {
	switch kind {
	case "":
		return "done", 0
	case "recursion_limit", "limit":
		return "limit", 6
	}
	return "failed", 1
}

// rowsOf gathers the lines of a log by superstep.
func rowsOf(t *testing.T, log []record) []row {
	t.Helper()
	var rows []row
	var open []written
	for _, r := range log {
		switch r.Type {
		case "updates":
			u := written{NS: r.NS, Node: r.Node}
			require.NoError(t, json.Unmarshal(r.Data, &u.Update))
			open = append(open, u)
		case "values":
			require.Equal(t, len(rows), *r.Step, "steps are told one by one")
			var values map[string]any
			require.NoError(t, json.Unmarshal(r.Data, &values))
			rows = append(rows, row{open, values})
			open = nil
		}
	}
	if len(open) > 0 {
		rows = append(rows, row{Updates: open})
	}
	return rows
}

func lastValues(rows []row) map[string]any {
	for _, r := range slices.Backward(rows) {
		if r.Values != nil {
			return r.Values
		}
	}
	return nil
}
