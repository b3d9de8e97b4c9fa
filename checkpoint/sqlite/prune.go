package sqlite

import (
	"context"

	"github.com/graphrun/graphrun/checkpoint"
)

// Prune makes a commit the oldest of its log, in one transaction.
func (w *Writer) Prune(ctx context.Context, ns string, whole *checkpoint.Commit) error {
	if err := checkpoint.CheckWhole(whole); err != nil {
		return err
	}
	if err := checkRows(whole); err != nil {
		return err
	}
	return w.submit(ctx, func(b *batch) error { return b.prune(w, ns, whole) })
}

const (
	selectOne    = commitColumns + ` FROM commits WHERE log = ? AND seq = ?`
	selectRest   = commitColumns + ` FROM commits WHERE log = ? AND seq > ? AND base < ? ORDER BY seq`
	deleteOlder  = `DELETE FROM commits WHERE log = ? AND seq < ?`
	replaceWhole = `UPDATE commits SET prev = 0, parent = ?, base = ?, step = ?, source = ?, at = ?, sum = ?, meta = ?, body = ? WHERE log = ? AND seq = ?`
	restOn       = `UPDATE commits SET base = ?, sum = ? WHERE log = ? AND seq = ?`
)

// prune looks for the commit first: without it nothing is written.
func (b *batch) prune(w *Writer, ns string, whole *checkpoint.Commit) error {
	t, err := b.fenced(w)
	if err != nil {
		return err
	}
	l, err := b.log(t, ns)
	if err != nil {
		return err
	}
	old, err := b.one(b.ctx, l, whole.Seq)
	if err != nil {
		return err
	}
	b.claimed(w, t)
	gone, err := b.exec(b.ctx, deleteOlder, l.id, whole.Seq)
	if err != nil {
		return err
	}
	if err := b.replace(l, whole, old.at); err != nil {
		return err
	}
	if err := b.rebase(l, whole.Seq); err != nil {
		return err
	}
	l.commits -= gone
	l.first, l.dirty = whole.Seq, true
	if l.base < whole.Seq {
		l.base = whole.Seq
	}
	return b.dropBehind(t, ns, whole.Seq)
}

// one returns a commit of a log without its body; it is a refusal with
// ErrNotFound if it is not there.
func (l *link) one(ctx context.Context, log *logRow, seq int64) (stored, error) {
	var c stored
	found := false
	if log.stored {
		err := l.query(ctx, func(r *row) (err error) {
			found = true
			c, err = l.readCommit(r, log.log(), false)
			return err
		}, selectOne, log.id, seq)
		if err != nil {
			return c, err
		}
	}
	if found {
		return c, nil
	}
	if seq != 0 && (seq == log.head || seq == log.first) {
		return c, corrupt("thread %q, namespace %q: commit %d is missing", log.thread.name, log.ns, seq)
	}
	return c, refuse(checkpoint.ErrNotFound, "thread %q, namespace %q, commit %d", log.thread.name, log.ns, seq)
}

// replace writes the whole commit over the one of the same number, which
// keeps the time when it was stored.
func (b *batch) replace(l *logRow, c *checkpoint.Commit, at int64) error {
	sum := b.digest.commit(l.log(), 0, at, c, bodySum(c.Body))
	_, err := b.exec(b.ctx, replaceWhole, c.Parent, c.Base, int64(c.Step), c.Source, at, sum, c.Meta, c.Body, l.id, c.Seq)
	if err != nil {
		return err
	}
	for i := range c.Index {
		if err := b.writeRow(l, c.Seq, &c.Index[i]); err != nil {
			return err
		}
	}
	return nil
}

// rebase lets later commits rest on the whole one, if they rested on an older
// one.
func (b *batch) rebase(l *logRow, whole int64) error {
	var rest []stored
	err := b.query(b.ctx, func(r *row) error {
		c, err := b.readCommit(r, l.log(), false)
		rest = append(rest, c)
		return err
	}, selectRest, l.id, whole, whole)
	if err != nil {
		return err
	}
	for i := range rest {
		c := &rest[i]
		c.Base = whole
		sum := b.digest.commit(l.log(), c.prev, c.at, &c.Commit, bodyPart(c.sum))
		if _, err := b.exec(b.ctx, restOn, whole, sum, l.id, c.Seq); err != nil {
			return err
		}
	}
	return nil
}

// dropBehind removes the logs of tasks behind commits that are gone.
func (b *batch) dropBehind(t *threadRow, ns string, first int64) error {
	if err := b.forget(); err != nil {
		return err
	}
	logs, err := b.logsOf(b.ctx, t)
	if err != nil {
		return err
	}
	for _, l := range logs {
		if seq, within := checkpoint.Within(ns, l.ns); !within || seq >= first {
			continue
		}
		if err := b.dropLog(l); err != nil {
			return err
		}
		t.logs--
		t.dirty = true
	}
	return b.flushThread(t)
}
