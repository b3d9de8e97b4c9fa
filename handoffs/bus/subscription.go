package bus

import "context"

// subscription is a subscriber's place at a bus.
type subscription struct {
	filter   Filter
	messages chan Message
	gone     chan struct{} // closed when he takes no more
}

// offer gives a message if there is room, and reports whether it is settled.
func (s *subscription) offer(m Message) bool {
	select {
	case <-s.gone:
		return true
	case s.messages <- m:
		return true
	default:
		return false
	}
}

// put gives a message as soon as there is room.
func (s *subscription) put(ctx context.Context, closed <-chan struct{}, m Message) error {
	select {
	case <-s.gone:
		return nil
	case s.messages <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-closed:
		return ErrClosed
	}
}

// next waits for the next message; false: there are no more. Behind the end of
// the context or of the loop there are none, behind that of the bus those that
// came before.
func (s *subscription) next(ctx context.Context, closed <-chan struct{}) (m Message, ok bool) {
	select {
	case <-s.gone:
		return m, false
	default:
	}
	if ctx.Err() != nil { // gone follows a little later
		return m, false
	}
	select {
	case <-s.gone:
		return m, false
	case m = <-s.messages:
		return m, true
	case <-closed:
	}
	select {
	case m = <-s.messages:
		return m, true
	default:
		return m, false
	}
}
