package checkpoint

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// hold claims a thread of which it will be told when it is granted.
func hold(t *testing.T, m *Memory, busy Busy, name string, order chan<- string) {
	go func() {
		w, err := m.Claim(t.Context(), "t", busy)
		if err != nil {
			return
		}
		order <- name
		select { // a writer who works until he is done or fenced off
		case <-w.Lost():
			order <- name + " lost"
		case <-time.After(time.Second):
		}
		_ = w.Release()
	}()
	synctest.Wait()
}

func TestMemoryServesInTurnAndTakeOversFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(nil)
		order := make(chan string, 20)
		hold(t, m, Reject, "first", order)
		hold(t, m, Enqueue, "second", order)
		hold(t, m, Enqueue, "third", order)
		hold(t, m, Reject, "refused", order)
		time.Sleep(500 * time.Millisecond)
		hold(t, m, TakeOver, "over", order)
		hold(t, m, TakeOver, "over again", order)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		close(order)
		var got []string
		for name := range order {
			got = append(got, name)
		}
		require.Equal(t, []string{"first", "first lost", "over", "over lost", "over again", "second", "third"}, got)
		require.Empty(t, m.threads, "threads without commits and without a writer are forgotten")
	})
}

// TestMemoryFencesTheNextOneForHimWhoTakesOver is two who take over at once
// from a writer who is slow to go.
func TestMemoryFencesTheNextOneForHimWhoTakesOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(nil)
		slow, err := m.Claim(t.Context(), "t", Reject)
		require.NoError(t, err)
		order := make(chan string, 20)
		hold(t, m, TakeOver, "a", order)
		hold(t, m, TakeOver, "b", order)
		require.ErrorIs(t, slow.Append(t.Context(), nil), ErrFenced)
		require.NoError(t, slow.Release())
		time.Sleep(5 * time.Second)
		synctest.Wait()
		close(order)
		var got []string
		for name := range order {
			got = append(got, name)
		}
		require.Equal(t, []string{"a", "a lost", "b"}, got)
	})
}

func TestMemoryPassesOnWhatWasGrantedTooLate(t *testing.T) {
	t.Parallel()
	m := NewMemory(nil)
	first, err := m.Claim(t.Context(), "t", Reject)
	require.NoError(t, err)
	th := m.open("t")
	_, wait := th.claim(Enqueue)
	th.mu.Unlock()
	require.NoError(t, first.Release()) // grants it to wait
	th.leave(wait)
	require.Empty(t, m.threads)
}

func TestMemoryForgetsThreadsThatHaveNothing(t *testing.T) {
	t.Parallel()
	m := NewMemory(nil)
	for i := range 100 {
		w, err := m.Claim(t.Context(), fmt.Sprint(i), Reject)
		require.NoError(t, err)
		require.NoError(t, w.Release())
	}
	require.Empty(t, m.threads)
	_, err := m.Claim(t.Context(), "t", TakeOver+1)
	require.ErrorIs(t, err, ErrInvalid)
}

func TestMemoryOpensAnewWhatWasForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	m := NewMemory(nil)
	old := m.open("t")
	old.mu.Unlock()
	m.sweep(old)
	require.True(t, old.dead)
	fresh := m.open("t")
	fresh.mu.Unlock()
	require.NotSame(t, old, fresh)
	require.NoError(t, m.vacate("t"))
	require.Empty(t, m.threads)
}

// TestMemoryTellsTheTime sees that commits have the time at which they were
// made, though the system's clock is read rarely.
func TestMemoryTellsTheTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(nil)
		w, err := m.Claim(t.Context(), "t", Reject)
		require.NoError(t, err)
		for seq := int64(1); seq < 200; seq++ {
			require.NoError(t, w.Append(context.Background(), []Part{{Head: seq - 1, Commits: []Commit{{Seq: seq, Base: seq}}}}))
			l, err := m.Load(t.Context(), Log{Thread: "t"}, seq)
			require.NoError(t, err)
			require.True(t, l.Commits[0].At.Equal(time.Now()), "%v at %v", l.Commits[0].At, time.Now())
			time.Sleep(time.Duration(seq*seq) * 77_777 * time.Nanosecond)
		}
	})
}

func TestMemoryLogGrowsByChunks(t *testing.T) {
	t.Parallel()
	l := &memoryLog{}
	const n = 1000
	for seq := int64(1); seq <= n; seq++ {
		l.add(&Commit{Seq: 2 * seq, Base: max(2, 2*seq/100*100)}, instant{second: seq})
	}
	require.Equal(t, n, l.count)
	require.Less(t, len(l.chunks), 16)
	for seq := int64(0); seq <= 2*n+1; seq++ {
		k := l.get(seq)
		require.Equal(t, seq >= 2 && seq%2 == 0 && seq <= 2*n, k != nil, "commit %d", seq)
		if k != nil {
			require.Equal(t, instant{second: seq / 2}, k.at)
			loaded, ok := l.load(seq)
			require.True(t, ok)
			require.Equal(t, k.base, loaded.Commits[0].Seq)
			require.Equal(t, seq, loaded.Commits[len(loaded.Commits)-1].Seq)
			require.Len(t, loaded.Commits, int(seq-k.base)/2+1)
		}
	}
	c := l.clone()
	_, ok := l.prune(&Commit{Seq: 1001, Base: 1001})
	require.False(t, ok)
	l, ok = l.prune(&Commit{Seq: 1500, Base: 1500})
	require.True(t, ok)
	require.Equal(t, 251, l.count)
	require.Len(t, l.list(&Query{}), 251)
	require.Len(t, c.list(&Query{}), n)
	require.Equal(t, int64(2000), l.base)
}

func TestMemoryItemsDropWhatIsOver(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	m := NewMemoryItems(&MemoryConfig{Now: func() time.Time { return now }})
	for i := range 1000 {
		now = now.Add(time.Second)
		err := m.Put(t.Context(), Item{NS: []string{"a"}, Key: fmt.Sprint(i), Value: []byte(`1`), TTL: 10 * time.Second})
		require.NoError(t, err)
		require.Less(t, len(m.items), 64)
	}
}
