package graph_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// workerEnv makes the test binary a worker: a process that runs tasks.
const workerEnv = "GRAPHRUN_TEST_WORKER"

// namedGraph is a random graph that driver and workers know by name: its kind
// and seed.
type namedGraph struct {
	name  string
	graph *graph.Graph[refState]
	spec  *rndSpec
	f     *rndFields
}

func newNamedGraph(name string) (*namedGraph, error) {
	var seed uint64
	kind := ""
	if _, err := fmt.Sscanf(name, "%s %d", &kind, &seed); err != nil {
		return nil, fmt.Errorf("graph %q: %w", name, err)
	}
	s := map[string]func(uint64) *rndSpec{"flat": newSpec, "nested": newNested}[kind](seed)
	s.exits = nil
	n := &namedGraph{name: name, spec: s, f: newRndFields("last")}
	b := newRndBuild(rand.New(rand.NewPCG(seed, 7)), s)
	b.finish = true
	var err error
	n.graph, err = b.graph(s, n.f, nil)
	return n, err
}

// TestWorkerProcess is no test: it is the main function of the workers.
func TestWorkerProcess(*testing.T) {
	if os.Getenv(workerEnv) == "" {
		return
	}
	if err := work(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// order is what a worker reads: one JSON object a line. It answers with the
// result, a line too.
type order struct {
	Graph string
	Task  json.RawMessage
}

func work(in io.Reader, out io.Writer) error {
	graphs := map[string]*namedGraph{}
	dec := json.NewDecoder(in)
	for {
		var o order
		if err := dec.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if graphs[o.Graph] == nil {
			g, err := newNamedGraph(o.Graph)
			if err != nil {
				return err
			}
			graphs[o.Graph] = g
		}
		result, err := graphs[o.Graph].graph.RunTask(context.Background(), o.Task)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\n", result); err != nil {
			return err
		}
	}
}

// worker is a process as its driver sees it.
type workerProcess struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func startWorker(t *testing.T) *workerProcess {
	cmd := exec.Command(os.Args[0], "-test.run=^TestWorkerProcess$")
	cmd.Env = append(os.Environ(), workerEnv+"=1")
	var trouble bytes.Buffer
	cmd.Stderr = &trouble
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait(), trouble.String())
	})
	return &workerProcess{in, bufio.NewReader(out)}
}

