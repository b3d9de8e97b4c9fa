package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/graphrun/graphrun/graph"
)

// run calls the tool's function within its time.
func (t *Tool) run(ctx context.Context, args json.RawMessage) (string, error) {
	ctx, cancel := t.bounded(ctx)
	defer cancel()
	done := t.begin(ctx, args)
	select {
	case o := <-done:
		if o.err != nil && ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return o.text, o.err
	case <-ctx.Done():
	}
	select { // it may just be about to end
	case o := <-done:
		if o.err == nil {
			return o.text, nil
		}
	case <-time.After(graceOfTools):
		return "", fmt.Errorf("%w (%w: it may still be at work)", context.Cause(ctx), graph.ErrLeftBehind)
	}
	return "", context.Cause(ctx)
}

// bounded is a context that ends when the tool's time is up.
func (t *Tool) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := t.Timeout
	if limit == 0 {
		limit = 2 * time.Minute
	}
	if limit < 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("the tool has not ended within %s", limit))
}

// ended is what a tool's function has come to.
type ended struct {
	text string
	err  error
}

// begin calls the function in a goroutine of its own, which a tool that is deaf
// to its context keeps.
func (t *Tool) begin(ctx context.Context, args json.RawMessage) <-chan ended {
	done := make(chan ended, 1)
	go func() {
		o := ended{err: errors.New("the tool called runtime.Goexit")}
		defer func() {
			if p := recover(); p != nil {
				o = ended{err: &graph.PanicError{Value: p, Stack: debug.Stack()}}
			}
			done <- o
		}()
		text, err := t.Run(ctx, args)
		o = ended{text, err}
	}()
	return done
}

// graceOfTools is how long a tool may take to notice that its context has ended.
const graceOfTools = 100 * time.Millisecond

// cut bounds what the model is told, and makes a text of it.
func (t *Tool) cut(text string) string {
	most := 64 << 10
	if t != nil && t.MaxResult != 0 {
		most = t.MaxResult
	}
	if most < 0 || len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s\n[cut off: these are the first %d of %d bytes]", strings.ToValidUTF8(text[:end], "\uFFFD"), end, len(text))
}
