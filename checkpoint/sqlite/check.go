package sqlite

import (
	"context"
	"errors"

	"github.com/graphrun/graphrun/checkpoint"
)

// enough is how many problems Check reports at most.
const enough = 100

const (
	integrity   = `PRAGMA integrity_check(100)`
	allThreads  = `SELECT id, name, fence, logs, sum FROM threads ORDER BY id`
	selectWhole = commitColumns + bodyColumn + ` FROM commits WHERE log = ? ORDER BY seq DESC`
)

// Check reads the whole file and reports, up to a hundred, all places that are
// not as they were written: SQLite's own check of the structure of the file,
// then the checksum of every row, and that no row is missing. What it finds is
// ErrCorrupt. Others may read and write meanwhile.
func (s *Store) Check(ctx context.Context) error {
	return s.read(ctx, "checking", func(ctx context.Context, l *link) error {
		a := &audit{link: l, ctx: ctx}
		for _, part := range [...]func() error{a.structure, a.threads, a.items} {
			if err := a.note(part()); err != nil {
				return err
			}
		}
		return errors.Join(a.problems...)
	})
}

// audit is a check that is under way.
type audit struct {
	*link
	ctx      context.Context
	problems []error
}

// note keeps an error that tells of damage, and returns any other one.
func (a *audit) note(err error) error {
	err = failed("checking", err)
	if err == nil || !errors.Is(err, checkpoint.ErrCorrupt) {
		return err
	}
	if len(a.problems) < enough {
		a.problems = append(a.problems, err)
	}
	return nil
}

func (a *audit) structure() error {
	return a.query(a.ctx, func(r *row) error {
		if text := r.text(); text != "ok" {
			return a.note(corrupt("structure: %s", text))
		}
		return nil
	}, integrity)
}

func (a *audit) threads() error {
	var all []*threadRow
	err := a.query(a.ctx, func(r *row) error {
		t := &threadRow{id: r.int(), name: r.text(), fence: r.int(), logs: r.int(), stored: true}
		if sum := r.int(); r.bad || sum != a.digest.thread(t) {
			return a.note(corrupt("thread %q", t.name))
		}
		all = append(all, t)
		return nil
	}, allThreads)
	if err != nil {
		return err
	}
	for _, t := range all {
		if err := a.note(a.threadLogs(t)); err != nil {
			return err
		}
	}
	return nil
}

func (a *audit) threadLogs(t *threadRow) error {
	logs, err := a.logsOf(a.ctx, t)
	if err != nil {
		return err
	}
	for _, l := range logs {
		if err := a.note(a.commits(l)); err != nil {
			return err
		}
		if _, err := a.readPending(a.ctx, l); a.note(err) != nil {
			return err
		}
	}
	return nil
}

func (a *audit) commits(l *logRow) error {
	next, n := l.head, int64(0)
	err := a.query(a.ctx, func(r *row) error {
		c, err := a.readCommit(r, l.log(), true)
		if err == nil && c.Seq != next {
			err = missingCommit(l, next)
		}
		next = c.prev
		n++
		return err
	}, selectWhole, l.id)
	if err == nil && (next != 0 || n != l.commits) {
		err = corrupt("thread %q, namespace %q: it has %d commits, of which %d are there", l.thread.name, l.ns, l.commits, n)
	}
	return err
}

func (a *audit) items() error {
	return a.query(a.ctx, func(r *row) error {
		_, err := a.readItem(r)
		return a.note(err)
	}, itemColumns)
}
