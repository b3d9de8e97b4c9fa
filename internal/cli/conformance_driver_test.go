package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/cli"
	"github.com/graphrun/graphrun/internal/conformance"
)

// commands does the operations of a case by commands.
type commands struct {
	start      func(args []string) output
	file       string
	flags      []string // of every command
	durability string   // "": that of the command

	next  []string // of the last run, as its end told them
	state string   // that the last update wrote
}

// on returns commands for a case: its graph and its threads are files of dir,
// which other cases may use as well.
func (c *commands) on(t *testing.T, recorded *conformance.Case, dir string) *commands {
	t.Helper()
	d := *c
	d.file = filepath.Join(dir, recorded.Name+".json")
	d.flags = []string{"--store", "sqlite:" + filepath.Join(dir, "threads.db"), "--thread", recorded.Name}
	require.NoError(t, os.WriteFile(d.file, recorded.Graph, 0o600))
	return &d
}

// inProcess runs a command in this process.
func inProcess(ctx context.Context) func(args []string) output {
	return func(args []string) output {
		var stdout, stderr bytes.Buffer
		env := quiet(args)
		env.Getenv = func(string) string { return "" }
		env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), &stdout, &stderr
		code := cli.Run(ctx, env)
		return output{stdout.String(), stderr.String(), code}
	}
}

// run runs a command, whose exit code must be one of codes.
func (c *commands) run(codes []int, name, form string, args ...string) (output, error) {
	out := c.start(append(slices.Concat([]string{name, c.file}, c.flags, []string{"--output", form}), args...))
	if !slices.Contains(codes, out.code) {
		return out, fmt.Errorf("%s %q: exit code %d: %s", name, args, out.code, out.stderr)
	}
	return out, nil
}

func (c *commands) Do(op *conformance.Operation, at string) (*conformance.Told, error) {
	c.next, c.state = nil, ""
	var from []string
	if at != "" {
		from = []string{"--at", at}
	}
	switch op.Op {
	case "run":
		return c.follow("run", append(from, "--input", string(op.Input))...)
	case "resume":
		return c.follow("resume", append(from, "--answer", string(op.Value))...)
	case "continue":
		return c.follow("resume", from...)
	case "update":
		out, err := c.run([]int{0}, "update", "json", append(from, "--as", op.AsNode, "--values", string(op.Values))...)
		c.state = out.stdout
		return &conformance.Told{}, err
	}
	return nil, fmt.Errorf("there is no operation %q", op.Op)
}

// follow runs a graph and gathers what its event log tells.
func (c *commands) follow(name string, args ...string) (*conformance.Told, error) {
	if c.durability != "" {
		args = append(args, "--durability", c.durability)
	}
	out, err := c.run([]int{0, 1, 4, 6}, name, "jsonl", args...)
	if err != nil {
		return nil, err
	}
	told, status := &conformance.Told{}, ""
	for line := range strings.Lines(out.stdout) {
		e := &eventLine{}
		if err := json.Unmarshal([]byte(line), e); err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		switch {
		case e.V != 1 || e.NS == nil || status != "":
			err = fmt.Errorf("line %q: v or ns is missing, or it is behind the end", line)
		case e.Type == "done":
			status, c.next = e.Status, append([]string{}, e.Next...)
		default:
			err = e.note(told)
		}
		if err != nil {
			return nil, err
		}
	}
	if want, ok := map[string]int{"done": 0, "failed": 1, "interrupted": 4, "limit": 6}[status]; !ok || want != out.code {
		return nil, fmt.Errorf("the status %q ended with the exit code %d", status, out.code)
	}
	return told, nil
}

// eventLine is a line of the event log.
type eventLine struct {
	V      int             `json:"v"`
	Type   string          `json:"type"`
	NS     []string        `json:"ns"`
	Step   int             `json:"step"`
	Node   string          `json:"node"`
	ID     string          `json:"id"`
	Data   json.RawMessage `json:"data"`
	Kind   string          `json:"kind"`
	Status string          `json:"status"`
	Next   []string        `json:"next"`
}

func (e *eventLine) note(told *conformance.Told) error {
	switch e.Type {
	case "updates":
		return told.Wrote(e.NS, e.Node, e.Data)
	case "values":
		return told.Stood(e.Step, e.Data)
	case "interrupt":
		told.Asked(e.ID)
	case "error":
		told.Failed(e.Kind)
	}
	return nil
}

// State is also compared with what the last command said of it.
func (c *commands) State() (*conformance.Checkpoint, error) {
	out, err := c.run([]int{0}, "state", "json")
	if err != nil {
		return nil, err
	}
	if c.state != "" && c.state != out.stdout {
		return nil, fmt.Errorf("update wrote the state %s, but it is %s", c.state, out.stdout)
	}
	s, err := conformance.ReadCheckpoint([]byte(out.stdout))
	if err != nil {
		return nil, err
	}
	if c.state == "" && !slices.Equal(c.next, s.Next) {
		return nil, fmt.Errorf("the run said that next are %q, the state says %q", c.next, s.Next)
	}
	return s, nil
}

func (c *commands) History() ([]conformance.Checkpoint, error) {
	list, err := c.run([]int{0}, "history", "jsonl")
	if err != nil {
		return nil, err
	}
	var out []conformance.Checkpoint
	for line := range strings.Lines(list.stdout) {
		row, err := conformance.ReadCheckpoint([]byte(line))
		if err != nil {
			return nil, err
		}
		out = append(out, *row)
	}
	return out, nil
}
