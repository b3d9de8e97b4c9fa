package checkpoint

import (
	"context"
	"fmt"
)

// memoryWriter is a Writer of a thread in memory. All but lost is guarded by
// the thread's lock.
type memoryWriter struct {
	thread   *thread
	lost     chan struct{}
	fenced   bool
	released bool
	clock    clock

	ns   string     // of the log that was used last
	last *memoryLog // nil: none
}

// Append writes all parts or none.
func (w *memoryWriter) Append(ctx context.Context, parts []Part) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: appending to thread %q: %w", w.thread.name, err)
	}
	if err := CheckParts(parts); err != nil {
		return err
	}
	w.thread.mu.Lock()
	defer w.thread.mu.Unlock()
	if err := w.right(); err != nil {
		return err
	}
	for i := range parts {
		if err := w.fits(&parts[i]); err != nil {
			return err
		}
	}
	for i := range parts {
		w.take(&parts[i])
	}
	return nil
}

// right reports whether the writer may still write.
func (w *memoryWriter) right() error {
	switch {
	case w.fenced:
		return fmt.Errorf("checkpoint: thread %q: %w", w.thread.name, ErrFenced)
	case w.released:
		return fmt.Errorf("checkpoint: the writer of thread %q: %w", w.thread.name, ErrClosed)
	}
	return nil
}

// log returns the log of a namespace, nil if it has none.
func (w *memoryWriter) log(ns string) *memoryLog {
	if w.last == nil || w.ns != ns {
		w.ns, w.last = ns, w.thread.logs[ns]
	}
	return w.last
}

// fits reports whether a part goes on from the head of its log.
func (w *memoryWriter) fits(p *Part) error {
	var head, base int64
	if l := w.log(p.NS); l != nil {
		head, base = l.head, l.base
	}
	if p.Head != head {
		return fmt.Errorf("checkpoint: thread %q, namespace %q: %w: its head is %d, not %d", w.thread.name, p.NS, ErrConflict, head, p.Head)
	}
	return CheckBase(p, base)
}

// take writes a part that fits.
func (w *memoryWriter) take(p *Part) {
	l := w.log(p.NS)
	if len(p.Commits) > 0 {
		if l == nil {
			l = &memoryLog{}
			w.thread.logs[p.NS], w.last = l, l
		}
		at := w.clock.time()
		for i := range p.Commits {
			l.add(&p.Commits[i], at)
		}
		l.pending = nil
	}
	for i := range p.Pending {
		l.keep(&p.Pending[i])
	}
}

// Prune makes a commit the oldest of its log. It keeps its time.
func (w *memoryWriter) Prune(ctx context.Context, ns string, whole *Commit) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: pruning thread %q: %w", w.thread.name, err)
	}
	if err := CheckWhole(whole); err != nil {
		return err
	}
	t := w.thread
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := w.right(); err != nil {
		return err
	}
	l := w.log(ns)
	if l == nil {
		return missing(Log{Thread: t.name, NS: ns}, whole.Seq)
	}
	pruned, ok := l.prune(whole)
	if !ok {
		return missing(Log{Thread: t.name, NS: ns}, whole.Seq)
	}
	t.logs[ns], w.last = pruned, pruned
	for other := range t.logs {
		if seq, inside := Within(ns, other); inside && seq < whole.Seq {
			delete(t.logs, other)
		}
	}
	return nil
}

// Lost is closed when another writer takes the thread over.
func (w *memoryWriter) Lost() <-chan struct{} { return w.lost }

// fence keeps the writer from writing; the thread's lock is held.
func (w *memoryWriter) fence() {
	if !w.fenced {
		w.fenced = true
		close(w.lost)
	}
}

// Release gives the thread to the next one who waits for it. It never fails.
func (w *memoryWriter) Release() error {
	t := w.thread
	t.mu.Lock()
	if w.released {
		t.mu.Unlock()
		return nil
	}
	w.released, w.last = true, nil
	t.next()
	idle := t.writer == nil && len(t.logs) == 0
	t.mu.Unlock()
	if idle {
		t.store.sweep(t)
	}
	return nil
}
