package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/stretchr/testify/require"
)

func count(t *testing.T, path, what string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, raw(t, path).QueryRow(`SELECT count(*) FROM `+what, args...).Scan(&n))
	return n
}

func TestTwoStoresOfOneProcessExcludeEachOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	link := filepath.Join(t.TempDir(), "link.db")
	one := open(t, path, nil)
	require.NoError(t, os.Symlink(path, link))
	two := open(t, link, nil)

	w, err := one.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	for _, s := range []*sqlite.Store{one, two} {
		_, err := s.Claim(t.Context(), "t", checkpoint.Reject)
		require.ErrorIs(t, err, checkpoint.ErrBusy)
		require.ErrorIs(t, s.Delete(t.Context(), "t"), checkpoint.ErrBusy)
	}
	other, err := two.Claim(t.Context(), "u", checkpoint.Reject)
	require.NoError(t, err, "another thread is free")
	require.NoError(t, other.Release())

	taken := make(chan error, 1)
	var taker checkpoint.Writer
	go func() {
		var err error
		taker, err = two.Claim(t.Context(), "t", checkpoint.TakeOver)
		taken <- err
	}()
	require.Eventually(t, func() bool {
		return w.Append(t.Context(), []checkpoint.Part{{}}) != nil
	}, 10*time.Second, time.Millisecond)
	require.ErrorIs(t, w.Append(t.Context(), []checkpoint.Part{{}}), checkpoint.ErrFenced)
	<-w.Lost()
	require.NoError(t, w.Release())
	require.NoError(t, <-taken)
	grow(t, taker, 1, 2)
	require.NoError(t, taker.Release())
}

func TestAClaimAloneLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path, nil)
	w, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), []checkpoint.Part{{}}))
	require.NoError(t, w.Release())
	require.Zero(t, count(t, path, "threads"))

	old, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	go func() {
		<-old.Lost()
		old.Release()
	}()
	w, err = s.Claim(t.Context(), "t", checkpoint.TakeOver)
	require.NoError(t, err)
	require.Equal(t, 1, count(t, path, "threads"), "the old writer must meet a fence")
	require.NoError(t, w.Release())
	require.Zero(t, count(t, path, "threads"))
}

func TestTakingOverTellsTheOldWriterOfTheSameStore(t *testing.T) {
	t.Parallel()
	s := fresh(t, &sqlite.Config{TakeOverGrace: 30 * time.Millisecond})
	old, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	grow(t, old, 1, 1)
	_, err = s.Claim(t.Context(), "t", checkpoint.TakeOver)
	require.ErrorIs(t, err, checkpoint.ErrBusy, "who does not release is not waited for for ever")
	<-old.Lost()
	part := checkpoint.Part{Head: 1, Commits: []checkpoint.Commit{step(2, 1)}}
	require.ErrorIs(t, old.Append(t.Context(), []checkpoint.Part{part}), checkpoint.ErrFenced)
	require.ErrorIs(t, old.Prune(t.Context(), "", &checkpoint.Commit{Seq: 1, Base: 1}), checkpoint.ErrFenced)
	require.NoError(t, old.Release())
	w, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	grow(t, w, 2, 3)
	require.NoError(t, w.Release())
}

func TestNobodyComesInBetweenATakeOver(t *testing.T) {
	t.Parallel()
	s := fresh(t, nil)
	old, err := s.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	taken := make(chan checkpoint.Writer)
	go func() {
		w, _ := s.Claim(t.Context(), "t", checkpoint.TakeOver)
		taken <- w
	}()
	<-old.Lost()
	_, err = s.Claim(t.Context(), "t", checkpoint.Reject)
	require.ErrorContains(t, err, "another one is about to take it over")
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	_, err = s.Claim(ctx, "t", checkpoint.Enqueue)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, old.Release())
	w := <-taken
	require.NotNil(t, w)
	require.NoError(t, w.Release())
}

// TestALostLockFileForksNothing has two writers who both believe in their
// lock: whoever appends first fences the other one off.
func TestALostLockFileForksNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	one := open(t, path, nil)
	fill(t, one, "t", 1, 1, nil)
	w, err := one.Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path+"-lock"))
	_, err = one.Claim(t.Context(), "u", checkpoint.Reject)
	require.ErrorIs(t, err, sqlite.ErrGone)
	require.ErrorContains(t, err, "the file with the locks")

	v, err := open(t, path, nil).Claim(t.Context(), "t", checkpoint.Reject)
	require.NoError(t, err, "the new file knows nothing of the lock")
	grow(t, v, 2, 2)
	part := checkpoint.Part{Head: 2, Commits: []checkpoint.Commit{step(3, 1)}}
	require.ErrorIs(t, w.Append(t.Context(), []checkpoint.Part{part}), checkpoint.ErrFenced, "even with the right head")
	grow(t, v, 3, 3)
	require.NoError(t, v.Release())
	require.NoError(t, w.Release())
}

func TestNoOtherWaysToDealWithABusyThread(t *testing.T) {
	t.Parallel()
	_, err := fresh(t, nil).Claim(t.Context(), "t", 9)
	require.ErrorIs(t, err, checkpoint.ErrInvalid)
}
