package cli_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/cli"
)

const teaching = "../../testdata/graphs"

// TestTeachingGraphs runs what the comments of the graph files say to try, and
// compares what comes with the files beside them: NAME.txt as a person sees it,
// NAME.jsonl as a program does. A file that says nothing must be valid.
func TestTeachingGraphs(t *testing.T) {
	t.Chdir(teaching)
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	taught := 0
	for _, file := range files {
		lines := tries(t, file)
		if len(lines) == 0 {
			require.Zero(t, command(t, "", "validate", file).code, file)
			continue
		}
		taught++
		t.Run(file, func(t *testing.T) { teach(t, file, lines) })
	}
	require.GreaterOrEqual(t, taught, 16)
}

// teach runs the commands that a file says to try. Those that name a thread
// find it where the one before has left it.
func teach(t *testing.T, file string, commands []string) {
	t.Helper()
	text, lines := "", ""
	people, programs := t.TempDir(), t.TempDir()
	for _, line := range commands {
		args := append(arguments(t, line), "--output", "jsonl")
		if !strings.Contains(line, "--thread") {
			people, programs = t.TempDir(), t.TempDir()
			args = append(args, "--thread", "demo")
		}
		text += session(t, people, line)
		out := commandIn(t, programs, "", args...)
		if args[0] == "run" || args[0] == "resume" {
			out.stdout = inOrder(t, out.stdout)
		}
		lines += "# " + line + "\n" + out.stdout
	}
	name := strings.TrimSuffix(file, ".yaml")
	golden(t, name+".txt", text)
	golden(t, name+".jsonl", lines)
}

// tries returns the commands that a graph file says to try.
func tries(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var out []string
	for line := range strings.SplitSeq(string(data), "\n") {
		if cmd, ok := strings.CutPrefix(line, "# Try: "); ok {
			out = append(out, cmd)
		}
	}
	return out
}

// arguments splits a command line as a shell does that knows only 'quotes'.
func arguments(t *testing.T, line string) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		out = append(out, m[1]+m[2])
	}
	require.Equal(t, "graphrun", out[0])
	return out[1:]
}

// session is a command with all that it says, as on a terminal, with the threads
// of a state directory.
func session(t *testing.T, dir, line string) string {
	t.Helper()
	var screen bytes.Buffer
	env := quiet(arguments(t, line))
	env.Getenv = stateIn(dir)
	env.Stdout, env.Stderr = &screen, &screen
	code := cli.Run(t.Context(), env)
	return fmt.Sprintf("$ %s\n%s[exit code %d]\n\n", line, settled(screen.String()), code)
}

// settled brings the lines of tasks that ran at once into one order.
func settled(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); {
		from := i
		for i < len(lines) && stepOf(lines[i]) != "" && stepOf(lines[i]) == stepOf(lines[from]) {
			i++
		}
		slices.SortStableFunc(lines[from:i], byTask)
		i = max(i, from+1)
	}
	return strings.Join(lines, "")
}

var taskLine = regexp.MustCompile(`^step (\d+)(\S*) +([^\s/]+)(\S*)`)

// stepOf is the number of the root's step in a line about a task.
func stepOf(line string) string {
	if m := taskLine.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// byTask orders lines by the root's node; those of one node by their text,
// unless they are about subgraphs or attempts, which have an order.
func byTask(a, b string) int {
	x, y := taskLine.FindStringSubmatch(a), taskLine.FindStringSubmatch(b)
	if x[3] != y[3] {
		return cmp.Compare(x[3], y[3])
	}
	if x[2]+x[4] != y[2]+y[4] || strings.Contains(a+b, "attempt") {
		return 0
	}
	return cmp.Compare(a, b)
}

// golden compares a text with a file, or writes it with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "write it by: go test ./internal/cli -run TestTeachingGraphs -update")
	require.Equal(t, string(want), got)
}
