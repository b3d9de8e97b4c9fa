package sqlite

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
)

// batch is what one transaction knows: the rows of threads and logs that its
// requests have seen and changed. They go to the file at the end, once each,
// and with them the pending entries that no commit of the same batch has made
// void: what a task saved and the step folded in meanwhile is never written.
type batch struct {
	*link
	ctx    context.Context // of no asker: a transaction that has begun is ended
	at     int64
	tables *rowTables
	thread map[string]*threadRow
	logs   map[checkpoint.Log]*logRow
	fences map[*Writer]int64 // that writers have from now on
}

// compareLogs orders logs by thread and namespace.
func compareLogs(a, b checkpoint.Log) int {
	return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.NS, b.NS))
}

func newBatch(s *Store, l *link, tables *rowTables) *batch {
	return &batch{
		link: l, ctx: context.Background(), at: s.now().UnixNano(), tables: tables,
		thread: map[string]*threadRow{}, logs: map[checkpoint.Log]*logRow{}, fences: map[*Writer]int64{},
	}
}

// committed tells those concerned what has become true.
func (b *batch) committed() {
	for w, fence := range b.fences {
		w.fence.Store(fence)
		w.moved.Store(true)
	}
}

// of returns the row of a thread as the batch has it.
func (b *batch) of(name string) (*threadRow, error) {
	if t := b.thread[name]; t != nil {
		return t, nil
	}
	t, err := b.findThread(b.ctx, name)
	if err == nil {
		b.thread[name] = t
	}
	return t, err
}

// log returns the row of a log as the batch has it.
func (b *batch) log(t *threadRow, ns string) (*logRow, error) {
	key := checkpoint.Log{Thread: t.name, NS: ns}
	if l := b.logs[key]; l != nil {
		return l, nil
	}
	l, err := b.findLog(b.ctx, t, ns)
	if err == nil {
		b.logs[key] = l
	}
	return l, err
}

// forget drops what the batch knows, after it has been written, when a
// request is about to work on the tables themselves.
func (b *batch) forget() error {
	if err := b.flush(); err != nil {
		return err
	}
	clear(b.thread)
	clear(b.logs)
	return nil
}

const (
	insertThread = `INSERT INTO threads(id, name, fence, logs, sum) VALUES(?,?,?,?,?)`
	updateThread = `UPDATE threads SET fence = ?, logs = ?, sum = ? WHERE id = ?`
	insertLog    = `INSERT INTO logs(thread, ns, head, base, first, commits, pending, sum) VALUES(?,?,0,0,0,0,0,0)`
	updateLog    = `UPDATE logs SET head = ?, base = ?, first = ?, commits = ?, pending = ?, sum = ? WHERE id = ?`
)

// flush writes what is dirty, in an order that does not depend on maps.
func (b *batch) flush() error {
	for _, name := range slices.Sorted(maps.Keys(b.thread)) {
		if err := b.flushThread(b.thread[name]); err != nil {
			return err
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(b.logs), compareLogs) {
		if err := b.flushLog(b.logs[key]); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) flushThread(t *threadRow) error {
	if !t.dirty {
		return nil
	}
	var err error
	if t.stored {
		_, err = b.exec(b.ctx, updateThread, t.fence, t.logs, b.digest.thread(t), t.id)
	} else {
		_, err = b.exec(b.ctx, insertThread, t.id, t.name, t.fence, t.logs, b.digest.thread(t))
	}
	t.stored, t.dirty = true, false
	return err
}

func (b *batch) flushLog(l *logRow) error {
	if !l.dirty {
		return nil
	}
	if err := b.flushPending(l); err != nil {
		return err
	}
	l.dirty = false
	_, err := b.exec(b.ctx, updateLog, l.head, l.base, l.first, l.commits, l.pending, b.digest.log(l), l.id)
	return err
}

// create gives a log its row, and so its id.
func (b *batch) create(l *logRow) (err error) {
	l.id, err = b.insert(b.ctx, insertLog, l.thread.id, l.ns)
	l.stored, l.dirty = true, true
	l.thread.logs++
	l.thread.dirty = true
	return err
}
