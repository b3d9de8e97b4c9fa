package graph_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// TestMachineDoesWhatTheReferenceDoes drives the kernel's machine through
// random graphs: results in any order, some of them over the wire, some told
// twice or too late, with the machine stored and restored at any moment.
func TestMachineDoesWhatTheReferenceDoes(t *testing.T) {
	count, began := rndCount(t, 10_000), time.Now()
	fields, tally := newRndFields("last"), map[string]int{}
	for seed := range uint64(count) {
		tally[driveSeed(t, seed, fields)]++
		if t.Failed() {
			return
		}
	}
	t.Logf("%d graphs in %v: %v", count, time.Since(began).Round(time.Millisecond), tally)
}

func driveSeed(t *testing.T, seed uint64, f *rndFields) string {
	s := newSpec(seed)
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("panic: %v\n%s", p, s)
		}
	}()
	want := s.run("", refState{}, s.in)
	d := &driver{
		spec: s, f: f, lay: f.schema.Layout(), want: want, plan: s.plan(fmt.Sprint("graph ", seed)),
		rng: rand.New(rand.NewPCG(seed, 2)),
	}
	d.m = kernel.NewMachine(d.plan)
	d.wire, d.stored = d.rng.IntN(3) == 0, d.rng.IntN(3) == 0
	for range 1 + d.rng.IntN(5)/4 { // sometimes twice on one machine
		if err := d.run(); err != nil {
			t.Errorf("seed %d, wire %v, stored %v: %v\n%s\nreference:\n%s", seed, d.wire, d.stored, err, s, strings.Join(want.log, "\n"))
		}
	}
	return want.end
}

// driver runs one random graph on a machine.
type driver struct {
	spec   *rndSpec
	f      *rndFields
	lay    *state.Layout
	plan   *kernel.Plan
	want   *refRun
	rng    *rand.Rand
	m      *kernel.Machine
	wire   bool     // results may travel
	stored bool     // the machine may be stored and restored
	late   [][]byte // results of earlier steps
	stale  []kernel.TaskID
}

func (d *driver) run() error {
	d.late, d.stale = nil, nil
	d.m.Start(d.lay.NewStore(d.lay.Fresh()), 0)
	for step := 0; ; step++ {
		if err := d.tasks(step); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		forsaken, err := d.complete()
		if err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		e := d.m.Advance()
		if forsaken {
			return d.compareForsaken(step, e)
		}
		if err := d.compare(step, e); err != nil || e.Closed {
			return err
		}
	}
}

// tasks compares the tasks of the step that begins.
func (d *driver) tasks(step int) error {
	want := d.want.next
	if step < len(d.want.steps) {
		want = d.want.steps[step].Tasks
	}
	return d.same(want)
}

func (d *driver) same(want []refTask) error {
	var got []refTask
	for _, task := range d.m.Tasks() {
		got = append(got, refTask{Node: d.plan.Name(task.Node), Sent: task.From != nil})
	}
	if refNames(got) != refNames(want) {
		return fmt.Errorf("tasks %q, want %q", refNames(got), refNames(want))
	}
	return nil
}

// complete gives all tasks of the step their results, in random order. It is
// true if it gave up some of them instead.
func (d *driver) complete() (forsaken bool, err error) {
	open := d.rng.Perm(len(d.m.Tasks()))
	told := map[int]bool{}
	for len(open) > 0 {
		if d.rng.IntN(400) == 0 {
			d.m.Forsake(func(i int) bool { return told[i] })
			return true, nil
		}
		if err := d.nuisance(); err != nil {
			return false, err
		}
		i := open[0]
		if d.rng.IntN(10) == 0 && len(open) > 1 { // filled in, not told of: may be lost
			d.fill(d.m, open[1], d.m.Result(open[1]))
		}
		if err := d.one(i); err != nil {
			return false, fmt.Errorf("task %d: %w", i, err)
		}
		open, told[i] = open[1:], true
		if d.m.Open() != len(open) {
			return false, fmt.Errorf("%d tasks are open, want %d", d.m.Open(), len(open))
		}
	}
	return false, d.nuisance()
}

// one gives one task its result.
func (d *driver) one(i int) error {
	id := d.m.ID(i)
	d.stale = append(d.stale, id)
	if d.wire && d.rng.IntN(2) == 0 {
		return d.travel(i, id)
	}
	d.fill(d.m, i, d.m.Result(i))
	if !d.m.Done(id) {
		return errors.New("Done is false for an open task")
	}
	if d.m.Done(id) {
		return errors.New("Done is true for a task that is done")
	}
	return nil
}

