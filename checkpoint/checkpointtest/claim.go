package checkpointtest

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func claimChecks() []check {
	return []check{
		{"claim/a busy thread rejects", claimReject},
		{"claim/threads are claimed apart", claimApart},
		{"claim/a claim alone makes no thread", claimNothing},
		{"claim/release twice", claimReleaseTwice},
		{"claim/nothing is written after release", claimReleased},
		{"claim/enqueue waits for the release", claimEnqueue},
		{"claim/enqueue ends with its context", claimEnqueueEnds},
		{"claim/who gave up waiting holds nothing", claimGaveUp},
	}
}

// claimed is what a Claim answered that ran on a goroutine of its own.
type claimed struct {
	w   checkpoint.Writer
	err error
}

// claims starts a Claim that may wait.
func (b *bench) claims(ctx context.Context, thread string, busy checkpoint.Busy) <-chan claimed {
	done := make(chan claimed, 1)
	go func() {
		w, err := b.store.Claim(ctx, thread, busy)
		done <- claimed{w, err}
	}()
	return done
}

// granted waits for a Claim that must be granted.
func (b *bench) granted(done <-chan claimed) checkpoint.Writer {
	select {
	case c := <-done:
		require.NoError(b, c.err, "a claim that was waiting")
		return c.w
	case <-b.ctx.Done():
		require.FailNow(b, "a claim hangs")
		return nil
	}
}

// busy checks that a thread has a writer.
func (b *bench) busy(thread string) {
	_, err := b.store.Claim(b.ctx, thread, checkpoint.Reject)
	b.refused(err, "claiming a thread that has a writer", checkpoint.ErrBusy)
}

func claimReject(b *bench) {
	w := b.claim("t")
	b.busy("t")
	b.append(w, fresh("", whole(1)))
	b.busy("t")
	b.release(w)
	w = b.claim("t")
	b.busy("t")
	b.append(w, behind(1, change(2, 1)))
	b.release(w)
}

func claimApart(b *bench) {
	w, v := b.claim("t"), b.claim("u")
	b.append(w, fresh("", whole(1)))
	b.append(v, fresh("", whole(2)))
	b.release(w)
	b.busy("u")
	b.append(v, behind(2, change(3, 2)))
	b.holds("t", "", 1)
	b.holds("u", "", 2, 3)
}

func claimNothing(b *bench) {
	b.release(b.claim("t"))
	require.Empty(b, b.logs(checkpoint.LogQuery{}))
	require.Empty(b, b.logs(checkpoint.LogQuery{Thread: "t"}))
	b.begin("u", fresh("", whole(1)))
	require.NoError(b, b.store.Copy(b.ctx, "u", "t"), "a thread that was claimed, but has nothing, does not exist")
}

func claimReleaseTwice(b *bench) {
	w := b.claim("t")
	b.release(w)
	b.release(w)
	v := b.claim("t")
	b.release(w)
	b.busy("t")
	b.append(v, fresh("", whole(1)))
}

func claimReleased(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", chain(2)...))
	b.release(w)
	b.refused(w.Append(b.ctx, []checkpoint.Part{behind(2, change(3, 1))}), "append after release", checkpoint.ErrClosed)
	b.refused(w.Prune(b.ctx, "", pruned(2)), "prune after release", checkpoint.ErrClosed)
	v := b.claim("t")
	b.refused(w.Append(b.ctx, []checkpoint.Part{behind(2, change(3, 1))}), "append after release", checkpoint.ErrClosed)
	b.holds("t", "", 1, 2)
	b.append(v, behind(2, change(3, 1)))
}

func claimEnqueue(b *bench) {
	w := b.claim("t")
	var free atomic.Bool
	early := make(chan bool, 4)
	for range 4 {
		go func() {
			v, err := b.store.Claim(b.ctx, "t", checkpoint.Enqueue)
			early <- err == nil && !free.Load()
			if err == nil {
				_ = v.Release()
			}
		}()
	}
	head := int64(0)
	for start := time.Now(); time.Since(start) < 20*time.Millisecond; head++ {
		b.append(w, behind(head, whole(head+1)))
	}
	free.Store(true)
	b.release(w)
	for range 4 {
		require.False(b, <-early, "a claim was granted while the thread had a writer")
	}
	b.release(b.granted(b.claims(b.ctx, "t", checkpoint.Enqueue)))
}

func claimEnqueueEnds(b *bench) {
	w := b.claim("t")
	ctx, stop := context.WithCancel(b.ctx)
	done := b.claims(ctx, "t", checkpoint.Enqueue)
	b.append(w, fresh("", whole(1)))
	stop()
	select {
	case c := <-done:
		b.refused(c.err, "a claim whose context ended", context.Canceled)
	case <-b.ctx.Done():
		require.FailNow(b, "a claim outlives its context")
	}
	ctx, stop = context.WithTimeout(b.ctx, time.Millisecond)
	defer stop()
	_, err := b.store.Claim(ctx, "t", checkpoint.Enqueue)
	b.refused(err, "a claim whose time is over", context.DeadlineExceeded)
	b.append(w, behind(1, change(2, 1)))
	b.busy("t")
}

func claimGaveUp(b *bench) {
	for range 20 {
		w := b.claim("t")
		ctx, stop := context.WithCancel(b.ctx)
		gone := b.claims(ctx, "t", checkpoint.Enqueue)
		next := b.claims(b.ctx, "t", checkpoint.Enqueue)
		go stop()
		b.release(w)
		if c := <-gone; c.err == nil { // it was granted before the context ended
			b.release(c.w)
		}
		b.release(b.granted(next))
	}
	b.release(b.claim("t"))
}
