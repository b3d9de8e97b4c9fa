package sqlite

import (
	"context"
	"errors"

	"github.com/graphrun/graphrun/checkpoint"
)

const (
	deleteThread  = `DELETE FROM threads WHERE id = ?`
	deleteLog     = `DELETE FROM logs WHERE id = ?`
	deleteCommits = `DELETE FROM commits WHERE log = ?`
	selectLogsOf  = `SELECT id, ns, head, base, first, commits, pending, sum FROM logs WHERE thread = ? ORDER BY ns`
	deleteUnbegun = `DELETE FROM threads WHERE name = ? AND logs = 0`
)

// Delete removes a thread, with its index rows, in one transaction. It claims
// the thread for that time, and so fails with ErrBusy if the thread has a
// writer.
func (s *Store) Delete(ctx context.Context, thread string) error {
	if thread == "" {
		return nil
	}
	w, err := s.claim(ctx, thread, checkpoint.Reject)
	if err != nil {
		return err
	}
	err = w.submit(ctx, func(b *batch) error { return b.delete(w) })
	return errors.Join(err, w.Release())
}

func (b *batch) delete(w *Writer) error {
	if _, err := b.fenced(w); err != nil {
		return err
	}
	if err := b.forget(); err != nil {
		return err
	}
	t, err := b.findThread(b.ctx, w.thread)
	if err != nil || !t.stored {
		return err
	}
	logs, err := b.logsOf(b.ctx, t)
	if err != nil {
		return err
	}
	for _, l := range logs {
		if err := b.dropLog(l); err != nil {
			return err
		}
	}
	if err := b.dropRows(t.name); err != nil {
		return err
	}
	_, err = b.exec(b.ctx, deleteThread, t.id)
	return err
}

// logsOf returns the rows of all logs of a thread, by namespace, and makes
// sure that none is missing.
func (l *link) logsOf(ctx context.Context, t *threadRow) ([]*logRow, error) {
	var out []*logRow
	err := l.query(ctx, func(r *row) error {
		log := &logRow{thread: t, id: r.int(), ns: r.text(), stored: true}
		log.head, log.base, log.first, log.commits, log.pending = r.int(), r.int(), r.int(), r.int(), r.int()
		if sum := r.int(); r.bad || sum != l.digest.log(log) {
			return corrupt("thread %q, namespace %q", t.name, log.ns)
		}
		out = append(out, log)
		return nil
	}, selectLogsOf, t.id)
	if err == nil && int64(len(out)) != t.logs {
		err = corrupt("thread %q: it has %d logs, of which %d are there", t.name, t.logs, len(out))
	}
	return out, err
}

// dropLog removes a log with all that is in it.
func (b *batch) dropLog(l *logRow) error {
	for _, text := range [...]string{deleteCommits, wipePending, deleteLog} {
		if _, err := b.exec(b.ctx, text, l.id); err != nil {
			return err
		}
	}
	return nil
}

// deleteIfUnbegun removes the row of a thread that has no logs.
func (b *batch) deleteIfUnbegun(thread string) error {
	if err := b.forget(); err != nil {
		return err
	}
	_, err := b.exec(b.ctx, deleteUnbegun, thread)
	return err
}
