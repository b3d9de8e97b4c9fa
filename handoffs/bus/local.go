package bus

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
)

// LocalConfig holds what a Local can be given. Nil means its zero value.
type LocalConfig struct {
	// Buffer is how many messages a subscriber may be behind before publishers
	// wait for him; 0: 64; less: none.
	Buffer int
	// Keep is how many messages are kept as an audit trail, the newest ones.
	// Only a message with the ID of one that is kept is known to have come
	// before. 0: 4096; less: none, and then none is dropped.
	Keep int
}

// Local is a Bus within the process. It starts no goroutines. It may be used
// by any number of them at once.
type Local struct {
	buffer, keep int
	closed       chan struct{}

	mu   sync.Mutex
	subs []*subscription      // in the order in which they came
	past []*delivery          // what is kept, oldest first
	byID map[string]*delivery // what is kept and has an id
}

// NewLocal returns a bus without subscribers.
func NewLocal(cfg *LocalConfig) *Local {
	if cfg == nil {
		cfg = &LocalConfig{}
	}
	return &Local{
		buffer: bound(cfg.Buffer, 64), keep: bound(cfg.Keep, 4096),
		closed: make(chan struct{}), byID: map[string]*delivery{},
	}
}

// bound reads a setting: 0 is the usual one, less is none.
func bound(n, usual int) int {
	if n == 0 {
		return usual
	}
	return max(n, 0)
}

// Publish implements Bus. A subscriber who is Buffer messages behind keeps it
// waiting, but does not keep the others from their messages.
func (b *Local) Publish(ctx context.Context, m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	d, err := b.admit(&m)
	if err == nil {
		err = d.run(ctx, b.closed)
	}
	if err != nil {
		return fmt.Errorf("bus: message %q of type %q: %w", m.ID, m.Type, err)
	}
	return nil
}

// admit returns the delivery of a message: the one that was begun if it came
// before.
func (b *Local) admit(m *Message) (*delivery, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isClosed() {
		return nil, ErrClosed
	}
	if d := b.byID[m.ID]; d != nil {
		return d, nil
	}
	d := &delivery{message: *m, turn: make(chan struct{}, 1)}
	for _, s := range b.subs {
		if s.filter.Match(m) {
			d.left = append(d.left, s)
		}
	}
	b.remember(d)
	return d, nil
}

// remember keeps a delivery and forgets the oldest one that is too much.
func (b *Local) remember(d *delivery) {
	if b.keep == 0 {
		return
	}
	if len(b.past) == b.keep {
		delete(b.byID, b.past[0].message.ID)
		b.past[0] = nil
		b.past = b.past[1:]
	}
	b.past = append(b.past, d)
	if d.message.ID != "" {
		b.byID[d.message.ID] = d
	}
}

// Subscribe implements Bus. It fails with ErrClosed.
func (b *Local) Subscribe(ctx context.Context, f Filter) (iter.Seq[Message], error) {
	f.Types = slices.Clone(f.Types)
	s := &subscription{filter: f, messages: make(chan Message, b.buffer), gone: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isClosed() {
		return nil, fmt.Errorf("bus: subscribe: %w", ErrClosed)
	}
	b.subs = append(b.subs, s)
	stop := context.AfterFunc(ctx, func() { b.drop(s) })
	return func(yield func(Message) bool) {
		defer stop()
		defer b.drop(s)
		for {
			m, ok := s.next(ctx, b.closed)
			if !ok || !yield(m) {
				return
			}
		}
	}, nil
}

// drop ends a subscription. Ending it again does nothing.
func (b *Local) drop(s *subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.subs, s); i >= 0 {
		b.subs = slices.Delete(b.subs, i, i+1)
		close(s.gone)
	}
}

// History returns the kept messages that the filter chooses, oldest first: the
// audit trail. One that did not reach all of its subscribers is among them.
func (b *Local) History(f Filter) []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Message
	for _, d := range b.past {
		if f.Match(&d.message) {
			out = append(out, d.message)
		}
	}
	return out
}

// Close ends the bus: publishers that wait fail with ErrClosed, and
// subscribers end when they have taken what is there for them. It returns nil;
// closing again does nothing.
func (b *Local) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.isClosed() {
		close(b.closed)
	}
	return nil
}

// isClosed is asked with mu held.
func (b *Local) isClosed() bool {
	select {
	case <-b.closed:
		return true
	default:
		return false
	}
}
