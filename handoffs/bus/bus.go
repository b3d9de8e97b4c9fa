package bus

import (
	"context"
	"errors"
	"iter"
)

// The errors that callers branch on.
var (
	// ErrClosed: the bus was closed.
	ErrClosed = errors.New("the bus is closed")
	// ErrInvalid: a message cannot be published as it is.
	ErrInvalid = errors.New("invalid")
)

// Bus carries messages from publishers to subscribers. Both methods may be
// called by any number of goroutines at once.
type Bus interface {
	// Publish gives a message to all who are subscribed for it now. Without an
	// error all of them have it or are no subscribers any more; a message whose
	// ID came before is dropped without one. Behind an error it may be
	// published again: who has it does not get it twice. Errors are ErrInvalid,
	// ErrClosed and that of the context.
	Publish(ctx context.Context, m Message) error

	// Subscribe begins at once to take in the messages that the filter chooses,
	// and returns them, to be ranged over by one goroutine, once. It ends when
	// the context does, when the loop is left, or when the bus is closed and
	// what came before was taken. Who subscribes must range or end the context:
	// publishers wait for him.
	Subscribe(ctx context.Context, f Filter) (iter.Seq[Message], error)
}
