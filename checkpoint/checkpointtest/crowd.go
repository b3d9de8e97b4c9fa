package checkpointtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func crowdChecks() []check {
	return []check{
		{"crowd/hundreds of threads at once", crowdThreads},
		{"crowd/many who wait for one thread, one at a time", crowdQueue},
		{"crowd/many who take one thread over from each other", crowdTakeOver},
		{"crowd/never two commits behind one head", crowdHead},
		{"crowd/readers see appends whole", crowdReaders},
	}
}

// together runs n functions at once and fails with what any of them says.
func together(t require.TestingT, n int, f func(i int) error) {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
}

// extend writes the next commit behind the head of a thread's own log.
func extend(ctx context.Context, s checkpoint.Store, w checkpoint.Writer, thread string) (int64, error) {
	l, err := s.Load(ctx, log(thread), 0)
	if err != nil {
		return 0, err
	}
	next := whole(l.Head + 1)
	if l.Head > 0 {
		next = change(l.Head+1, 1)
	}
	return next.Seq, w.Append(ctx, []checkpoint.Part{behind(l.Head, next)})
}

func crowdThreads(b *bench) {
	const threads, commits = 200, 5
	name := func(i int) string { return fmt.Sprintf("thread %d", i) }
	together(b, threads, func(i int) error {
		w, err := b.store.Claim(b.ctx, name(i), checkpoint.Reject)
		if err != nil {
			return err
		}
		for n := range int64(commits) {
			if seq, err := extend(b.ctx, b.store, w, name(i)); err != nil || seq != n+1 {
				return fmt.Errorf("thread %d: commit %d is number %d: %w", i, n+1, seq, err)
			}
		}
		return w.Release()
	})
	require.Len(b, b.logs(checkpoint.LogQuery{}), threads)
	for i := range threads {
		b.same(chain(commits), b.load(name(i), "", 0).Commits, "a thread among many")
	}
}

func crowdQueue(b *bench) {
	const people, rounds = 8, 6
	var inside atomic.Int32
	together(b, people, func(int) error {
		for range rounds {
			w, err := b.store.Claim(b.ctx, "t", checkpoint.Enqueue)
			if err != nil {
				return err
			}
			if n := inside.Add(1); n != 1 {
				return fmt.Errorf("%d writers of one thread", n)
			}
			_, err = extend(b.ctx, b.store, w, "t")
			inside.Add(-1)
			if err = errors.Join(err, w.Release()); err != nil {
				return err
			}
		}
		return nil
	})
	b.same(chain(people*rounds), b.load("t", "", 0).Commits, "a thread that many wrote in turn")
}

func crowdTakeOver(b *bench) {
	const people, rounds = 6, 6
	var mu sync.Mutex
	var acked []int64
	together(b, people, func(int) error {
		for range rounds {
			w, err := b.store.Claim(b.ctx, "t", checkpoint.TakeOver)
			if err != nil {
				return err
			}
			seq, err := extend(b.ctx, b.store, w, "t")
			switch {
			case err == nil:
				mu.Lock()
				acked = append(acked, seq)
				mu.Unlock()
			case !errors.Is(err, checkpoint.ErrFenced) && !errors.Is(err, checkpoint.ErrConflict):
				return err
			}
			if err := w.Release(); err != nil {
				return err
			}
		}
		return nil
	})
	seen := map[int64]bool{}
	for _, seq := range acked {
		require.False(b, seen[seq], "two writers were told that commit %d is theirs", seq)
		seen[seq] = true
	}
	require.NotEmpty(b, acked, "nobody could write")
	b.same(chain(int64(len(acked))), b.load("t", "", 0).Commits, "a thread that was taken over")
}

func crowdHead(b *bench) {
	const people, rounds = 8, 10
	w := b.claim("t")
	b.append(w, fresh("", whole(1)))
	for head := int64(1); head <= rounds; head++ {
		var wins atomic.Int32
		together(b, people, func(i int) error {
			c := change(head+1+int64(i), 1)
			err := w.Append(b.ctx, []checkpoint.Part{behind(head, c)})
			if err == nil {
				wins.Add(1)
			} else if !errors.Is(err, checkpoint.ErrConflict) {
				return err
			}
			return nil
		})
		require.EqualValues(b, 1, wins.Load(), "commits behind one head")
		b.release(w)
		require.NoError(b, b.store.Delete(b.ctx, "t"))
		w = b.claim("t")
		b.append(w, fresh("", chain(head+1)...))
	}
}

func crowdReaders(b *bench) {
	const rounds = 60
	child := checkpoint.Child("", 1, 0)
	w := b.claim("t")
	b.append(w, fresh("", whole(1)), fresh(child, whole(1)))
	var over atomic.Bool
	heads := func(ns string) (int64, error) {
		l, err := b.store.Load(b.ctx, checkpoint.Log{Thread: "t", NS: ns}, 0)
		if err != nil {
			return 0, err
		}
		if n := int64(len(l.Commits)); n == 0 || l.Commits[n-1].Seq != l.Head || l.Commits[0].Base != l.Commits[0].Seq {
			return 0, fmt.Errorf("head %d with %d commits that do not lead there", l.Head, n)
		}
		if n := len(l.Pending); n != 1 || string(l.Pending[0].Body) != fmt.Sprint(l.Head) {
			return l.Head, fmt.Errorf("behind head %d is pending %v", l.Head, l.Pending)
		}
		return l.Head, nil
	}
	move := func(head int64) error {
		parts := []checkpoint.Part{behind(head, change(head+1, 1)), {NS: child, Head: head, Commits: []checkpoint.Commit{change(head+1, 1)}}}
		for i := range parts {
			parts[i].Pending = []checkpoint.Pending{entry("k", fmt.Sprint(head+1))}
		}
		return w.Append(b.ctx, parts)
	}
	require.NoError(b, move(1))
	together(b, 3, func(i int) error {
		if i == 0 {
			defer over.Store(true)
			for head := int64(2); head < rounds; head++ {
				if err := move(head); err != nil {
					return err
				}
			}
			return nil
		}
		for order := []string{"", child, ""}; !over.Load(); {
			var last int64
			for _, ns := range order {
				head, err := heads(ns)
				if err != nil {
					return err
				}
				if head < last {
					return fmt.Errorf("one log was seen at %d, and after that the other one at %d: half an append", last, head)
				}
				last = head
			}
		}
		return nil
	})
}
