package sqlite

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// batchSize is how many requests share a transaction at most.
const batchSize = 64

// request is something that the writer is to do in a transaction. An error
// that is a refusal was found before anything was written.
type request struct {
	do    func(*batch) error
	taken atomic.Bool // the writer has begun with it, or the asker has gone
	done  chan error
}

// writer is the one goroutine of a store that writes. It does what has been
// queued up while it was busy with the transaction before, in one transaction:
// nobody waits for a timer, and many share the cost of one sync.
type writer struct {
	store  *Store
	link   *link
	tables *rowTables
	wake   chan struct{} // has a token when there may be something to do
	ended  chan struct{}

	mu     sync.Mutex
	queue  []*request
	closed bool

	once    sync.Once
	failure error // of closing the connection
}

func newWriter(s *Store, l *link) *writer {
	w := &writer{store: s, link: l, tables: &rowTables{known: map[string]*rowTable{}}, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go w.run()
	return w
}

// submit has do carried out in a transaction, and returns when that is as
// durable as the store promises. If the context ends before the writer has
// begun, it is not carried out at all; after that it no longer counts.
func (w *writer) submit(ctx context.Context, do func(*batch) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{do: do, done: make(chan error, 1)}
	if !w.enqueue(r) {
		return closed()
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		if r.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		return <-r.done
	}
}

func (w *writer) enqueue(r *request) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.queue = append(w.queue, r)
	w.poke()
	return true
}

func (w *writer) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// stop lets the writer finish what it has begun, and ends it.
func (w *writer) stop() {
	w.mu.Lock()
	w.closed = true
	w.poke()
	w.mu.Unlock()
	<-w.ended
}

func (w *writer) run() {
	defer close(w.ended)
	for {
		<-w.wake
		for w.waiting() {
			w.turn()
		}
		if w.drained() {
			return
		}
	}
}

func (w *writer) waiting() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue) > 0 && !w.closed
}

// drained answers what is queued in a store that was closed.
func (w *writer) drained() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		for _, r := range w.queue {
			r.done <- closed()
		}
		w.queue = nil
	}
	return w.closed
}

// turn carries out one batch. The lock of the file is taken first: while
// another process has it, askers may still go away, and more may come.
func (w *writer) turn() {
	err := w.begin()
	requests := w.take()
	if err != nil {
		for _, r := range requests {
			r.done <- err
		}
		return
	}
	w.serve(requests)
}

// take removes the next requests from the queue, save those whose askers have
// gone.
func (w *writer) take() []*request {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(w.queue), batchSize)
	var out []*request
	for _, r := range w.queue[:n] {
		if r.taken.CompareAndSwap(false, true) {
			out = append(out, r)
		}
	}
	rest := copy(w.queue, w.queue[n:])
	clear(w.queue[rest:])
	w.queue = w.queue[:rest]
	return out
}

// serve carries requests out in the transaction that has begun, and answers
// them. If it comes to nothing, each request gets a transaction of its own, so
// that it does not fail for what another one did.
func (w *writer) serve(requests []*request) {
	answers, err := w.attempt(requests)
	switch {
	case err == nil:
		for i, r := range requests {
			r.done <- answers[i]
		}
	case len(requests) == 1:
		requests[0].done <- err
	default:
		w.singly(requests)
	}
}

func (w *writer) singly(requests []*request) {
	for _, r := range requests {
		if err := w.begin(); err != nil {
			r.done <- err
			continue
		}
		w.serve([]*request{r})
	}
}

// attempt does requests in the transaction that has begun and ends it. The
// error is why nothing was written; the answers are for the requests one by
// one.
func (w *writer) attempt(requests []*request) (answers []error, err error) {
	b := newBatch(w.store, w.link, w.tables)
	answers = make([]error, len(requests))
	for i, r := range requests {
		answers[i] = r.do(b)
		var no *refusal
		if answers[i] != nil && !errors.As(answers[i], &no) {
			w.rollback()
			return nil, failed("writing", answers[i])
		}
		if no != nil {
			answers[i] = no.err
		}
	}
	if err = b.flush(); err == nil {
		_, err = w.link.exec(context.Background(), `COMMIT`)
	}
	if err != nil {
		w.rollback()
		return nil, failed("writing", err)
	}
	b.committed()
	return answers, nil
}

func (w *writer) begin() error {
	if err := w.store.present(); err != nil {
		return err
	}
	_, err := w.link.exec(context.Background(), `BEGIN IMMEDIATE`)
	return failed("beginning to write", err)
}

// rollback ends a transaction without a trace. SQLite has done so already
// after some errors, and says so by an error, which means nothing.
func (w *writer) rollback() {
	w.link.exec(context.Background(), `ROLLBACK`)
	w.tables.forget()
}
