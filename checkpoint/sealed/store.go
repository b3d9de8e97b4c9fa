package sealed

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
)

// New returns a store that keeps in s what can be read with a key only.
// What is sealed, with AES-256-GCM, is the Meta and the Body of every commit
// and the Body of every pending entry. Names of threads and namespaces,
// numbers, steps, sources, times and the keys of pending entries stay
// readable. The config is copied; what is wrong with it is ErrInvalid.
//
// Everything is bound to its place: thread, namespace and number of its
// commit, what it is, and a commit's parent, step and source. What was changed
// or moved is ErrCorrupt; what none of the keys opens is ErrKey. What sealing
// cannot show is that something is missing: the newest commits, say, or a
// whole thread.
//
// Nonces are random, so that the same commit is never stored as the same
// bytes. A thread can have 2³² things sealed with one key.
//
// To change keys, give the new one beside the old one and let Key name it.
// What is stored stays sealed with the key of its time, which must be kept.
// Copy seals what it copies with the newest.
//
// Copy has to seal everything for its new thread, and so reads the whole
// thread into memory and appends it at once: after a crash all of it is there
// or nothing. It copies what it has read twice the same, so that it is of one
// moment; a thread that never stands still for so long is ErrBusy. Commits
// keep their times. Rows, which no store returns, are not copied.
func New(s checkpoint.Store, cfg *Config) (checkpoint.Store, error) {
	if s == nil {
		return nil, fmt.Errorf("sealed: %w: there is no store to keep what is sealed", checkpoint.ErrInvalid)
	}
	ring, err := newKeyring(cfg)
	if err != nil {
		return nil, err
	}
	return &sealedStore{store: s, ring: ring, plainRows: cfg.PlainRows}, nil
}

type sealedStore struct {
	store     checkpoint.Store
	ring      *keyring
	plainRows bool
}

// box returns the box of a thread.
func (s *sealedStore) box(thread string) (*box, error) { return newBox(s.ring, "thread "+thread) }

func (s *sealedStore) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	b, err := s.box(thread)
	if err != nil {
		return nil, err
	}
	w, err := s.store.Claim(ctx, thread, busy)
	if err != nil {
		return nil, err
	}
	return &sealedWriter{Writer: w, store: s, box: b, thread: thread}, nil
}

func (s *sealedStore) Load(ctx context.Context, log checkpoint.Log, at int64) (*checkpoint.Loaded, error) {
	b, err := s.box(log.Thread)
	if err != nil {
		return nil, err
	}
	sealed, err := s.store.Load(ctx, log, at)
	if err != nil {
		return nil, err
	}
	plain := &checkpoint.Loaded{Head: sealed.Head}
	if plain.Commits, err = b.openCommits(log.NS, sealed.Commits, true); err == nil {
		plain.Pending, err = b.openPending(log.NS, sealed.Head, sealed.Pending)
	}
	if err != nil {
		return nil, fmt.Errorf("sealed: thread %q, namespace %q: %w", log.Thread, log.NS, err)
	}
	return plain, nil
}

func (s *sealedStore) List(ctx context.Context, q checkpoint.Query) ([]checkpoint.Commit, error) {
	b, err := s.box(q.Thread)
	if err != nil {
		return nil, err
	}
	sealed, err := s.store.List(ctx, q)
	if err != nil {
		return nil, err
	}
	plain, err := b.openCommits(q.NS, sealed, q.Bodies)
	if err != nil {
		return nil, fmt.Errorf("sealed: thread %q, namespace %q: %w", q.Thread, q.NS, err)
	}
	return plain, nil
}

func (s *sealedStore) Logs(ctx context.Context, q checkpoint.LogQuery) ([]checkpoint.LogInfo, error) {
	sealed, err := s.store.Logs(ctx, q)
	if err != nil {
		return nil, err
	}
	plain := make([]checkpoint.LogInfo, len(sealed))
	var b *box
	for i, info := range sealed {
		if b == nil || info.Thread != sealed[i-1].Thread {
			if b, err = s.box(info.Thread); err != nil {
				return nil, err
			}
		}
		c := checkpoint.Commit{Seq: info.Head, Step: info.Step, Source: info.Source, At: info.At, Meta: info.Meta}
		if err := b.openMeta(info.NS, &c); err != nil {
			return nil, fmt.Errorf("sealed: thread %q, namespace %q: %w", info.Thread, info.NS, err)
		}
		info.Meta, info.At = c.Meta, c.At
		plain[i] = info
	}
	return plain, nil
}

