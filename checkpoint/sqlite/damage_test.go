package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written is what readers saw of a file before it was damaged.
type written struct {
	loads map[checkpoint.Log]*checkpoint.Loaded
	lists map[checkpoint.Log][]checkpoint.Commit
	logs  map[checkpoint.Log]checkpoint.LogInfo
	items map[string]checkpoint.Item
}

// damageable makes a file with all that a file can hold, and closes it.
func damageable(t *testing.T, path string) *written {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	w := &written{
		map[checkpoint.Log]*checkpoint.Loaded{}, map[checkpoint.Log][]checkpoint.Commit{},
		map[checkpoint.Log]checkpoint.LogInfo{}, map[string]checkpoint.Item{},
	}
	for i := range 12 {
		thread := fmt.Sprint("thread ", i)
		fill(t, s, thread, 20, 7, nil)
		behind(t, s, thread)
		for _, ns := range []string{"", checkpoint.Child("", 20, 0)} {
			log := checkpoint.Log{Thread: thread, NS: ns}
			w.loads[log], err = s.Load(t.Context(), log, 0)
			require.NoError(t, err)
			w.lists[log], err = s.List(t.Context(), checkpoint.Query{Log: log, Bodies: true})
			require.NoError(t, err)
		}
		infos, err := s.Logs(t.Context(), checkpoint.LogQuery{Thread: thread})
		require.NoError(t, err)
		for _, info := range infos {
			w.logs[info.Log] = info
		}
		item := checkpoint.Item{NS: []string{"users", thread}, Key: "k", Value: fmt.Appendf(nil, `{"n": %d}`, i)}
		require.NoError(t, s.Items().Put(t.Context(), item))
		w.items[thread], err = s.Items().Get(t.Context(), item.NS, "k")
		require.NoError(t, err)
	}
	require.NoError(t, s.Check(t.Context()))
	require.NoError(t, s.Close())
	return w
}

// behind adds a child's log and something pending to a thread.
func behind(t *testing.T, s *sqlite.Store, thread string) {
	t.Helper()
	c, err := s.Claim(t.Context(), thread, checkpoint.Reject)
	require.NoError(t, err)
	require.NoError(t, c.Append(t.Context(), []checkpoint.Part{
		{Head: 20, Pending: []checkpoint.Pending{{Key: "0", Body: kilobyte(7)}, {Key: "1", Body: []byte("small")}}},
		{NS: checkpoint.Child("", 20, 0), Commits: []checkpoint.Commit{step(1, 1)}},
	}))
	require.NoError(t, c.Release())
}

// sound reports whether an error is what a damaged file may cause.
func sound(err error) bool {
	return errors.Is(err, checkpoint.ErrCorrupt) || errors.Is(err, sqlite.ErrForeign)
}

func TestFlippedBytesAreNeverTakenForData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "sound.db")
	want := damageable(t, path)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	seen := 0
	for round := range 60 {
		bad := bytes.Clone(sound)
		for range 1 + random.IntN(4) {
			bad[random.IntN(len(bad))] ^= byte(1 << random.IntN(8))
		}
		file := filepath.Join(dir, fmt.Sprint(round, ".db"))
		require.NoError(t, os.WriteFile(file, bad, 0o600))
		if want.readBack(t, file) {
			seen++
		}
		if round%3 == 0 {
			want.writeOn(t, file)
		}
		os.Remove(file)
	}
	assert.Greater(t, seen, 30, "most flips hit something that is read")
}

// readBack reads all of a damaged file, and reports whether any read told of
// the damage.
func (w *written) readBack(t *testing.T, file string) bool {
	s, err := sqlite.Open(t.Context(), file, &sqlite.Config{ReadOnly: true})
	if err != nil {
		require.True(t, sound(err), "opening: %v", err)
		return true
	}
	defer s.Close()
	told := false
	judge := func(err error, want, got any, what string) {
		if err != nil {
			require.True(t, sound(err), "%s: %v", what, err)
			told = true
			return
		}
		require.Equal(t, want, got, what)
	}
	for log := range w.loads {
		got, err := s.Load(t.Context(), log, 0)
		judge(err, w.loads[log], got, "load")
		listed, err := s.List(t.Context(), checkpoint.Query{Log: log, Bodies: true})
		judge(err, w.lists[log], listed, "list")
	}
	w.readIndexes(t, s, judge)
	return told
}

// readIndexes reads what goes by an index alone: there a row may be missing,
// but none may be wrong.
func (w *written) readIndexes(t *testing.T, s *sqlite.Store, judge func(error, any, any, string)) {
	infos, err := s.Logs(t.Context(), checkpoint.LogQuery{})
	for _, info := range infos {
		judge(err, w.logs[info.Log], info, "logs")
	}
	if err != nil {
		judge(err, nil, nil, "logs")
	}
	for thread, item := range w.items {
		got, err := s.Items().Get(context.Background(), item.NS, "k")
		if !errors.Is(err, checkpoint.ErrNotFound) {
			judge(err, w.items[thread], got, "item")
		}
	}
}

// writeOn writes to a damaged file: that may succeed or fail, but not end the
// program, and what is read afterwards is proved as before.
func (w *written) writeOn(t *testing.T, file string) {
	s, err := sqlite.Open(t.Context(), file, nil)
	if err != nil {
		require.True(t, sound(err), "opening: %v", err)
		return
	}
	defer s.Close()
	for log, old := range w.loads {
		c, err := s.Claim(t.Context(), log.Thread, checkpoint.Reject)
		if err != nil {
			require.True(t, sound(err), "claiming: %v", err)
			continue
		}
		head := old.Head
		part := checkpoint.Part{NS: log.NS, Head: head, Commits: []checkpoint.Commit{step(head+1, head+1)}}
		if err := c.Append(t.Context(), []checkpoint.Part{part}); err != nil {
			require.True(t, sound(err), "appending: %v", err)
			head--
		}
		if l, err := s.Load(t.Context(), log, 0); err != nil {
			require.True(t, sound(err), "loading: %v", err)
		} else {
			require.Equal(t, head+1, l.Head)
		}
		require.NoError(t, c.Release())
	}
	if err := s.Check(t.Context()); err != nil {
		require.True(t, sound(err), "checking: %v", err)
	}
}
