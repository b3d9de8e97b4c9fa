package sqlite

import (
	"context"
	"errors"

	"github.com/graphrun/graphrun/checkpoint"
)

// Append writes all parts or none, in one transaction with the proof that the
// Writer still has the right to and that all heads are the expected ones.
func (w *Writer) Append(ctx context.Context, parts []checkpoint.Part) error {
	if err := checkpoint.CheckParts(parts); err != nil {
		return err
	}
	if err := checkTables(parts); err != nil {
		return err
	}
	return w.submit(ctx, func(b *batch) error { return b.append(w, parts) })
}

// submit has the store's writer do something for this Writer.
func (w *Writer) submit(ctx context.Context, do func(*batch) error) error {
	w.using.RLock()
	defer w.using.RUnlock()
	if w.released {
		return w.gone()
	}
	err := w.store.submit(ctx, do)
	if errors.Is(err, checkpoint.ErrFenced) {
		w.lose()
	}
	return err
}

// append checks everything first: then a refusal leaves the transaction as it
// was.
func (b *batch) append(w *Writer, parts []checkpoint.Part) error {
	t, err := b.fenced(w)
	if err != nil {
		return err
	}
	logs := make([]*logRow, len(parts))
	for i := range parts {
		if logs[i], err = b.expect(t, &parts[i]); err != nil {
			return err
		}
	}
	for i := range parts {
		if err := b.write(w, logs[i], &parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// fenced returns the row of the Writer's thread, if nobody has taken the
// thread over since the Writer claimed it.
func (b *batch) fenced(w *Writer) (*threadRow, error) {
	t, err := b.of(w.thread)
	if err != nil {
		return nil, err
	}
	fence, moved := b.fences[w]
	if !moved {
		fence = w.fence.Load()
	}
	if t.fence != fence {
		return nil, refuse(checkpoint.ErrFenced, "thread %q", w.thread)
	}
	return t, nil
}

// expect returns the log of a part, if the part fits to it.
func (b *batch) expect(t *threadRow, p *checkpoint.Part) (*logRow, error) {
	l, err := b.log(t, p.NS)
	if err != nil {
		return nil, err
	}
	if l.head != p.Head {
		return nil, refuse(checkpoint.ErrConflict, "thread %q, namespace %q: head is %d, not %d", t.name, p.NS, l.head, p.Head)
	}
	if err := checkpoint.CheckBase(p, l.base); err != nil {
		return nil, &refusal{err}
	}
	return l, nil
}

// write does what a part says to its log.
func (b *batch) write(w *Writer, l *logRow, p *checkpoint.Part) error {
	if len(p.Commits) == 0 && len(p.Pending) == 0 {
		return nil
	}
	b.claimed(w, l.thread)
	if !l.stored {
		if err := b.create(l); err != nil {
			return err
		}
	}
	for i := range p.Commits {
		if err := b.extend(l, &p.Commits[i]); err != nil {
			return err
		}
	}
	l.save(p.Pending)
	return nil
}

// claimed moves the fence of a thread on with the first thing that a Writer
// writes. See Store.Claim for why that is early enough.
func (b *batch) claimed(w *Writer, t *threadRow) {
	if _, moved := b.fences[w]; moved || w.moved.Load() {
		return
	}
	t.fence++
	t.dirty = true
	b.fences[w] = t.fence
	b.tables.stale = true
}

// extend puts a commit at the end of a log.
func (b *batch) extend(l *logRow, c *checkpoint.Commit) error {
	if err := b.writeCommit(b.ctx, l, l.head, b.at, c); err != nil {
		return err
	}
	for i := range c.Index {
		if err := b.writeRow(l, c.Seq, &c.Index[i]); err != nil {
			return err
		}
	}
	if l.first == 0 {
		l.first = c.Seq
	}
	l.head, l.base = c.Seq, c.Base
	l.commits++
	l.void()
	return nil
}
