package journal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
)

// slow is a writer that takes a second for each Append and notes what it got.
type slow struct {
	got  [][]checkpoint.Part
	fail int // the call that fails, from 1
	bang bool
}

func (s *slow) Append(_ context.Context, parts []checkpoint.Part) error {
	time.Sleep(time.Second)
	s.got = append(s.got, append([]checkpoint.Part(nil), parts...))
	if len(s.got) == s.fail {
		if s.bang {
			panic("no disk")
		}
		return errors.New("disk full")
	}
	return nil
}

func (s *slow) Prune(context.Context, string, *checkpoint.Commit) error { return nil }
func (s *slow) Lost() <-chan struct{}                                   { return nil }
func (s *slow) Release() error                                          { return nil }

func commit(seq int64) checkpoint.Part {
	return checkpoint.Part{Head: seq - 1, Commits: []checkpoint.Commit{{Seq: seq}}}
}

func result(head int64, key string) checkpoint.Part {
	return checkpoint.Part{Head: head, Pending: []checkpoint.Pending{{Key: key, Body: []byte("1")}}}
}

func TestAQueueWritesInOrderAndTogetherWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &slow{}
		q := journal.NewQueue(context.Background(), w, journal.Async)
		begun := time.Now()
		for seq := range int64(10) {
			require.NoError(t, q.Later(commit(seq+1)))
			synctest.Wait() // it is being written, or waits
		}
		require.Zero(t, time.Since(begun), "nobody waited")
		require.NoError(t, q.Flush())
		require.Equal(t, 2*time.Second, time.Since(begun))
		require.Len(t, w.got, 2, "the first alone, then all that had come meanwhile")
		require.Len(t, w.got[1], 1)
		require.Len(t, w.got[1][0].Commits, 9)
		require.Equal(t, int64(1), w.got[1][0].Head)
	})
}

func TestWhatACommitMakesNeedlessIsNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &slow{}
		q := journal.NewQueue(context.Background(), w, journal.Sync)
		require.NoError(t, q.Later(result(1, "r0")))
		synctest.Wait()
		require.NoError(t, q.Later(result(1, "r1")))
		require.NoError(t, q.Later(result(1, "r2")))
		require.NoError(t, q.Put(commit(2)))
		require.Len(t, w.got, 2)
		require.Len(t, w.got[0][0].Pending, 1, "it was being written already")
		require.Empty(t, w.got[1][0].Pending)
		require.Len(t, w.got[1][0].Commits, 1)
		require.Equal(t, int64(1), w.got[1][0].Head)
	})
}

func TestBehindAFailureNothingIsWritten(t *testing.T) {
	for _, bang := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := &slow{fail: 2, bang: bang}
			q := journal.NewQueue(context.Background(), w, journal.Async)
			require.NoError(t, q.Put(commit(1)))
			require.NoError(t, q.Later(commit(2)))
			require.NoError(t, q.Later(commit(3)))
			err := q.Flush()
			require.ErrorContains(t, err, map[bool]string{false: "disk full", true: "panic in the store: no disk"}[bang])
			require.Equal(t, err, q.Put(commit(4)))
			require.Equal(t, err, q.Later(commit(5)))
			require.Len(t, w.got, 2)
		})
	}
}

func TestARunThatIsQuickerThanItsStoreWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &slow{}
		q := journal.NewQueue(context.Background(), w, journal.Async)
		begun := time.Now()
		for seq := range int64(10_000) {
			require.NoError(t, q.Later(commit(seq+1)))
		}
		require.GreaterOrEqual(t, time.Since(begun), time.Second)
		require.NoError(t, q.Flush())
		n := 0
		for _, parts := range w.got {
			for _, c := range parts[0].Commits {
				n++
				require.Equal(t, int64(n), c.Seq)
			}
		}
		require.Equal(t, 10_000, n)
	})
}

func TestRowsCountForWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &slow{}
		q := journal.NewQueue(context.Background(), w, journal.Async)
		big := make([]byte, 1<<19)
		row := checkpoint.Row{Table: "big", Key: "k", Columns: []checkpoint.Column{{Name: "text", Value: string(big)}, {Name: "raw", Value: big}, {Name: "n", Value: int64(1)}}}
		for seq := range int64(100) {
			p := commit(seq + 1)
			p.Commits[0].Index = []checkpoint.Row{row}
			require.NoError(t, q.Later(p))
		}
		require.NoError(t, q.Flush())
		for _, parts := range w.got {
			require.LessOrEqual(t, len(parts[0].Commits), 8, "a commit has a megabyte of rows")
		}
	})
}

func TestManyGoroutinesShareAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &slow{}
		q := journal.NewQueue(context.Background(), w, journal.Sync)
		begun := time.Now()
		done := make(chan error)
		for i := range 20 {
			go func() {
				done <- q.Put(checkpoint.Part{NS: fmt.Sprint(i), Commits: []checkpoint.Commit{{Seq: 1}}})
			}()
		}
		for range 20 {
			require.NoError(t, <-done)
		}
		require.LessOrEqual(t, time.Since(begun), 3*time.Second, "what waits is written together")
	})
}
