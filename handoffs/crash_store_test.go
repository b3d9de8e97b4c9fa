package handoffs_test

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// crashStore is a store that notes the rows for tables that it was given, as a
// store with tables would keep them, and whose writers can be taken from whoever
// has them, as when a process dies.
type crashStore struct {
	checkpoint.Store

	mu      sync.Mutex
	rows    map[string]string // by table and key
	writers []checkpoint.Writer
}

func (s *crashStore) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	w, err := s.Store.Claim(ctx, thread, busy)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writers = append(s.writers, w)
	return &crashWriter{w, s}, nil
}

// release frees all threads.
func (s *crashStore) release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, w := range s.writers {
		err = errors.Join(err, w.Release())
	}
	s.writers = nil
	return err
}

// table returns the rows, sorted.
func (s *crashStore) table() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Values(s.rows))
}

type crashWriter struct {
	checkpoint.Writer
	s *crashStore
}

// Append notes the rows of what was appended.
func (w *crashWriter) Append(ctx context.Context, parts []checkpoint.Part) error {
	if err := w.Writer.Append(ctx, parts); err != nil {
		return err
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	for _, p := range parts {
		for _, c := range p.Commits {
			for _, row := range c.Index {
				w.s.rows[row.Table+" "+row.Key] = row.Table + " " + row.Key + " " + rndJSON(row.Columns)
			}
		}
	}
	return nil
}

// crashBus keeps the messages that were published, each once.
type crashBus struct {
	seen     map[string]bool
	messages []string
}

func (b *crashBus) Publish(_ context.Context, m bus.Message) error {
	if !b.seen[m.ID] {
		b.seen[m.ID] = true
		b.messages = append(b.messages, rndJSON(m))
	}
	return nil
}

func (*crashBus) Subscribe(context.Context, bus.Filter) (iter.Seq[bus.Message], error) {
	return nil, errors.New("nobody subscribes here")
}
