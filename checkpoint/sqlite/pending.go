package sqlite

import (
	"context"
	"maps"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
)

const (
	insertPending = `INSERT INTO pending(log, key, sum, body) VALUES(?,?,?,?) ON CONFLICT DO NOTHING`
	updatePending = `UPDATE pending SET sum = ?, body = ? WHERE log = ? AND key = ?`
	deletePending = `DELETE FROM pending WHERE log = ? AND key = ?`
	wipePending   = `DELETE FROM pending WHERE log = ?`
	selectPending = `SELECT key, sum, body FROM pending WHERE log = ? ORDER BY key`
)

// save notes entries that are to be pending behind a log.
func (l *logRow) save(entries []checkpoint.Pending) {
	if len(entries) == 0 {
		return
	}
	if l.saves == nil {
		l.saves = make(map[string][]byte, len(entries))
	}
	for i := range entries {
		l.saves[entries[i].Key] = entries[i].Body
	}
	l.dirty = true
}

// void notes that the head has moved: what was pending behind it goes.
func (l *logRow) void() {
	clear(l.saves)
	l.wiped = true
	l.dirty = true
}

// flushPending writes what save and void have noted, and counts it.
func (b *batch) flushPending(l *logRow) error {
	if l.wiped && l.pending > 0 {
		if _, err := b.exec(b.ctx, wipePending, l.id); err != nil {
			return err
		}
		l.pending = 0
	}
	for _, key := range slices.Sorted(maps.Keys(l.saves)) {
		more, err := b.flushEntry(l, key, l.saves[key])
		if err != nil {
			return err
		}
		l.pending += more
	}
	l.wiped = false
	clear(l.saves)
	return nil
}

// flushEntry writes one entry, and tells by how much the number of entries
// changes.
func (b *batch) flushEntry(l *logRow, key string, body []byte) (int64, error) {
	if body == nil {
		gone, err := b.exec(b.ctx, deletePending, l.id, key)
		return -gone, err
	}
	sum := b.digest.pending(l.log(), key, bodySum(body))
	made, err := b.exec(b.ctx, insertPending, l.id, key, sum, body)
	if err != nil || made == 1 {
		return made, err
	}
	_, err = b.exec(b.ctx, updatePending, sum, body, l.id, key)
	return 0, err
}

// readPending returns what is pending behind a log, sorted by key, and makes
// sure that nothing is missing.
func (l *link) readPending(ctx context.Context, log *logRow) ([]checkpoint.Pending, error) {
	if log.pending == 0 {
		return nil, nil
	}
	var out []checkpoint.Pending
	err := l.query(ctx, func(r *row) error {
		p, sum := checkpoint.Pending{Key: r.text()}, r.int()
		if p.Body = r.blob(); p.Body == nil {
			p.Body = []byte{}
		}
		if r.bad || sum != l.digest.pending(log.log(), p.Key, bodySum(p.Body)) {
			return corrupt("thread %q, namespace %q, pending entry %q", log.thread.name, log.ns, p.Key)
		}
		out = append(out, p)
		return nil
	}, selectPending, log.id)
	if err == nil && int64(len(out)) != log.pending {
		err = corrupt("thread %q, namespace %q: %d entries are pending, of which %d are there", log.thread.name, log.ns, log.pending, len(out))
	}
	return out, err
}
