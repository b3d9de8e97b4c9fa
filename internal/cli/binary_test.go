//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/conformance"
)

// build makes the program of cmd/graphrun and returns its path.
func build(t testing.TB) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "graphrun")
	out, err := exec.Command("go", "build", "-o", bin, "../../cmd/graphrun").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return bin
}

// process is the program at work.
type process struct {
	cmd            *exec.Cmd
	pipe           io.Closer // of stdout
	stdout, stderr *bufio.Reader
}

// launch starts the program on a graph file.
func launch(t *testing.T, bin, graph string, args ...string) *process {
	t.Helper()
	file := filepath.Join(t.TempDir(), "graph.yaml")
	require.NoError(t, os.WriteFile(file, []byte(graph), 0o600))
	cmd := exec.Command(bin, append([]string{"run", file, "--thread", "t"}, args...)...)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &process{cmd, stdout, bufio.NewReader(stdout), bufio.NewReader(stderr)}
}

// until reads lines up to one that holds a text.
func until(t *testing.T, r *bufio.Reader, text string) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		require.NoError(t, err, "before a line with %q", text)
		if strings.Contains(line, text) {
			return
		}
	}
}

// ended waits for the process and returns what it had still to say.
func (p *process) ended(t *testing.T) output {
	t.Helper()
	var stderr bytes.Buffer
	told := make(chan error, 1)
	go func() {
		_, err := stderr.ReadFrom(p.stderr)
		told <- err
	}()
	stdout, err := io.ReadAll(p.stdout)
	require.NoError(t, err)
	require.NoError(t, <-told)
	err = p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit)
	}
	return output{string(stdout), stderr.String(), p.cmd.ProcessState.ExitCode()}
}

const sleepy = `
state: {log: {reduce: append}}
nodes:
  wake: {update: {log: [awake]}}
  sleep: {sleep: 10m, update: {log: [slept]}}
edges: [START -> wake, wake -> sleep]
`

const flood = `
state: {text: {type: string}, n: {type: int, reduce: sum}}
nodes: {again: {update: {n: 1}, goto: again}}
edges: [START -> again]
recursion_limit: 1000000
`

const ticking = `
state: {n: {type: int, reduce: sum}}
nodes: {again: {sleep: 1ms, update: {n: 1}, goto: again}}
edges: [START -> again]
recursion_limit: 1000000
`

// TestProgram runs the program itself, with signals and pipes.
func TestProgram(t *testing.T) {
	t.Parallel()
	bin := build(t)
	for _, c := range []struct {
		name string
		test func(*testing.T, string)
	}{
		{"SIGINT stops", func(t *testing.T, bin string) { stops(t, bin, syscall.SIGINT) }},
		{"SIGTERM stops", func(t *testing.T, bin string) { stops(t, bin, syscall.SIGTERM) }},
		{"what was reached is shown", showsWhatItReached},
		{"the second signal ends it at once", endsAtOnce},
		{"a broken pipe ends it quietly", endsQuietly},
		{"recorded cases", agreesWithRecords},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, bin)
		})
	}
}

func stops(t *testing.T, bin string, s syscall.Signal) {
	t.Helper()
	p := launch(t, bin, sleepy, "-o", "jsonl")
	until(t, p.stdout, `"step":1,"data":{"log":["awake"]}`)
	require.NoError(t, p.cmd.Process.Signal(s))
	out := p.ended(t)
	require.Equal(t, 130, out.code, out.stderr)
	require.Contains(t, out.stdout, `"kind":"cancelled"`)
	require.Contains(t, out.stdout, `"status":"cancelled","next":["sleep"]`)
	require.Contains(t, out.stderr, "stopping")
	require.Contains(t, out.stderr, "the run was stopped: cancelled: stopped by the user ("+s.String()+")")
}

func showsWhatItReached(t *testing.T, bin string) {
	t.Helper()
	p := launch(t, bin, sleepy)
	until(t, p.stderr, "step 1")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGINT))
	out := p.ended(t)
	require.Equal(t, 130, out.code)
	require.Equal(t, "log: [awake]\n", out.stdout)
	require.Contains(t, out.stderr, "left  sleep")
}

// A reader that does not read blocks the run, so that it cannot end in order.
func endsAtOnce(t *testing.T, bin string) {
	t.Helper()
	long := `{"text": "` + strings.Repeat("x", 50_000) + `"}`
	p := launch(t, bin, flood, "-o", "jsonl", "--input", long)
	_, err := p.stdout.Peek(1)
	require.NoError(t, err)
	dead := make(chan error, 1)
	go func() { dead <- p.cmd.Wait() }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(20 * time.Second)
	for {
		select {
		case <-dead:
			require.Equal(t, 130, p.cmd.ProcessState.ExitCode())
			return
		case <-tick.C:
			if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
				require.ErrorIs(t, err, os.ErrProcessDone)
			}
		case <-late:
			require.Fail(t, "the process goes on behind the second signal")
		}
	}
}

func endsQuietly(t *testing.T, bin string) {
	t.Helper()
	p := launch(t, bin, ticking, "-o", "jsonl")
	until(t, p.stdout, `"step":2`)
	require.NoError(t, p.pipe.Close())
	var rest bytes.Buffer
	_, err := rest.ReadFrom(p.stderr)
	require.NoError(t, err)
	var exit *exec.ExitError
	require.ErrorAs(t, p.cmd.Wait(), &exit)
	require.Equal(t, 1, exit.ExitCode())
	require.Empty(t, rest.String())
}

// agreesWithRecords plays one recorded case of each group, every operation in
// a process of its own.
func agreesWithRecords(t *testing.T, bin string) {
	t.Helper()
	d := &commands{start: func(args []string) output {
		cmd := exec.Command(bin, args...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			require.NoError(t, err)
		}
		return output{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
	}}
	all, err := conformance.Read("../../testdata/conformance", "*-001")
	require.NoError(t, err)
	require.Len(t, all, 10)
	for _, c := range all {
		require.NoError(t, c.Play(d.on(t, c, t.TempDir()), conformance.OneRowAStep))
	}
}
