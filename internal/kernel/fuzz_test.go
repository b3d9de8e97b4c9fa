package kernel_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// sampleMachine returns a machine in the middle of step 1, whose task 0 is
// done, with the wire forms of a task and of a result of task 1.
func sampleMachine(t testing.TB) (m *kernel.Machine, f *sheetFields, task, result []byte) {
	f = newSheetFields()
	m = kernel.NewMachine(samplePlan())
	m.Start(f.layout().NewStore(f.layout().Fresh()), 0)
	m.Result(0).Command, m.Result(0).Status = kernel.Command(f.cmd.Update(f.log.Append("in"))), kernel.Succeeded
	require.True(t, m.Done(m.ID(0)))
	m.Advance()
	require.Len(t, m.Tasks(), 2)
	c := f.cmd.All(f.cmd.Goto("d", f.n.Add(2)), f.cmd.Send(f.cmd.To("e", f.item.Set("x")), f.cmd.To("e", f.item.Set("y"), f.log.Append("z"))))
	m.Result(0).Command, m.Result(0).Status = kernel.Command(c), kernel.Succeeded
	require.True(t, m.Done(m.ID(0)))
	task, err := m.EncodeTask(1, f.layout())
	require.NoError(t, err)
	w := kernel.NewMachine(m.Plan())
	id, err := w.AdoptTask(task, f.layout())
	require.NoError(t, err)
	res := w.Result(0)
	res.Status, res.Command = kernel.Succeeded, kernel.Command(f.cmd.Update(f.last.Set("b"), f.log.Append("b", "bb")))
	res.Routes.Add(0)
	res.Routes.AddPackets([]kernel.Packet{{To: "e", Over: state.OverlayOf([]state.Write[sheet]{f.item.Set("routed")})}})
	result, err = w.EncodeResult(0, id, f.layout())
	require.NoError(t, err)
	return m, f, task, result
}

// goOn drives a machine for a while: it must neither panic nor lose its way.
func goOn(t *testing.T, m *kernel.Machine, lay *state.Layout) {
	for range 30 {
		for i := range m.Tasks() {
			if _, err := m.EncodeTask(i, lay); err != nil {
				t.Fatalf("task %d cannot be encoded: %v", i, err)
			}
			if m.Result(i).Status == kernel.Open {
				*m.Result(i) = kernel.Result{Status: kernel.Succeeded}
			}
			m.Done(m.ID(i))
		}
		if m.Open() > 0 {
			t.Fatalf("%d tasks stay open", m.Open())
		}
		if e := m.Advance(); e.Closed {
			if e.Outcome.Ending == kernel.Broken && e.Outcome.Err == nil {
				t.Fatal("broken without an error")
			}
			return
		}
	}
	t.Fatal("the limit of supersteps has no effect")
}

func FuzzRestore(f *testing.F) {
	m, fields, task, result := sampleMachine(f)
	snap, err := m.Snapshot(fields.layout())
	require.NoError(f, err)
	ok, err := m.AcceptResult(result, fields.layout())
	require.True(f, ok && err == nil)
	later, err := m.Snapshot(fields.layout())
	require.NoError(f, err)
	m.Advance()
	last, err := m.Snapshot(fields.layout())
	require.NoError(f, err)
	for _, seed := range [][]byte{snap, later, last, task, result, nil, []byte("null"), []byte(`{"v":1,"graph":"sample","state":{},"tasks":[{"node":"START"}]}`)} {
		f.Add(seed)
	}
	plan, lay := m.Plan(), fields.layout()
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := kernel.Restore(plan, lay, data)
		if err != nil {
			if !errors.Is(err, kernel.ErrWire) || m != nil {
				t.Fatalf("machine %v, error %v", m, err)
			}
			return
		}
		snap, err := m.Snapshot(lay)
		if err != nil {
			t.Fatalf("what was restored cannot be stored: %v", err)
		}
		again, err := kernel.Restore(plan, lay, snap)
		if err != nil {
			t.Fatalf("%v\nof %s", err, snap)
		}
		if second, err := again.Snapshot(lay); err != nil || string(second) != string(snap) {
			t.Fatalf("%v\n%s\nis not\n%s", err, second, snap)
		}
		goOn(t, m, lay)
	})
}

func FuzzAcceptResult(f *testing.F) {
	_, _, task, result := sampleMachine(f)
	for _, seed := range [][]byte{
		result, task, nil, []byte("[]"),
		[]byte(`{"v":1,"graph":"sample","id":{"Step":1,"Index":1},"status":"failed","kind":"node_error","error":"boom"}`),
		[]byte(`{"v":1,"graph":"sample","id":{"Step":1,"Index":1},"status":"cancelled"}`),
		[]byte(`{"v":1,"graph":"sample","id":{"Step":1,"Index":1},"status":"ok","update":[],"goto":["END","d"]}`),
		[]byte(`{"v":1,"graph":"sample","id":{"Step":1,"Index":1},"status":"ok","update":[["log","replace",["x"]]],"routes":{"goto":["c"]}}`),
		[]byte(`{"v":1,"graph":"sample","id":{"Step":1,"Index":1},"status":"ok","update":[["item","set","x"]]}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, own, _, _ := sampleMachine(t)
		before, err := m.Snapshot(own.layout())
		require.NoError(t, err)
		ok, err := m.AcceptResult(data, own.layout())
		if err != nil && (ok || !errors.Is(err, kernel.ErrWire)) {
			t.Fatalf("accepted %v, error %v", ok, err)
		}
		if after, err := m.Snapshot(own.layout()); err != nil || ok == (string(before) == string(after)) {
			t.Fatalf("accepted %v, error %v\nbefore %s\nafter %s", ok, err, before, after)
		}
		if again, err := m.AcceptResult(data, own.layout()); ok && (again || err != nil) {
			t.Fatalf("accepted twice (%v)", err)
		}
		goOn(t, m, own.layout())
	})
}

func FuzzAdoptTask(f *testing.F) {
	m, fields, task, result := sampleMachine(f)
	lay := fields.layout()
	for _, seed := range [][]byte{
		task, result, nil, []byte("{}"),
		[]byte(`{"v":1,"graph":"sample","id":{"Step":3,"Index":7},"node":"e","state":{"n":4},"over":[["item","set","x"],["log","append",["y"]]]}`),
		[]byte(`{"v":1,"graph":"sample","id":{"Step":0,"Index":0},"node":"START","state":{},"over":[["n","add",4]]}`),
		[]byte(`{"v":1,"graph":"sample","id":{"Step":-3,"Index":0},"node":"e","state":{}}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := kernel.NewMachine(m.Plan())
		id, err := w.AdoptTask(data, lay)
		if err != nil {
			if !errors.Is(err, kernel.ErrWire) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if w.Open() != 1 || len(w.Tasks()) != 1 {
			t.Fatalf("%d tasks are open", w.Open())
		}
		w.Result(0).Status = kernel.Succeeded
		out, err := w.EncodeResult(0, id, lay)
		if err != nil {
			t.Fatalf("its result cannot be encoded: %v", err)
		}
		if _, err := w.AcceptResult(out, lay); err != nil {
			t.Fatalf("its own result is refused: %v", err)
		}
	})
}
