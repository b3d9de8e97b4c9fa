package cli_test

import (
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/cli"
)

const asking = `
state: {log: {reduce: append}}
nodes:
  first: {interrupt: {value: "one\x1b?", into: a}, update: {log: ["${a}"]}}
  other: {interrupt: {value: {pick: [1, 2]}, into: a}, update: {log: ["${a}"]}}
  last: {interrupt: {value: "last?", into: a}, update: {log: ["${a}"]}}
edges: [START -> first, START -> other, {from: [first, other], to: last}]
`

// talk runs a graph that asks on a terminal where somebody types.
func talk(t *testing.T, typed io.Reader, args ...string) output {
	t.Helper()
	file := t.TempDir() + "/ask.yaml"
	require.NoError(t, os.WriteFile(file, []byte(asking), 0o600))
	env := quiet(append([]string{"run", file, "--progress", "none"}, args...))
	var stdout, stderr bytes.Buffer
	env.Stdin, env.Stdout, env.Stderr = typed, &stdout, &stderr
	env.Terminal = cli.Terminal{Stdin: true, Stderr: true}
	env.Getenv = stateIn(t.TempDir())
	if s, ok := typed.(*signalling); ok {
		env.Signals = s.signals
	}
	code := cli.Run(t.Context(), env)
	return output{stdout.String(), stderr.String(), code}
}

func TestQuestionsAreAskedOnATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, typed, log string }{
		{"texts", "yes\nno, thanks\nnever\n", "log: [\"yes\", \"no, thanks\", never]\n"},
		{"values", " 3 \n{\"n\": 2.0}\nnull\n", "log:\n  - 3\n  - n: 2.0\n  - null\n"},
		{"line ends of Windows", "a\r\nb\r\nc", "log: [a, b, c]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, store := range [][]string{nil, {"--store", "memory:"}} {
				out := talk(t, strings.NewReader(c.typed), store...)
				require.Equal(t, 0, out.code, out.stderr)
				require.Equal(t, c.log, out.stdout)
				require.Contains(t, out.stderr, "first asks: one ?\ntype an answer")
				require.Contains(t, out.stderr, "other asks: {\"pick\":[1,2]}\n> ")
				require.Contains(t, out.stderr, "last asks: last?\n")
				require.Contains(t, out.stderr, "done in 2 steps")
			}
		})
	}
}

func TestNothingTypedLeavesTheRunPaused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, typed string
		open        []string
	}{
		{"end of input", "", []string{"1.0:1", "1.1:1"}},
		{"empty line", "\nyes\nyes\n", []string{"1.0:1", "1.1:1"}},
		{"one answer is kept", "yes\n\nyes\n", []string{"1.1:1"}},
		{"both are kept", "yes\nno\n", []string{"2.0:1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := talk(t, strings.NewReader(c.typed))
			require.Equal(t, 4, out.code, out.stderr)
			require.Contains(t, out.stderr, "the run is paused")
			require.Contains(t, out.stderr, "resume with:\n  graphrun resume ")
			_, end, _ := strings.Cut(out.stderr, "the run is paused")
			for _, id := range []string{"1.0:1", "1.1:1", "2.0:1"} {
				if want := strings.Contains(strings.Join(c.open, " "), id); want {
					require.Contains(t, end, "("+id+")")
				} else {
					require.NotContains(t, end, "("+id+")")
				}
			}
		})
	}
}

func TestNobodyIsAskedWhoCannotAnswer(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-o", "json"}, {"-o", "jsonl"}, {"--ask", "never"}, {"--quiet"}} {
		out := talk(t, strings.NewReader("yes\nno\n"), args...)
		require.Equal(t, 4, out.code, args)
		require.NotContains(t, out.stderr, "type an answer", args)
	}
}

// signalling is somebody who presses ctrl-c where he is to type.
type signalling struct {
	signals chan os.Signal
	stuck   chan struct{}
}

func (s *signalling) Read([]byte) (int, error) {
	s.signals <- syscall.SIGINT
	<-s.stuck
	return 0, io.EOF
}

func TestASignalEndsTheAsking(t *testing.T) {
	t.Parallel()
	s := &signalling{make(chan os.Signal, 1), make(chan struct{})}
	defer close(s.stuck)
	out := talk(t, s)
	require.Equal(t, 130, out.code, out.stderr)
	require.Contains(t, out.stderr, "resume with:")
}
