package sqlite

import (
	"context"

	"github.com/graphrun/graphrun/checkpoint"
)

// threadRow is a row of table threads.
type threadRow struct {
	id    int64
	name  string
	fence int64
	logs  int64

	stored bool // it is in the file
	dirty  bool // and is another one there
}

// logRow is a row of table logs.
type logRow struct {
	id      int64
	thread  *threadRow
	ns      string
	head    int64
	base    int64
	first   int64
	commits int64
	pending int64

	stored bool
	dirty  bool
	saves  map[string][]byte // entries that are to be pending, nil to remove one
	wiped  bool              // what is pending in the file is to go
}

func (l *logRow) log() checkpoint.Log { return checkpoint.Log{Thread: l.thread.name, NS: l.ns} }

// spread is how many ids a name can have: the hash and those behind it, for
// the case that names have one hash.
const spread = 8

const (
	selectThread = `SELECT id, fence, logs, sum FROM threads WHERE name = ?`
	selectNames  = `SELECT id, name FROM threads WHERE id BETWEEN ? AND ?`
	selectLog    = `SELECT id, head, base, first, commits, pending, sum FROM logs WHERE thread = ? AND ns = ?`
)

// findThread returns the row of a thread, one that is not stored if there is
// none.
func (l *link) findThread(ctx context.Context, name string) (*threadRow, error) {
	t := &threadRow{name: name}
	var sum int64
	err := l.query(ctx, func(r *row) error {
		t.id, t.fence, t.logs, sum = r.int(), r.int(), r.int(), r.int()
		t.stored = true
		if r.bad || sum != l.digest.thread(t) {
			return corrupt("thread %q", name)
		}
		return nil
	}, selectThread, name)
	if err != nil || t.stored {
		return t, err
	}
	return t, l.placeThread(ctx, t)
}

// placeThread gives a thread that was not found by name the id that it is to
// have. On the way it comes by the row, if there is one: then the index of
// names is damaged.
func (l *link) placeThread(ctx context.Context, t *threadRow) error {
	first := hash(t.name)
	taken := map[int64]bool{}
	err := l.query(ctx, func(r *row) error {
		id, name := r.int(), r.text()
		if r.bad || name == t.name {
			return corrupt("thread %q", t.name)
		}
		taken[id] = true
		return nil
	}, selectNames, first, first+spread-1)
	if err != nil {
		return err
	}
	for t.id = first; taken[t.id]; t.id++ {
	}
	if t.id == first+spread {
		return refuse(checkpoint.ErrInvalid, "thread %q: its hash, %d, is that of %d threads already: choose another name", t.name, first, spread)
	}
	return nil
}

// findLog returns the row of a log of a stored thread, one that is not stored
// if there is none.
func (l *link) findLog(ctx context.Context, t *threadRow, ns string) (*logRow, error) {
	log := &logRow{thread: t, ns: ns}
	if !t.stored {
		return log, nil
	}
	err := l.query(ctx, func(r *row) error {
		log.id, log.head, log.base, log.first = r.int(), r.int(), r.int(), r.int()
		log.commits, log.pending = r.int(), r.int()
		log.stored = true
		if sum := r.int(); r.bad || sum != l.digest.log(log) {
			return corrupt("thread %q, namespace %q", t.name, ns)
		}
		return nil
	}, selectLog, t.id, ns)
	return log, err
}

// countable is how many logs a thread may have for all of them to be looked at
// when that of a task is missed.
const countable = 256

// missing makes sure that a log which was not found is not there: a damaged
// index must not make a thread look new.
func (l *link) missing(ctx context.Context, t *threadRow, ns string) error {
	if t.logs == 0 || ns != "" && t.logs > countable {
		return nil
	}
	logs, err := l.logsOf(ctx, t)
	if err != nil {
		return err
	}
	for _, log := range logs {
		if log.ns == ns {
			return corrupt("thread %q, namespace %q", t.name, ns)
		}
	}
	return nil
}