// travel lets another machine do the task, over the wire.
func (d *driver) travel(i int, id kernel.TaskID) error {
	task, err := d.m.EncodeTask(i, d.lay)
	if err != nil {
		return err
	}
	w := kernel.NewMachine(d.plan)
	got, err := w.AdoptTask(task, d.lay)
	if err != nil || got != id {
		return fmt.Errorf("adopted %v, want %v: %w", got, id, err)
	}
	d.fill(w, 0, w.Result(0))
	result, err := w.EncodeResult(0, id, d.lay)
	if w.Result(0).Command.Parent() != nil {
		if !errors.Is(err, kernel.ErrWire) {
			return fmt.Errorf("a command to the parent was encoded: %v", err)
		}
		*d.m.Result(i) = *w.Result(0)
		d.m.Done(id)
		return nil
	}
	if err != nil {
		return err
	}
	for _, want := range []bool{true, false} {
		if ok, err := d.m.AcceptResult(result, d.lay); ok != want || err != nil {
			return fmt.Errorf("AcceptResult is %v, want %v: %w", ok, want, err)
		}
	}
	d.late = append(d.late, result)
	return nil
}

// fill does what a runner does: the node, then the routers behind it.
func (d *driver) fill(m *kernel.Machine, i int, res *kernel.Result) {
	task, view := m.Tasks()[i], *m.Store().State().(*refState)
	if task.From != nil {
		if err := d.lay.Overlay(&view, m.Store().State(), task.From.Over.All()); err != nil {
			panic(err)
		}
	}
	name := d.plan.Name(task.Node)
	a := refAct{Writes: d.spec.in}
	if name != graph.Start {
		a = d.spec.act(name, view)
	}
	if a.Fail != "" {
		*res = kernel.Result{Status: kernel.Failed, Err: errors.New(a.Fail)}
		return
	}
	res.Command, res.Status, res.Routes = kernel.Command(d.f.command(a, d.f)), kernel.Succeeded, kernel.Routes{}
	if err := d.plan.Check(task.Node, &res.Command); err != nil {
		panic(err)
	}
	if !d.spec.Nodes[name].Ways {
		return
	}
	look, err := d.look(m, res)
	if twice(a.Writes) {
		if _, _, _, ok := kernel.Conflict(err); err != nil && !ok {
			panic(err)
		}
		*res = kernel.Result{Status: kernel.Failed, Err: errors.New(writtenTwice)}
		return
	} else if err != nil {
		panic(err)
	}
	routes := d.spec.choose(name, look)
	for _, to := range routes.Gotos {
		if id, ok := d.plan.ID(to); ok {
			res.Routes.Add(id)
		}
	}
	for _, s := range routes.Sends {
		res.Routes.AddPackets([]kernel.Packet{{To: s.To, Over: state.OverlayOf(d.f.writes(s.Over))}})
	}
}

// look returns what a task's routers see.
func (d *driver) look(m *kernel.Machine, res *kernel.Result) (look refState, err error) {
	if len(m.Tasks()) == 1 && res == m.Result(0) && d.rng.IntN(2) == 0 {
		st, err := m.Preview()
		if err != nil {
			return look, err
		}
		return *st.(*refState), nil
	}
	err = d.lay.Overlay(&look, m.Store().State(), res.Command.Writes().All())
	return look, err
}

// nuisance does what must have no effect, or none that can be seen.
func (d *driver) nuisance() error {
	step := int32(d.m.Step())
	for _, id := range []kernel.TaskID{{Step: step, Index: -1}, {Step: step, Index: int32(len(d.m.Tasks()))}, {Step: step - 1}, {Step: step + 1}} {
		if d.m.Done(id) {
			return fmt.Errorf("Done is true for %v", id)
		}
	}
	if len(d.stale) > 0 {
		if id := d.stale[d.rng.IntN(len(d.stale))]; d.m.Done(id) {
			return fmt.Errorf("Done is true for %v, which was done before", id)
		}
	}
	if len(d.late) > 0 {
		if ok, err := d.m.AcceptResult(d.late[d.rng.IntN(len(d.late))], d.lay); ok || err != nil {
			return fmt.Errorf("AcceptResult takes a late result: %w", err)
		}
	}
	if !d.stored || d.rng.IntN(3) > 0 {
		return nil
	}
	return d.swap()
}

