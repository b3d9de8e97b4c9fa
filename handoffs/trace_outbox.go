package handoffs

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/handoffs/bus"
)

// Outbox tells others what a session's log says: a bus of its messages, a trace
// of its events. It keeps nothing: whoever calls it keeps the position up to
// which the log was told. After a crash it tells again from the last position
// that was kept; as ids are always the same, that does no harm.
type Outbox struct {
	Bus   bus.Bus // nil: no messages
	Trace Sink    // nil: no trace events
}

// Publish tells what the entries of a log from a position on say, 0 for all of
// them, and returns the position to go on from. Behind an error that is the
// entry that was not told, or not wholly. A position beyond the end is an
// error: it is that of another log.
func (o *Outbox) Publish(ctx context.Context, session string, log Log, from int) (next int, err error) {
	if from < 0 || from > log.Len() {
		return from, fmt.Errorf("handoffs: outbox: session %q: position %d is none of a log of %d entries", session, from, log.Len())
	}
	for next = from; next < log.Len(); next++ {
		if err := o.entry(ctx, session, log, next); err != nil {
			return next, fmt.Errorf("handoffs: outbox: session %q: entry %d: %w", session, log.At(next).Seq, err)
		}
	}
	return next, nil
}

// entry tells what one entry says.
func (o *Outbox) entry(ctx context.Context, session string, log Log, i int) error {
	if o.Bus != nil {
		for _, m := range messagesAt(session, log, i) {
			if err := o.Bus.Publish(ctx, m); err != nil {
				return err
			}
		}
	}
	if o.Trace != nil {
		for _, e := range traceAt(session, log, i) {
			if err := o.Trace.Log(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}
