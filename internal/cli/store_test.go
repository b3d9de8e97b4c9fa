package cli_test

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/internal/cli"
)

// inMemory runs a command on a store that commands share.
func inMemory(t *testing.T, store checkpoint.Store, args ...string) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := quiet(append(args, "--store", "memory:"))
	env.Stdout, env.Stderr = &stdout, &stderr
	env.Memory = &cli.Memory{Threads: store, Items: checkpoint.NewMemoryItems(nil)}
	code := cli.Run(t.Context(), env)
	return output{stdout.String(), stderr.String(), code}
}

// written returns a file with a graph of three steps, the second of which has
// two tasks and asks.
func written(t *testing.T) string {
	t.Helper()
	file := t.TempDir() + "/graph.yaml"
	require.NoError(t, os.WriteFile(file, []byte(`
state: {log: {reduce: append}}
nodes:
  a: {update: {log: [a]}}
  b: {update: {log: [b]}}
  c: {interrupt: {value: "c?", into: c}, update: {log: ["${c}"]}}
  d: {update: {log: [d]}}
edges: [START -> a, a -> b, a -> c, {from: [b, c], to: d}]
`), 0o600))
	return file
}

func TestCommandsOfOneProcessShareAMemory(t *testing.T) {
	t.Parallel()
	file, store := written(t), checkpoint.NewMemory(nil)
	out := inMemory(t, store, "run", file)
	require.Equal(t, 4, out.code, out.stderr)
	require.Contains(t, out.stderr, "resume with:\n  graphrun resume "+file+" --store memory: --thread demo --answer JSON\n")
	out = inMemory(t, store, "resume", file, "--thread", "demo", "--answer", `"c"`)
	require.Equal(t, 0, out.code, out.stderr)
	require.Equal(t, "log: [a, b, c, d]\n", out.stdout)
}

// TestEveryFailureOfAStoreIsTold lets every single call of the store fail, and
// goes on with what is kept then.
func TestEveryFailureOfAStoreIsTold(t *testing.T) {
	t.Parallel()
	file := written(t)
	for _, after := range []bool{false, true} {
		for n := 1; ; n++ {
			store := checkpointtest.NewFailing(checkpoint.NewMemory(nil))
			store.FailAt(n, errors.New("the disk is on fire"), after)
			out := inMemory(t, store, "run", file, "-o", "jsonl")
			if store.Count() < n {
				require.Greater(t, n, 5)
				break
			}
			if calls := store.Calls(); calls[n-1] == "Release" {
				require.Equal(t, 4, out.code, "a run that was saved is paused whatever comes then")
				continue // the thread may be claimed for ever
			}
			require.Equal(t, 1, out.code, "call %d of %v: %s", n, store.Calls(), out.stderr)
			require.Contains(t, out.stdout, `"kind":"store"`)
			require.Contains(t, out.stdout, `"status":"failed"`)
			require.Contains(t, out.stderr, "the disk is on fire")
			require.Contains(t, out.stderr, "kind  store")
			goesOn(t, store, file)
		}
	}
}

// goesOn brings a thread to its end from wherever it stands.
func goesOn(t *testing.T, store checkpoint.Store, file string) {
	t.Helper()
	out := inMemory(t, store, "resume", file, "--thread", "demo", "-q")
	if out.code == 2 { // nothing was saved
		out = inMemory(t, store, "run", file, "--thread", "demo", "-q")
	}
	require.Equal(t, 4, out.code, out.stderr)
	out = inMemory(t, store, "resume", file, "--thread", "demo", "--answer", `"c"`, "-q")
	require.Equal(t, 0, out.code, out.stderr)
	require.Equal(t, "log: [a, b, c, d]\n", out.stdout)
}

func TestACommandThatWaitsForItsThreadCanBeStopped(t *testing.T) {
	t.Parallel()
	file, store := written(t), checkpoint.NewMemory(nil)
	w, err := store.Claim(t.Context(), "demo", checkpoint.Reject)
	require.NoError(t, err)
	signals := make(chan os.Signal, 1)
	var stdout, stderr bytes.Buffer
	env := quiet([]string{"run", file, "--store", "memory:", "--busy", "enqueue"})
	env.Stdout, env.Stderr, env.Signals = &stdout, &stderr, signals
	env.Memory = &cli.Memory{Threads: store}
	time.AfterFunc(50*time.Millisecond, func() { signals <- os.Interrupt })
	require.Equal(t, 130, cli.Run(t.Context(), env), stderr.String())
	require.Contains(t, stderr.String(), "stopped by the user (interrupt)")
	require.NoError(t, w.Release())
}
