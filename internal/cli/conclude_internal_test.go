package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/internal/topo"
)

// ending shows how a run is told that came out as the summary says.
func ending(t *testing.T, s *summary, debug bool) string {
	t.Helper()
	f, err := graphfile.Parse("desk.yaml", []byte("name: desk\nstate: {n: {reduce: sum}}\nnodes: {a: {update: {n: 1}}}\nedges: [START -> a]\n"), nil)
	require.NoError(t, err)
	var out bytes.Buffer
	r := newRunner(&app{Env: Env{Stderr: &out}.filled()})
	r.output, r.debug, r.thread, r.file = choose("text"), debug, "t", "desk.yaml"
	r.kept = &kept{place: place{text: memoryStore}}
	r.conclude(t.Context(), s, f, 1500*time.Millisecond)
	return out.String()
}

func TestTheEndOfARunIsTold(t *testing.T) {
	t.Parallel()
	require.Equal(t, "done in 1 step (1.5s)\n", ending(t, &summary{status: graph.OutcomeDone, made: 1}, false))

	deep := &graph.Error{Thread: "t", NS: []string{"billing", "bank"}, Step: 3, Node: "charge", Task: "t/1.0/3.1", Attempt: 2, Err: errors.New("card\ndeclined")}
	require.Equal(t, `graphrun: the run failed: card declined
  at    step 3, node billing/bank/charge, task t/1.0/3.1, attempt 2
  kind  node_error
  left  charge (2 times), mail
  help  mend what the message says; for failures that pass give the node retry
`, ending(t, &summary{status: graph.OutcomeFailed, err: deep, next: []string{"charge", "mail", "charge"}}, false))

	limit := &graph.Error{NS: []string{"billing"}, Err: fmt.Errorf("%w of 5", graph.ErrRecursionLimit)}
	require.Equal(t, `graphrun: the run hit a limit: recursion limit of 5
  at    step 0, subgraph billing
  kind  recursion_limit
  help  raise recursion_limit in graph "desk", or give the loop a way out: graphrun graph shows it
`, ending(t, &summary{status: graph.OutcomeLimit, err: limit}, false))

	require.Equal(t, "graphrun: the run failed: strange\n  kind  node_error\n  help  mend what the message says; for failures that pass give the node retry\n",
		ending(t, &summary{status: graph.OutcomeFailed, err: errors.New("strange")}, false))
}

func TestStacksAreForDebugging(t *testing.T) {
	t.Parallel()
	s := &summary{status: graph.OutcomeFailed, err: &graph.Error{Node: "a", Err: &graph.PanicError{Value: "oops", Stack: []byte("goroutine 7\n")}}}
	brief := ending(t, s, false)
	require.Contains(t, brief, "the run failed: panic: oops\n")
	require.Contains(t, brief, "help  this is a bug of the node; --debug shows where\n")
	require.NotContains(t, brief, "goroutine 7")
	require.Contains(t, ending(t, s, true), "\n\ngoroutine 7\n")
}

func TestEveryOutcomeHasItsCode(t *testing.T) {
	t.Parallel()
	for outcome, code := range map[graph.Outcome]int{
		graph.OutcomeDone: 0, graph.OutcomeFailed: 1, graph.OutcomeInterrupted: 4,
		graph.OutcomeLimit: 6, graph.OutcomeCancelled: 130,
	} {
		require.Equal(t, code, exitOf(outcome), outcome)
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "<1ms", 999 * time.Microsecond: "<1ms", 12 * time.Millisecond: "12ms",
		1540 * time.Millisecond: "1.5s", 123 * time.Second: "2m3s", 2 * time.Hour: "2h0m",
	} {
		require.Equal(t, want, took(d))
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	require.Equal(t, 4, topo.Columns("日本"))
	require.Equal(t, 1, topo.Columns("e\u0301"))
	require.Equal(t, "日…", clip("日本語", 4))
	require.Equal(t, "abc", clip("abc", 3))
	require.Equal(t, "a b", oneLine("a\n\x1bb\u202e"))
}

func TestLeavingAtOnceGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := &app{Env: Env{Stderr: &out}.filled()}
	a.leave()
	require.Empty(t, out.String())
	a.drawing.Store(true)
	a.leave()
	require.Equal(t, showCursor+"\n", out.String())
}

// stuck is a stream that nobody reads.
type stuck struct{ free chan struct{} }

func (s stuck) Read([]byte) (int, error)  { <-s.free; return 0, errBroken }
func (s stuck) Write([]byte) (int, error) { <-s.free; return 0, errBroken }

func TestSignalEndsTheWaitForInput(t *testing.T) {
	t.Parallel()
	s := stuck{make(chan struct{})}
	defer close(s.free)
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGINT
	var stderr bytes.Buffer
	code := Run(context.Background(), Env{Args: []string{"validate", "-"}, Stdin: s, Stdout: &stderr, Stderr: &stderr, Signals: signals})
	require.Equal(t, ExitStopped, code)
	require.Contains(t, stderr.String(), "stopped by the user (interrupt)")
}

func TestSecondSignalNeedsNoReader(t *testing.T) {
	t.Parallel()
	s := stuck{make(chan struct{})}
	defer close(s.free)
	signals := make(chan os.Signal, 2)
	signals <- syscall.SIGTERM
	signals <- syscall.SIGTERM
	require.Equal(t, ExitStopped, Run(context.Background(), Env{Args: []string{"--help"}, Stdin: s, Stdout: s, Stderr: s, Signals: signals}))
}

func TestAnEndedContextIsAStop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the test is over"))
	file := t.TempDir() + "/a.yaml"
	require.NoError(t, os.WriteFile(file, []byte("state: {n: {reduce: sum}}\nnodes: {a: {update: {n: 1}}}\nedges: [START -> a]\n"), 0o600))
	var stdout, stderr bytes.Buffer
	code := Run(ctx, Env{Args: []string{"run", file, "-o", "jsonl", "--store", "memory:"}, Stdout: &stdout, Stderr: &stderr})
	require.Equal(t, ExitStopped, code)
	require.Contains(t, stdout.String(), `"status":"cancelled"`)
	require.Contains(t, stderr.String(), "the test is over")
}
