package kernel_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// finish gives all open tasks one result and advances.
func finish(t *testing.T, m *kernel.Machine, c graph.Command[sheet]) *kernel.Effects {
	for i := range m.Tasks() {
		*m.Result(i) = kernel.Result{Status: kernel.Succeeded, Command: kernel.Command(c)}
		require.True(t, m.Done(m.ID(i)))
	}
	return m.Advance()
}

func TestMachineIsAsGoodAsNewWhenStartedAgain(t *testing.T) {
	f := newSheetFields()
	m := kernel.NewMachine(samplePlan())
	var first []string
	for run := range 3 {
		var steps []string
		m.Start(f.layout().NewStore(f.layout().Fresh()), 0)
		for {
			e := finish(t, m, f.cmd.Update(f.log.Append("x"), f.n.Add(1)))
			st, err := f.layout().AppendState(nil, m.Store().State())
			require.NoError(t, err)
			steps = append(steps, string(st))
			if e.Closed {
				require.Equal(t, kernel.Done, e.Outcome.Ending)
				break
			}
		}
		if run == 0 {
			first = steps
		}
		require.Equal(t, first, steps)
	}
	require.Len(t, first, 5)
}

func TestNothingHappensBehindTheEnd(t *testing.T) {
	f := newSheetFields()
	for name, end := range map[string]kernel.Result{
		"done":   {Status: kernel.Succeeded, Command: kernel.Command(f.cmd.Update(f.n.Add(1)))},
		"broken": {Status: kernel.Failed, Err: errors.New("boom")},
	} {
		t.Run(name, func(t *testing.T) {
			plan := kernel.NewPlan([]string{"a"})
			plan.Entry.Next = []int32{0}
			m := kernel.NewMachine(plan)
			m.Start(f.layout().NewStore(f.layout().Fresh()), 0)
			finish(t, m, graph.Command[sheet]{})
			*m.Result(0) = end
			require.True(t, m.Done(m.ID(0)))
			e := *m.Advance()
			require.True(t, e.Closed)
			before, err := f.layout().AppendState(nil, m.Store().State())
			require.NoError(t, err)
			for range 2 {
				again := m.Advance()
				require.True(t, again.Closed)
				require.False(t, again.Committed)
				require.Equal(t, e.Outcome, again.Outcome)
			}
			after, err := f.layout().AppendState(nil, m.Store().State())
			require.NoError(t, err)
			require.Equal(t, string(before), string(after))
			require.False(t, m.Done(m.ID(0)))
		})
	}
}

func TestAPreviewDoesNotCountWhenAnotherResultCame(t *testing.T) {
	f := newSheetFields()
	plan := kernel.NewPlan([]string{"a"})
	plan.Entry.Next = []int32{0}
	m := kernel.NewMachine(plan)
	m.Start(f.layout().NewStore(f.layout().Fresh()), 0)
	finish(t, m, graph.Command[sheet]{})
	m.Result(0).Command = kernel.Command(f.cmd.Update(f.log.Append("seen")))
	_, err := m.Preview()
	require.NoError(t, err)
	ok, err := m.AcceptResult([]byte(`{"v":1,"graph":"","id":{"Step":1,"Index":0},"status":"ok","update":[["log","append",["told"]]]}`), f.layout())
	require.NoError(t, err)
	require.True(t, ok)
	m.Advance()
	require.Equal(t, []string{"told"}, m.Store().State().(*sheet).Log)
}

func TestBytesOfOtherGraphsAreRefused(t *testing.T) {
	m, f, task, result := sampleMachine(t)
	snap, err := m.Snapshot(f.layout())
	require.NoError(t, err)
	other := samplePlan()
	other.Print = "another"
	stranger := kernel.NewMachine(other)
	stranger.Start(f.layout().NewStore(f.layout().Fresh()), 0)
	_, err = stranger.AdoptTask(task, f.layout())
	require.ErrorIs(t, err, kernel.ErrWire)
	require.ErrorContains(t, err, "of graph sample, want another")
	_, err = stranger.AcceptResult(result, f.layout())
	require.ErrorIs(t, err, kernel.ErrWire)
	_, err = kernel.Restore(other, f.layout(), snap)
	require.ErrorIs(t, err, kernel.ErrWire)
}

