package checkpointtest

import (
	"context"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func takeOverChecks() []check {
	return []check{
		{"take over/the old writer is fenced off", takeOverFences},
		{"take over/a fenced writer cannot prune", takeOverPrune},
		{"take over/the old writer's release frees nothing of the new one's", takeOverRelease},
		{"take over/one after the other", takeOverChain},
		{"take over/a free thread", takeOverFree},
		{"take over/ends with its context", takeOverEnds},
		{"take over/leaves other threads alone", takeOverApart},
	}
}

// fenced writes with a writer that is being taken over from until he learns
// of it, and checks that he does so by rule.
func (b *bench) fenced(w checkpoint.Writer, head int64) {
	for {
		err := w.Append(b.ctx, []checkpoint.Part{waiting(head, checkpoint.Pending{Key: "nobody"})})
		if err != nil {
			b.refused(err, "an append by a writer who was taken over from", checkpoint.ErrFenced)
			break
		}
		select {
		case <-w.Lost():
		case <-time.After(time.Millisecond):
		}
	}
	select {
	case <-w.Lost():
	default:
		require.Fail(b, "Lost is still open after ErrFenced")
	}
	b.refused(w.Append(b.ctx, []checkpoint.Part{behind(head, whole(head+1))}), "an append by a fenced writer", checkpoint.ErrFenced)
}

// gone checks that a writer who was fenced and has released writes nothing.
func (b *bench) gone(w checkpoint.Writer, head int64) {
	err := w.Append(b.ctx, []checkpoint.Part{behind(head, whole(head+1))})
	b.refused(err, "an append by a writer who is gone", checkpoint.ErrFenced, checkpoint.ErrClosed)
}

func takeOverFences(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1)))
	select {
	case <-w.Lost():
		require.Fail(b, "Lost is closed though nobody took the thread over")
	default:
	}
	done := b.claims(b.ctx, "t", checkpoint.TakeOver)
	b.fenced(w, 1)
	b.release(w)
	v := b.granted(done)
	b.gone(w, 1)
	b.holds("t", "", 1)
	b.append(v, behind(1, change(2, 1)))
	b.gone(w, 2)
	b.holds("t", "", 1, 2)
	b.busy("t")
	b.release(v)
	b.begin("t", behind(2, change(3, 1)))
}

func takeOverPrune(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", chain(3)...))
	done := b.claims(b.ctx, "t", checkpoint.TakeOver)
	b.fenced(w, 3)
	b.refused(w.Prune(b.ctx, "", pruned(2)), "a prune by a fenced writer", checkpoint.ErrFenced)
	b.release(w)
	v := b.granted(done)
	b.refused(w.Prune(b.ctx, "", pruned(2)), "a prune by a writer who is gone", checkpoint.ErrFenced, checkpoint.ErrClosed)
	b.holds("t", "", 1, 2, 3)
	require.NoError(b, v.Prune(b.ctx, "", pruned(2)))
	b.holds("t", "", 2, 3)
}

func takeOverRelease(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1)))
	done := b.claims(b.ctx, "t", checkpoint.TakeOver)
	b.fenced(w, 1)
	b.release(w)
	v := b.granted(done)
	b.release(w)
	b.busy("t")
	b.append(v, behind(1, change(2, 1)))
	select {
	case <-v.Lost():
		require.Fail(b, "the new writer is told that he lost the thread")
	default:
	}
	b.release(v)
	b.release(w)
	b.release(b.claim("t"))
}

func takeOverChain(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1)))
	for head := int64(1); head < 5; head++ {
		done := b.claims(b.ctx, "t", checkpoint.TakeOver)
		b.fenced(w, head)
		b.release(w)
		old := w
		w = b.granted(done)
		b.append(w, behind(head, change(head+1, 1)))
		b.gone(old, head+1)
	}
	b.holds("t", "", 1, 2, 3, 4, 5)
}

func takeOverFree(b *bench) {
	w := b.granted(b.claims(b.ctx, "t", checkpoint.TakeOver))
	b.append(w, fresh("", whole(1)))
	b.busy("t")
	b.release(w)
	v := b.granted(b.claims(b.ctx, "t", checkpoint.TakeOver))
	b.append(v, behind(1, change(2, 1)))
	b.release(v)
}

func takeOverEnds(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1)))
	ctx, stop := context.WithTimeout(b.ctx, 10*time.Millisecond)
	defer stop()
	v, err := b.store.Claim(ctx, "t", checkpoint.TakeOver)
	if err != nil { // the store waits for the old writer to go
		b.refused(err, "a claim whose time is over", context.DeadlineExceeded)
	} else {
		b.release(v)
	}
	b.release(w)
	b.begin("t", behind(1, change(2, 1)))
}

func takeOverApart(b *bench) {
	w, u := b.claim("t"), b.claim("u")
	b.append(w, fresh("", whole(1)))
	done := b.claims(b.ctx, "t", checkpoint.TakeOver)
	b.fenced(w, 1)
	b.append(u, fresh("", whole(1)))
	b.release(w)
	b.append(b.granted(done), behind(1, whole(2)))
	b.append(u, behind(1, whole(2)))
	b.busy("u")
}
