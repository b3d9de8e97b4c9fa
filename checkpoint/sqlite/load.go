package sqlite

import (
	"context"

	"github.com/graphrun/graphrun/checkpoint"
)

const selectRange = commitColumns + bodyColumn + ` FROM commits WHERE log = ? AND seq BETWEEN ? AND ? ORDER BY seq`

// Load returns a commit with all that it rests on, by a scan of one range.
// That no commit of the range is missing is proved: each names the one before
// it.
func (s *Store) Load(ctx context.Context, log checkpoint.Log, at int64) (*checkpoint.Loaded, error) {
	var out *checkpoint.Loaded
	err := s.read(ctx, "loading", func(ctx context.Context, l *link) (err error) {
		out, err = l.load(ctx, log, at)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (l *link) load(ctx context.Context, log checkpoint.Log, at int64) (*checkpoint.Loaded, error) {
	row, err := l.lookUp(ctx, log)
	if err != nil {
		return nil, err
	}
	wanted := stored{}
	switch {
	case at == 0 && row.head == 0:
		return &checkpoint.Loaded{}, nil
	case at == 0 || at == row.head:
		wanted.Seq, wanted.Base = row.head, row.base
	default:
		if wanted, err = l.one(ctx, row, at); err != nil {
			return nil, l.absent(ctx, row, at, err)
		}
	}
	out := &checkpoint.Loaded{Head: row.head}
	if out.Commits, err = l.between(ctx, row, wanted.Base, wanted.Seq); err != nil {
		return nil, err
	}
	if wanted.Seq == row.head {
		out.Pending, err = l.readPending(ctx, row)
	}
	return out, err
}

// lookUp returns the row of a log, one with head 0 if there is none. Looking
// a row or two up is too short to be worth what it costs a driver to watch a
// context.
func (l *link) lookUp(ctx context.Context, log checkpoint.Log) (*logRow, error) {
	ctx = context.WithoutCancel(ctx)
	t, err := l.findThread(ctx, log.Thread)
	if err != nil {
		return nil, err
	}
	row, err := l.findLog(ctx, t, log.NS)
	if err == nil && !row.stored {
		err = l.missing(ctx, t, log.NS)
	}
	return row, err
}

// between returns the commits of a range, of which both ends are there.
func (l *link) between(ctx context.Context, log *logRow, from, to int64) ([]checkpoint.Commit, error) {
	var out []checkpoint.Commit
	err := l.query(ctx, func(r *row) error {
		c, err := l.readCommit(r, log.log(), true)
		if err != nil {
			return err
		}
		if n := len(out); n > 0 && c.prev != out[n-1].Seq {
			return missingCommit(log, c.prev)
		}
		out = append(out, c.Commit)
		return nil
	}, selectRange, log.id, from, to)
	switch {
	case err != nil:
		return nil, err
	case len(out) == 0 || out[0].Seq != from:
		return nil, missingCommit(log, from)
	case out[len(out)-1].Seq != to || out[len(out)-1].Base != from:
		return nil, missingCommit(log, to)
	}
	return out, nil
}

func missingCommit(log *logRow, seq int64) error {
	return corrupt("thread %q, namespace %q: commit %d is missing", log.thread.name, log.ns, seq)
}

const (
	selectBefore = commitColumns + ` FROM commits WHERE log = ? AND seq < ? ORDER BY seq DESC LIMIT 1`
	selectFrom   = commitColumns + ` FROM commits WHERE log = ? AND seq >= ? ORDER BY seq LIMIT 1`
)

// absent proves that a commit which was not found is not there: the next one
// names the one before it. The error is what to say then.
func (l *link) absent(ctx context.Context, log *logRow, at int64, notFound error) error {
	if _, refused := notFound.(*refusal); !refused || at < log.first || at > log.head {
		return notFound
	}
	before, err := l.neighbour(ctx, log, selectBefore, at)
	if err != nil {
		return err
	}
	after, err := l.neighbour(ctx, log, selectFrom, at)
	if err != nil {
		return err
	}
	if before.Seq == 0 || after.Seq == 0 || after.prev != before.Seq {
		return missingCommit(log, at)
	}
	return notFound
}

// neighbour returns the commit that a query finds, an empty one if it finds
// none.
func (l *link) neighbour(ctx context.Context, log *logRow, text string, at int64) (stored, error) {
	var c stored
	err := l.query(ctx, func(r *row) (err error) {
		c, err = l.readCommit(r, log.log(), false)
		return err
	}, text, log.id, at)
	return c, err
}
