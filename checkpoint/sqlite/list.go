package sqlite

import (
	"context"

	"github.com/graphrun/graphrun/checkpoint"
)

const (
	newestFirst   = ` FROM commits WHERE log = ? AND seq <= ? ORDER BY seq DESC LIMIT ?`
	selectList    = commitColumns + newestFirst
	selectListAll = commitColumns + bodyColumn + newestFirst
)

// List returns commits, newest first. Without bodies their pages are not
// touched. That no commit is missing is proved: each names the one before it.
func (s *Store) List(ctx context.Context, q checkpoint.Query) ([]checkpoint.Commit, error) {
	var out []checkpoint.Commit
	err := s.read(ctx, "listing", func(ctx context.Context, l *link) (err error) {
		out, err = l.list(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (l *link) list(ctx context.Context, q checkpoint.Query) ([]checkpoint.Commit, error) {
	log, err := l.lookUp(ctx, q.Log)
	if err != nil || log.head == 0 || q.Before < 0 {
		return nil, err
	}
	next, err := l.startOf(ctx, log, q.Before)
	if err != nil {
		return nil, err
	}
	text, limit := selectList, int64(-1)
	if q.Bodies {
		text = selectListAll
	}
	if q.Limit > 0 {
		limit = int64(q.Limit)
	}
	var out []checkpoint.Commit
	err = l.query(ctx, func(r *row) error {
		c, err := l.readCommit(r, q.Log, q.Bodies)
		if err == nil && c.Seq != next {
			err = missingCommit(log, next)
		}
		next = c.prev
		out = append(out, c.Commit)
		return err
	}, text, log.id, next, limit)
	if err == nil && next != 0 && (limit < 0 || int64(len(out)) < limit) {
		err = missingCommit(log, next)
	}
	return out, err
}

// startOf returns the number of the newest commit before another one, 0 if
// there is none.
func (l *link) startOf(ctx context.Context, log *logRow, before int64) (int64, error) {
	if before == 0 || before > log.head {
		return log.head, nil
	}
	if before <= log.first {
		return 0, nil
	}
	after, err := l.neighbour(ctx, log, selectFrom, before)
	if err == nil && after.Seq == 0 {
		err = missingCommit(log, log.head)
	}
	return after.prev, err
}
