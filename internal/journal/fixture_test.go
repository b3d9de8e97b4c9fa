package journal_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// note is a state with a list and a number.
type note struct {
	Log []string `json:"log"`
	N   int      `json:"n"`
}

var (
	logField = state.NewList("log", func(s *note) *[]string { return &s.Log })
	nField   = state.NewCounter("n", func(s *note) *int { return &s.N })
	layout   = state.MustSchema(logField, nField).Layout()
)

// circle is a plan of one node that leads to itself, and a pair that another
// node waits for.
func circle() journal.Graph {
	p := kernel.NewPlan([]string{"a", "b", "c", "loop"})
	loop, _ := p.ID("loop")
	p.Entry.Next = []int32{loop}
	p.Nodes[loop].Next = []int32{loop}
	p.AddJoin([]int32{0, 1}, 2)
	p.Print = "circle"
	return journal.Graph{Plan: p, Layout: layout, Shape: func() json.RawMessage { return json.RawMessage(`{}`) }}
}

// kept is a thread whose runs the tests drive by hand.
type kept struct {
	*testing.T
	store   checkpoint.Store
	writer  checkpoint.Writer
	queue   *journal.Queue
	journal *journal.Journal
	machine *kernel.Machine
}

func begin(t *testing.T, mode journal.Mode, child bool) *kept {
	k := &kept{T: t, store: checkpoint.NewMemory(nil)}
	var err error
	k.writer, err = k.store.Claim(context.Background(), "t", checkpoint.Reject)
	require.NoError(t, err)
	k.queue = journal.NewQueue(context.Background(), k.writer, mode)
	g := circle()
	k.journal = journal.New(k.queue, g, "", child)
	k.machine = kernel.NewMachine(g.Plan)
	st := layout.NewStore(layout.Fresh())
	st.Journal(true)
	k.machine.Start(st, 0)
	k.journal.Enter(0)
	return k
}

// step lets the step's one task succeed with the given writes.
func (k *kept) step(writes ...state.Write[note]) {
	step := k.machine.Step()
	r := k.machine.Result(0)
	*r.Command.Writes() = state.ChangesOf(writes)
	r.Status = kernel.Succeeded
	k.machine.Done(k.machine.ID(0))
	require.True(k, k.machine.Advance().Committed)
	if step == 0 {
		k.machine.Store().Track()
	}
	require.NoError(k, k.journal.Commit(k.machine, step, "loop"))
}

// state returns the machine's state as JSON.
func (k *kept) state() string {
	data, err := layout.AppendState(nil, k.machine.Store().State())
	require.NoError(k, err)
	return string(data)
}

// load reads the log as it stands behind a commit; 0: the newest.
func (k *kept) load(at int64) *checkpoint.Loaded {
	l, err := k.store.Load(context.Background(), checkpoint.Log{Thread: "t"}, at)
	require.NoError(k, err)
	return l
}

// rebuilt returns the state of a commit as JSON, and the store that holds it.
func (k *kept) rebuilt(at int64, track bool) (string, *state.Store) {
	st := layout.NewStore(layout.Fresh())
	require.NoError(k, journal.Rebuild(st, layout, k.load(at).Commits, 0, track))
	data, err := layout.AppendState(nil, st.State())
	require.NoError(k, err)
	return string(data), st
}

// list returns all commits.
func (k *kept) list() []checkpoint.Commit {
	all, err := k.store.List(context.Background(), checkpoint.Query{Log: checkpoint.Log{Thread: "t"}})
	require.NoError(k, err)
	return all
}
