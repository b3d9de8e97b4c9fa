package handoffs

import (
	"context"
	"fmt"
	"sync"

	"github.com/graphrun/graphrun/handoffs/bus"
)

// Triggers are served together. A message may fire several of them, each in a
// session of its own.
type Triggers struct {
	List []Trigger
	// Most is how many starts may be at work at once; 0 or less: one. Messages
	// wait meanwhile, and with them who publishes too many.
	Most int
	// Failed is told of a message whose trigger or start failed, and serving
	// goes on; nil: it ends with the first error. It may be called by several
	// goroutines at once.
	Failed func(m bus.Message, err error)
}

// Serve waits for messages and starts a session for each one that fires a
// trigger: start is given its name and the handoff that its first agent begins
// with. A message may come again, behind a crash say, and has the same session
// then: start must do nothing for one that there is already.
//
// Serve ends without an error when the bus is closed, with the context's when
// that ends, and with the first error of a start if there is no Failed. It
// returns when all starts have.
func (t *Triggers) Serve(ctx context.Context, b bus.Bus, start func(ctx context.Context, session string, c Command) error) error {
	if err := checkTriggers(t.List); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	filter := bus.Filter{Types: []string{}}
	for i := range t.List {
		filter.Types = append(filter.Types, t.List[i].On)
	}
	messages, err := b.Subscribe(ctx, filter)
	if err != nil {
		return err
	}
	s := serving{Triggers: t, start: start, stop: stop, slots: make(chan struct{}, max(t.Most, 1))}
	for m := range messages {
		s.message(ctx, m)
	}
	s.running.Wait()
	return context.Cause(ctx)
}

// serving is a Serve at work.
type serving struct {
	*Triggers
	start   func(ctx context.Context, session string, c Command) error
	stop    context.CancelCauseFunc
	slots   chan struct{} // one for each start at work
	running sync.WaitGroup
}

// message starts what a message fires.
func (s *serving) message(ctx context.Context, m bus.Message) {
	for i := range s.List {
		t := &s.List[i]
		session, c, fires, err := t.Fire(&m)
		if err != nil {
			s.failed(m, err)
		}
		if !fires {
			continue
		}
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		s.running.Go(func() {
			defer func() { <-s.slots }()
			if err := s.start(ctx, session, c); err != nil {
				s.failed(m, fmt.Errorf("handoffs: trigger %q: message %q: session %q: %w", t.name(), m.ID, session, err))
			}
		})
	}
}

func (s *serving) failed(m bus.Message, err error) {
	if s.Failed == nil {
		s.stop(err)
		return
	}
	s.Failed(m, err)
}
