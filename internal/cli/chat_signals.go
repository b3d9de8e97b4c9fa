package cli

import (
	"context"
	"os"
	"sync"
)

// intercept is who takes signals before the command does. The zero value takes
// none.
type intercept struct {
	mu   sync.Mutex
	take func(os.Signal) bool
}

// set makes take the one who is asked; nil: nobody.
func (i *intercept) set(take func(os.Signal) bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.take = take
}

// took reports whether a signal was taken.
func (i *intercept) took(s os.Signal) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.take != nil && i.take(s)
}

// attend takes ctrl-c while a run is at work. The first one ends soft, by which
// the run ends in order; one more ends hard, by which it ends at once, and is left
// to the command as well.
func (c *chat) attend(ctx context.Context) (soft, hard context.Context, over func()) {
	soft, stop := context.WithCancelCause(ctx)
	hard, kill := context.WithCancelCause(c.hard)
	presses := 0
	c.signals.set(func(s os.Signal) bool {
		if s != os.Interrupt {
			return false
		}
		if presses++; presses > 1 {
			kill(Stopped{s})
			return false
		}
		stop(Stopped{s})
		return true
	})
	said := make(chan struct{})
	unsaid := context.AfterFunc(soft, func() { // beside the run, which may be stuck
		defer close(said)
		c.tell("stopping: the step at work is finished first; once more ends the chat")
	})
	return soft, hard, func() {
		c.signals.set(nil)
		if !unsaid() {
			<-said
		}
		stop(nil)
		kill(nil)
	}
}
