package sqlite

import (
	"context"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
)

const (
	selectLogs = `SELECT t.id, t.name, t.fence, t.logs, t.sum,
		l.id, l.ns, l.head, l.base, l.first, l.commits, l.pending, l.sum,
		c.seq, c.prev, c.parent, c.base, c.step, c.source, c.at, c.sum, c.meta
	FROM threads t CROSS JOIN logs l ON l.thread = t.id LEFT JOIN commits c ON c.log = l.id AND c.seq = l.head `
	ownLogs    = selectLogs + `WHERE l.ns = '' AND t.name > ? ORDER BY t.name LIMIT ?`
	threadLogs = selectLogs + `WHERE t.name = ? AND l.ns > ? ORDER BY l.ns LIMIT ?`
	firstLogs  = selectLogs + `WHERE t.name = ? ORDER BY l.ns LIMIT ?`
)

// Logs returns logs with what their newest commits say, and never reads
// bodies.
//
// A log that the damage of a file hides from its index is missing from the
// answer, where Load and List of the same log say ErrCorrupt; see Check.
func (s *Store) Logs(ctx context.Context, q checkpoint.LogQuery) ([]checkpoint.LogInfo, error) {
	limit := int64(-1)
	if q.Limit > 0 {
		limit = int64(q.Limit)
	}
	text, args := ownLogs, []any{q.After.Thread, limit}
	switch {
	case q.Thread == "":
	case q.After.Thread > q.Thread:
		return nil, ctx.Err()
	case q.After.Thread == q.Thread:
		text, args = threadLogs, []any{q.Thread, q.After.NS, limit}
	default:
		text, args = firstLogs, []any{q.Thread, limit}
	}
	var out []checkpoint.LogInfo
	err := s.read(ctx, "listing threads", func(ctx context.Context, l *link) error {
		return l.query(ctx, func(r *row) error {
			info, err := l.readInfo(r)
			out = append(out, info)
			return err
		}, text, args...)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// readInfo reads a row of selectLogs and proves each of its three parts.
func (l *link) readInfo(r *row) (checkpoint.LogInfo, error) {
	t := &threadRow{id: r.int(), name: r.text(), fence: r.int(), logs: r.int()}
	var info checkpoint.LogInfo
	if sum := r.int(); r.bad || sum != l.digest.thread(t) {
		return info, corrupt("thread %q", t.name)
	}
	log := &logRow{thread: t, id: r.int(), ns: r.text(), head: r.int(), base: r.int(), first: r.int(), commits: r.int(), pending: r.int()}
	if sum := r.int(); r.bad || sum != l.digest.log(log) {
		return info, corrupt("thread %q, namespace %q", t.name, log.ns)
	}
	c, err := l.readCommit(r, log.log(), false)
	if err != nil {
		return info, err
	}
	return checkpoint.LogInfo{
		Log: log.log(), Head: log.head, Step: c.Step, Source: c.Source, At: time.Unix(0, c.at).UTC(),
		Meta: c.Meta, Commits: int(log.commits), Pending: int(log.pending),
	}, nil
}
