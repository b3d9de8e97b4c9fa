package journal

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/graphrun/graphrun/checkpoint"
)

// Mode says when commits are written.
type Mode uint8

// The modes.
const (
	Sync  Mode = iota // a step is saved before the next one starts
	Async             // steps are saved in order while the run goes on
	Exit              // only where the run ends
)

// The queue holds so much before a run that is quicker than the store waits.
const (
	mostQueued = 4096
	mostBytes  = 8 << 20
)

// Queue writes the parts that the journals of one thread make, in order. When
// a write has failed nothing more is written, and every call tells why.
type Queue struct {
	ctx    context.Context
	writer checkpoint.Writer
	mode   Mode

	mu      sync.Mutex
	idle    sync.Cond         // broadcast when a write has ended
	waiting []checkpoint.Part // one per namespace, in the order in which they began
	entries int
	bytes   int
	writing bool
	err     error
}

// NewQueue returns a queue that writes through w. The end of ctx does not stop
// it: what is done is saved.
func NewQueue(ctx context.Context, w checkpoint.Writer, mode Mode) *Queue {
	q := &Queue{ctx: context.WithoutCancel(ctx), writer: w, mode: mode}
	q.idle.L = &q.mu
	return q
}

// Put writes a part, behind all that waits, and returns when it is stored.
func (q *Queue) Put(p checkpoint.Part) error { return q.put(&[1]checkpoint.Part{p}) }

// put is Put for a part whose memory is used again and again.
func (q *Queue) put(one *[1]checkpoint.Part) error {
	q.mu.Lock()
	if q.err == nil && !q.writing && len(q.waiting) == 0 {
		q.writing = true
		q.mu.Unlock()
		err := q.append(one[:])
		q.mu.Lock()
		q.written(err)
		if len(q.waiting) > 0 {
			q.begin()
		}
		err = q.err
		q.mu.Unlock()
		return err
	}
	q.add(one[0])
	q.mu.Unlock()
	return q.Flush()
}

// Later writes a part soon, behind all that waits. It waits only if the store
// is far behind. Errors come up in later calls.
func (q *Queue) Later(p checkpoint.Part) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.err == nil && (q.entries >= mostQueued || q.bytes >= mostBytes) {
		q.idle.Wait()
	}
	q.add(p)
	if !q.writing {
		q.begin()
	}
	return q.err
}

// Hold keeps a part until something else is written, and writes it with that,
// all or nothing. It takes the place of what is held for the same namespace; a
// part without commits and entries just removes that.
func (q *Queue) Hold(p checkpoint.Part) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(w checkpoint.Part) bool { return w.NS == p.NS })
	if len(p.Commits)+len(p.Pending) > 0 {
		q.add(p)
	}
}

// Held returns what is held for a namespace; false if nothing is.
func (q *Queue) Held(ns string) (checkpoint.Part, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting {
		if w.NS == ns && q.mode == Exit {
			return w, true
		}
	}
	return checkpoint.Part{}, false
}

// Flush waits until everything is written.
func (q *Queue) Flush() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.err == nil && (q.writing || len(q.waiting) > 0) {
		if !q.writing {
			q.begin()
		}
		q.idle.Wait()
	}
	for q.writing { // after an error too: the caller may release the writer now
		q.idle.Wait()
	}
	return q.err
}

// Settle waits until everything is written that does not wait for the end.
func (q *Queue) Settle() error {
	if q.mode == Exit {
		return nil
	}
	return q.Flush()
}

// begin writes all that waits on a goroutine of its own; q.mu is held.
func (q *Queue) begin() {
	q.writing = true
	go func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.writing = false
		for q.err == nil && len(q.waiting) > 0 {
			parts := q.waiting
			q.waiting, q.entries, q.bytes, q.writing = nil, 0, 0, true
			q.mu.Unlock()
			err := q.append(parts)
			q.mu.Lock()
			q.written(err)
		}
		q.idle.Broadcast()
	}()
}

// append calls the store; a panic becomes an error.
func (q *Queue) append(parts []checkpoint.Part) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the store: %v", p)
		}
	}()
	return q.writer.Append(q.ctx, parts)
}

// written notes how a write came out; q.mu is held.
func (q *Queue) written(err error) {
	q.writing = false
	if err != nil && q.err == nil {
		q.err = err
		q.waiting = nil
	}
	q.idle.Broadcast()
}

// add puts a part behind what waits; q.mu is held. What was pending behind a
// commit that another one follows is not written at all.
func (q *Queue) add(p checkpoint.Part) {
	if q.err != nil {
		return
	}
	q.entries += len(p.Commits) + len(p.Pending)
	for i := range p.Commits {
		q.bytes += len(p.Commits[i].Meta) + len(p.Commits[i].Body) + weight(p.Commits[i].Index)
	}
	for i := range p.Pending {
		q.bytes += len(p.Pending[i].Body)
	}
	for i := range q.waiting {
		w := &q.waiting[i]
		if w.NS != p.NS {
			continue
		}
		if len(p.Commits) > 0 {
			w.Commits, w.Pending = append(w.Commits, p.Commits...), p.Pending
			return
		}
		w.Pending = append(w.Pending, p.Pending...)
		return
	}
	p.Commits = append([]checkpoint.Commit(nil), p.Commits...) // the caller's array is used again
	q.waiting = append(q.waiting, p)
}
