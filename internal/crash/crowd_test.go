package crash_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

// crowd is what one of several processes on one file does: it takes threads to
// their ends, its own and those that all want.
type crowd struct {
	Threads []string
	Busy    graph.Busy
}

// What a process did with a thread.
const (
	crowdDone  = "done"  // its run came to the end
	crowdBusy  = "busy"  // the thread was refused to it, at least once
	crowdTaken = "taken" // it was taken over
)

// abreast is how many threads a process works on at once.
const abreast = 6

// join waits for the start and then does its share. It prints what came of
// each thread.
func (c *crowd) join(ctx context.Context, s checkpoint.Store, o *order) error {
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var problems []error
	gate := make(chan struct{}, abreast)
	for _, name := range c.Threads {
		gate <- struct{}{}
		all.Go(func() {
			defer func() { <-gate }()
			came, err := c.one(ctx, s, o, name)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", name, err))
			}
			fmt.Println(came, name)
		})
	}
	all.Wait()
	return errors.Join(problems...)
}

// one takes one thread to its end, or as far as others let it.
func (c *crowd) one(ctx context.Context, s checkpoint.Store, o *order, name string) (string, error) {
	d, err := newDrive(o.Graph, &world{ledger: &ledger{path: filepath.Join(o.Dir, name), turn: o.Turn}, slow: true}, o.Mode)
	if err != nil {
		return "", err
	}
	g := d.graph.On(s, nil)
	for came := crowdDone; ; {
		_, err := g.Resume(ctx, graph.Answers{}, &graph.RunConfig{Thread: name, Busy: c.Busy, Durability: o.Mode})
		switch {
		case err == nil:
			return came, nil
		case errors.Is(err, graph.ErrBusy) && c.Busy == graph.BusyReject:
			came = crowdBusy
			time.Sleep(time.Millisecond)
		case errors.Is(err, graph.ErrTakenOver) && c.Busy == graph.BusyInterrupt:
			return crowdTaken, nil
		default:
			return "", err
		}
	}
}

// gathering is a file with threads that have begun and were paused at once.
type gathering struct {
	dir   string
	graph string
	mode  graph.Durability
	ref   *reference
}

// firstNodes are where the graphs begin.
var firstNodes = map[string]string{"loop": "plan", "nested": "first"}

// prepare begins a thread and a directory for its effects.
func (g *gathering) prepare(ctx context.Context, s checkpoint.Store, name string) error {
	if err := os.Mkdir(filepath.Join(g.dir, name), 0o700); err != nil {
		return err
	}
	built, err := build(g.graph, &world{ledger: &ledger{}})
	if err != nil {
		return err
	}
	_, err = built.On(s, nil).Invoke(ctx, input(), &graph.RunConfig{
		Thread: name, Durability: g.mode, InterruptBefore: []string{firstNodes[g.graph]},
	})
	if !errors.Is(err, graph.ErrInterrupted) {
		return fmt.Errorf("the thread is not paused: %w", err)
	}
	return nil
}

// release lets processes loose on the file and returns what they did, by
// thread and process.
func (g *gathering) release(t *testing.T, crowds ...*crowd) []map[string]string {
	var children []*child
	for i, c := range crowds {
		ch, err := start(&order{Dir: g.dir, Graph: g.graph, Mode: g.mode, Turn: i + 1, Crowd: c})
		require.NoError(t, err)
		children = append(children, ch)
		require.True(t, ch.await(saysOpen))
	}
	for _, ch := range children {
		_, err := fmt.Fprintln(ch.in)
		require.NoError(t, err)
	}
	out := make([]map[string]string, len(children))
	for i, ch := range children {
		out[i] = map[string]string{}
		for ch.lines.Scan() && ch.lines.Text() != saysDone {
			came, name, _ := strings.Cut(ch.lines.Text(), " ")
			out[i][name] = came
		}
		_, err := ch.end()
		require.NoError(t, err)
	}
	return out
}