// swap goes on with a machine made of a snapshot.
func (d *driver) swap() error {
	snap, err := d.m.Snapshot(d.lay)
	if slices.ContainsFunc(d.m.Results(), func(r kernel.Result) bool { return r.Status == kernel.Succeeded && r.Command.Parent() != nil }) {
		if err != nil && !errors.Is(err, kernel.ErrWire) {
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	m, err := kernel.Restore(d.plan, d.lay, snap)
	if err != nil {
		return fmt.Errorf("%w\nof %s", err, snap)
	}
	again, err := m.Snapshot(d.lay)
	if err != nil || string(again) != string(snap) {
		return fmt.Errorf("a restored machine differs: %w\n%s\n%s", err, snap, again)
	}
	d.m = m
	return nil
}

// compare compares what came of a step.
func (d *driver) compare(step int, e *kernel.Effects) error {
	if committed := step < len(d.want.steps); e.Committed != committed || e.Step != step {
		return fmt.Errorf("step %d: committed %v as step %d, want %v", step, e.Committed, e.Step, committed)
	}
	if err := d.state(min(step, len(d.want.steps)-1)); err != nil {
		return fmt.Errorf("step %d: %w", step, err)
	}
	if e.Closed != (step+1 >= len(d.want.steps) && d.want.end != "" && (step >= len(d.want.steps) || d.want.end == "done" || d.want.end == "limit")) {
		return fmt.Errorf("step %d: closed: %v, want %s", step, e.Closed, d.want.end)
	}
	if e.Closed {
		return d.outcome(e)
	}
	return nil
}

func (d *driver) state(step int) error {
	want := refState{}
	if step >= 0 {
		want = d.want.steps[step].State
	}
	got, err := d.lay.AppendState(nil, d.m.Store().State())
	if err != nil {
		return err
	}
	if string(got) != want.String() {
		return fmt.Errorf("state\n%s, want\n%s", got, want)
	}
	return nil
}

// outcome compares how the run ended.
func (d *driver) outcome(e *kernel.Effects) error {
	if err := d.same(d.want.next); err != nil {
		return fmt.Errorf("at the end: %w", err)
	}
	if _, err := d.m.Snapshot(d.lay); !errors.Is(err, kernel.ErrWire) {
		return fmt.Errorf("Snapshot of a run that is over: %v", err)
	}
	out := e.Outcome
	if again := d.m.Advance(); !again.Closed || again.Committed || again.Outcome.Ending != out.Ending {
		return fmt.Errorf("behind the end: %+v", again)
	}
	want := map[string]kernel.Ending{"done": kernel.Done, "failed": kernel.Broken, "conflict": kernel.Broken, "limit": kernel.Exhausted, "left": kernel.Left}[d.want.end]
	if out.Ending != want {
		return fmt.Errorf("ending %v (%v), want %s", out.Ending, out.Err, d.want.end)
	}
	switch d.want.end {
	case "failed":
		if out.Task != d.want.fault || out.Err.Error() != d.want.reason {
			return fmt.Errorf("task %d failed with %v, want task %d, %s", out.Task, out.Err, d.want.fault, d.want.reason)
		}
	case "conflict":
		return d.conflict(&out)
	case "left":
		got, want := kernel.Command(out.Out.Command), kernel.Command(d.f.command(*d.want.out, nil))
		if a, b := d.show(&got), d.show(&want); a != b {
			return fmt.Errorf("it left by %s, want %s", a, b)
		}
	}
	return nil
}

func (d *driver) conflict(out *kernel.Outcome) error {
	first, second, field, ok := kernel.Conflict(out.Err)
	if got := fmt.Sprint(field, " ", first); !ok || got != d.want.reason || second != d.want.fault {
		return fmt.Errorf("conflict %v, want %s and %d", out.Err, d.want.reason, d.want.fault)
	}
	return nil
}

func (d *driver) show(c *kernel.Command) string {
	update, err := d.lay.AppendChanges(nil, c.Writes())
	text := fmt.Sprintf("%s %v %v", update, err, slices.Collect(c.Gotos()))
	for _, p := range c.Packets() {
		var u state.Changes
		for _, w := range p.Over.All() {
			u.Add(w)
		}
		over, err := d.lay.AppendChanges(nil, &u)
		text += fmt.Sprintf(" %s %s %v", p.To, over, err)
	}
	return text
}

// compareForsaken checks a run some of whose tasks were given up.
func (d *driver) compareForsaken(step int, e *kernel.Effects) error {
	if !e.Closed || e.Committed || (e.Outcome.Ending != kernel.Stopped && e.Outcome.Ending != kernel.Broken) {
		return fmt.Errorf("step %d: given up, but %+v", step, e)
	}
	return d.state(step - 1)
}
