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

// launch starts the program on a graph file of its own, with the thread t in a
// store beside it, and returns the file's name too.
func launch(t *testing.T, bin, graph string, args ...string) (*process, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "graph.yaml")
	require.NoError(t, os.WriteFile(file, []byte(graph), 0o600))
	return begin(t, bin, file, "run", args...), file
}

// begin starts a command of the program on the thread t of a graph file.
func begin(t *testing.T, bin, file, command string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(bin, append([]string{command, file, "--thread", "t"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Dir(file), "GORACE=atexit_sleep_ms=0")
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

// sleepy has a step that takes as long as its test lets it.
func sleepy(nap string) string {
	return `
state: {log: {reduce: append}}
nodes:
  wake: {update: {log: [awake]}}
  sleep: {sleep: ` + nap + `, update: {log: [slept]}}
  work: {update: {log: [worked]}}
edges: [START -> wake, wake -> sleep, sleep -> work]
`
}

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
		{"SIGINT lets the step end", func(t *testing.T, bin string) { drains(t, bin, syscall.SIGINT) }},
		{"SIGTERM lets the step end", func(t *testing.T, bin string) { drains(t, bin, syscall.SIGTERM) }},
		{"the second signal stops the step", stops},
		{"what was reached is shown", showsWhatItReached},
		{"signals end it at once", endsAtOnce},
		{"SIGKILL loses no step", survives},
		{"one run at a time", takesTurns},
		{"a run is taken over", isTakenOver},
		{"a broken pipe ends it quietly", endsQuietly},
		{"recorded cases", agreesWithRecords},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, bin)
		})
	}
}

func drains(t *testing.T, bin string, s syscall.Signal) {
	t.Helper()
	p, file := launch(t, bin, sleepy("1s"), "-o", "jsonl", "--debug")
	until(t, p.stdout, `"type":"task","ns":[],"pos":[2,1,0],"step":2,"node":"sleep"`)
	require.NoError(t, p.cmd.Process.Signal(s))
	out := p.ended(t)
	require.Equal(t, 130, out.code, out.stderr)
	require.Contains(t, out.stdout, `"step":2,"data":{"log":["awake","slept"]}`)
	require.Contains(t, out.stdout, `"kind":"cancelled"`)
	require.Contains(t, out.stdout, `"status":"cancelled","next":["work"]`)
	require.Contains(t, out.stderr, "stopping: the step at work is finished first")
	require.Contains(t, out.stderr, "the run was stopped: stopped by the user ("+s.String()+")")
	require.Contains(t, out.stderr, "help  all that was begun is finished and saved\n")
	require.Contains(t, out.stderr, "resume with:\n  graphrun resume "+file+" --thread t\n")

	out = begin(t, bin, file, "resume", "-o", "jsonl").ended(t)
	require.Equal(t, 0, out.code, out.stderr)
	require.NotContains(t, out.stdout, `"node":"sleep"`)
	require.Contains(t, out.stdout, `"step":3,"data":{"log":["awake","slept","worked"]}`)
}

func stops(t *testing.T, bin string) {
	t.Helper()
	p, file := launch(t, bin, sleepy("10m"), "-o", "jsonl")
	until(t, p.stdout, `"step":1,"data":{"log":["awake"]}`)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGINT))
	until(t, p.stderr, "stopping")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	out := p.ended(t)
	require.Equal(t, 130, out.code, out.stderr)
	require.NotContains(t, out.stdout, "slept")
	require.Contains(t, out.stdout, `"status":"cancelled","next":["sleep"]`)
	require.Contains(t, out.stderr, "the run was stopped: cancelled: stopped by the user (terminated)")
	require.Contains(t, out.stderr, "resume with:\n  graphrun resume "+file+" --thread t\n")

	hasten(t, file)
	out = begin(t, bin, file, "resume", "-o", "jsonl").ended(t)
	require.Equal(t, 0, out.code, out.stderr)
	require.NotContains(t, out.stdout, `"node":"wake"`)
	require.Contains(t, out.stdout, `"step":2,"node":"sleep"`)
	require.Contains(t, out.stdout, `"step":3,"data":{"log":["awake","slept","worked"]}`)
}

// hasten makes the step of a sleepy graph short.
func hasten(t *testing.T, file string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(sleepy("1ms")), 0o600))
}