// proven says what is wrong with a thread at the end. taken says that it may
// have been taken over once: then tasks of one step may have run twice.
func (g *gathering) proven(ctx context.Context, s checkpoint.Store, name string, taken bool) (doubled int, err error) {
	built, err := build(g.graph, nil)
	if err != nil {
		return 0, err
	}
	c, err := read(ctx, built, s, name, whole)
	if err != nil {
		return 0, err
	}
	if err := g.ref.equals(c); err != nil {
		return 0, err
	}
	if g.mode != graph.DurabilityExit && linear(c) != nil {
		return 0, linear(c)
	}
	lines, err := (&ledger{path: filepath.Join(g.dir, name)}).effects()
	if err != nil {
		return 0, err
	}
	count, step := map[string]int{}, ""
	for _, e := range lines {
		if count[e.name]++; count[e.name] == 1 {
			continue
		}
		doubled++
		at, _, _ := strings.Cut(e.name, ".")
		if !taken || count[e.name] > 2 {
			return doubled, fmt.Errorf("effect %s was caused %d times (taken over: %v)", e.name, count[e.name], taken)
		}
		if g.mode == graph.DurabilitySync && step != "" && step != at {
			return doubled, fmt.Errorf("effects behind %s and %s were caused twice", step, at)
		}
		step = at
	}
	if len(count) != len(g.ref.effects) {
		return doubled, fmt.Errorf("there are %d effects, undisturbed %d", len(count), len(g.ref.effects))
	}
	return doubled, nil
}

// linear says that a thread has two heads, if it has.
func linear(c *chronicle) error {
	last := ""
	for _, text := range c.rows {
		var row struct{ Checkpoint, Parent string }
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			return err
		}
		if row.Parent != last {
			return fmt.Errorf("checkpoint %s goes on from %q, not from %q", row.Checkpoint, row.Parent, last)
		}
		last = row.Checkpoint
	}
	return nil
}

func names(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s-%d", prefix, i)
	}
	return out
}

// newGathering makes a file with threads.
func newGathering(t *testing.T, name string, mode graph.Durability, threads ...string) *gathering {
	g := &gathering{dir: t.TempDir(), graph: name, mode: mode, ref: undisturbed(t, name, mode)}
	s, err := sqlite.Open(t.Context(), fileIn(g.dir), &sqlite.Config{Synchronous: sqlite.Normal})
	require.NoError(t, err)
	for _, n := range threads {
		require.NoError(t, g.prepare(t.Context(), s, n))
	}
	require.NoError(t, s.Close())
	return g
}

// end proves all threads, and the file.
func (g *gathering) end(t *testing.T, taken func(name string) bool, threads ...string) (doubled int) {
	s, err := sqlite.Open(t.Context(), fileIn(g.dir), nil)
	require.NoError(t, err)
	for _, name := range threads {
		n, err := g.proven(t.Context(), s, name, taken(name))
		require.NoError(t, err, "thread %s", name)
		doubled += n
	}
	require.NoError(t, s.Check(t.Context()))
	require.NoError(t, s.Close())
	require.NoError(t, intact(t.Context(), fileIn(g.dir)))
	return doubled
}

func never(string) bool { return false }

// TestTwoProcessesWithThreadsOfTheirOwn shares a file, but no thread.
func TestTwoProcessesWithThreadsOfTheirOwn(t *testing.T) {
	t.Parallel()
	for i, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			n := []int{30, 15, 15}[i]
			mine, yours := names("mine", n), names("yours", n)
			all := append(append([]string(nil), mine...), yours...)
			g := newGathering(t, "loop", m.mode, all...)
			for i, out := range g.release(t, &crowd{Threads: mine}, &crowd{Threads: yours}) {
				require.Len(t, out, n)
				for name, came := range out {
					require.Equal(t, crowdDone, came, "process %d, thread %s", i, name)
				}
			}
			require.Zero(t, g.end(t, never, all...))
		})
	}
}

// TestTwoProcessesThatWantTheSameThreads lets both try every thread.
func TestTwoProcessesThatWantTheSameThreads(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		name string
		busy graph.Busy
	}{{"reject", graph.BusyReject}, {"enqueue", graph.BusyEnqueue}, {"interrupt", graph.BusyInterrupt}} {
		for _, name := range []string{"loop", "nested"} {
			for _, m := range modes {
				if name == "nested" && m.mode != graph.DurabilitySync {
					continue
				}
				t.Run(p.name+"/"+name+"/"+m.name, func(t *testing.T) {
					all := names("both", 8)
					g := newGathering(t, name, m.mode, all...)
					out := g.release(t, &crowd{all, p.busy}, &crowd{all, p.busy})
					met := map[string]int{}
					for _, n := range all {
						a, b := out[0][n], out[1][n]
						met[a]++
						met[b]++
						require.False(t, a == crowdTaken && b == crowdTaken, "thread %s was taken over by nobody", n)
					}
					taken := func(n string) bool { return out[0][n] == crowdTaken || out[1][n] == crowdTaken }
					doubled := g.end(t, taken, all...)
					t.Logf("%v; effects doubled by taking over: %d", met, doubled)
				})
			}
		}
	}
}
