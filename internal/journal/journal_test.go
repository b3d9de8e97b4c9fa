package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

func TestEveryCommitCanBeRebuilt(t *testing.T) {
	t.Parallel()
	for _, mode := range []journal.Mode{journal.Sync, journal.Async} {
		k := begin(t, mode, false)
		var states []string
		for i := range 300 {
			k.step(logField.Append(strings.Repeat("x", i%90)), nField.Add(i))
			if i%70 == 69 {
				k.step(logField.Replace(nil))
				states = append(states, "")
			}
			states = append(states, k.state())
		}
		require.NoError(t, k.journal.Close(k.machine, true))
		for i, want := range states {
			if want != "" {
				got, _ := k.rebuilt(int64(i+1), false)
				require.Equal(t, want, got, "commit %d", i+1)
			}
		}
	}
}

func TestAWholeStateIsStoredWhereTheOperationsOutweighIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		write      func(i int) state.Write[note]
		most, rows int // whole states in 2,000 steps; commits to replay
	}{
		{"a number that changes", func(i int) state.Write[note] { return nField.Add(i) }, 8, 400},
		{"a list of long texts that grows", func(int) state.Write[note] { return logField.Append(strings.Repeat("x", 1000)) }, 4, 2000},
		{"a list of short texts that grows", func(int) state.Write[note] { return logField.Append("x") }, 8, 500},
	} {
		k := begin(t, journal.Sync, false)
		wholes, bytes := 0, 0
		for i := range 2000 {
			k.step(c.write(i))
		}
		rows := 0
		for _, commit := range k.load(0).Commits {
			rows++
			bytes += len(commit.Body)
		}
		for _, commit := range k.list() {
			if commit.Base == commit.Seq {
				wholes++
			}
		}
		require.LessOrEqual(t, wholes, c.most, c.name)
		require.LessOrEqual(t, rows, c.rows, c.name)
		require.LessOrEqual(t, bytes, 3*len(k.state())+96<<10, c.name)
	}
}

func TestInExitModeTheEndAloneIsStored(t *testing.T) {
	t.Parallel()
	k := begin(t, journal.Exit, false)
	for i := range 5 {
		k.step(nField.Add(i))
	}
	require.Zero(t, k.load(0).Head)
	require.NoError(t, k.journal.SaveFault(k.machine.ID(0), journal.Fault{Kind: "node_error", Message: "broken"}))
	require.NoError(t, k.journal.Close(k.machine, true))
	l := k.load(0)
	require.Len(t, l.Commits, 1)
	require.Equal(t, int64(5), l.Head, "places are counted as if all had been stored")
	require.Equal(t, []checkpoint.Pending{{Key: "e0", Body: []byte(`{"kind":"node_error","message":"broken"}`)}}, l.Pending)
	got, _ := k.rebuilt(0, false)
	require.Equal(t, k.state(), got)
}

func TestADiffGoesOnBehindAResume(t *testing.T) {
	t.Parallel()
	k := begin(t, journal.Sync, true)
	for i := range 900 {
		k.step(nField.Add(i), logField.Append(fmt.Sprint(i)))
		if i%200 != 199 {
			continue
		}
		_, st := k.rebuilt(0, true)
		want, err := k.machine.Store().AppendDiff(nil)
		require.NoError(t, err)
		got, err := st.AppendDiff(nil)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "behind step %d", i)
	}
}

func TestWhatTasksBringIsPendingUntilTheirStepIsOver(t *testing.T) {
	t.Parallel()
	k := begin(t, journal.Sync, false)
	k.step(nField.Add(1))
	id := k.machine.ID(0)
	result := kernel.Result{Status: kernel.Succeeded}
	*result.Command.Writes() = state.ChangesOf([]state.Write[note]{nField.Add(7)})
	require.NoError(t, k.journal.SaveResult(id, &result))
	require.NoError(t, k.journal.Keep(id, "paid", []byte(`"yes"`)))
	n, err := k.journal.Tally(id, "tries")
	require.NoError(t, err)
	require.Equal(t, 1, n)
	l := k.load(0)
	require.Len(t, l.Pending, 3)

	stand, err := journal.ReadStand(l)
	require.NoError(t, err)
	again := journal.Resume(k.queue, circle(), "", false, l, stand)
	again.Enter(1)
	kept, ok, err := again.Recalled(id, "paid")
	require.NoError(t, err)
	require.True(t, ok)
	require.JSONEq(t, `"yes"`, string(kept))
	n, err = again.Tally(id, "tries")
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.JSONEq(t, `{"status":"ok","update":[["n","add",7]]}`, string(stand.Tasks.Results[0]))

	k.step(nField.Add(1))
	require.Empty(t, k.load(0).Pending)
	require.ErrorIs(t, k.journal.Keep(id, "late", []byte("1")), journal.ErrOver, "the task's step is over")
	require.NoError(t, k.journal.SaveResult(id, &result), "nobody counts on it")
	require.Empty(t, k.load(0).Pending)
}

