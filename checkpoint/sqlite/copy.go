package sqlite

import (
	"context"

	"github.com/graphrun/graphrun/checkpoint"
)

const (
	selectCommits = `SELECT seq, prev, parent, base, step, source, at, sum, meta, id FROM commits WHERE log = ? ORDER BY seq`
	copyCommit    = `INSERT INTO commits(log, seq, prev, parent, base, step, source, at, sum, meta, body)
	SELECT ?, seq, prev, parent, base, step, source, at, ?, meta, body FROM commits WHERE id = ?`
)

// Copy copies a thread in one transaction, commit by commit, and lets nobody
// else write meanwhile. Times are kept; index rows belong to the
// thread that wrote them and are not copied. Bodies are copied with their
// checksums, without being read: a damaged one is damaged in the copy too.
//
// The thread need not be free, and what has been acknowledged is in the copy.
// If the new thread has a writer who has written nothing so far, his next
// Append fails with ErrConflict.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	for _, thread := range [...]string{from, to} {
		if err := checkpoint.CheckThread(thread); err != nil {
			return err
		}
	}
	return s.submit(ctx, func(b *batch) error { return b.copy(from, to) })
}

func (b *batch) copy(from, to string) error {
	source, err := b.of(from)
	if err != nil {
		return err
	}
	if source.logs == 0 {
		return refuse(checkpoint.ErrNotFound, "thread %q", from)
	}
	target, err := b.of(to)
	if err != nil {
		return err
	}
	if target.logs > 0 {
		return refuse(checkpoint.ErrExists, "thread %q", to)
	}
	if err := b.flush(); err != nil {
		return err
	}
	logs, err := b.logsOf(b.ctx, source)
	if err != nil {
		return err
	}
	target.logs, target.dirty = int64(len(logs)), true
	for _, l := range logs {
		if err := b.copyLog(l, target); err != nil {
			return err
		}
	}
	return b.forget()
}

func (b *batch) copyLog(from *logRow, t *threadRow) (err error) {
	to := *from
	to.thread, to.dirty = t, true
	if to.id, err = b.insert(b.ctx, insertLog, t.id, to.ns); err != nil {
		return err
	}
	if err := b.copyCommits(from, &to); err != nil {
		return err
	}
	entries, err := b.readPending(b.ctx, from)
	if err != nil {
		return err
	}
	to.pending = 0
	to.save(entries)
	return b.flushLog(&to)
}

// copyCommits reads what is small of the commits, and leaves their bodies to
// SQLite.
func (b *batch) copyCommits(from, to *logRow) error {
	type copied struct{ id, sum int64 }
	var todo []copied
	err := b.query(b.ctx, func(r *row) error {
		c, err := b.readCommit(r, from.log(), false)
		if err != nil {
			return err
		}
		todo = append(todo, copied{r.int(), b.digest.commit(to.log(), c.prev, c.at, &c.Commit, bodyPart(c.sum))})
		return nil
	}, selectCommits, from.id)
	if err != nil {
		return err
	}
	if int64(len(todo)) != from.commits {
		return corrupt("thread %q, namespace %q: it has %d commits, of which %d are there", from.thread.name, from.ns, from.commits, len(todo))
	}
	for _, c := range todo {
		if _, err := b.exec(b.ctx, copyCommit, to.id, c.sum, c.id); err != nil {
			return err
		}
	}
	return nil
}
