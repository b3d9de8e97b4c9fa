package bus

import (
	"context"
	"fmt"
	"slices"
)

// delivery is a message on its way to those who were subscribed for it when it
// was published first.
type delivery struct {
	message Message
	turn    chan struct{}   // full while somebody delivers
	left    []*subscription // who has not got it; of him who delivers
}

// run brings a message to those who have not got it. A second publisher of
// the same message waits for the first one, and goes on where that gave up.
func (d *delivery) run(ctx context.Context, closed <-chan struct{}) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	d.left = slices.DeleteFunc(d.left, func(s *subscription) bool { return s.offer(d.message) })
	for len(d.left) > 0 {
		if err := d.left[0].put(ctx, closed, d.message); err != nil {
			return fmt.Errorf("%d subscribers have not taken it: %w", len(d.left), err)
		}
		d.left = d.left[1:]
	}
	d.left = nil
	return nil
}
