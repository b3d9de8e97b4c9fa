package sqlite

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
)

// Writer is the right to write to one thread. It implements
// checkpoint.Writer.
type Writer struct {
	store  *Store
	thread string
	place  int64        // of the thread's bytes in the lock file
	fence  atomic.Int64 // that the thread must have for the Writer to write
	moved  atomic.Bool  // the Writer has moved the fence itself
	unset  bool         // the thread may have a row without having logs

	using    sync.RWMutex // read: while something is submitted
	released bool

	lost chan struct{}
	once sync.Once
}

var _ checkpoint.Writer = (*Writer)(nil)

// Lost is closed when the Writer learns that it was fenced off: at once if
// that was done through the same Store, else with the next Append.
func (w *Writer) Lost() <-chan struct{} { return w.lost }

func (w *Writer) lose() { w.once.Do(func() { close(w.lost) }) }

// gone is what a Writer that was released says.
func (w *Writer) gone() error {
	return at("the writer of thread %q: %w", w.thread, checkpoint.ErrClosed)
}

// Release waits for what the Writer has under way and gives the thread free.
// A thread to which nobody has ever written leaves nothing in the file.
func (w *Writer) Release() error {
	w.using.Lock()
	defer w.using.Unlock()
	if w.released {
		return nil
	}
	w.released = true
	var err error
	if w.unset {
		err = w.store.submit(context.Background(), func(b *batch) error { return b.deleteIfUnbegun(w.thread) })
		if errors.Is(err, checkpoint.ErrClosed) {
			err = nil
		}
	}
	return errors.Join(err, w.store.claims.drop(w.place))
}

// Claim makes the caller the thread's only writer, among all goroutines and
// all processes of this machine.
//
// What keeps others away is a lock of the operating system on a byte of the
// file beside the database, at a place that is a hash of the thread's name: it
// is free at the instant its process dies, and it costs no write to the disk.
// Two threads whose hashes are equal, one in 2^61 pairs, exclude each other as
// if they were one.
//
// Behind the lock stands the fence, a number in the thread's row. A Writer
// knows the number that it found when it had the lock, and each Append
// compares it in its transaction. Only taking over has to move it at once, in
// a transaction of its own: that is the one case where somebody who may still
// write no longer has the right to. In all others the holder of the lock is
// the only one alive who has ever had it, since locks are given back after the
// last Append has ended, or die with their process. So the first Append of a
// Writer moves the fence in its own transaction, which costs no sync of its
// own, and a claim that writes nothing leaves no trace. It does so for the
// case that the lock failed: that the lock file was deleted, or lies on a file
// system where locks do not work. Then the first of two writers to append
// fences the other one off, and the comparison of heads sees to it that the
// log does not fork.
//
// A second byte, the gate, is held by whoever is about to claim, until the
// fence is known. Who takes over keeps it while it waits, so that nobody comes
// in between.
func (s *Store) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	if err := checkpoint.CheckThread(thread); err != nil {
		return nil, err
	}
	w, err := s.claim(ctx, thread, busy)
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (s *Store) claim(ctx context.Context, thread string, busy checkpoint.Busy) (*Writer, error) {
	if s.writer == nil {
		return nil, at("claiming thread %q: %w", thread, ErrReadOnly)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &Writer{store: s, thread: thread, place: hash(thread) &^ 1, lost: make(chan struct{})}
	var err error
	switch busy {
	case checkpoint.Reject:
		err = s.reject(ctx, w)
	case checkpoint.Enqueue:
		err = s.enqueue(ctx, w)
	case checkpoint.TakeOver:
		err = s.takeOver(ctx, w)
	default:
		err = at("claiming thread %q: %d is no way to deal with a busy thread: %w", thread, busy, checkpoint.ErrInvalid)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// gatePatience is how long one who does not want to wait waits for the gate,
// which others keep for some microseconds, unless they are taking over.
const gatePatience = 20 * time.Millisecond

func (s *Store) reject(ctx context.Context, w *Writer) error {
	short, stop := context.WithTimeout(ctx, gatePatience)
	defer stop()
	if err := s.claims.enter(short, w.place); err != nil {
		if ctx.Err() == nil && short.Err() != nil {
			return w.busy("another one is about to take it over")
		}
		return err
	}
	defer s.claims.leave(w.place)
	granted, err := s.grant(ctx, w)
	if err == nil && !granted {
		err = w.busy("it has a writer")
	}
	return err
}

func (s *Store) enqueue(ctx context.Context, w *Writer) error {
	pause := newPause(50 * time.Millisecond)
	for {
		if err := s.claims.enter(ctx, w.place); err != nil {
			return err
		}
		granted, err := s.grant(ctx, w)
		freed := s.claims.freed(w.place)
		s.claims.leave(w.place)
		if granted || err != nil {
			return err
		}
		if err := pause.wait(ctx, freed); err != nil {
			return err
		}
	}
}

// takeOver fences the writer off, then waits for the lock: the old writer can
// do no harm any more, but what it started may still run.
func (s *Store) takeOver(ctx context.Context, w *Writer) error {
	patient, stop := context.WithTimeout(ctx, s.cfg.TakeOverGrace)
	defer stop()
	why := "others have been taking it over for "
	err := s.claims.enter(patient, w.place)
	if err == nil {
		defer s.claims.leave(w.place)
		why = "its writer was fenced off, but has not released it within "
		err = s.force(ctx, patient, w)
	}
	if err != nil && ctx.Err() == nil && patient.Err() != nil {
		return w.busy(why + s.cfg.TakeOverGrace.String())
	}
	return err
}

// force is takeOver within the gate. The patient context is the one to wait
// with.
func (s *Store) force(ctx, patient context.Context, w *Writer) error {
	granted, err := s.grant(ctx, w)
	if granted || err != nil {
		return err
	}
	if err := s.submit(ctx, func(b *batch) error { return b.fenceOff(w) }); err != nil {
		return err
	}
	s.claims.tell(w.place, w.thread)
	pause := newPause(5 * time.Millisecond)
	for {
		freed := s.claims.freed(w.place)
		if granted, err := s.grant(ctx, w); granted || err != nil {
			return err
		}
		if err := pause.wait(patient, freed); err != nil {
			return err
		}
	}
}

// fenceOff moves the fence of a thread, so that its writer can write no more.
func (b *batch) fenceOff(w *Writer) error {
	t, err := b.of(w.thread)
	if err != nil {
		return err
	}
	w.unset = t.logs == 0
	t.fence++
	t.dirty = true
	return nil
}

// grant takes the lock, if it is free, and learns the fence.
func (s *Store) grant(ctx context.Context, w *Writer) (bool, error) {
	granted, err := s.claims.take(w.place, w)
	if err != nil || !granted {
		return false, err
	}
	err = s.read(ctx, "claiming", func(ctx context.Context, l *link) error {
		t, err := l.findThread(context.WithoutCancel(ctx), w.thread)
		if err == nil {
			w.fence.Store(t.fence)
		}
		return err
	})
	if err != nil {
		return false, errors.Join(err, s.claims.drop(w.place))
	}
	return true, nil
}

func (w *Writer) busy(why string) error {
	return at("thread %q: %w: %s", w.thread, checkpoint.ErrBusy, why)
}
