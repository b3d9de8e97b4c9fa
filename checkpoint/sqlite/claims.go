package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

// claims are the locks that a store holds in the file beside its database. An
// open file excludes other open files, in this process or another one; within
// the store the maps do.
type claims struct {
	path string

	mu    sync.Mutex
	file  *os.File
	info  os.FileInfo
	ended bool
	held  map[int64]*holder
	gates map[int64]bool
}

// holder is who has a place.
type holder struct {
	writer *Writer
	freed  chan struct{} // closed when it is free
}

func newClaims(path string) *claims {
	return &claims{path: path, held: map[int64]*holder{}, gates: map[int64]bool{}}
}

// take locks a place for a Writer, if it is free.
func (c *claims) take(place int64, w *Writer) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[place] != nil {
		return false, nil
	}
	if ok, err := c.lock(place); !ok {
		return false, err
	}
	c.held[place] = &holder{writer: w, freed: make(chan struct{})}
	return true, nil
}

// drop gives a place back and wakes those of this store who wait for it.
func (c *claims) drop(place int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.held[place]
	if h == nil {
		return nil
	}
	delete(c.held, place)
	close(h.freed)
	return c.unlock(place)
}

// freed returns what is closed when the Writer of this store who has a place
// gives it back; nil if it is in other hands.
func (c *claims) freed(place int64) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.held[place]; h != nil {
		return h.freed
	}
	return nil
}

// tell lets the Writer of this store who has a thread know that it was fenced
// off. One of another thread at the same place goes on.
func (c *claims) tell(place int64, thread string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.held[place]; h != nil && h.writer.thread == thread {
		h.writer.lose()
	}
}

// enter waits until it holds the gate of a place.
func (c *claims) enter(ctx context.Context, place int64) error {
	for pause := newPause(5 * time.Millisecond); ; {
		ok, err := c.tryGate(place)
		if ok || err != nil {
			return err
		}
		if err := pause.wait(ctx, nil); err != nil {
			return err
		}
	}
}

func (c *claims) tryGate(place int64) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gates[place] {
		return false, nil
	}
	if ok, err := c.lock(place | 1); !ok {
		return false, err
	}
	c.gates[place] = true
	return true, nil
}

func (c *claims) leave(place int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.gates, place)
	c.unlock(place | 1)
}

// lock tries to lock a byte, with c.mu held.
func (c *claims) lock(offset int64) (bool, error) {
	if err := c.open(); err != nil {
		return false, err
	}
	ok, err := tryLock(c.file, offset)
	if err != nil {
		return false, at("locking %q: %w", c.path, err)
	}
	return ok, nil
}

func (c *claims) unlock(offset int64) error {
	if c.file == nil {
		return nil
	}
	if err := unlock(c.file, offset); err != nil {
		return at("unlocking %q: %w", c.path, err)
	}
	return nil
}

// open opens the lock file when it is first needed, and makes sure each time
// that others would lock the same one.
func (c *claims) open() error {
	if c.ended {
		return closed()
	}
	if c.file == nil {
		file, err := os.OpenFile(c.path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return lockFile(err)
		}
		if c.info, err = file.Stat(); err != nil {
			return lockFile(errors.Join(err, file.Close()))
		}
		c.file = file
	}
	now, err := os.Stat(c.path)
	switch {
	case err == nil && os.SameFile(now, c.info):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return at("%q, the file with the locks: %w", c.path, ErrGone)
	}
	return lockFile(err)
}

func lockFile(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return at("the file with the locks: %w: %w", ErrReadOnly, err)
	}
	return at("the file with the locks: %w", err)
}

// close gives back all locks with the file.
func (c *claims) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for place, h := range c.held {
		delete(c.held, place)
		close(h.freed)
	}
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	c.file = nil
	return err
}

// pause is how long to wait before looking again: longer each time.
type pause struct{ next, most time.Duration }

func newPause(most time.Duration) *pause { return &pause{next: 100 * time.Microsecond, most: most} }

// wait waits, until something wakes it or the context ends.
func (p *pause) wait(ctx context.Context, wake <-chan struct{}) error {
	timer := time.NewTimer(p.next)
	defer timer.Stop()
	p.next = min(p.next*2, p.most)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-wake:
	case <-timer.C:
	}
	return nil
}
