package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/stretchr/testify/require"
)

func TestAFullDiskLeavesTheThreadAsItWas(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path, &sqlite.Config{MaxBytes: 400 << 10})
	w, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	head := int64(0)
	for ; err == nil; head++ {
		require.Less(t, head, int64(1000), "it becomes full")
		c := step(head+1, 1)
		err = w.Append(t.Context(), []checkpoint.Part{
			{Head: head, Commits: []checkpoint.Commit{c}, Pending: []checkpoint.Pending{{Key: "k", Body: kilobyte(1)}}},
		})
	}
	head--
	require.ErrorIs(t, err, sqlite.ErrFull)
	require.NotErrorIs(t, err, checkpoint.ErrCorrupt)
	l, err := s.Load(t.Context(), checkpoint.Log{Thread: "t"}, 0)
	require.NoError(t, err)
	require.Equal(t, head, l.Head)
	require.Len(t, l.Pending, 1)
	require.NoError(t, s.Check(t.Context()))
	require.NoError(t, w.Release())
	require.NoError(t, s.Close())
	more, err := open(t, path, nil).Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	grow(t, more, head+1, head+3)
	require.NoError(t, more.Release())
}

func TestAFileThatIsGoneIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x.db")
			s := open(t, path, nil)
			fill(t, s, "t", 1, 1, nil)
			w, err := s.Claim(t.Context(), "t", checkpoint.Reject)
			require.NoError(t, err)
			require.NoError(t, away(path))
			part := checkpoint.Part{Head: 1, Commits: []checkpoint.Commit{step(2, 1)}}
			require.ErrorIs(t, w.Append(t.Context(), []checkpoint.Part{part}), sqlite.ErrGone)
			_, err = s.Load(t.Context(), checkpoint.Log{Thread: "t"}, 0)
			require.ErrorIs(t, err, sqlite.ErrGone)
			require.NoError(t, w.Release())
		})
	}
}

// locked keeps others from writing, until the returned function is called.
func locked(t *testing.T, path string) (unlock func()) {
	t.Helper()
	conn, err := raw(t, path).Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), `BEGIN IMMEDIATE`)
	require.NoError(t, err)
	return func() {
		conn.ExecContext(context.Background(), `ROLLBACK`)
		conn.Close()
	}
}

func TestAnotherWriterIsWaitedFor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path, &sqlite.Config{BusyTimeout: 100 * time.Millisecond})
	w, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	unlock := locked(t, path)
	part := checkpoint.Part{Commits: []checkpoint.Commit{step(1, 1)}}
	require.ErrorIs(t, w.Append(t.Context(), []checkpoint.Part{part}), sqlite.ErrLocked)
	time.AfterFunc(20*time.Millisecond, unlock)
	require.Eventually(t, func() bool { return w.Append(t.Context(), []checkpoint.Part{part}) == nil }, 10*time.Second, time.Millisecond)
	require.NoError(t, w.Release())
}

func TestWhoGivesUpWaitingLeavesNoTrace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path, nil)
	w, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	unlock := locked(t, path)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	part := checkpoint.Part{Commits: []checkpoint.Commit{step(1, 1)}}
	require.ErrorIs(t, w.Append(ctx, []checkpoint.Part{part}), context.DeadlineExceeded)
	unlock()
	grow(t, w, 1, 1)
	require.NoError(t, w.Release())
}

// TestOneBatchHasWinnersAndLosers lets many requests queue up behind another
// process's transaction, so that they are carried out as one.
func TestOneBatchHasWinnersAndLosers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path, &sqlite.Config{MaxBytes: 2 << 20})
	unlock := locked(t, path)
	type result struct {
		i   int
		err error
	}
	results := make(chan result)
	for i := range 30 {
		w, err := s.Claim(t.Context(), string(rune('a'+i)), checkpoint.Reject)
		require.NoError(t, err)
		part := checkpoint.Part{Commits: []checkpoint.Commit{step(1, 1)}}
		switch i % 3 {
		case 1:
			part.Head, part.Commits[0].Seq = 1, 2 // a conflict
		case 2:
			part.Commits[0].Body = bytes.Repeat([]byte("x"), 3<<20) // more than there is room for
		}
		go func() { results <- result{i, w.Append(t.Context(), []checkpoint.Part{part})} }()
	}
	time.AfterFunc(50*time.Millisecond, unlock)
	for range 30 {
		r := <-results
		switch r.i % 3 {
		case 0:
			require.NoError(t, r.err)
		case 1:
			require.ErrorIs(t, r.err, checkpoint.ErrConflict)
		case 2:
			require.ErrorIs(t, r.err, sqlite.ErrFull)
		}
	}
	require.NoError(t, s.Check(t.Context()))
	require.Equal(t, 10, count(t, path, "commits"))
	require.Equal(t, 10, count(t, path, "threads"))
}

func TestCheckFindsWhatReadsHaveNotMetYet(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path, nil)
	fill(t, s, "t", 5, 5, nil)
	fill(t, s, "u", 5, 5, nil)
	run(t, raw(t, path), `UPDATE commits SET body = x'00' WHERE id = 3`, `DELETE FROM commits WHERE id = 8`)
	err := s.Check(t.Context())
	require.ErrorIs(t, err, checkpoint.ErrCorrupt)
	require.ErrorContains(t, err, `thread "t", namespace "", commit 3`)
	require.ErrorContains(t, err, `thread "u", namespace "": commit 3 is missing`)
	_, err = s.Load(t.Context(), checkpoint.Log{Thread: "u"}, 0)
	require.ErrorIs(t, err, checkpoint.ErrCorrupt)
	_, err = s.Load(t.Context(), checkpoint.Log{Thread: "u"}, 3)
	require.ErrorIs(t, err, checkpoint.ErrCorrupt, "it is not that there never was one")
}