func (s *sealedStore) Delete(ctx context.Context, thread string) error {
	return s.store.Delete(ctx, thread)
}

func metaPlace(ns string, c *checkpoint.Commit) []byte {
	return place("meta", ns, []int64{c.Seq, int64(c.Step)}, c.Source)
}

func bodyPlace(ns string, c *checkpoint.Commit) []byte {
	return place("body", ns, []int64{c.Seq, c.Parent})
}

func pendingPlace(ns string, head int64, key string) []byte {
	return place("pending", ns, []int64{head}, key)
}

// A sealed Meta begins with the time of the commit if that is not the one the
// store knows, for the commit was copied.
const (
	timeOfStore = 0
	timeWithin  = 1
	timeSize    = 16 // seconds, nanoseconds
)

// sealCommit returns a commit as it is stored; at is its time, or nil for
// the store's.
func (b *box) sealCommit(ns string, c checkpoint.Commit, at *instant) checkpoint.Commit {
	meta := []byte{timeOfStore}
	if at != nil {
		meta = binary.BigEndian.AppendUint64([]byte{timeWithin}, uint64(at.second))
		meta = binary.BigEndian.AppendUint64(meta, uint64(at.nano))
	}
	c.Meta = b.seal(metaPlace(ns, &c), append(meta, c.Meta...))
	c.Body = b.seal(bodyPlace(ns, &c), c.Body)
	return c
}

// openMeta opens the Meta of a commit, and sets its time.
func (b *box) openMeta(ns string, c *checkpoint.Commit) error {
	plain, err := b.open(metaPlace(ns, c), c.Meta)
	if err != nil {
		return fmt.Errorf("commit %d: its meta: %w", c.Seq, err)
	}
	at, meta, err := splitMeta(plain)
	if err != nil {
		return fmt.Errorf("commit %d: its meta: %w", c.Seq, err)
	}
	if c.Meta = meta; at != nil {
		c.At = at.time()
	}
	return nil
}

// splitMeta returns the time within an opened Meta, nil if it has none, and
// the rest.
func splitMeta(plain []byte) (*instant, []byte, error) {
	switch {
	case len(plain) >= 1 && plain[0] == timeOfStore:
		return nil, plain[1:], nil
	case len(plain) >= 1+timeSize && plain[0] == timeWithin:
		second, nano := binary.BigEndian.Uint64(plain[1:]), binary.BigEndian.Uint64(plain[9:])
		return &instant{int64(second), int64(nano)}, plain[1+timeSize:], nil
	}
	return nil, nil, fmt.Errorf("%w: it does not say whose time counts", checkpoint.ErrCorrupt)
}

// openCommits returns commits as they were given.
func (b *box) openCommits(ns string, sealed []checkpoint.Commit, bodies bool) ([]checkpoint.Commit, error) {
	plain := make([]checkpoint.Commit, len(sealed))
	for i, c := range sealed {
		if err := b.openMeta(ns, &c); err != nil {
			return nil, err
		}
		if bodies {
			body, err := b.open(bodyPlace(ns, &c), c.Body)
			if err != nil {
				return nil, fmt.Errorf("commit %d: its body: %w", c.Seq, err)
			}
			c.Body = body
		}
		plain[i] = c
	}
	return plain, nil
}

// openPending returns what is pending behind a head as it was given.
func (b *box) openPending(ns string, head int64, sealed []checkpoint.Pending) ([]checkpoint.Pending, error) {
	plain := make([]checkpoint.Pending, len(sealed))
	for i, p := range sealed {
		body, err := b.open(pendingPlace(ns, head, p.Key), p.Body)
		if err != nil {
			return nil, fmt.Errorf("what is pending behind commit %d as %q: %w", head, p.Key, err)
		}
		plain[i] = checkpoint.Pending{Key: p.Key, Body: body}
	}
	return plain, nil
}