func TestADamagedLogIsToldWithItsPlace(t *testing.T) {
	t.Parallel()
	k := begin(t, journal.Sync, false)
	for i := range 5 {
		k.step(nField.Add(i))
	}
	for name, harm := range map[string]func(*checkpoint.Commit){
		"meta":       func(c *checkpoint.Commit) { c.Meta = []byte(`{"due":{"t":["loop"]},"extra":1}`) },
		"no meta":    func(c *checkpoint.Commit) { c.Meta = nil },
		"body":       func(c *checkpoint.Commit) { c.Body = []byte(`[["n","replace","seven"]]`) },
		"no body":    func(c *checkpoint.Commit) { c.Body = nil },
		"field":      func(c *checkpoint.Commit) { c.Body = []byte(`[["m","replace",7]]`) },
		"both":       func(c *checkpoint.Commit) { c.Body = []byte(`{"state":{},"ops":[]}`) },
		"neither":    func(c *checkpoint.Commit) { c.Body = []byte(`{}`) },
		"other keys": func(c *checkpoint.Commit) { c.Body = []byte(`{"state":{},"stat":{}}`) },
	} {
		l := k.load(0)
		c := l.Commits[4]
		harm(&c)
		l.Commits[4] = c
		_, err := journal.ReadStand(l)
		if err == nil {
			err = journal.Rebuild(layout.NewStore(layout.Fresh()), layout, l.Commits, 0, false)
		}
		require.Error(t, err, name)
		require.Contains(t, err.Error(), "checkpoint 5", name)
	}
}

// FuzzLog reads any bytes as a log: it may refuse them, and must not panic.
func FuzzLog(f *testing.F) {
	f.Add([]byte(`{"due":{"t":["loop",["a",[["n","add",1]]]],"w":[{"to":"c","from":["a","b"],"got":["a"]}],"d":["c"]},"graph":"circle"}`),
		[]byte(`{"state":{"n":1,"log":["x"]},"diff":[["n","add",1]]}`), "r0", []byte(`{"status":"ok","update":[["n","add",7]]}`))
	f.Add([]byte(`{"due":{}}`), []byte(`[["log","append",["a"]]]`), "q0", []byte(`[{"id":"1.0:1","node":"loop","value":1}]`))
	f.Add([]byte(`{"due":{"t":["START"]},"version":3}`), []byte(`{"ops":[],"writes":[]}`), "t0:x", []byte("3"))
	f.Fuzz(func(t *testing.T, meta, body []byte, key string, pending []byte) {
		c := checkpoint.Commit{Seq: 3, Base: 3, Step: 2, Meta: meta, Body: body}
		l := &checkpoint.Loaded{Head: 3, Commits: []checkpoint.Commit{c}, Pending: []checkpoint.Pending{{Key: key, Body: pending}}}
		stand, err := journal.ReadStand(l)
		if err != nil {
			return
		}
		st := layout.NewStore(layout.Fresh())
		if journal.Rebuild(st, layout, l.Commits, stand.Version, true) != nil {
			return
		}
		g := circle()
		m := kernel.NewMachine(g.Plan)
		if m.Resume(st, 3, &stand.Meta.Due, layout) != nil {
			return
		}
		for i, saved := range stand.Tasks.Results {
			_ = m.AcceptSaved(i, saved, layout)
		}
		if m.Open() == 0 {
			m.Advance()
		}
	})
}