func (w *workerProcess) do(name string, task []byte) ([]byte, error) {
	line, err := json.Marshal(order{name, task})
	if err != nil {
		return nil, err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	return w.out.ReadBytes('\n')
}

// account is what a driver tells of a run, to be compared with another's.
type account struct {
	lines []string // updates and states, step by step
	end   string
	kind  graph.Kind // of the error, if there is one
	text  string     // of the error, if a task failed
}

func (a *account) say(format string, args ...any) {
	a.lines = append(a.lines, fmt.Sprintf(format, args...))
}

// TestProcessesDoWhatGoroutinesDo lets other processes run every task: the
// machine is stepped with wire forms, its results come in random order.
func TestProcessesDoWhatGoroutinesDo(t *testing.T) {
	var workers []*workerProcess
	for range 3 {
		workers = append(workers, startWorker(t))
	}
	tally := map[string]int{}
	for seed := range uint64(90) {
		n, err := newNamedGraph(fmt.Sprint([]string{"flat ", "nested "}[seed%2], seed))
		require.NoError(t, err)
		if len(n.spec.run("", refState{}, n.spec.in).log) > 300 {
			continue
		}
		want, err := byGoroutines(n)
		require.NoError(t, err, n.name)
		d := processDriver{namedGraph: n, lay: n.graph.Schema().Layout(), workers: workers, rng: rand.New(rand.NewPCG(seed, 8))}
		got, err := d.run()
		require.NoError(t, err, "%s\n%s", n.name, n.spec)
		require.Equal(t, want, got, "%s\n%s", n.name, n.spec)
		tally[strings.TrimSpace(got.end+" "+string(got.kind))]++
	}
	t.Logf("runs by their ends: %v", tally)
	for _, end := range []string{"done", "limit recursion_limit", "failed node_error", "failed invalid_update"} {
		require.NotZero(t, tally[end], end)
	}
}

// byGoroutines runs a graph with the package's own runner.
func byGoroutines(n *namedGraph) (a account, err error) {
	var events []graph.Event
	for e, err := range n.graph.Stream(context.Background(), n.f.writes(n.spec.in), nil) {
		if err == nil {
			events = append(events, e)
			continue
		}
		var placed *graph.Error
		if !errors.As(err, &placed) {
			return a, err
		}
		a.kind = placed.Kind()
		if a.kind == graph.KindNode || len(placed.NS) > 0 {
			a.text = err.Error()
		}
	}
	slices.SortStableFunc(events, func(a, b graph.Event) int { return graph.HeadOf(a).Pos.Compare(graph.HeadOf(b).Pos) })
	for _, e := range events {
		if len(graph.HeadOf(e).NS) > 0 {
			continue
		}
		switch e := e.(type) {
		case *graph.TaskFinished:
			update, err := e.Update.MarshalJSON()
			if err != nil {
				return a, err
			}
			a.say("%d %s %s", e.Step, e.Node, update)
		case *graph.StepCommitted:
			a.say("%d %s", e.Step, *e.State.(*refState))
		case *graph.RunFinished:
			a.end = string(e.Outcome)
		}
	}
	return a, nil
}

// processDriver runs a graph without the package's runner.
type processDriver struct {
	*namedGraph
	lay     *state.Layout
	workers []*workerProcess
	rng     *rand.Rand
	m       *kernel.Machine
}

func (d *processDriver) run() (a account, err error) {
	d.m = kernel.NewMachine(graph.PlanOf(d.graph))
	d.m.Start(d.lay.NewStore(d.lay.Fresh()), 0)
	in := state.ChangesOf(d.f.writes(d.spec.in))
	d.m.SetInput(&in)
	for {
		if err := d.step(); err != nil {
			return a, err
		}
		for i, task := range d.m.Tasks() {
			res := d.m.Result(i)
			if res.Status != kernel.Succeeded || task.Node == kernel.StartNode {
				continue
			}
			update, err := d.lay.AppendShown(nil, res.Command.Writes())
			if err != nil {
				return a, err
			}
			a.say("%d %s %s", d.m.Step(), d.m.Plan().Name(task.Node), update)
		}
		e := d.m.Advance()
		if e.Committed {
			st, err := d.lay.AppendState(nil, d.m.Store().State())
			if err != nil {
				return a, err
			}
			a.say("%d %s", e.Step, st)
		}
		if e.Closed {
			return a, a.close(&e.Outcome)
		}
	}
}

// step lets the workers run the tasks of a step and takes the results in
// random order, one of them twice.
func (d *processDriver) step() error {
	n := len(d.m.Tasks())
	results, failed := make([][]byte, n), make([]error, len(d.workers))
	tasks := make([][]byte, n)
	for i := range n {
		var err error
		if tasks[i], err = d.m.EncodeTask(i, d.lay); err != nil {
			return err
		}
	}
	done := make(chan struct{})
	for k, w := range d.workers {
		go func() {
			for i := k; i < n && failed[k] == nil; i += len(d.workers) {
				results[i], failed[k] = w.do(d.name, tasks[i])
			}
			done <- struct{}{}
		}()
	}
	for range d.workers {
		<-done
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	for _, i := range d.rng.Perm(n) {
		for _, fresh := range []bool{true, false} {
			if ok, err := d.m.AcceptResult(results[i], d.lay); ok != fresh || err != nil {
				return fmt.Errorf("task %d: accepted %v, want %v: %w", i, ok, fresh, err)
			}
		}
	}
	return nil
}

// close tells how a run ended that a machine made.
func (a *account) close(out *kernel.Outcome) error {
	var fault *kernel.Fault
	switch {
	case out.Ending == kernel.Done:
		a.end = "done"
	case out.Ending == kernel.Exhausted:
		a.end, a.kind = "limit", graph.KindRecursionLimit
	case errors.Is(out.Err, state.ErrConflict):
		a.end, a.kind = "failed", graph.KindInvalidUpdate
	case errors.As(out.Err, &fault):
		a.end, a.kind = "failed", fault.Sort
		if fault.Sort == graph.KindRecursionLimit {
			a.end = "limit"
		}
		if fault.Sort == graph.KindNode || strings.Contains(fault.Message, "subgraph") {
			a.text = fault.Message
		}
	default:
		return fmt.Errorf("ending %v: %w", out.Ending, out.Err)
	}
	return nil
}