func TestWireFormsAreRefusedWithTheReason(t *testing.T) {
	const head = `{"v":1,"graph":"sample","id":{"Step":1,"Index":1},`
	for bytes, want := range map[string]string{
		`nonsense`:                                                                   "result: invalid character",
		`{"v":2,"graph":"sample"}`:                                                   "version 2, want 1",
		head + `"status":"open"}`:                                                    `result with status "open"`,
		head + `"status":"ok"}`:                                                      "an update is a list of [field, verb, value]",
		head + `"status":"ok","update":[["no","set",1]]}`:                            `unknown field "no"`,
		head + `"status":"ok","update":[["n","add","x"]]}`:                           `field "n"`,
		head + `"status":"ok","update":[],"goto":["c"]}`:                             `node "b" did not declare that it may go to "c"`,
		head + `"status":"ok","update":[],"goto":[""]}`:                              "a goto without a name",
		head + `"status":"ok","update":[],"goto":["zz"]}`:                            "the graph has no such node",
		head + `"status":"ok","update":[],"send":[{"to":"e"}]}`:                      "list of [field, verb, value]",
		head + `"status":"ok","update":[],"routes":{"goto":["c"]}}`:                  `node "b" did not declare that it may route to "c" (declared: a, e)`,
		head + `"status":"ok","update":[],"routes":{"send":[{"to":"d","over":[]}]}}`: `may route a send to "d"`,
	} {
		m, f, _, _ := sampleMachine(t)
		ok, err := m.AcceptResult([]byte(bytes), f.layout())
		require.False(t, ok, bytes)
		require.ErrorIs(t, err, kernel.ErrWire, bytes)
		require.ErrorContains(t, err, want, bytes)
		require.Equal(t, 1, m.Open())
	}
}

func TestSnapshotsAreRefusedWithTheReason(t *testing.T) {
	const head = `{"v":1,"graph":"sample","step":2,"used":1,"state":{},`
	for bytes, want := range map[string]string{
		`[]`:                             "snapshot: json",
		head + `"tasks":[]}`:             "a snapshot without tasks",
		head + `"tasks":[{"node":"q"}]}`: `the graph has no node "q"`,
		head + `"tasks":[{"node":"a"}],"arrived":[{"Join":7,"Place":0}]}`:                                                 "no waiting edge 7",
		head + `"tasks":[{"node":"a"}],"arrived":[{"Join":0,"Place":0},{"Join":0,"Place":1}]}`:                            `waiting edge 0 to "c" is full`,
		head + `"tasks":[{"node":"a"}],"deferred":["a"]}`:                                                                 `node "a" is not deferred`,
		head + `"tasks":[{"node":"a"}],"results":[{"v":1,"graph":"sample","id":{"Step":2,"Index":1},"status":"failed"}]}`: "a result of task 2.1, which is not open",
		`{"v":1,"graph":"sample","step":-1,"used":0,"state":{},"tasks":[{"node":"a"}]}`:                                   "a snapshot of step -1",
		`{"v":1,"graph":"sample","step":1,"used":0,"state":{"huh":1},"tasks":[{"node":"a"}]}`:                             `unknown field "huh"`,
	} {
		m, err := kernel.Restore(samplePlan(), newSheetFields().layout(), []byte(bytes))
		require.Nil(t, m, bytes)
		require.ErrorIs(t, err, kernel.ErrWire, bytes)
		require.ErrorContains(t, err, want, bytes)
	}
}

func TestTheStartTaskTravelsWithItsInput(t *testing.T) {
	f := newSheetFields()
	m := kernel.NewMachine(samplePlan())
	m.Start(f.layout().NewStore(f.layout().Fresh()), 0)
	in := state.ChangesOf([]state.Write[sheet]{f.log.Append("in"), f.n.Add(3)})
	m.SetInput(&in)
	task, err := m.EncodeTask(0, f.layout())
	require.NoError(t, err)
	w := kernel.NewMachine(samplePlan())
	id, err := w.AdoptTask(task, f.layout())
	require.NoError(t, err)
	require.Equal(t, kernel.TaskID{}, id)
	got := w.Tasks()[0]
	require.Equal(t, int32(kernel.StartNode), got.Node)
	over := got.From.Over.Changes()
	text, err := f.layout().AppendChanges(nil, &over)
	require.NoError(t, err)
	require.JSONEq(t, `[["log","append",["in"]],["n","add",3]]`, string(text))
}