func survives(t *testing.T, bin string) {
	t.Helper()
	p, file := launch(t, bin, sleepy("10m"), "-o", "jsonl")
	until(t, p.stdout, `"step":1,"data":{"log":["awake"]}`)
	require.NoError(t, p.cmd.Process.Kill())
	p.ended(t)

	out := begin(t, bin, file, "state", "-o", "json").ended(t)
	require.Equal(t, 0, out.code, out.stderr)
	require.JSONEq(t, `{"values":{"log":["awake"]},"next":["sleep"],"interrupts":[],"checkpoint":"2","parent":"1","step":1,"source":"loop"}`, out.stdout)
	hasten(t, file)
	out = begin(t, bin, file, "resume", "-o", "json").ended(t)
	require.Equal(t, 0, out.code, out.stderr)
	require.JSONEq(t, `{"thread":"t","status":"done","values":{"log":["awake","slept","worked"]},"step":3}`, out.stdout)
}

func takesTurns(t *testing.T, bin string) {
	t.Helper()
	p, file := launch(t, bin, sleepy("10m"), "-o", "jsonl")
	until(t, p.stdout, `"step":1,"data":{"log":["awake"]}`)

	out := begin(t, bin, file, "run", "-o", "jsonl").ended(t)
	require.Equal(t, 1, out.code)
	require.Contains(t, out.stdout, `"kind":"store"`)
	require.Contains(t, out.stdout, `"status":"failed"`)
	require.Contains(t, out.stderr, "the thread is busy")
	require.Contains(t, out.stderr, "help  --busy enqueue waits")
	require.NotContains(t, out.stderr, "resume with")
	for _, args := range [][]string{{"update", "--as", "wake", "--values", "{}"}, {"fork"}, {"prune", "--keep", "1"}} {
		out = begin(t, bin, file, args[0], args[1:]...).ended(t)
		require.Equal(t, 1, out.code, args)
		require.Contains(t, out.stderr, "the thread is busy", args)
	}
	out = begin(t, bin, file, "state").ended(t)
	require.Equal(t, 0, out.code, "a busy thread can be looked at")
	require.Contains(t, out.stdout, "next       sleep\n")

	waiting := begin(t, bin, file, "resume", "--busy", "enqueue")
	require.NoError(t, waiting.cmd.Process.Signal(syscall.SIGTERM))
	out = waiting.ended(t)
	require.NotZero(t, out.code, "the first signal ends the wait for a thread")

	hasten(t, file)
	waiting = begin(t, bin, file, "resume", "-o", "jsonl", "--busy", "enqueue")
	require.NoError(t, p.cmd.Process.Kill())
	out = waiting.ended(t)
	require.Equal(t, 0, out.code, out.stderr)
	require.Contains(t, out.stdout, `"data":{"log":["awake","slept","worked"]}`)
}

// isTakenOver ends a run by another one on its thread.
func isTakenOver(t *testing.T, bin string) {
	t.Helper()
	p, file := launch(t, bin, sleepy("1s"), "-o", "jsonl")
	until(t, p.stdout, `"step":1,"data":{"log":["awake"]}`)
	out := begin(t, bin, file, "run", "-o", "jsonl", "--busy", "interrupt").ended(t)
	require.Equal(t, 0, out.code, out.stderr)
	require.Contains(t, out.stderr, "dropped: sleep\n")
	require.Contains(t, out.stdout, `"data":{"log":["awake","awake","slept","worked"]}`)
	out = p.ended(t)
	require.Equal(t, 130, out.code, out.stderr)
	require.Contains(t, out.stderr, "taken over")
	require.NotContains(t, out.stderr, "resume with")
}

func showsWhatItReached(t *testing.T, bin string) {
	t.Helper()
	p, _ := launch(t, bin, sleepy("1s"))
	until(t, p.stderr, "step 1")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGINT))
	out := p.ended(t)
	require.Equal(t, 130, out.code)
	require.Regexp(t, `^log: \[awake(, slept)?\]\n$`, out.stdout)
	require.Regexp(t, `(?m)^  left  (sleep|work)$`, out.stderr)
}

// A reader that does not read blocks the run, so that it cannot end in order.
func endsAtOnce(t *testing.T, bin string) {
	t.Helper()
	long := `{"text": "` + strings.Repeat("x", 50_000) + `"}`
	p, _ := launch(t, bin, flood, "-o", "jsonl", "--durability", "exit", "--input", long)
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
	p, _ := launch(t, bin, ticking, "-o", "jsonl")
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
