package sqlite

import (
	"context"
	"sync"
)

// parallel is how many may read at the same time.
const parallel = 4

// readers are connections that read, made when they are needed.
type readers struct {
	open func(ctx context.Context) (*link, error)
	free chan *link // nil: one that is still to be opened

	mu    sync.Mutex
	ended chan struct{}
	done  bool
}

func newReaders(open func(ctx context.Context) (*link, error)) *readers {
	r := &readers{open: open, free: make(chan *link, parallel), ended: make(chan struct{})}
	for range parallel {
		r.free <- nil
	}
	return r
}

// get waits for a connection. It must be put back.
func (r *readers) get(ctx context.Context) (*link, error) {
	select {
	case <-r.ended:
		return nil, closed()
	default:
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.ended:
		return nil, closed()
	case l := <-r.free:
		if l != nil {
			return l, nil
		}
		l, err := r.open(ctx)
		if err != nil {
			r.free <- nil
		}
		return l, err
	}
}

// put gives a connection back, nil in place of one that must not be used any
// more.
func (r *readers) put(l *link) {
	select {
	case r.free <- l:
	default: // the first connection of a store, for which a place is free
		<-r.free
		r.free <- l
	}
}

// close waits for those who read, and ends all connections.
func (r *readers) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return nil
	}
	r.done = true
	close(r.ended)
	var first error
	for range parallel {
		if l := <-r.free; l != nil {
			if err := l.close(); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

// read calls f with a connection, in a transaction: what f sees is the file
// as it was at one moment.
func (s *Store) read(ctx context.Context, what string, f func(ctx context.Context, l *link) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.present(); err != nil {
		return err
	}
	l, err := s.readers.get(ctx)
	if err != nil {
		return failed(what, err)
	}
	err = l.snapshot(ctx, f)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	s.readers.put(l)
	return failed(what, err)
}

// snapshot calls f in a transaction that reads.
func (l *link) snapshot(ctx context.Context, f func(ctx context.Context, l *link) error) error {
	if _, err := l.exec(context.Background(), `BEGIN`); err != nil {
		return err
	}
	defer l.exec(context.Background(), `ROLLBACK`)
	return f(ctx, l)
}
